// SPDX-License-Identifier: Apache-2.0
// Reads the values of Crawl-delay and Request-rate, as people write them, as a time between two
// requests.
#ifndef SPINNERET_ROBOTS_DELAY_H_
#define SPINNERET_ROBOTS_DELAY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/hours.h"

namespace spinneret::robots {

// The longest delay is a day: a greater one is cut to this, and reported.
inline constexpr std::int64_t kMaxCrawlDelayMs = 86'400'000;

// Why a value was not taken as it was written.
enum class DelayFault : std::uint8_t {
  kNone,
  kNotANumber,  // "nan", "soon": ignored
  kNegative,    // ignored
  kTooLong,     // reduced to kMaxCrawlDelayMs
  kTail,        // "10 seconds", "10s": the number counts
};

struct DelayValue {
  std::optional<std::int64_t> ms;
  DelayFault fault = DelayFault::kNone;
};

// Parses a time in seconds: "10", "0.5", "1,5".
DelayValue parse_crawl_delay(std::string_view value);

// Parses pages per time ("1/5", "1/10s", "30/1m 0800-1200") into the time per page. `hours`, if
// given, becomes the hours in which the rate is valid; hours that cannot be read become the whole
// day.
DelayValue parse_request_rate(std::string_view value, Hours* hours = nullptr);

std::string_view to_string(DelayFault fault);

// The message for a Visit-time that cannot be read.
inline constexpr std::string_view kNoHours = "is not a span of hours such as 0600-0845; ignored";

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_DELAY_H_
