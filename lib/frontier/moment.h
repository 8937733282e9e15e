// SPDX-License-Identifier: Apache-2.0
// One moment by all clocks, in milliseconds. Gaps are measured by the first, and stored by the
// clock of a boot.
#ifndef SPINNERET_FRONTIER_MOMENT_H_
#define SPINNERET_FRONTIER_MOMENT_H_

#include <cstdint>

namespace spinneret::frontier {

struct Moment {
  std::int64_t mono_ms = 0;
  bool cut = false;            // it was a part of a millisecond later
  std::int64_t wall_ms = 0;    // the wall clock's, for people and for spans of days
  std::int64_t steady_ms = 0;  // the steady clock's: see meta.h
  std::int64_t boot_ms = 0;
  std::uint64_t boot = 0;  // number of the boot
  // The first millisecond that is no less than `gap_ms` later.
  std::int64_t after(std::int64_t gap_ms) const {
    return mono_ms + gap_ms + (cut && gap_ms > 0 ? 1 : 0);
  }
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_MOMENT_H_
