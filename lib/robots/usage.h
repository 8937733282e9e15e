// SPDX-License-Identifier: Apache-2.0
// One answer to what may be done with a page, from all who say something of it: robots.txt, header fields, meta
// elements, and the files beside robots.txt.
//
//   Usage usage;
//   usage.read_robots(rules, 0, path);
//   usage.read_page(page, now, is_image);
//   usage.of(Use::kTrainAi).word;               // UseAnswer::kNo
//   usage.of(Use::kTrainAi).rule;               // "Content-Usage: train-ai=n", of line 4 of robots.txt
//
// A no counts before a yes, whoever says it (AI preferences vocabulary, section 7.1); of two that say the same the
// first is kept. What nobody speaks of is unknown, but for crawl, index, follow, snippet and archive: what is
// served and not forbidden may be done, by the convention of robots.txt and of meta robots.
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
// "crawl", ..., "train-ai", "ai-input"
std::string_view to_string(Use use);

// Whether a label of Content-Usage or Content-Signal stands for uses of these.
bool names_use(std::string_view label);

struct UseAnswer {
  enum Word : std::uint8_t { kUnknown, kYes, kNo };
  Word word = kUnknown;
  std::string source;  // "robots.txt", "X-Robots-Tag", "meta robots", "tdmrep.json", "ai.txt", ...
  std::uint32_t line = 0;  // of a file; 0: the source has no lines
  std::string rule;        // what it says there
};
// "yes", "no", "unknown"
std::string_view to_string(UseAnswer::Word word);

class Usage {
 public:
  const UseAnswer& of(Use use) const { return answers_[static_cast<std::size_t>(use)]; }

  void say(Use use, bool yes, std::string_view source, std::uint32_t line, std::string rule);
  // Labels of Content-Usage or Content-Signal; those that stand for more than one use ("bots", "tdm") count where the
  // list does not name the use itself.
  void say(const std::vector<Preference>& list, std::string_view source, std::string_view key);

  // What the file says of the path to one of its agents. Of a path that may not be crawled no preference is implied
  // (draft-ietf-aipref-attach).
  void read_robots(const HostRules& rules, std::size_t agent, std::string_view path);
  // Headers and meta elements of a page that was had.
  void read_page(const PageDirectives& page, std::int64_t now, bool is_image);
  // What nobody has forbidden of a page that was read whole may be done with it: index, follow, snippet, archive.
  void assume_allowed();
  // Where the page itself says nothing of TDM.
  void read_tdm(const TdmFile& file, std::string_view path);
  // Spawning's ai.txt, in the form of a robots.txt: what it disallows is not for training.
  void read_ai_txt(const RuleSet& rules, std::string_view path);

 private:
  std::array<UseAnswer, kUses> answers_;
};

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_USAGE_H_
