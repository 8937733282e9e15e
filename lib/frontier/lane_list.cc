// SPDX-License-Identifier: Apache-2.0
#include "frontier/lane_list.h"

namespace spinneret::frontier {

std::size_t LaneList::place_of(std::uint64_t hash) const {
  const std::size_t mask = by_name_.size() - 1;
  std::size_t place = hash & mask;
  while (by_name_[place] != kNone && lanes_[by_name_[place]].name != hash)
    place = (place + 1) & mask;
  return place;
}

LaneId LaneList::named(std::uint64_t hash) {
  const std::size_t place = place_of(hash);
  if (by_name_[place] != kNone) return by_name_[place];
  const auto lane = static_cast<LaneId>(lanes_.size());
  lanes_.emplace_back().name = hash;
  if (lanes_.size() * 4 <= by_name_.size() * 3) {
    by_name_[place] = lane;
    return lane;
  }
  by_name_.assign(by_name_.size() * 2, kNone);
  for (LaneId each = 0; each <= lane; ++each) by_name_[place_of(lanes_[each].name)] = each;
  return lane;
}

}  // namespace spinneret::frontier
