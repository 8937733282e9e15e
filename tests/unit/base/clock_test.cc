// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace spinneret {
namespace {

TEST(Clock, SystemClockIsTheMachines) {
  const std::int64_t before = std::int64_t{std::time(nullptr)} * 1000;
  const std::int64_t now = system_clock().unix_ms();
  // time(2) may lag behind by a tick, and the test by a few seconds.
  EXPECT_GE(now, before - 1000);
  EXPECT_LT(now, before + 60'000);
}

TEST(Clock, MonotonicNeverGoesBack) {
  std::int64_t last = system_clock().monotonic_ns();
  EXPECT_GT(last, 0);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = system_clock().monotonic_ns();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, IsOneForAll) { EXPECT_EQ(&system_clock(), &system_clock()); }

TEST(FakeClock, StandsStillUntilTold) {
  FakeClock clock(5000);
  const std::int64_t start = clock.monotonic_ns();
  EXPECT_EQ(clock.unix_ms(), 5000);
  EXPECT_EQ(clock.monotonic_ns(), start);
  clock.advance_ms(250);
  EXPECT_EQ(clock.unix_ms(), 5250);
  EXPECT_EQ(clock.monotonic_ns(), start + 250'000'000);
}

TEST(FakeClock, WallJumpsAlone) {
  FakeClock clock(5000);
  const std::int64_t start = clock.monotonic_ns();
  clock.jump_wall_ms(-4000);
  EXPECT_EQ(clock.unix_ms(), 1000);
  EXPECT_EQ(clock.monotonic_ns(), start);
}

}  // namespace
}  // namespace spinneret
