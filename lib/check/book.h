// SPDX-License-Identifier: Apache-2.0
// The known links, the pages that contain them and their targets, and the verdict on each link.
//
//   LinkBook book;
//   book.add_link({.page = "http://h/", .target = "http://h/a#b", .tag = "a@href",
//                  .line = 3, .column = 7});
//   book.settle({.url = "http://h/", .outcome = Outcome::kOk, .has_ids = true});
//   book.settle({.url = "http://h/a", .outcome = Outcome::kNotFound, .status = 404});
//   book.judge([](const Finding& finding) { ... });      // dead: 404 not-found
//
// The links of a page come before the page's own record, as extract-links writes them. A page that
// comes again replaces what was known of it. Links without a record of their page count, unless the
// page came before: then the record was cut off. Memory: 20 bytes a link; a target takes its bytes
// and at most 28 more. Not thread-safe.
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
// Names of the verdicts, by number.
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

// Clamps a line or column to the 32 bits that a link stores.
inline std::uint32_t clamp32(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
}

struct FoundLink {
  std::string_view page;    // empty: no page contains it, but it must be checked
  std::string_view target;  // with its fragment
  std::string_view tag;
  std::uint64_t line = 0;  // 0: unknown, and likewise for the column
  std::uint64_t column = 0;
  bool is_ignored = false;  // whether the page itself asks to ignore the link
};

struct SettledPage {
  std::string_view url;
  Outcome outcome = Outcome::kOk;
  unsigned status = 0;
  std::string_view type;      // media type
  std::string_view location;  // target of a redirect
  std::string_view file;      // path that the page was read from
  std::string_view error;     // for an aborted request, why it was not made
  bool has_ids = false;
  std::string_view ids;    // in the form of the record's field
  bool is_source = false;  // whether it is text from which a page is made, such as Markdown
  // Whether it exists only for links in sources: a folder without an index, or a hidden file.
  bool for_sources = false;
  bool is_aside = false;  // whether it is read only for its ids, and is not counted
};

// One link and its verdict. Views live as long as the call that gives the finding.
struct Finding {
  std::uint32_t number = 0;  // number of the link, from 0
  Verdict verdict = Verdict::kOk;
  std::string_view target;
  std::string_view page;
  // Path to open it; may contain control characters, to be removed before display.
  std::string_view file;
  std::string_view tag;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string_view reason;    // empty: nothing is wrong with the link
  std::string_view location;  // URL that the target has moved to
  bool is_ignored = false;
  // Returns "public/a.html:3:7", or the same with the page's URL if there is no file; for display,
  // without control characters.
  std::string place() const;
};

class LinkBook {
 public:
  // Announces that every page whose URL begins with `base` will be settled, so that a target there
  // that is not settled is dead. Without this call nothing is known of such a target.
  void set_site(std::string_view base);
  std::string_view site() const { return site_; }  // in the form of targets

  // Adds a link. Returns false if the target is not an http or https URL.
  bool add_link(const FoundLink& link);
  // Adds a link whose target, an http or https URL, is already parsed; link.target is ignored.
  void add_link(const FoundLink& link, const Url& target);
  // Returns the form in which targets are stored: without fragment, and with one spelling of
  // escapes. The result is a view of `scratch` or of the URL.
  static std::string_view key_of(const Url& url, std::string& scratch);
  // Adds a link whose target's key was computed elsewhere, together with its hash64().
  struct Key {
    std::string_view text;
    std::uint64_t hash = 0;
    std::string_view fragment;
  };
  void add_link(const FoundLink& link, const Key& key);
  // Adds a link that is not a URL, and therefore dead; `reason` says why.
  void add_broken(const FoundLink& link, std::string_view reason);
  bool settle(const SettledPage& page);
  // Announces that nothing is known of the content of this folder (a URL that ends in '/'). Links
  // into it are not checkable.
  void set_outside(std::string_view folder);
  // Takes an unsettled target as good, since an earlier run found it so. Returns false if no
  // link leads to it, or where it is settled.
  bool recall(std::string_view url);
  // Gives each target of a link that is not settled, on the site or elsewhere, including targets
  // that `take` adds.
  using TakeUrl = std::function<void(std::string_view url)>;
  void each_unanswered(bool on_site, const TakeUrl& take) const;

  using Take = std::function<void(const Finding&)>;
  using Verdicts = std::array<bool, kVerdictCount>;
  using Counts = std::array<std::uint64_t, kVerdictCount>;
  // Gives every link in the order of addition, except links of readings that were replaced.
  void judge(const Take& take) const;
  // Gives only links with a wanted verdict and counts the others, since most links are ok and of no
  // interest.
  Counts judge(const Verdicts& wanted, const Take& take) const;
  // Gives the finding of that number again, after judge(), if its link counts.
  void judge_one(std::uint32_t number, const Take& take) const;

  std::uint64_t link_count() const { return links_.size(); }
  std::size_t page_count() const { return pages_.size() - aside_; }

 private:
  static constexpr std::uint32_t kNone = StringTable::kNone;
  struct Link {
    std::uint32_t target;
    std::uint32_t fragment;  // kNone: none
    std::uint32_t page;      // index into readings_; kNone: no page
    std::uint32_t line;
    std::uint32_t column : 23;
    std::uint32_t is_ignored : 1;
    std::uint32_t tag : 8;
  };
  struct Target {
    std::uint8_t outcome = 0xFF;  // 0xFF: none yet
    std::uint8_t is_pdf : 1 = 0;
    std::uint8_t is_broken : 1 = 0;
    std::uint8_t for_sources : 1 = 0;
    // Whether redirects_ has it; for an aborted target the entry is the reason.
    std::uint8_t is_redirect : 1 = 0;
    std::uint16_t status = 0;
  };
  // A page as it was read at one time.
  struct Reading {
    std::uint32_t target = kNone;
    std::uint32_t file = kNone;
    bool replaced = false;
    bool is_source = false;
  };
  struct Page {
    std::uint32_t open = kNone;    // the reading whose links are still coming
    std::uint32_t closed = kNone;  // the last complete reading
    bool has_ids = false;
    std::uint32_t first_id = 0;  // its ids, as hashes: ids_[first_id], id_count of them
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

  std::string site_;  // in the form of targets
  std::unordered_set<std::string> outside_;
  std::size_t longest_outside_ = 0;
  StringTable strings_;  // targets, fragments, files, reasons
  std::deque<Link> links_;
  // By number in strings_; shorter where nothing is known of the last strings.
  std::deque<Target> targets_;
  std::vector<Reading> readings_;
  std::unordered_map<std::uint32_t, Page> pages_;
  std::unordered_map<std::uint32_t, Redirect> redirects_;
  std::vector<std::uint64_t> ids_;  // hashes of ids, sorted within each page
  std::size_t aside_ = 0;           // number of pages that are not counted
  std::vector<std::string> tags_{""};
  Url url_;
  std::string key_;
  std::string last_page_;  // the page of the previous link, whose reading is last_reading_
  std::uint32_t last_reading_ = kNone;
};

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_BOOK_H_
