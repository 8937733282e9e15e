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
  turns_.grow(lane + std::size_t{1});
  Turn& turn = turns_[lane];
  priority = std::min(priority, kLastPriority);
  if (turn.present && turn.due_ms == due_ms && turn.priority == priority) return;
  if (!turn.present) ++size_;
  turn = {due_ms, turn.stamp + 1, priority, true};
  if (due_ms <= woken_ms_) {
    push_ready(lane, turn.stamp, priority);
  } else {
    push_timed({due_ms, puts_++, lane, turn.stamp, priority});
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
  if (!has(lane)) return;
  turns_[lane].present = false;
  ++turns_[lane].stamp;
  --size_;
}

void Agenda::push_ready(LaneId lane, std::uint32_t stamp, std::uint8_t priority) {
  // A queue that was empty must not have saved up turns.
  Queue& queue = ready_[priority];
  if (queue.empty()) pass_[priority] = std::max(pass_[priority], clock_);
  if (queue.size() > 2 * size_ + kStaleSlack) {
    const auto first = queue.entries.begin() + static_cast<std::ptrdiff_t>(queue.head);
    const auto kept = std::remove_if(first, queue.entries.end(), [this](const Ready& each) {
      return !is_current(each.lane, each.stamp);
    });
    queue.entries.erase(kept, queue.entries.end());
  }
  queue.entries.push_back({lane, stamp});
}

void Agenda::wake(std::int64_t now_ms) {
  woken_ms_ = std::max(woken_ms_, now_ms);
  while (!timed_.empty() && timed_.front().due_ms <= now_ms) {
    const Timed due = timed_.front();
    pop_timed();
    if (is_current(due.lane, due.stamp)) push_ready(due.lane, due.stamp, due.priority);
  }
}

void Agenda::Queue::pop() {
  ++head;
  // An entry is moved at most once for each one that goes.
  if (head * 2 < entries.size()) return;
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(head));
  head = 0;
}

void Agenda::drop_stale() {
  for (Queue& queue : ready_) {
    while (!queue.empty() && !is_current(queue.front().lane, queue.front().stamp)) queue.pop();
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
  ready_[best].pop();
  clock_ = pass_[best];
  pass_[best] += stride(best);
  remove(lane);
  return true;
}

void Agenda::ahead(std::size_t most, std::vector<LaneId>& out) const {
  for (const Queue& queue : ready_) {
    for (std::size_t i = queue.head; i < queue.entries.size() && out.size() < most; ++i) {
      const Ready& each = queue.entries[i];
      if (is_current(each.lane, each.stamp)) out.push_back(each.lane);
    }
  }
}

std::uint8_t Agenda::front_priority() {
  wake(0);  // makes lanes ready that need not wait
  drop_stale();
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    if (!ready_[i].empty()) return static_cast<std::uint8_t>(i);
  }
  return timed_.empty() ? kLastPriority : timed_.front().priority;
}

std::int64_t Agenda::next_due(std::int64_t now_ms) {
  drop_stale();
  for (const Queue& queue : ready_) {
    if (!queue.empty()) return now_ms;
  }
  return timed_.empty() ? INT64_MAX : timed_.front().due_ms;
}

}  // namespace spinneret::frontier
