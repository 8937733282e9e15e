// SPDX-License-Identifier: Apache-2.0
// What the groups of an agent say beside Allow and Disallow.
//
//   Crawl-delay, Request-rate, Visit-time       of the whole group
//   Noindex: /path                              by path, as rules are; unofficial
//   Content-Usage: [/path] train-ai=n, ...      by path, the longest match (draft-ietf-aipref-attach)
//   Content-Signal: [/path] search=yes, ...     the same
#ifndef SPINNERET_ROBOTS_EXTENSIONS_H_
#define SPINNERET_ROBOTS_EXTENSIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "robots/rule_set.h"

namespace spinneret {

// A record's value, taken apart where it is bound to a path.
struct ScopedValue {
  std::string_view path;  // "/path" or "*.pdf"; empty: everything
  std::string_view value;
};
ScopedValue parse_scoped(std::string_view value);

class Extensions {
 public:
  struct Item {
    std::uint32_t line = 0;
    RobotsKey key = RobotsKey::kUnknown;
    std::string pattern;  // comparable; empty: everything
    std::string value;    // as written, without the path
  };

  static Extensions compile(std::string_view bytes, std::string_view agent,
                            const RuleOptions& options = {});

  // In the file's order, those of the agent alone.
  const std::vector<Item>& items() const { return items_; }
  // The item of `key` with the longest pattern that matches; of equals the first. nullptr: none. Linear in
  // items and path.
  const Item* find(RobotsKey key, std::string_view path) const;

 private:
  std::vector<Item> items_;
};

}  // namespace spinneret

#endif  // SPINNERET_ROBOTS_EXTENSIONS_H_
