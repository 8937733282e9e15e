// SPDX-License-Identifier: Apache-2.0
// Tests each line of the drawing in watch.h.
#include "loop/watch.h"

#include <gtest/gtest.h>

namespace spinneret::loop {
namespace {

constexpr std::int64_t kQuiet = 10'000;

class WatchTest : public testing::Test {
 protected:
  WatchTest() { watch_.begin(5000); }
  Watch watch_{kQuiet};
};

TEST_F(WatchTest, ItIsQuietOnceNothingHasBeenHeardForSoLong) {
  EXPECT_FALSE(watch_.is_quiet(5000 + kQuiet - 1));
  EXPECT_TRUE(watch_.is_quiet(5000 + kQuiet));
  watch_.hear(7000);
  EXPECT_FALSE(watch_.is_quiet(5000 + kQuiet));
  EXPECT_TRUE(watch_.is_quiet(7000 + kQuiet));
}

TEST_F(WatchTest, ALookIsTakenOnceASecond) {
  EXPECT_FALSE(watch_.take_look(5999));
  EXPECT_TRUE(watch_.take_look(6000));
  EXPECT_FALSE(watch_.take_look(6001));
  EXPECT_TRUE(watch_.take_look(7000));
}

TEST_F(WatchTest, WhatHeldUsUpIsForgiven) {
  watch_.forgive(19'500, 20'000);
  EXPECT_FALSE(watch_.is_quiet(20'000 + kQuiet - 1));
  EXPECT_FALSE(watch_.take_look(20'000 + kQuiet + 999));
  EXPECT_TRUE(watch_.take_look(20'000 + kQuiet + 1000));
}

TEST_F(WatchTest, WhatWasShorterHeldNobodyUp) {
  watch_.forgive(19'501, 20'000);
  EXPECT_TRUE(watch_.is_quiet(20'000));
  EXPECT_TRUE(watch_.take_look(20'000));
}

}  // namespace
}  // namespace spinneret::loop
