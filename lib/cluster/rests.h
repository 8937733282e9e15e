// SPDX-License-Identifier: Apache-2.0
// Partitions that a machine could not run rest here, each for twice as long as the time before, while the others go on; and a
// machine that can run none is told from one that is refused some of them.
//
//   rests.trouble(7, now_ms, lived_long);     // how long it rests
//   if (!rests.rests(7, now_ms)) ...          // take it
//   rests.goes_well();                        // one has run for long: it is not the machine
//   if (rests.hopeless() && nothing_runs) ... // it is
//
// Not thread-safe. Times are of any clock that does not jump.
#ifndef SPINNERET_CLUSTER_RESTS_H_
#define SPINNERET_CLUSTER_RESTS_H_

#include <cstdint>
#include <map>

#include "lease/lease.h"

namespace spinneret::cluster {

class Rests {
 public:
  static constexpr std::int64_t kFirstMs = 10'000, kLongestMs = 600'000;
  // So many in a row, and nothing that went well: it is the machine.
  static constexpr int kMostTroubles = 3;

  // It could not go on. `lived_long`: after it had run for long, so that this is a new trouble. Returns how long it rests.
  std::int64_t trouble(std::uint32_t partition, std::int64_t now_ms, bool lived_long);
  // No fault of its own.
  void pause(std::uint32_t partition, std::int64_t until_ms) { rests_[partition] = {until_ms, 0}; }
  void goes_well() { troubles_ = 0; }

  bool rests(std::uint32_t partition, std::int64_t now_ms) const;
  bool any(std::int64_t now_ms) const;
  bool hopeless() const { return troubles_ >= kMostTroubles; }

  // The engine's table kStates, as read while any rests: one that somebody has said is to begin anew is tried at once, and
  // once for each time that this is said.
  void heed(const lease::Rows& states);

 private:
  struct Rest {
    std::int64_t until_ms = 0, gap_ms = 0;
    bool woken = false;  // by the row as it is
  };
  std::map<std::uint32_t, Rest> rests_;
  int troubles_ = 0;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_RESTS_H_
