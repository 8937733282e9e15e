// SPDX-License-Identifier: Apache-2.0
// The limits and traps of a policy, one row each: its name, its numbers, how it is measured, and
// the words of its refusal. Policies are read by this table (builder.h), URLs are judged in its
// order (judge.h), and verdicts are explained by it (explain.cc). A new trap is a new row here, and
// a description in spinneret-policy(5).
#ifndef SPINNERET_POLICY_LIMITS_H_
#define SPINNERET_POLICY_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "policy/calendar.h"
#include "policy/settings.h"
#include "url/parse.h"

namespace spinneret::policy {

// A URL to be measured. A value that several rows need is computed once.
class LimitTarget {
 public:
  // What the URL's record says.
  struct Said {
    std::uint64_t depth = 0;
    std::uint64_t redirects = 0;
    bool is_page = true;  // false: it is requested for the sake of other pages
  };
  // Borrows the URL, and `parts` as scratch space, which can be reused for many URLs.
  LimitTarget(const Url& url, const Said& said, const CalendarLimits& today,
              std::vector<std::string_view>& parts);

  const Url& url() const { return url_; }
  std::uint64_t depth() const { return said_.depth; }
  std::uint64_t redirects() const { return said_.redirects; }
  bool is_page() const { return said_.is_page; }
  std::size_t segments();  // number of segments of the path
  const CalendarLimits& today() const { return today_; }
  const std::vector<std::string_view>& split_path();
  const UrlDate& date();

 private:
  const Url& url_;
  Said said_;
  CalendarLimits today_;
  std::size_t segments_ = SIZE_MAX;  // SIZE_MAX: not counted yet
  std::vector<std::string_view>& parts_;
  std::optional<UrlDate> date_;
};

struct Limit {
  enum class Takes : std::uint8_t {
    kNumber,
    kRepeats,  // a number, 2 at least
    kSession,  // a word, of SessionRule
  };
  enum class When : std::uint8_t { kAheadOfRules, kBehindRules, kWithScope };
  std::string_view name;  // name of the directive, or the word after `trap`
  bool is_trap = false;
  bool is_second = false;  // a further number on the line of the row above
  Takes takes = Takes::kNumber;
  std::uint32_t usual = Settings::kOff;  // the value where the line gives no number
  // The value set by `traps default`; kOff: it sets none.
  std::uint32_t by_default = Settings::kOff;
  When when = When::kAheadOfRules;
  bool needs_depth = false;  // the row needs fields of the record: depth, redirects
  // Returns whether the URL exceeds `value`, and sets what it has, for the message. nullptr: it is
  // judged elsewhere.
  bool (*exceeds)(LimitTarget& target, std::uint32_t value, std::uint64_t& found) = nullptr;
  // The reason given ("depth 7 is too deep"), and a word to count by.
  const char* before = nullptr;  // text in front of the number; nullptr: the number is not given
  const char* after = "";
  std::string_view refusal_class = "limit";
  Setting setting = Setting::kRow;  // kRow: the setting of its row, which has no name
};

// Returns the rows in the order in which they are tested.
std::span<const Limit> all_limits();

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_LIMITS_H_
