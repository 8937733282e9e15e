// SPDX-License-Identifier: Apache-2.0
// How a page may be used, decided from all sources that say something about it: robots.txt, header
// fields, meta elements, and the files beside robots.txt.
//
//   Usage usage;
//   usage.read_robots(rules, 0, path);
//   usage.read_page(page, now, is_image);
//   usage.of(Use::kTrainAi).word;               // UseAnswer::kNo
//   usage.of(Use::kTrainAi).rule;               // "Content-Usage: train-ai=n", in line 4
//
// No prevails over yes, whichever source says it (AI preferences vocabulary, section 7.1); of two
// that say the same, the first is kept. A use that no source mentions is unknown, except crawl,
// index, follow, snippet and archive, which are allowed unless forbidden, by the convention of
// robots.txt and meta robots.
#ifndef SPINNERET_ROBOTS_USAGE_H_
#define SPINNERET_ROBOTS_USAGE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "robots/host_rules.h"
#include "robots/page_directives.h"
#include "robots/tdm_file.h"

namespace spinneret::robots {

enum class Use : std::uint8_t {
  kCrawl,
  kIndex,
  kFollow,
  kSnippet,
  kArchive,
  kSearch,
  kTrainAi,
  kAiInput,
};
inline constexpr std::size_t kUses = 8;
// Returns "crawl", ..., "train-ai", "ai-input".
std::string_view to_string(Use use);

// Returns whether a label of Content-Usage or Content-Signal names one of these uses.
bool names_use(std::string_view label);

struct UseAnswer {
  enum Word : std::uint8_t { kUnknown, kYes, kNo };
  Word word = kUnknown;
  std::string source;  // "robots.txt", "X-Robots-Tag", "meta robots", "tdmrep.json", "ai.txt", ...
  std::uint32_t line = 0;  // line of a file; 0: the source has no lines
  std::string rule;        // the statement there
};
// Returns "yes", "no", "unknown".
std::string_view to_string(UseAnswer::Word word);

class Usage {
 public:
  const UseAnswer& of(Use use) const { return answers_[static_cast<std::size_t>(use)]; }

  void say(Use use, bool yes, std::string_view source, std::uint32_t line, std::string rule);
  // Takes labels of Content-Usage or Content-Signal. A label that stands for several uses ("bots",
  // "tdm") counts for a use that the list does not name itself.
  void say(const std::vector<Preference>& list, std::string_view source, std::string_view key);

  // Takes what the file says about the path to one of its agents. A path that may not be crawled
  // implies no preference (draft-ietf-aipref-attach).
  void read_robots(const HostRules& rules, std::size_t agent, std::string_view path);
  // Takes the headers and meta elements of a page that was fetched.
  void read_page(const PageDirectives& page, std::int64_t now, bool is_image);
  // For a page that was read completely: allows index, follow, snippet and archive where nothing
  // forbids them.
  void assume_allowed();
  // Takes the rule for the path. To be called where the page itself says nothing about TDM.
  void read_tdm(const TdmFile& file, std::string_view path);
  // Takes Spawning's ai.txt, which has the form of a robots.txt: what it disallows is not for
  // training.
  void read_ai_txt(const RuleSet& rules, std::string_view path);

 private:
  std::array<UseAnswer, kUses> answers_;
};

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_USAGE_H_
