// SPDX-License-Identifier: Apache-2.0
#include "frontier/agenda.h"

#include <algorithm>

namespace spinneret::frontier {
namespace {

// Divisible by every weight, 1 to 10.
constexpr std::uint64_t kStrideUnit = 2520;

constexpr std::uint64_t stride(std::size_t priority) {
  return kStrideUnit / (kLastPriority + 1 - priority);
}

}  // namespace

void Agenda::put(LaneId lane, std::int64_t due_ms, std::uint8_t priority) {
  if (lane >= lanes_.size()) lanes_.resize(lane + 1);
  LaneState& state = lanes_[lane];
  if (!state.present) ++size_;
  state.present = true;
  ++state.stamp;
  timed_.push({due_ms, puts_++, lane, state.stamp, std::min(priority, kLastPriority)});
}

void Agenda::remove(LaneId lane) {
  if (lane >= lanes_.size() || !lanes_[lane].present) return;
  lanes_[lane].present = false;
  ++lanes_[lane].stamp;
  --size_;
}

void Agenda::push_ready(LaneId lane, std::uint32_t stamp, std::uint8_t priority) {
  // A queue that was empty must not have saved up turns.
  if (ready_[priority].empty()) pass_[priority] = std::max(pass_[priority], clock_);
  ready_[priority].push_back({lane, stamp});
}

void Agenda::wake(std::int64_t now_ms) {
  while (!timed_.empty() && timed_.top().due_ms <= now_ms) {
    const Timed due = timed_.top();
    timed_.pop();
    if (is_current(due.lane, due.stamp)) push_ready(due.lane, due.stamp, due.priority);
  }
}

void Agenda::drop_stale() {
  for (std::deque<Ready>& queue : ready_) {
    while (!queue.empty() && !is_current(queue.front().lane, queue.front().stamp)) queue.pop_front();
  }
  while (!timed_.empty() && !is_current(timed_.top().lane, timed_.top().stamp)) timed_.pop();
}

bool Agenda::take(std::int64_t now_ms, LaneId& lane) {
  wake(now_ms);
  drop_stale();
  std::size_t best = ready_.size();
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    if (ready_[i].empty()) continue;
    if (best == ready_.size() || pass_[i] < pass_[best]) best = i;
  }
  if (best == ready_.size()) return false;
  lane = ready_[best].front().lane;
  ready_[best].pop_front();
  clock_ = pass_[best];
  pass_[best] += stride(best);
  remove(lane);
  return true;
}

std::int64_t Agenda::next_due(std::int64_t now_ms) {
  drop_stale();
  for (const std::deque<Ready>& queue : ready_) {
    if (!queue.empty()) return now_ms;
  }
  return timed_.empty() ? INT64_MAX : timed_.top().due_ms;
}

}  // namespace spinneret::frontier
