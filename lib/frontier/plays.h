// SPDX-License-Identifier: Apache-2.0
// The pool of what hosts have in memory while they are in play, and who leaves it.
//
//   free --give()--> in play, used --the hand comes by--> not used --and again--> let go, if it may --> free
//                       ^                                    |
//                       `------------- used -----------------'
//
// The hand goes round only while more than `most` are in play (the clock algorithm), twice at most.
//
// Not thread-safe. References stay valid until they are let go. Cost: O(1) for what is given, O(in play) a round.
#ifndef SPINNERET_FRONTIER_PLAYS_H_
#define SPINNERET_FRONTIER_PLAYS_H_

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "frontier/host.h"

namespace spinneret::frontier {

class Plays {
 public:
  explicit Plays(std::size_t most) : most_(most) {}

  // In play.
  std::size_t size() const { return all_.size() - free_.size(); }
  // For that host, which has none.
  HostPlay& give(HostSlot slot) {
    if (free_.empty()) free_.push_back(&all_.emplace_back());
    HostPlay& play = *free_.back();
    free_.pop_back();
    play.slot = slot;
    play.used = true;
    return play;
  }
  // Takes back those that are not used of late, down to `most`. `let_go` is told of one first, and returns false where it
  // may not leave.
  template <typename LetGo>
  void rest(const LetGo& let_go) {
    for (std::size_t steps = 2 * all_.size(); size() > most_ && steps != 0; --steps) {
      HostPlay& play = all_[hand_];
      hand_ = (hand_ + 1) % all_.size();
      if (play.slot == kNoSlot || std::exchange(play.used, false) || !let_go(play)) continue;
      play = HostPlay();
      free_.push_back(&play);
    }
  }

 private:
  std::size_t most_;
  std::deque<HostPlay> all_;
  std::vector<HostPlay*> free_;
  std::size_t hand_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_PLAYS_H_
