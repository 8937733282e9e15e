// SPDX-License-Identifier: Apache-2.0
#include "frontier/agenda.h"

#include <algorithm>
#include <functional>

namespace spinneret::frontier {
namespace {

// Divisible by every weight, 1 to 10.
constexpr std::uint64_t kStrideUnit = 2520;

constexpr std::uint64_t stride(std::size_t priority) {
  return kStrideUnit / (kLastPriority + 1 - priority);
}

// Stale entries are swept out when they outnumber the others by this.
constexpr std::size_t kStaleSlack = 64;

}  // namespace

void Agenda::put(LaneId lane, std::int64_t due_ms, std::uint8_t priority) {
  if (lane >= lanes_.size()) lanes_.resize(lane + 1);
  LaneState& state = lanes_[lane];
  priority = std::min(priority, kLastPriority);
  if (state.present && state.due_ms == due_ms && state.priority == priority) return;
  if (!state.present) ++size_;
  state = {due_ms, state.stamp + 1, priority, true};
  if (due_ms <= woken_ms_) {
    push_ready(lane, state.stamp, priority);
  } else {
    push_timed({due_ms, puts_++, lane, state.stamp, priority});
  }
}

void Agenda::push_timed(const Timed& timed) {
  if (timed_.size() > 2 * size_ + kStaleSlack) {
    std::erase_if(timed_, [this](const Timed& each) { return !is_current(each.lane, each.stamp); });
    std::make_heap(timed_.begin(), timed_.end(), std::greater<>());
  }
  timed_.push_back(timed);
  std::push_heap(timed_.begin(), timed_.end(), std::greater<>());
}

void Agenda::pop_timed() {
  std::pop_heap(timed_.begin(), timed_.end(), std::greater<>());
  timed_.pop_back();
}

void Agenda::remove(LaneId lane) {
  if (lane >= lanes_.size() || !lanes_[lane].present) return;
  lanes_[lane].present = false;
  ++lanes_[lane].stamp;
  --size_;
}

void Agenda::push_ready(LaneId lane, std::uint32_t stamp, std::uint8_t priority) {
  // A queue that was empty must not have saved up turns.
  std::deque<Ready>& queue = ready_[priority];
  if (queue.empty()) pass_[priority] = std::max(pass_[priority], clock_);
  if (queue.size() > 2 * size_ + kStaleSlack) {
    std::erase_if(queue, [this](const Ready& each) { return !is_current(each.lane, each.stamp); });
  }
  queue.push_back({lane, stamp});
}

void Agenda::wake(std::int64_t now_ms) {
  woken_ms_ = std::max(woken_ms_, now_ms);
  while (!timed_.empty() && timed_.front().due_ms <= now_ms) {
    const Timed due = timed_.front();
    pop_timed();
    if (is_current(due.lane, due.stamp)) push_ready(due.lane, due.stamp, due.priority);
  }
}

void Agenda::drop_stale() {
  for (std::deque<Ready>& queue : ready_) {
    while (!queue.empty() && !is_current(queue.front().lane, queue.front().stamp))
      queue.pop_front();
  }
  while (!timed_.empty() && !is_current(timed_.front().lane, timed_.front().stamp)) pop_timed();
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

void Agenda::ahead(std::size_t most, std::vector<LaneId>& out) const {
  for (const std::deque<Ready>& queue : ready_) {
    for (std::size_t i = 0; i < queue.size() && out.size() < most; ++i) {
      if (is_current(queue[i].lane, queue[i].stamp)) out.push_back(queue[i].lane);
    }
  }
}

std::int64_t Agenda::next_due(std::int64_t now_ms) {
  drop_stale();
  for (const std::deque<Ready>& queue : ready_) {
    if (!queue.empty()) return now_ms;
  }
  return timed_.empty() ? INT64_MAX : timed_.front().due_ms;
}

}  // namespace spinneret::frontier
