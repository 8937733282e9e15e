// SPDX-License-Identifier: Apache-2.0
#include "robots/timetable.h"

#include <algorithm>

#include "robots/delay.h"

namespace spinneret::robots {
namespace {

// Every page is compared with all hours: a file with half a megabyte of hours must not slow down
// the gate.
constexpr std::size_t kMaxHours = 64;

}  // namespace

void Timetable::take(const RobotsRecord& line) {
  if (line.key == RobotsKey::kCrawlDelay) {
    add_rate({}, parse_crawl_delay(line.value).ms);
  } else if (line.key == RobotsKey::kRequestRate) {
    Hours hours;
    const std::optional<std::int64_t> delay_ms = parse_request_rate(line.value, &hours).ms;
    add_rate(hours, delay_ms);
  } else if (line.key == RobotsKey::kVisitTime && visits_.size() < kMaxHours) {
    if (const std::optional<Hours> hours = parse_hours(line.value)) visits_.push_back(*hours);
  }
}

void Timetable::add_rate(const Hours& hours, std::optional<std::int64_t> delay_ms) {
  if (!delay_ms) return;
  if (hours.always()) {
    delay_ms_ = std::max(delay_ms_.value_or(0), *delay_ms);
  } else if (rates_.size() < kMaxHours) {
    rates_.push_back({hours, *delay_ms});
  }
}

std::optional<std::int64_t> Timetable::delay_ms_at(std::int64_t unix_ms) const {
  std::optional<std::int64_t> longest = delay_ms_;
  for (const Rate& rate : rates_) {
    if (wait_for(rate.hours, unix_ms, 0) == 0)
      longest = std::max(longest.value_or(0), rate.delay_ms);
  }
  return longest;
}

std::int64_t Timetable::closed_ms_at(std::int64_t unix_ms) const {
  if (visits_.empty()) return 0;
  std::int64_t least = INT64_MAX;
  for (const Hours& hours : visits_) least = std::min(least, wait_for(hours, unix_ms, 0));
  return least;
}

}  // namespace spinneret::robots
