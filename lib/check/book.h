// SPDX-License-Identifier: Apache-2.0
// What is known of links, the pages that contain them, and their targets; and the verdict on each link.
//
//   LinkBook book;
//   book.add_link({.page = "http://h/", .target = "http://h/a#b", .tag = "a@href", .line = 3, .column = 7});
//   book.settle({.url = "http://h/", .outcome = Outcome::kOk, .has_ids = true});
//   book.settle({.url = "http://h/a", .outcome = Outcome::kNotFound, .status = 404});
//   book.judge([](const Finding& finding) { ... });      // dead: 404 not-found
//
// The links of a page come before its own record, as extract-links writes them. A page that comes again replaces what
// was known of it. Links whose page's record is missing count, unless the page came before (then they were torn off).
// Memory: 20 bytes a link, and at most 28 and its bytes for a target. Not thread-safe.
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
// Names by number.
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

// Clamps a line or column to what a link stores.
inline std::uint32_t clamp32(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
}

struct FoundLink {
  std::string_view page;    // empty: no page contains it, but it is to be checked
  std::string_view target;  // with its fragment
  std::string_view tag;
  std::uint64_t line = 0;  // 0: unknown, as for the column
  std::uint64_t column = 0;
  bool is_ignored = false;  // the page itself asks to ignore it
};

struct SettledPage {
  std::string_view url;
  Outcome outcome = Outcome::kOk;
  unsigned status = 0;
  std::string_view type;      // media type
  std::string_view location;  // of a redirect
  std::string_view file;      // where the page was read from
  std::string_view error;     // why it was not asked for, if it was aborted
  bool has_ids = false;
  std::string_view ids;    // as the record's field has them
  bool is_source = false;  // text from which a page is made, such as Markdown
  // It exists only for links in sources: a folder without an index, or a hidden file.
  bool for_sources = false;
  bool is_aside = false;  // read only for its ids: it is not counted
};

// Views live as long as the call that gives the finding.
struct Finding {
  std::uint32_t number = 0;  // of the link, from 0
  Verdict verdict = Verdict::kOk;
  std::string_view target;
  std::string_view page;
  std::string_view file;  // path to open it; whoever shows it must remove control characters
  std::string_view tag;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string_view reason;    // empty: the link is as it should be
  std::string_view location;  // where the target has moved
  bool is_ignored = false;
  // "public/a.html:3:7", or with the page's URL if there is no file; for people, without control characters.
  std::string place() const;
};

class LinkBook {
 public:
  // Says that all pages whose URL begins with `base` will come, so that one which does not come is dead. Otherwise
  // nothing is known of such a page.
  void set_site(std::string_view base);
  std::string_view site() const { return site_; }  // as its targets begin

  // Adds a link. Returns false where the target or the page is not an http or https URL.
  bool add_link(const FoundLink& link);
  // Adds a link whose target, an http or https URL, is already parsed; link.target is ignored.
  void add_link(const FoundLink& link, const Url& target);
  // The form in which targets are stored: without fragment, and with one spelling of escapes. A view of `scratch` or
  // the URL.
  static std::string_view key_of(const Url& url, std::string& scratch);
  // Adds a link whose target's key, and the key's hash64(), were computed elsewhere.
  struct Key {
    std::string_view text;
    std::uint64_t hash = 0;
    std::string_view fragment;
  };
  void add_link(const FoundLink& link, const Key& key);
  // Adds a link that is not a URL, which is dead; `reason` says why.
  void add_broken(const FoundLink& link, std::string_view reason);
  bool settle(const SettledPage& page);
  // Says that nothing is known of what is in this folder (a URL that ends in '/'), so that it is not checked.
  void set_outside(std::string_view folder);
  // Takes a target that nobody has reported on as good, since an earlier run found it so. Returns false where no link
  // asks for it, or it was reported on.
  bool recall(std::string_view url);
  // Gives each target that is linked to and of which nothing is known, on the site or elsewhere, including those that
  // `take` adds.
  using TakeUrl = std::function<void(std::string_view url)>;
  void each_unanswered(bool on_site, const TakeUrl& take) const;

  using Take = std::function<void(const Finding&)>;
  using Verdicts = std::array<bool, kVerdictCount>;
  using Counts = std::array<std::uint64_t, kVerdictCount>;
  // Gives every link in the order of addition, without those of readings that were replaced.
  void judge(const Take& take) const;
  // Gives only links with a wanted verdict and counts the others, since most links are ok and nobody looks at them.
  Counts judge(const Verdicts& wanted, const Take& take) const;
  // Gives the finding of that number again, after judge().
  void judge_one(std::uint32_t number, const Take& take) const;

  std::uint64_t link_count() const { return links_.size(); }
  std::size_t page_count() const { return pages_.size() - aside_; }

 private:
  static constexpr std::uint32_t kNone = StringTable::kNone;
  struct Link {
    std::uint32_t target;
    std::uint32_t fragment;  // kNone: there is none
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
    std::uint8_t is_redirect : 1 = 0;  // redirects_ has it; for an aborted target it is the reason
    std::uint16_t status = 0;
  };
  // A page, as it was read at one time.
  struct Reading {
    std::uint32_t target = kNone;
    std::uint32_t file = kNone;
    bool replaced = false;
    bool is_source = false;
  };
  struct Page {
    std::uint32_t open = kNone;    // a reading whose links are still coming
    std::uint32_t closed = kNone;  // the last one that is complete
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

  std::string site_;  // in the form of targets
  std::unordered_set<std::string> outside_;
  std::size_t longest_outside_ = 0;
  StringTable strings_;  // targets, fragments, files, reasons
  std::deque<Link> links_;
  // by number of string; shorter where nothing is known of the last ones
  std::deque<Target> targets_;
  std::vector<Reading> readings_;
  std::unordered_map<std::uint32_t, Page> pages_;
  std::unordered_map<std::uint32_t, Redirect> redirects_;
  std::vector<std::uint64_t> ids_;  // hashes, sorted within each page
  std::size_t aside_ = 0;           // number of pages that are not counted
  std::vector<std::string> tags_{""};
  Url url_;
  std::string key_;
  std::string last_page_;  // the page of the previous link, and its reading
  std::uint32_t last_reading_ = kNone;
};

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_BOOK_H_
