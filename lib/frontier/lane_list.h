// SPDX-License-Identifier: Apache-2.0
// All lanes, by number and by the hash of their names. Two lanes whose hashes are equal are served
// as one, which harms nobody. Lanes are never removed, and references to them stay valid.
//
// Not thread-safe. Cost: O(1).
#ifndef SPINNERET_FRONTIER_LANE_LIST_H_
#define SPINNERET_FRONTIER_LANE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/blocks.h"
#include "frontier/host.h"

namespace spinneret::frontier {

class LaneList {
 public:
  static constexpr LaneId kNoLane = UINT32_MAX;

  Lane& operator[](LaneId lane) { return lanes_[lane]; }
  const Lane& operator[](LaneId lane) const { return lanes_[lane]; }
  std::size_t size() const { return lanes_.size(); }

  // Returns the lane of that name. A new one is made where there is none.
  LaneId named(std::uint64_t hash);
  // Returns the lane of that name; kNoLane where there is none.
  LaneId find(std::uint64_t hash) const { return by_name_[place_of(hash)].lane; }

  // For very many lanes. reserve(), while there are none, makes space for 3/4 of `places`, a power
  // of two; prefetch() fetches what named() will look at.
  void reserve(std::size_t places) { by_name_.assign(places, Entry()); }
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(&by_name_[hash & (by_name_.size() - 1)]);
  }

 private:
  static constexpr std::size_t kFewest = 64;
  // As in Origins, a lane is looked at only where half of its hash agrees.
  struct Entry {
    std::uint32_t tag = 0;
    LaneId lane = kNoLane;
  };
  std::size_t place_of(std::uint64_t hash) const;

  Blocks<Lane> lanes_;
  std::vector<Entry> by_name_ = std::vector<Entry>(kFewest);  // a power of two, at most 3/4 full
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_LANE_LIST_H_
