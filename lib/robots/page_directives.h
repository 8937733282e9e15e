// SPDX-License-Identifier: Apache-2.0
// What a page itself asks of crawlers: by meta elements named "robots" or after the agent,
// X-Robots-Tag headers, the reservation of text and data mining (TDMRep), Content-Usage headers and
// licences (RSL 1.0).
//
//   PageDirectives page("examplebot");
//   page.add_header("otherbot: noindex, nofollow");   // X-Robots-Tag, not for us
//   page.add_meta("robots", "noarchive, max-snippet:20");
//   page.noindex();                                    // false
//   page.has(kNoarchive);                              // true
//
// The rules of all sources that address the agent, by name or as everyone, are combined. A rule can
// only refuse something, and no other rule can take that back ("index", "follow" and "all" are
// known and have no effect). Of two values the stricter one is used.
//
// In a header, the name of an agent and a colon address that agent up to the next name ("sticky").
// Names that take a value (max-snippet, max-image-preview, max-video-preview, unavailable_after)
// are never taken for an agent, and the commas and colons of a date belong to the date. Words may
// be separated by commas, semicolons or spaces.
//
// Reading takes linear time. Memory is bounded whatever a page contains, except for the URL of one
// policy. The object is not thread-safe while it is fed, and owns all that it keeps. Unknown words,
// and values that cannot be read, are ignored and listed in mistakes().
#ifndef SPINNERET_ROBOTS_PAGE_DIRECTIVES_H_
#define SPINNERET_ROBOTS_PAGE_DIRECTIVES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "robots/preference.h"

namespace spinneret::robots {

// What a page refuses, as bits.
enum PageRefusal : std::uint16_t {
  kNoindex = 1,
  kNofollow = 2,
  kNoarchive = 4,  // also "nocache"
  kNosnippet = 8,  // also max-snippet:0
  kNotranslate = 16,
  kNoimageindex = 32,
  kIndexifembedded = 64,  // lifts noindex inside an iframe; the only word that permits something
  kNositelinks = 128,     // "nositelinkssearchbox"
  kNoai = 256,
  kNoimageai = 512,
};

class PageDirectives {
 public:
  // One word that was accepted, for explanations.
  struct Rule {
    std::string source;  // "meta robots", "X-Robots-Tag", "X-Robots-Tag examplebot", ...
    std::string name;    // in lower case
    std::string value;   // as written, at most kMaxRuleValue bytes; usually empty
  };
  static constexpr std::size_t kMaxRules = 256;
  static constexpr std::size_t kMaxRuleValue = 1024;
  static constexpr std::size_t kMaxLicenses = 16;
  static constexpr std::size_t kMaxPreferences = 256;  // of Content-Usage
  static constexpr std::size_t kMaxMistakes = 16;

  // `agent` is a product token, compared without case; if it is empty, only rules for everyone
  // count.
  explicit PageDirectives(std::string_view agent) : agent_(agent) {}

  // Takes <meta name=NAME content=CONTENT>. Names other than "robots", the agent's,
  // "tdm-reservation" and "tdm-policy" are ignored.
  void add_meta(std::string_view name, std::string_view content);
  // Takes the value of one X-Robots-Tag header, or of several joined by commas.
  void add_header(std::string_view value);
  // Takes any header: X-Robots-Tag, TDM-Reservation, TDM-Policy and Content-Usage count, others are
  // ignored.
  void add_http_header(std::string_view name, std::string_view value);
  // Takes a link with rel=license whose type is that of RSL. `source` is "header Link" or "link".
  void add_license(std::string_view url, std::string_view source);
  // Resets everything but the agent.
  void clear();

  // "none" means noindex and nofollow. A date of unavailable_after that has passed counts only in
  // noindex(now).
  bool noindex() const { return (refusals_ & kNoindex) != 0; }
  bool noindex(std::int64_t now_unix_seconds) const {
    return noindex() || (unavailable_after_ && *unavailable_after_ <= now_unix_seconds);
  }
  bool nofollow() const { return (refusals_ & kNofollow) != 0; }
  bool has(PageRefusal refusal) const { return (refusals_ & refusal) != 0; }
  std::uint16_t refusals() const { return refusals_; }

  // Limits in characters and in seconds; absent where none was set (-1 also sets none).
  std::optional<std::int64_t> max_snippet() const { return max_snippet_; }
  std::optional<std::int64_t> max_video_preview() const { return max_video_preview_; }
  // Returns "none", "standard" or "large"; empty where it was not set.
  std::string_view max_image_preview() const;
  // Returns seconds since 1970; absent where it was not set, or is not a date.
  std::optional<std::int64_t> unavailable_after() const { return unavailable_after_; }

  // TDMRep: returns whether the rights to text and data mining are reserved; nothing where the page
  // does not say. A meta element supersedes a header; of two of the same kind, the one that
  // reserves counts.
  std::optional<bool> tdm_reservation() const { return tdm_.reserved; }
  bool tdm_reserved() const { return tdm_.reserved.value_or(false); }
  const std::string& tdm_policy() const { return tdm_.policy; }  // a URL, as written
  const std::string& tdm_source() const { return tdm_.source; }  // of the statement that counts
  // Returns the preferences of all Content-Usage headers, merged.
  const std::vector<Preference>& preferences() const { return preferences_; }
  // Returns the URLs as written, each once, at most the first kMaxLicenses.
  const std::vector<std::string>& licenses() const { return licenses_; }

  // Returns the rules in order, each once, at most the first kMaxRules. This bound does not limit
  // the rules in effect.
  const std::vector<Rule>& rules() const { return rules_; }
  // Returns the unknown words that addressed the agent: `X-Robots-Tag: unknown word "noindx"`. Each
  // is listed once, at most kMaxMistakes.
  const std::vector<std::string>& mistakes() const { return mistakes_; }
  // Returns the first rule that asks for noindex, or else the one whose date has passed; nullptr
  // where noindex(now) is false. It lives until the next change.
  const Rule* noindex_rule(std::int64_t now_unix_seconds) const;

 private:
  void add_list(std::string_view list, bool is_header, const std::string& source);
  void add_words(std::string_view words, const std::string& source);
  void add_valued(std::string_view name, std::string_view value, const std::string& source);
  void add_tdm(std::string_view name, std::string_view value, const std::string& source,
               bool is_meta);
  void add_mistake(std::string_view source, std::string_view what, std::string_view bytes);
  void keep_rule(std::string_view source, std::string_view name, std::string_view value);

  std::string agent_;
  std::uint16_t refusals_ = 0;
  int max_image_preview_ = -1;
  std::optional<std::int64_t> max_snippet_;
  std::optional<std::int64_t> max_video_preview_;
  std::optional<std::int64_t> unavailable_after_;
  struct Tdm {
    std::optional<bool> reserved;
    std::string policy;
    std::string source;
    bool of_meta = false;
  };
  Tdm tdm_;
  std::vector<Preference> preferences_;
  std::vector<std::string> licenses_;
  std::vector<Rule> rules_;
  std::vector<std::uint64_t> rule_hashes_;  // of rules_
  std::vector<std::string> mistakes_;
  std::size_t mistakes_seen_ = 0;  // including repeated ones
  std::optional<Rule> noindex_rule_;
  std::optional<Rule> date_rule_;  // the rule that set unavailable_after_
};

// Parses a date as people write it in unavailable_after: RFC 822/1123, RFC 850, asctime, or ISO
// 8601 (with or without a time), with the zone as a number, "GMT", "UTC", "Z" or a North American
// name; without a zone it is UTC. Returns seconds since 1970, or nothing.
std::optional<std::int64_t> parse_loose_date(std::string_view text);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_PAGE_DIRECTIVES_H_
