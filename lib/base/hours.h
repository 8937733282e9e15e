// SPDX-License-Identifier: Apache-2.0
// Hours of the day: "22:00-06:00", or as robots.txt's Visit-time has them, "2200-0600" (UTC). A
// span may cross midnight; equal ends mean the whole day.
#ifndef SPINNERET_BASE_HOURS_H_
#define SPINNERET_BASE_HOURS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace spinneret {

struct Hours {
  std::uint16_t begin = 0;  // minutes of the day
  std::uint16_t end = 0;
  bool always() const { return begin == end; }
  friend bool operator==(const Hours&, const Hours&) = default;
};

std::optional<Hours> parse_hours(std::string_view text);

// Returns the milliseconds until the hours begin; 0 within them. `utc_offset_ms` is how far the
// time zone of the hours is ahead of UTC.
std::int64_t wait_for(const Hours& hours, std::int64_t wall_ms, std::int64_t utc_offset_ms);

// Returns how far local time (TZ) is ahead of UTC at `wall_ms`.
std::int64_t utc_offset_ms(std::int64_t wall_ms);

}  // namespace spinneret

#endif  // SPINNERET_BASE_HOURS_H_
