// SPDX-License-Identifier: Apache-2.0
#include "frontier/rest.h"

#include <algorithm>

namespace spinneret::frontier {
namespace {

constexpr std::int64_t kFirstMs = 600'000;
constexpr std::int64_t kLongestMs = 86'400'000;
constexpr unsigned kMostDoublings = 8;

}  // namespace

void Rests::begin(Slot slot, std::int64_t now_ms) {
  const unsigned before = std::min(rests_[slot]++, kMostDoublings);
  ends_.emplace(now_ms + std::min(kFirstMs << before, kLongestMs), slot);
}

bool Rests::take(std::int64_t now_ms, Slot& slot) {
  if (next_ms() > now_ms) return false;
  slot = ends_.top().second;
  ends_.pop();
  return true;
}

}  // namespace spinneret::frontier
