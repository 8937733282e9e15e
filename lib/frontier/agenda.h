// SPDX-License-Identifier: Apache-2.0
// Which lane is served next. A lane is what politeness counts as one host (a host name, a
// registrable domain, an address); here it is a small number. A lane of many hosts has an agenda of
// its own, whose entries are its hosts.
//
// A lane with something to send stands in one of two places: in the timed heap until its time has
// come, and then in the ready queue of its front URL's priority. Ready queues are first in, first
// out, and are served by weight: of two that are never empty, priority 0 gets ten turns where
// priority 9 gets one. So no lane starves. A lane that is taken leaves the agenda until it is put
// back.
//
// Cost: O(log lanes) for the heap, O(1) for ready lanes. Memory: 400 bytes, and 16 a lane, 8 for a
// ready one, 32 for one in the heap. An entry that was moved or removed stays there as a stale one
// until it comes to the front or stale ones outnumber the rest.
#ifndef SPINNERET_FRONTIER_AGENDA_H_
#define SPINNERET_FRONTIER_AGENDA_H_

#include <array>
#include <cstdint>
#include <vector>

#include "base/blocks.h"
#include "frontier/keys.h"

namespace spinneret::frontier {

using LaneId = std::uint32_t;

class Agenda {
 public:
  // Where a lane stands. Agendas that never hold one number at the same time share an array of
  // these.
  struct Turn {
    std::int64_t due_ms = 0;
    std::uint32_t stamp = 0;
    std::uint8_t priority = 0;
    bool present = false;
  };
  using Turns = Blocks<Turn>;

  explicit Agenda(Turns& turns) : turns_(turns) {}

  // Puts a lane in, or moves it: it is due at `due_ms`, and then has this priority. One that stands
  // there with both already keeps its turn.
  void put(LaneId lane, std::int64_t due_ms, std::uint8_t priority);
  void remove(LaneId lane);

  // Takes out the lane that is to be served at `now_ms`. False: none is due.
  bool take(std::int64_t now_ms, LaneId& lane);
  // A time up to `now_ms` where take() would succeed then, else the time at which it would;
  // INT64_MAX: never.
  std::int64_t next_due(std::int64_t now_ms);
  // The best priority of the ready lanes, else that of the next one to be ready; kLastPriority if
  // there is none.
  std::uint8_t front_priority();
  // Collects about `most` lanes that are due and come next, by priority, to prepare for them.
  void ahead(std::size_t most, std::vector<LaneId>& out) const;
  bool empty() const { return size_ == 0; }
  bool has(LaneId lane) const { return lane < turns_.size() && turns_[lane].present; }
  // Lanes in the agenda.
  std::size_t size() const { return size_; }

 private:
  // An entry of the heap or a queue counts only if its stamp is the lane's present one.
  struct Timed {
    std::int64_t due_ms;
    std::uint64_t order;  // among lanes due at once, the one that was put first goes first
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
  // First in, first out. (A std::deque takes 576 bytes before anything is in it.)
  struct Queue {
    std::vector<Ready> entries;
    std::size_t head = 0;
    bool empty() const { return head == entries.size(); }
    std::size_t size() const { return entries.size() - head; }
    const Ready& front() const { return entries[head]; }
    void pop();
  };

  void push_ready(LaneId lane, std::uint32_t stamp, std::uint8_t priority);
  void push_timed(const Timed& timed);
  void pop_timed();
  void wake(std::int64_t now_ms);  // moves what is due from the heap to the ready queues
  bool is_current(LaneId lane, std::uint32_t stamp) const {
    return turns_[lane].present && turns_[lane].stamp == stamp;
  }
  void drop_stale();

  Turns& turns_;
  std::vector<Timed> timed_;  // a heap, the earliest in front
  std::array<Queue, kLastPriority + 1> ready_;
  // Stride scheduling: the queue with the least pass is served, and its pass grows by its stride.
  std::array<std::uint64_t, kLastPriority + 1> pass_ = {};
  std::uint64_t clock_ = 0;  // pass of the queue served last
  std::uint64_t puts_ = 0;
  std::int64_t woken_ms_ = INT64_MIN;  // what is due by then is in the ready queues
  std::size_t size_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_AGENDA_H_
