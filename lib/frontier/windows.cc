// SPDX-License-Identifier: Apache-2.0
#include "frontier/windows.h"

#include <algorithm>
#include <memory>

namespace spinneret::frontier {
namespace {

// Memory for the windows of all hosts: about nine URLs each with 100,000 hosts. With five, next()
// cost two fifths more.
constexpr std::size_t kWindowBytes = std::size_t{100} << 20;
// Number of hosts whose windows are read together: with 16 a pop of hosts that are not in play
// costs twice as much.
constexpr std::size_t kReadAhead = 256;

}  // namespace

void Windows::read(HostSlot first, std::int64_t mono_ms) {
  lanes_.ahead(first, mono_ms, kReadAhead, ahead_);
  asleep_ = ahead_;
  hosts_.bring_in(asleep_);
  std::sort(ahead_.begin(), ahead_.end(),
            [this](HostSlot a, HostSlot b) { return hosts_.host(a).id < hosts_.host(b).id; });
  make_queue_end(end_, hosts_.host(ahead_.back()).id);
  const std::unique_ptr<Cursor> at = store_.scan(Table::kQueue, end_);
  const std::size_t most = kWindowBytes / std::max<std::size_t>(hosts_.size(), 1);
  for (const HostSlot slot : ahead_) {
    HostPlay& play = hosts_.play(slot);
    play.queue.refill(*at, play.row.id, play.flying, play.row.counts.waiting, most);
  }
}

}  // namespace spinneret::frontier
