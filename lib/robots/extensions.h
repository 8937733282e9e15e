// SPDX-License-Identifier: Apache-2.0
// The statements of an agent's groups besides Allow and Disallow, by path:
//
//   Noindex: /path                           by path, as rules are; unofficial
//   Content-Usage: [/path] train-ai=n, ...   by path, the longest match (draft-ietf-aipref-attach)
//   Content-Signal: [/path] search=yes, ...  likewise
//   DisallowAITraining: /path                by path, as rules are (draft-canel-robots-ai-control)
//   AllowAITraining: /path
//
// Crawl-delay, Request-rate and Visit-time apply to a whole group: see timetable.h.
#ifndef SPINNERET_ROBOTS_EXTENSIONS_H_
#define SPINNERET_ROBOTS_EXTENSIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "robots/preference.h"
#include "robots/rule_set.h"

namespace spinneret::robots {

// A record's value, split where it begins with a path.
struct ScopedValue {
  std::string_view path;  // "/path" or "*.pdf"; empty: everything
  std::string_view value;
};
ScopedValue parse_scoped(std::string_view value);

class Extensions {
 public:
  struct Item {
    std::uint32_t line = 0;  // line of the first record with this path
    RobotsKey key = RobotsKey::kUnknown;
    std::string pattern;  // comparable; empty: everything
    std::string value;    // without the path; as written, where a single record gives it
    std::vector<Preference> preferences;
  };

  static Extensions compile(std::string_view bytes, std::string_view agent,
                            const RuleOptions& options = {});
  // Compiles the records that address the selection. Records of one key and path are merged; where
  // they disagree on a label, no prevails over yes.
  static Extensions compile(const RobotsContents& contents, const RobotsSelection& selection,
                            const RuleOptions& options);
  // Compiles the records in front of all groups. By RFC 9309 they address nobody, but they state
  // what their writer wants.
  static Extensions compile_ungrouped(const RobotsContents& contents, RobotsMode mode);

  // Returns the items in the file's order, one for each key and path.
  const std::vector<Item>& items() const { return items_; }
  bool empty() const { return items_.empty(); }
  // Returns the item of `key` with the longest pattern that matches; nullptr where there is none.
  // Linear in items and path.
  const Item* find(RobotsKey key, std::string_view path) const;
  std::size_t memory() const;

 private:
  friend class ExtensionCollector;
  std::vector<Item> items_;
};

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_EXTENSIONS_H_
