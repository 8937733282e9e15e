// SPDX-License-Identifier: Apache-2.0
// The pool of what hosts have in memory while they are in play. It decides who leaves.
//
//   free --give()--> in play, used --hand--> in play, idle --hand--> let go, if it may --> free
//                          ^                     |
//                          `-------- use() ------'
//
// The hand of this clock algorithm goes round only while more than `most` are in play, twice at
// most. The state of each is a byte in an array of its own, because most that the hand passes are
// free or used. (As a part of HostPlay each of them was a wait for memory: a tenth of a simulated
// year with 10,000 hosts.)
//
// Not thread-safe. References stay valid until they are let go. Cost: O(1) for give(), O(in play) a
// round.
#ifndef SPINNERET_FRONTIER_PLAYS_H_
#define SPINNERET_FRONTIER_PLAYS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <utility>
#include <vector>

#include "frontier/host.h"
#include "frontier/huge_pages.h"

namespace spinneret::frontier {

class Plays {
 public:
  explicit Plays(std::size_t most) : most_(most) {}

  // Number of hosts in play.
  std::size_t size() const { return states_.size() - free_.size(); }
  // Gives a place to a host that has none.
  HostPlay& give(HostSlot slot) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(all_.size()));
      states_.push_back(State::kFree);
      all_.emplace_back();
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    HostPlay& play = all_[place];
    play.slot = slot;
    play.place = place;
    use(play);
    return play;
  }
  // Notes that it is used: the hand will pass it once more.
  void use(const HostPlay& play) { states_[play.place] = State::kUsed; }
  // Takes back those that were not used lately, down to `most`. It asks `let_go` about each before,
  // which returns false where it may not leave.
  template <typename LetGo>
  void rest(const LetGo& let_go) {
    for (std::size_t steps = 2 * states_.size(); size() > most_ && steps != 0; --steps) {
      const std::size_t place = hand_;
      if (++hand_ == states_.size()) hand_ = 0;
      State& state = states_[place];
      if (state == State::kUsed) {
        state = State::kIdle;
      } else if (state == State::kIdle && let_go(all_[place])) {
        state = State::kFree;
        all_[place] = HostPlay();
        free_.push_back(static_cast<std::uint32_t>(place));
      }
    }
  }

 private:
  enum class State : std::uint8_t { kFree, kIdle, kUsed };

  std::size_t most_;
  std::pmr::unsynchronized_pool_resource memory_{huge_pages()};
  std::pmr::deque<HostPlay> all_{&memory_};
  std::vector<State> states_;  // state of each place
  std::vector<std::uint32_t> free_;
  std::size_t hand_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_PLAYS_H_
