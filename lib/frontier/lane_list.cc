// SPDX-License-Identifier: Apache-2.0
#include "frontier/lane_list.h"

namespace spinneret::frontier {

namespace {

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

std::size_t LaneList::place_of(std::uint64_t hash) const {
  const std::size_t mask = by_name_.size() - 1;
  std::size_t place = hash & mask;
  while (by_name_[place].lane != kNoLane &&
         (by_name_[place].tag != tag_of(hash) || lanes_[by_name_[place].lane].name != hash)) {
    place = (place + 1) & mask;
  }
  return place;
}

LaneId LaneList::named(std::uint64_t hash) {
  const std::size_t place = place_of(hash);
  if (by_name_[place].lane != kNoLane) return by_name_[place].lane;
  const auto lane = static_cast<LaneId>(lanes_.size());
  lanes_.emplace_back().name = hash;
  if (lanes_.size() * 4 <= by_name_.size() * 3) {
    by_name_[place] = {tag_of(hash), lane};
    return lane;
  }
  reserve(by_name_.size() * 2);
  for (LaneId each = 0; each <= lane; ++each) {
    const std::uint64_t name = lanes_[each].name;
    by_name_[place_of(name)] = {tag_of(name), each};
  }
  return lane;
}

}  // namespace spinneret::frontier
