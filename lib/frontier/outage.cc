// SPDX-License-Identifier: Apache-2.0
#include "frontier/outage.h"

#include <algorithm>

namespace spinneret::frontier {
namespace {

constexpr std::size_t kMany = 16;
constexpr std::int64_t kPauseOfFewMs = 300'000;
constexpr std::int64_t kPauseOfManyMs = 3'600'000;
constexpr std::int64_t kFirstProbeMs = 1000;
constexpr std::int64_t kSlowestProbeMs = 30'000;

}  // namespace

void Outage::silence(Slot slot, bool known, std::int64_t sent_ms, std::int64_t now_ms) {
  if (silent_.emplace(slot, known).second && known) ++known_;
  fresh_ = true;
  // A request that was on its way when the pause began says nothing of how it is now.
  if (!paused_ || sent_ms < since_ms_) return;
  probe_ms_ = now_ms + interval_ms_;
  interval_ms_ = std::min(2 * interval_ms_, kSlowestProbeMs);
}

void Outage::life(std::int64_t now_ms) {
  life_ms_ = now_ms;
  if (silent_.empty()) return;
  silent_.clear();
  known_ = 0;
  fresh_ = paused_ = spent_ = probing_ = false;
}

bool Outage::weigh(std::size_t others, std::int64_t now_ms) {
  fresh_ = false;
  if (spent_ || (others != 0 && known_ < kMany)) return false;
  paused_ = true;
  since_ms_ = now_ms;
  end_ms_ = now_ms + (known_ < kMany ? kPauseOfFewMs : kPauseOfManyMs);
  probe_ms_ = now_ms + kFirstProbeMs;
  interval_ms_ = 2 * kFirstProbeMs;
  return true;
}

bool Outage::give_up(std::int64_t now_ms) {
  if (!paused_ || now_ms < end_ms_) return false;
  paused_ = probing_ = false;
  spent_ = true;
  return true;
}

}  // namespace spinneret::frontier
