// SPDX-License-Identifier: Apache-2.0
// Lanes that wait for a slot, by turns among registrable domains. A domain that answers for any
// name, and links to a hundred new ones on each page, takes turns like any other: other hosts need
// not wait until all of its own are through.
//
// A domain is known by its hash alone, and stands in one of kRows rows; domains in one row share
// its turn (stochastic fairness queueing, McKenney 1990). So a domain, of which there may be
// millions, needs no memory of its own.
//
// Cost: O(1); memory: 4 bytes a lane, and 34 KB once there is one.
#ifndef SPINNERET_FRONTIER_ASIDE_H_
#define SPINNERET_FRONTIER_ASIDE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "frontier/agenda.h"

namespace spinneret::frontier {

class Aside {
 public:
  static constexpr std::size_t kRows = 1024;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  // Appends a lane to the row of its domain.
  void put(LaneId lane, std::uint64_t domain);
  // Takes the first lane of the row whose turn it is. Requires !empty().
  LaneId take_next();

  // A place drawn by 64 random bits: of a row, and in that row. Valid until the next change;
  // requires !empty().
  struct Place {
    std::size_t turn = 0, at = 0;
  };
  Place draw(std::uint64_t bits) const;
  LaneId at(Place place) const { return row_of(place).lanes[place.at]; }
  // Takes the lane there. The last lane of the row takes its place, so that those in front keep
  // their turns.
  LaneId take(Place place);

 private:
  // First in, first out. (A std::deque takes 576 bytes before anything is in it.)
  struct Row {
    std::vector<LaneId> lanes;
    std::size_t head = 0;
    bool empty() const { return head == lanes.size(); }
    void drop_taken();
  };
  const Row& row_of(Place place) const { return rows_[turns_[place.turn]]; }

  std::vector<Row> rows_;
  std::deque<std::uint16_t> turns_;  // rows that are not empty; the first is next
  std::size_t size_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_ASIDE_H_
