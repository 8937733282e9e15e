// SPDX-License-Identifier: Apache-2.0
// When a robots.txt lets a crawler come, and how often: Crawl-delay, Request-rate and Visit-time of an agent's
// groups. No standard has them; hours are UTC, as their proposal of 1996 says (S. Conner, "An Extended
// Standard for Robot Exclusion", section 3.2).
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
  // Takes a line in, if it is one of those three. Values that cannot be read are left out (see lint), and of
  // those that hold at some hours only what goes beyond 64 of a kind.
  void take(const RobotsRecord& line);

  // Time between two requests, whatever the hour; the longest where there are several.
  std::optional<std::int64_t> delay_ms() const { return delay_ms_; }
  // The same at a moment (milliseconds since 1970), with what holds at that hour only.
  std::optional<std::int64_t> delay_ms_at(std::int64_t unix_ms) const;
  // Milliseconds until the host wants to be visited; 0: it does.
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
  std::vector<Hours> visits_;  // any of them; empty: always
};

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_TIMETABLE_H_
