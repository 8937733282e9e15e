// SPDX-License-Identifier: Apache-2.0
// When a robots.txt allows a crawler to come, and how often: the Crawl-delay, Request-rate and
// Visit-time of an agent's groups. No standard defines them. Hours are UTC, as their proposal of
// 1996 says (S. Conner, "An Extended Standard for Robot Exclusion", section 3.2).
#ifndef SPINNERET_ROBOTS_TIMETABLE_H_
#define SPINNERET_ROBOTS_TIMETABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/hours.h"
#include "robots/contents.h"

namespace spinneret::robots {

class Timetable {
 public:
  // Takes a line if it is one of those three. Values that cannot be read are left out (lint reports
  // them), and so are values beyond the first 64 of a kind that are valid at some hours only.
  void take(const RobotsRecord& line);

  // Returns the time between two requests at any hour; the longest where there are several.
  std::optional<std::int64_t> delay_ms() const { return delay_ms_; }
  // Returns the same for a moment (milliseconds since 1970), including values that are valid only
  // at that hour.
  std::optional<std::int64_t> delay_ms_at(std::int64_t unix_ms) const;
  // Returns the milliseconds until the host allows visits; 0: it allows them now.
  std::int64_t closed_ms_at(std::int64_t unix_ms) const;

  std::size_t memory() const {
    return rates_.capacity() * sizeof(Rate) + visits_.capacity() * sizeof(Hours);
  }

 private:
  struct Rate {
    Hours hours;
    std::int64_t delay_ms;
  };
  void add_rate(const Hours& hours, std::optional<std::int64_t> delay_ms);

  std::optional<std::int64_t> delay_ms_;
  std::vector<Rate> rates_;
  std::vector<Hours> visits_;  // visits are allowed in any of these hours; empty: always
};

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_TIMETABLE_H_
