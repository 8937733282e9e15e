// SPDX-License-Identifier: Apache-2.0
// The limits and traps of a policy, a row each: what it is called, its numbers, how it is measured, and what it is
// refused for. Policies (builder.h) are read by this table, and URLs judged (judge.h) in its order.
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

// Why a URL was accepted or refused; words for it: explain.cc.
enum class Reason : std::uint8_t {
  kNone,        // accepted, by no rule in particular
  kAllowed,     // accepted: `line` allows it
  kDenied,      // `line` denies it
  kNotAllowed,  // `line` is the first allow rule of a part, and none of them matches
  kDefault,     // `default deny`
  kOutOfScope,
  kTooFarOffsite,
  kTooDeep,
  kTooLong,
  kTooManySegments,
  kTooManyParameters,
  kQueryTooLong,
  kSegmentRepeats,
  kHasQuery,
  kParameter,  // no query-parameters line allows its parameters
  kRepeatedSegments,
  kRepeatedKeys,
  kCalendar,
  kSessionId,
  kGrowing,
  kBudget,
};

// A URL to be measured. What several rows ask is worked out once.
class LimitTarget {
 public:
  // Borrows the URL, and `parts` to work with: one for many URLs.
  LimitTarget(const Url& url, std::uint64_t depth, bool is_requisite, const CalendarLimits& today,
              std::vector<std::string_view>& parts);

  const Url& url() const { return url_; }
  std::uint64_t depth() const { return depth_; }
  bool is_requisite() const { return is_requisite_; }
  std::size_t segments();  // of the path
  const CalendarLimits& today() const { return today_; }
  const std::vector<std::string_view>& split_path();
  const UrlDate& date();

 private:
  const Url& url_;
  std::uint64_t depth_;
  bool is_requisite_;
  CalendarLimits today_;
  std::size_t segments_ = SIZE_MAX;  // not counted yet
  std::vector<std::string_view>& parts_;
  std::optional<UrlDate> date_;
};

struct Limit {
  enum class When : std::uint8_t { kAheadOfRules, kBehindRules, kWithScope };
  std::string_view name;  // of the directive, or what stands behind `trap`
  bool is_trap;
  Setting setting;
  std::uint32_t usual;       // where the line gives none
  std::uint32_t by_default;  // by `traps default`; Settings::kOff: not set
  When when;
  Reason reason;
  // Whether the URL is beyond `value`, and by what number, to be told. nullptr: judged elsewhere.
  bool (*exceeds)(LimitTarget& target, std::uint32_t value, std::uint64_t& found);
};

// In the order in which they are tested.
std::span<const Limit> all_limits();

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_LIMITS_H_
