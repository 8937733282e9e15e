// SPDX-License-Identifier: Apache-2.0
// What time it is by all clocks of a state: those of the machine, and the steady one that a state
// keeps over its runs.
//
//   Timepiece time(clock);
//   time.begin(store, least_steady_ms);   // once the state is there; what it writes is staged
//   const Moment at = time.now();
//
// Borrows the clock. Cost: three clock reads a moment.
#ifndef SPINNERET_FRONTIER_TIMEPIECE_H_
#define SPINNERET_FRONTIER_TIMEPIECE_H_

#include <cstdint>

#include "base/clock.h"
#include "frontier/meta.h"
#include "frontier/moment.h"
#include "frontier/store.h"

namespace spinneret::frontier {

class Timepiece {
 public:
  explicit Timepiece(const Clock& clock) : clock_(clock) {}

  // Lets the steady clock go on from where the state has it, and show `least_steady_ms` at least.
  void begin(Store& store, std::int64_t least_steady_ms);
  Moment now() const;

 private:
  const Clock& clock_;
  Boot boot_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_TIMEPIECE_H_
