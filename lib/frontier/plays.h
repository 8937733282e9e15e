// SPDX-License-Identifier: Apache-2.0
// The pool of what hosts have in memory while they are in play, and who leaves it.
//
//   free --give()--> in play, used --the hand comes by--> not used --and again--> let go, if it may --> free
//                       ^                                    |
//                       `------------- used -----------------'
//
// The hand goes round only while more than `most` are in play (the clock algorithm), twice at most. Where each of them stands is
// a byte of a row of its own, for most that it comes by are free or used. (In what they have in memory, apart, each was a
// wait for it: of a simulated year with 10,000 hosts a tenth.)
//
// Not thread-safe. References stay valid until they are let go. Cost: O(1) for what is given, O(in play) a round.
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

  // In play.
  std::size_t size() const { return states_.size() - free_.size(); }
  // For that host, which has none.
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
  // It is wanted: the hand passes it once more.
  void use(const HostPlay& play) { states_[play.place] = State::kUsed; }
  // Takes back those that are not used of late, down to `most`. `let_go` is told of one first, and returns false where it
  // may not leave.
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
  std::vector<State> states_;  // by place, as the next
  std::vector<std::uint32_t> free_;
  std::size_t hand_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_PLAYS_H_
