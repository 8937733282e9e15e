// SPDX-License-Identifier: Apache-2.0
// How long a host is left alone between two requests: pure rules over what is known of it.
//
//   floor  robots.txt's Crawl-delay where there is one, capped, but at least min_delay; else delay
//   delay  max(floor, factor x time of the last answer, back-off); with a floor of 0 the factor is
//          off: whoever asks for no delay on a site of their own gets none
//
// The factor starts at 2 and falls by a hundredth with each good answer, down to 1, but not any
// more once the host has sent a 429. After a 429, or a 503 with Retry-After, the host is left alone
// for as long as it asks (capped); without Retry-After the delay doubles, with jitter. Ten good
// answers in a row halve that back-off.
#ifndef SPINNERET_FRONTIER_POLITENESS_H_
#define SPINNERET_FRONTIER_POLITENESS_H_

#include <cstdint>
#include <optional>

#include "base/outcome.h"
#include "frontier/host_row.h"

namespace spinneret::frontier {

// What counts as one host, and is asked with one delay.
enum class PolitenessKey : std::uint8_t { kHost, kDomain, kIp };

inline constexpr std::int64_t kMostBackoffMs = 3'600'000;

struct Politeness {
  std::int64_t delay_ms = 1000;
  std::int64_t min_delay_ms = 0;
  std::int64_t crawl_delay_cap_ms = 180'000;
  std::int64_t retry_after_cap_ms = 86'400'000;
  std::uint32_t factor_percent = 200;
  std::uint64_t throttle = 0;    // at most so many requests to a host ...
  std::int64_t throttle_ms = 0;  // ... in so long, counted from the first of them
  std::uint32_t patience = 5;    // failures in a row; 0: without end
  std::int64_t give_up_ms = 0;   // and so long since the first of them, in this run
  std::uint32_t per_host = 1;    // requests to a host at once
};

// What a request to a host came to.
struct Answer {
  Outcome outcome = Outcome::kOk;
  std::int64_t time_ms = 0;
  std::optional<std::int64_t> retry_after_ms = std::nullopt;
};

// What a result says of its host. Only silence costs patience: a status line or a byte of a body,
// however broken the rest is, shows that somebody is there.
enum class Sign : std::uint8_t { kNone, kLife, kSilence };
// The sign of a result from the network. `heard`: it has a status or a byte of a body.
Sign sign_of(Outcome outcome, bool heard);

// Whether the host was asked at all. A URL that robots or policy kept back costs it nothing.
bool was_asked(Outcome outcome);

std::int64_t floor_ms(const HostRow& host, const Politeness& rules);
std::int64_t delay_ms(const HostRow& host, const Politeness& rules);

// Takes in an answer and returns the gap until the next request. `random` is any 64 random bits.
std::int64_t gap_after(HostRow& host, const Answer& answer, const Politeness& rules,
                       std::uint64_t random);

// Counts a request that goes out at `steady_ms` towards the throttle. Returns how long the host
// must then be left alone because of it: 0, or until its span is over.
std::int64_t throttle_gap(HostRow& host, const Politeness& rules, std::int64_t steady_ms);

// Takes in a result for the host's patience.
void count_sign(HostRow& host, Sign sign, Outcome outcome);
// How long a host that has not answered is left alone: its delay, but at least 50 ms, doubled with
// each further silence in a row. The try that may be the last one comes when patience ends, not a
// rest later: `silent_ms` have passed since the first silence.
std::int64_t silence_gap_ms(const HostRow& host, const Politeness& rules, std::int64_t silent_ms);
bool out_of_patience(const HostRow& host, const Politeness& rules);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_POLITENESS_H_
