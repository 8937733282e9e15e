// SPDX-License-Identifier: Apache-2.0
#include "frontier/flight_log.h"

#include <span>

#include "frontier/meta.h"

namespace spinneret::frontier {

void FlightLog::stage(std::size_t in_flight, const std::function<bool(HostId)>& unmark) {
  if (new_ == 0) return;
  if (marked_.size() > 2 * in_flight + kMarksToSweep) {
    std::erase_if(marked_, unmark);
    erase_rows();
    new_ = marked_.size();
  }
  store_.put(Table::kMeta, flying_key(rows_++), encode_ids(std::span(marked_).last(new_)));
  new_ = 0;
}

std::vector<HostId> FlightLog::clear() {
  erase_rows();
  new_ = 0;
  return std::exchange(marked_, {});
}

void FlightLog::erase_rows() {
  while (rows_ != 0) store_.erase(Table::kMeta, flying_key(--rows_));
}

}  // namespace spinneret::frontier
