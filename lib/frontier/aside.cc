// SPDX-License-Identifier: Apache-2.0
#include "frontier/aside.h"

#include <utility>

namespace spinneret::frontier {

// An entry is moved at most once for each one that goes.
void Aside::Row::drop_taken() {
  if (head * 2 < lanes.size()) return;
  lanes.erase(lanes.begin(), lanes.begin() + static_cast<std::ptrdiff_t>(head));
  head = 0;
}

void Aside::put(LaneId lane, std::uint64_t domain) {
  if (rows_.empty()) rows_.resize(kRows);
  const auto number = static_cast<std::uint16_t>(domain % kRows);
  Row& row = rows_[number];
  if (row.empty()) turns_.push_back(number);
  row.lanes.push_back(lane);
  ++size_;
}

LaneId Aside::take_next() {
  const std::uint16_t number = turns_.front();
  turns_.pop_front();
  Row& row = rows_[number];
  const LaneId taken = row.lanes[row.head++];
  row.drop_taken();
  if (!row.empty()) turns_.push_back(number);
  --size_;
  return taken;
}

Aside::Place Aside::draw(std::uint64_t bits) const {
  Place out{(bits >> 32) % turns_.size(), 0};
  const Row& row = row_of(out);
  out.at = row.head + (bits & UINT32_MAX) % (row.lanes.size() - row.head);
  return out;
}

LaneId Aside::take(Place place) {
  Row& row = rows_[turns_[place.turn]];
  const LaneId taken = std::exchange(row.lanes[place.at], row.lanes.back());
  row.lanes.pop_back();
  if (row.empty()) {
    turns_[place.turn] = turns_.back();
    turns_.pop_back();
  }
  --size_;
  return taken;
}

}  // namespace spinneret::frontier
