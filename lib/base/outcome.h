// SPDX-License-Identifier: Apache-2.0
// What became of a URL: the values of the record's `outcome` field, and the class that the
// scheduler acts on. One table (outcome.cc) is the only place that lists them.
//
// No name is the beginning of another. `outcome` is always a record's last field, so a record that
// was torn off within it cannot be taken for a settled one.
#ifndef SPINNERET_BASE_OUTCOME_H_
#define SPINNERET_BASE_OUTCOME_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace spinneret {

// States on disk hold these by number: add new ones at the end.
enum class Outcome : std::uint8_t {
  kOk,
  kNotModified,
  kRedirect,
  kMoved,
  kNotFound,
  kGone,
  kForbidden,
  kClientError,
  kRateLimited,
  kServerError,
  kDnsFailed,
  kConnectFailed,
  kTlsFailed,
  kTimeout,
  kAborted,
  kBadResponse,
  kTooLarge,
  kRefusedAddress,
  kUnsupportedType,
  kBlockedByRobots,
  kBlockedByPolicy,
  kNeeds,
  kDuplicate,
  kNoindex,
  kNonCanonical,
  kChallenged,
  kPaymentRequired,
  kItem,
};

enum class OutcomeClass : std::uint8_t {
  kDone,        // answered; nothing more to do before a recrawl
  kRetry,       // may pass: to be tried again later, a bounded number of times
  kPersistent,  // the URL or its host is broken; costs the host patience
  kBlocked,     // never requested, by robots.txt or policy
};

struct OutcomeInfo {
  Outcome outcome;
  std::string_view name;
  OutcomeClass outcome_class;
  std::string_view meaning;  // one line, for the manual and for reports
};

std::span<const OutcomeInfo> all_outcomes();
std::string_view to_string(Outcome outcome);
OutcomeClass class_of(Outcome outcome);
std::optional<Outcome> parse_outcome(std::string_view name);

// Whether the answer names another URL, temporarily or permanently.
constexpr bool is_redirect(Outcome outcome) {
  return outcome == Outcome::kRedirect || outcome == Outcome::kMoved;
}

}  // namespace spinneret

#endif  // SPINNERET_BASE_OUTCOME_H_
