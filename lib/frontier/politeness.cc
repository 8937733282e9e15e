// SPDX-License-Identifier: Apache-2.0
#include "frontier/politeness.h"

#include <algorithm>

namespace spinneret::frontier {
namespace {

constexpr std::int64_t kFirstBackoffMs = 1000;
// A host that takes minutes to answer is broken, not busy: patience deals with it.
constexpr std::int64_t kMaxAdaptiveMs = 60'000;
constexpr std::uint32_t kLeastFactorPercent = 100;
constexpr std::uint32_t kCalmToForgive = 10;
constexpr std::int64_t kLeastSilenceMs = 50;
constexpr std::uint32_t kMaxSilenceDoublings = 12;

// 75 to 125 percent of `ms`.
std::int64_t with_jitter(std::int64_t ms, std::uint64_t random) {
  return ms * static_cast<std::int64_t>(75 + random % 51) / 100;
}

void ease(HostRow& host, const Politeness& rules) {
  if (!host.no_easing &&
      host.factor_percent > std::min(kLeastFactorPercent, rules.factor_percent)) {
    --host.factor_percent;
  }
  if (host.backoff_ms == 0 || ++host.calm < kCalmToForgive) return;
  host.calm = 0;
  host.backoff_ms /= 2;
  if (host.backoff_ms <= std::max(floor_ms(host, rules), kFirstBackoffMs / 4)) host.backoff_ms = 0;
}

}  // namespace

bool was_asked(Outcome outcome) {
  return class_of(outcome) != OutcomeClass::kBlocked && outcome != Outcome::kNeeds;
}

std::int64_t floor_ms(const HostRow& host, const Politeness& rules) {
  if (host.crawl_delay_ms < 0) return std::max(rules.delay_ms, rules.min_delay_ms);
  return std::max(std::min(host.crawl_delay_ms, rules.crawl_delay_cap_ms), rules.min_delay_ms);
}

std::int64_t delay_ms(const HostRow& host, const Politeness& rules) {
  const std::int64_t floor = floor_ms(host, rules);
  const std::uint32_t factor =
      host.factor_percent == 0 ? rules.factor_percent : host.factor_percent;
  const std::int64_t adaptive = floor == 0 ? 0
                                           : std::min(host.response_ms, kMaxAdaptiveMs) *
                                                 static_cast<std::int64_t>(factor) / 100;
  return std::max({floor, std::min(adaptive, kMaxAdaptiveMs), host.backoff_ms});
}

std::int64_t gap_after(HostRow& host, const Answer& answer, const Politeness& rules,
                       std::uint64_t random) {
  if (host.factor_percent == 0) host.factor_percent = rules.factor_percent;
  host.response_ms = std::max<std::int64_t>(answer.time_ms, 0);
  if (answer.outcome == Outcome::kRateLimited) {
    const std::int64_t twice = std::max(2 * delay_ms(host, rules), kFirstBackoffMs);
    host.backoff_ms = std::min(with_jitter(twice, random), kMostBackoffMs);
    host.no_easing = true;
    host.calm = 0;
  } else if (class_of(answer.outcome) == OutcomeClass::kDone) {
    ease(host, rules);
  }
  const std::int64_t delay = delay_ms(host, rules);
  if (!answer.retry_after_ms) return delay;
  return std::max(delay, std::min(*answer.retry_after_ms, rules.retry_after_cap_ms));
}

std::int64_t throttle_gap(HostRow& host, const Politeness& rules, std::int64_t steady_ms) {
  if (rules.throttle == 0) return 0;
  const std::int64_t since = steady_ms - host.span_start_ms;
  // If the clock has been set back, a new span begins.
  if (since < 0 || since >= rules.throttle_ms) {
    host.span_start_ms = steady_ms;
    host.span_count = 0;
  }
  if (++host.span_count < rules.throttle) return 0;
  return host.span_start_ms + rules.throttle_ms - steady_ms;
}

Sign sign_of(Outcome outcome, bool heard) {
  if (!was_asked(outcome) || outcome == Outcome::kAborted) return Sign::kNone;
  return class_of(outcome) == OutcomeClass::kPersistent && !heard ? Sign::kSilence : Sign::kLife;
}

void count_sign(HostRow& host, Sign sign, Outcome outcome) {
  if (sign == Sign::kLife) host.failures = 0;
  if (sign != Sign::kSilence) return;
  ++host.failures;
  host.failure = outcome;
}

std::int64_t silence_gap_ms(const HostRow& host, const Politeness& rules, std::int64_t silent_ms) {
  const std::uint32_t doublings = std::min(std::max(host.failures, 1U) - 1, kMaxSilenceDoublings);
  const std::int64_t least = std::max(delay_ms(host, rules), kLeastSilenceMs);
  const std::int64_t gap = std::min(least << doublings, kMostBackoffMs);
  const std::int64_t left = rules.give_up_ms - silent_ms;
  const bool is_last = rules.patience != 0 && host.failures + 1 >= rules.patience && left > 0;
  return is_last ? std::min(gap, std::max(left, least)) : gap;
}

bool out_of_patience(const HostRow& host, const Politeness& rules) {
  return rules.patience != 0 && host.failures >= rules.patience;
}

}  // namespace spinneret::frontier
