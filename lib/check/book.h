// SPDX-License-Identifier: Apache-2.0
// What is known of links, the pages that hold them and what became of their targets, and the verdict on each.
//
//   LinkBook book;
//   book.add_link({.page = "http://h/", .target = "http://h/a#b", .tag = "a@href", .line = 3, .column = 7});
//   book.settle({.url = "http://h/", .outcome = Outcome::kOk, .has_ids = true});
//   book.settle({.url = "http://h/a", .outcome = Outcome::kNotFound, .status = 404});
//   book.judge([](const Finding& finding) { ... });      // dead: 404 not-found
//
// A page's links come ahead of its own record, as extract-links writes them. A page that comes again replaces what was
// known of it; links whose page's record is still to come count, unless the page has come before (they were torn off).
// Memory: 20 bytes a link, 28 and its bytes a target at most. Not thread-safe.
#ifndef SPINNERET_CHECK_BOOK_H_
#define SPINNERET_CHECK_BOOK_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/outcome.h"
#include "check/strings.h"
#include "url/parse.h"

namespace spinneret::check {

enum class Verdict : std::uint8_t {
  kOk,
  kMoved,
  kDead,
  kDeadFragment,
  kChallenged,
  kForbidden,
  kRateLimited,
  kPaymentRequired,
  kBlockedByRobots,
  kTimeout,
  kNotCheckable,
};
inline constexpr std::size_t kVerdictCount = 11;
// By number.
inline constexpr std::array<std::string_view, kVerdictCount> kVerdicts = {"ok",
                                                                          "moved",
                                                                          "dead",
                                                                          "dead-fragment",
                                                                          "challenged",
                                                                          "forbidden",
                                                                          "rate-limited",
                                                                          "payment-required",
                                                                          "blocked-by-robots",
                                                                          "timeout",
                                                                          "not-checkable"};
inline std::string_view to_string(Verdict verdict) {
  return kVerdicts[static_cast<std::size_t>(verdict)];
}

// A line or a column as a link keeps it.
inline std::uint32_t clamp32(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
}

struct FoundLink {
  std::string_view page;    // empty: nobody holds it, it is asked for
  std::string_view target;  // with its fragment
  std::string_view tag;
  std::uint64_t line = 0;  // 0: unknown, as for the column
  std::uint64_t column = 0;
  bool is_ignored = false;  // the page itself says so
};

struct SettledPage {
  std::string_view url;
  Outcome outcome = Outcome::kOk;
  unsigned status = 0;
  std::string_view type;      // media type
  std::string_view location;  // of a redirect
  std::string_view file;      // where the page was read from
  std::string_view error;     // why nobody has asked for it, where it was aborted
  bool has_ids = false;
  std::string_view ids;    // as the record's field has them
  bool is_source = false;  // text that a page is made of, such as Markdown
  // There for links of sources alone: a folder that has no index, a hidden file.
  bool for_sources = false;
  bool is_aside = false;  // read for its ids alone: it does not count
};

// The views live as long as the call that gives it.
struct Finding {
  std::uint32_t number = 0;  // of the link, from 0
  Verdict verdict = Verdict::kOk;
  std::string_view target;
  std::string_view page;
  std::string_view file;  // as it opens: whoever shows it takes controls away
  std::string_view tag;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string_view reason;    // empty: it is as it should be
  std::string_view location;  // where it is to be found now
  bool is_ignored = false;
  // "public/a.html:3:7", or the page's URL in the place of the file, for people: without controls.
  std::string place() const;
};

class LinkBook {
 public:
  // Every page whose URL begins so comes: one that does not is dead. Else nothing is known of it.
  void set_site(std::string_view base);
  std::string_view site() const { return site_; }  // as its targets begin

  // False: the target or the page is no http or https URL.
  bool add_link(const FoundLink& link);
  // The same of a target that has been parsed, an http or https URL: link.target is not looked at.
  void add_link(const FoundLink& link, const Url& target);
  // How targets are spelled here: without the fragment, and one spelling of escapes. A view of `scratch` or of the URL.
  static std::string_view key_of(const Url& url, std::string& scratch);
  // The same of a target whose key, and the key's hash64(), have been made elsewhere.
  struct Key {
    std::string_view text;
    std::uint64_t hash = 0;
    std::string_view fragment;
  };
  void add_link(const FoundLink& link, const Key& key);
  // A link that is no URL at all is dead. `reason` says why.
  void add_broken(const FoundLink& link, std::string_view reason);
  bool settle(const SettledPage& page);
  // Nothing is known of what is in that folder, a URL that ends in '/': it is not looked for.
  void set_outside(std::string_view folder);
  // A target of whom nobody has told is as it should be: of an earlier run. False: nobody asks for it, or it was told of.
  bool recall(std::string_view url);
  // Each target that is linked to and of which nothing is known, on the site or not; those that `take` adds, too.
  using TakeUrl = std::function<void(std::string_view url)>;
  void each_unanswered(bool on_site, const TakeUrl& take) const;

  using Take = std::function<void(const Finding&)>;
  using Verdicts = std::array<bool, kVerdictCount>;
  using Counts = std::array<std::uint64_t, kVerdictCount>;
  // Every link in the order of their coming, but those of readings that were replaced.
  void judge(const Take& take) const;
  // Gives those of the verdicts that are wanted, and counts the others: most links are ok, and nobody looks at them.
  Counts judge(const Verdicts& wanted, const Take& take) const;
  // The finding of that number once more, behind judge().
  void judge_one(std::uint32_t number, const Take& take) const;

  std::uint64_t link_count() const { return links_.size(); }
  std::size_t page_count() const { return pages_.size() - aside_; }

 private:
  static constexpr std::uint32_t kNone = StringTable::kNone;
  struct Link {
    std::uint32_t target;
    std::uint32_t fragment;  // kNone: none
    std::uint32_t page;      // instance
    std::uint32_t line;
    std::uint32_t column : 23;
    std::uint32_t is_ignored : 1;
    std::uint32_t tag : 8;
  };
  struct Target {
    std::uint8_t outcome = 0xFF;  // none yet
    std::uint8_t is_pdf : 1 = 0;
    std::uint8_t is_broken : 1 = 0;
    std::uint8_t for_sources : 1 = 0;
    std::uint8_t is_redirect : 1 = 0;  // redirects_ has it: without a target, why it was aborted
    std::uint16_t status = 0;
  };
  // A page as it was read once.
  struct Reading {
    std::uint32_t target = kNone;
    std::uint32_t file = kNone;
    bool replaced = false;
    bool is_source = false;
  };
  struct Page {
    std::uint32_t open = kNone;    // a reading whose links are coming
    std::uint32_t closed = kNone;  // the last that is whole
    bool has_ids = false;
    std::uint32_t first_id = 0;  // its hashes, in ids_
    std::uint32_t id_count = 0;
  };
  struct Redirect {
    std::uint32_t target = kNone;
    std::uint32_t fragment = kNone;
  };
  struct Answer;

  std::uint32_t target_of(const Url& url);
  Target& state_of(std::uint32_t target);
  Target known(std::uint32_t target) const;
  std::uint32_t reading_of(std::string_view page);
  void push(std::uint32_t target, std::uint32_t fragment, std::uint32_t reading,
            const FoundLink& link);
  void close_reading(std::uint32_t target, const SettledPage& page);
  bool counts(const Link& link) const;
  void answer(const Link& link, Answer& out) const;
  void tell(std::uint32_t number, const Answer& found, const Take& take) const;
  bool has_id(const Page& page, std::string_view id) const;
  bool is_ours(std::uint32_t target) const;
  bool is_outside(std::uint32_t target) const;
  void answer_at_end(std::uint32_t target, std::uint32_t fragment, Answer& out) const;
  std::uint32_t as_file(std::uint32_t target) const;

  std::string site_;  // as targets are spelled
  std::unordered_set<std::string> outside_;
  StringTable strings_;  // targets, fragments, files, reasons
  std::deque<Link> links_;
  std::deque<Target> targets_;  // by number of string; shorter where the last are unknown
  std::vector<Reading> readings_;
  std::unordered_map<std::uint32_t, Page> pages_;
  std::unordered_map<std::uint32_t, Redirect> redirects_;
  std::vector<std::uint64_t> ids_;  // hashes, sorted within each page
  std::size_t aside_ = 0;           // pages that do not count
  std::vector<std::string> tags_{""};
  Url url_;
  std::string key_;
  std::string last_page_;  // of the link before, and its reading
  std::uint32_t last_reading_ = kNone;
};

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_BOOK_H_
