// SPDX-License-Identifier: Apache-2.0
#include "base/hours.h"

#include <ctime>

#include "base/ascii.h"

namespace spinneret {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kDayMs = 24 * 60 * kMinuteMs;

// Parses "22:00", "2200" or "22" into minutes of the day. 24:00 is the day's end, and becomes 0.
std::optional<std::uint16_t> parse_time(std::string_view text) {
  std::string_view hour = text.substr(0, 2);
  std::string_view minute = text.substr(hour.size());
  if (minute.starts_with(':')) minute.remove_prefix(1);
  if (minute.empty() && text.size() == 2) minute = "00";
  if (hour.size() != 2 || minute.size() != 2) return std::nullopt;
  for (const char c : {hour[0], hour[1], minute[0], minute[1]}) {
    if (!is_digit(c)) return std::nullopt;
  }
  const int hours = (hour[0] - '0') * 10 + (hour[1] - '0');
  const int minutes = (minute[0] - '0') * 10 + (minute[1] - '0');
  if (minutes > 59 || hours * 60 + minutes > 24 * 60) return std::nullopt;
  return static_cast<std::uint16_t>((hours * 60 + minutes) % (24 * 60));
}

}  // namespace

std::optional<Hours> parse_hours(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint16_t> begin = parse_time(trim(text.substr(0, dash)));
  const std::optional<std::uint16_t> end = parse_time(trim(text.substr(dash + 1)));
  if (!begin || !end) return std::nullopt;
  return Hours{*begin, *end};
}

std::int64_t wait_for(const Hours& hours, std::int64_t wall_ms, std::int64_t utc_offset) {
  if (hours.always()) return 0;
  const std::int64_t now = ((wall_ms + utc_offset) % kDayMs + kDayMs) % kDayMs;
  const std::int64_t begin = hours.begin * kMinuteMs;
  const std::int64_t end = hours.end * kMinuteMs;
  const bool within = begin < end ? now >= begin && now < end : now >= begin || now < end;
  if (within) return 0;
  return begin >= now ? begin - now : begin + kDayMs - now;
}

std::int64_t utc_offset_ms(std::int64_t wall_ms) {
  const std::time_t seconds = static_cast<std::time_t>(wall_ms / 1000);
  std::tm local{};
  return localtime_r(&seconds, &local) == nullptr ? 0 : local.tm_gmtoff * 1000;
}

}  // namespace spinneret
