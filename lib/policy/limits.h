// SPDX-License-Identifier: Apache-2.0
// The limits and traps of a policy, a row each: what it is called, its numbers, how it is measured, and in which words it
// refuses. Policies are read by this table (builder.h), URLs judged in its order (judge.h), and verdicts told by it
// (explain.cc): a new trap is a new row, and its words in spinneret-policy(5).
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

// A URL to be measured. What several rows ask is worked out once.
class LimitTarget {
 public:
  // What its record says of it.
  struct Said {
    std::uint64_t depth = 0;
    std::uint64_t redirects = 0;
    bool is_requisite = false;
  };
  // Borrows the URL, and `parts` to work with: one for many URLs.
  LimitTarget(const Url& url, const Said& said, const CalendarLimits& today,
              std::vector<std::string_view>& parts);

  const Url& url() const { return url_; }
  std::uint64_t depth() const { return said_.depth; }
  std::uint64_t redirects() const { return said_.redirects; }
  bool is_requisite() const { return said_.is_requisite; }
  std::size_t segments();  // of the path
  const CalendarLimits& today() const { return today_; }
  const std::vector<std::string_view>& split_path();
  const UrlDate& date();

 private:
  const Url& url_;
  Said said_;
  CalendarLimits today_;
  std::size_t segments_ = SIZE_MAX;  // not counted yet
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
  std::string_view name;  // of the directive, or what stands behind `trap`
  bool is_trap = false;
  bool is_second = false;  // another number of the line of the row above
  Takes takes = Takes::kNumber;
  std::uint32_t usual = Settings::kOff;       // where the line gives none
  std::uint32_t by_default = Settings::kOff;  // by `traps default`; kOff: not set
  When when = When::kAheadOfRules;
  bool needs_depth = false;  // fields of the record: depth, redirects
  // Whether the URL is beyond `value`, and by what number, to be told. nullptr: judged elsewhere.
  bool (*exceeds)(LimitTarget& target, std::uint32_t value, std::uint64_t& found) = nullptr;
  // Why it refuses: "depth 7 is too deep", and in a word, to be counted by.
  const char* before = nullptr;  // ahead of the number; nullptr: it is not told
  const char* after = "";
  std::string_view refusal_class = "limit";
  Setting setting = Setting::kRow;  // by its row, if not by name
};

// In the order in which they are tested.
std::span<const Limit> all_limits();

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_LIMITS_H_
