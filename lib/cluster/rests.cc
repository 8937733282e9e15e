// SPDX-License-Identifier: Apache-2.0
#include "cluster/rests.h"

#include <algorithm>

#include "cluster/begun.h"
#include "cluster/channel.h"

namespace spinneret::cluster {

std::int64_t Rests::trouble(std::uint32_t partition, std::int64_t now_ms, bool lived_long) {
  ++troubles_;
  Rest& rest = rests_[partition];
  rest.gap_ms = lived_long || rest.gap_ms == 0 ? kFirstMs : std::min(rest.gap_ms * 2, kLongestMs);
  rest.until_ms = now_ms + rest.gap_ms;
  return rest.gap_ms;
}

bool Rests::rests(std::uint32_t partition, std::int64_t now_ms) const {
  const auto rest = rests_.find(partition);
  return rest != rests_.end() && rest->second.until_ms > now_ms;
}

bool Rests::any(std::int64_t now_ms) const {
  return std::any_of(rests_.begin(), rests_.end(),
                     [&](const auto& rest) { return rest.second.until_ms > now_ms; });
}

void Rests::heed(const lease::Rows& states) {
  for (auto& [partition, rest] : rests_) {
    const auto row = states.find(partition_name(partition));
    const bool anew = row != states.end() && row->second == kAnew;
    if (anew && !rest.woken) rest.until_ms = rest.gap_ms = 0;
    rest.woken = anew;
  }
}

}  // namespace spinneret::cluster
