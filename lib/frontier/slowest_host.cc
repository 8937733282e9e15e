// SPDX-License-Identifier: Apache-2.0
#include "frontier/slowest_host.h"

#include <algorithm>

namespace spinneret::frontier {

double SlowestHost::left_ms(const HostTable& hosts, std::int64_t mono_ms) {
  const auto left_of = [&](HostSlot slot) {
    return slot == kNoSlot ? 0 : hosts.left_ms(slot, mono_ms);
  };
  double best = left_of(best_);
  for (std::size_t seen = std::min(look_, hosts.size()); seen != 0; --seen) {
    if (next_ >= hosts.size()) {
      last_ = best_;
      best_ = kNoSlot;
      best = 0;
      next_ = 0;
    }
    const HostSlot slot = next_++;
    const double left = hosts.left_ms(slot, mono_ms);
    if (left <= best) continue;
    best = left;
    best_ = slot;
  }
  return std::max(best, left_of(last_));
}

}  // namespace spinneret::frontier
