// SPDX-License-Identifier: Apache-2.0
// Lets partitions rest that a machine could not run, each time for twice as long, while the others
// go on; and tells a machine that can run none from one that fails with some.
//
//   rests.trouble(7, now_ms, lived_long);      // how long it rests
//   if (!rests.rests(7, now_ms)) ...           // take it
//   rests.goes_well();                         // one has run for long: the machine is not to blame
//   if (rests.hopeless() && nothing_runs) ...  // it is
//
// Not thread-safe. Times are those of any clock that does not jump.
#ifndef SPINNERET_CLUSTER_RESTS_H_
#define SPINNERET_CLUSTER_RESTS_H_

#include <cstdint>
#include <map>

#include "lease/lease.h"

namespace spinneret::cluster {

class Rests {
 public:
  static constexpr std::int64_t kFirstMs = 10'000, kLongestMs = 600'000;
  // Troubles in a row after which the machine is to blame.
  static constexpr int kMostTroubles = 3;

  // Notes that the partition could not go on. `lived_long`: it had run for long before, so that
  // this is a new trouble. Returns how long it rests.
  std::int64_t trouble(std::uint32_t partition, std::int64_t now_ms, bool lived_long);
  // Lets the partition rest without any fault of its own.
  void pause(std::uint32_t partition, std::int64_t until_ms) { rests_[partition] = {until_ms, 0}; }
  void goes_well() { troubles_ = 0; }

  bool rests(std::uint32_t partition, std::int64_t now_ms) const;
  bool any(std::int64_t now_ms) const;
  bool hopeless() const { return troubles_ >= kMostTroubles; }

  // Takes the engine's table kStates, as read while any partition rests. A partition that was
  // ordered to begin anew is tried at once, and once for each such order.
  void heed(const lease::Rows& states);

 private:
  struct Rest {
    std::int64_t until_ms = 0, gap_ms = 0;
    bool woken = false;  // by the present row
  };
  std::map<std::uint32_t, Rest> rests_;
  int troubles_ = 0;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_RESTS_H_
