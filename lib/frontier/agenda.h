// SPDX-License-Identifier: Apache-2.0
// Which lane is served next. A lane is what politeness counts as one host (a host name, a registrable
// domain, an address); here it is a small number.
//
// A lane with something to send stands in one of two places: in the timed heap until its time has come, and
// then in the ready queue of its front URL's priority. Ready queues are first in, first out, and are served
// by weight: of two that are never empty, priority 0 gets ten turns where priority 9 gets one. So no lane
// starves. A lane that is taken leaves the agenda until it is put back.
//
// Cost: O(log lanes) for the heap, O(1) for ready lanes. Memory: 16 bytes a lane, 8 for a ready one, 32 for one in the heap;
// what was moved or removed stays there as stale until it comes to the front or outnumbers the rest.
#ifndef SPINNERET_FRONTIER_AGENDA_H_
#define SPINNERET_FRONTIER_AGENDA_H_

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "frontier/keys.h"

namespace spinneret::frontier {

using LaneId = std::uint32_t;

class Agenda {
 public:
  // Puts a lane in, or moves it: not before `due_ms`, then with this priority. One that stands there so
  // already keeps its turn.
  void put(LaneId lane, std::int64_t due_ms, std::uint8_t priority);
  void remove(LaneId lane);

  // Takes out the lane that is to be served at `now_ms`. False: none is due.
  bool take(std::int64_t now_ms, LaneId& lane);
  // Whether take() would succeed at `now_ms`; else the time at which it would, or INT64_MAX.
  std::int64_t next_due(std::int64_t now_ms);
  // Lanes that are due and come next, about `most` of them, by priority; to get ready for them.
  void ahead(std::size_t most, std::vector<LaneId>& out) const;
  bool empty() const { return size_ == 0; }
  bool has(LaneId lane) const { return lane < lanes_.size() && lanes_[lane].present; }
  // Lanes in the agenda.
  std::size_t size() const { return size_; }

 private:
  // What stands in heap and queues is believed only where its stamp is the lane's present one.
  struct Timed {
    std::int64_t due_ms;
    std::uint64_t order;  // of what is due at once, the first that was put goes first
    LaneId lane;
    std::uint32_t stamp;
    std::uint8_t priority;
    friend bool operator>(const Timed& a, const Timed& b) {
      return a.due_ms != b.due_ms ? a.due_ms > b.due_ms : a.order > b.order;
    }
  };
  struct Ready {
    LaneId lane;
    std::uint32_t stamp;
  };
  struct LaneState {
    std::int64_t due_ms = 0;
    std::uint32_t stamp = 0;
    std::uint8_t priority = 0;
    bool present = false;
  };

  void push_ready(LaneId lane, std::uint32_t stamp, std::uint8_t priority);
  void push_timed(const Timed& timed);
  void pop_timed();
  void wake(std::int64_t now_ms);  // from the heap to the ready queues
  bool is_current(LaneId lane, std::uint32_t stamp) const {
    return lanes_[lane].present && lanes_[lane].stamp == stamp;
  }
  void drop_stale();

  std::deque<LaneState> lanes_;
  std::vector<Timed> timed_;  // a heap, the earliest in front
  std::array<std::deque<Ready>, kLastPriority + 1> ready_;
  // Stride scheduling: the queue with the least pass is served, and its pass grows by its stride.
  std::array<std::uint64_t, kLastPriority + 1> pass_ = {};
  std::uint64_t clock_ = 0;  // pass of the queue served last
  std::uint64_t puts_ = 0;
  std::int64_t woken_ms_ = INT64_MIN;  // what is due by then stands in the ready queues
  std::size_t size_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_AGENDA_H_
