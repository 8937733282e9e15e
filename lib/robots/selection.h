// SPDX-License-Identifier: Apache-2.0
// The lines of a robots.txt that address one crawler, as places in its contents.
#ifndef SPINNERET_ROBOTS_SELECTION_H_
#define SPINNERET_ROBOTS_SELECTION_H_

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "robots/contents.h"

namespace spinneret::robots {

// A run of agents in a group.
struct RobotsPlace {
  std::uint32_t group = 0;
  std::uint32_t run = 0;
  friend auto operator<=>(const RobotsPlace&, const RobotsPlace&) = default;
};

struct RobotsSelection {
  std::vector<RobotsPlace> places;  // ascending, each once
  bool own = false;                 // the places are the crawler's own groups, not those of "*"
  friend auto operator<=>(const RobotsSelection&, const RobotsSelection&) = default;
};

// Calls `use(record)` for each record that addresses the selection, in the file's order. With
// `first_rules`, rules are given only from its first group (k1994). O((records + places) log
// places).
template <typename Use>
void each_record(const RobotsContents& contents, const RobotsSelection& selection, bool first_rules,
                 const Use& use) {
  const std::vector<RobotsPlace>& places = selection.places;
  for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    const std::uint32_t group = places[begin].group;
    while (end < places.size() && places[end].group == group) ++end;
    const auto first = places.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = places.begin() + static_cast<std::ptrdiff_t>(end);
    for (const RobotsRecord& record : contents.groups[group].records) {
      if (first_rules && begin > 0 && is_rule(record.key)) continue;
      const auto run = std::lower_bound(first, last, RobotsPlace{group, record.first_agent});
      if (run != last && run->run < record.last_agent) use(record);
    }
  }
}

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_SELECTION_H_
