// SPDX-License-Identifier: Apache-2.0
#include "loop/lives.h"

#include <gtest/gtest.h>

namespace spinneret::loop {
namespace {

TEST(LivesTest, QuickDeathsHavePausesBetweenThemThatDouble) {
  Lives lives;
  std::int64_t now = 1000;
  for (const std::int64_t pause : {0, 100, 200, 400, 800, 1600, 3200, 6400, 6400}) {
    lives.begin(now);
    lives.note_result();
    const Lives::After after = lives.die(now + 50, /*guilty=*/false);
    EXPECT_EQ(after.pause_ms, pause);
    EXPECT_FALSE(after.give_up);
    EXPECT_EQ(lives.may_begin(now + 50), pause == 0);
    now += 50 + pause;
    EXPECT_TRUE(lives.may_begin(now));
  }
  lives.begin(now);
  EXPECT_EQ(lives.die(now + 10'000, false).pause_ms, 0);  // it has lived
}

TEST(LivesTest, TheFifthDeathWithoutAResultIsTheLast) {
  Lives lives;
  for (int death = 1; death <= 5; ++death) {
    lives.begin(0);
    const Lives::After after = lives.die(1, false);
    EXPECT_EQ(after.deaths, death);
    EXPECT_EQ(after.give_up, death == 5);
  }
  lives.begin(0);
  lives.note_result();
  EXPECT_FALSE(lives.die(1, false).give_up);
}

TEST(LivesTest, AGuiltyUrlIsOutOfTheWayButNotFiveOfThem) {
  Lives lives;
  bool over = false;
  int blames = 0;
  while (!over && blames < 100) {
    lives.begin(0);
    over = lives.die(1, /*guilty=*/true).give_up;
    ++blames;
  }
  EXPECT_EQ(blames, 9);  // four that cost nothing, and five deaths
}

TEST(LivesTest, AResultMakesItFreshNoMore) {
  Lives lives;
  lives.begin(0);
  EXPECT_TRUE(lives.fresh());
  lives.note_result();
  EXPECT_FALSE(lives.fresh());
  lives.die(1, false);
  EXPECT_TRUE(lives.fresh());
}

}  // namespace
}  // namespace spinneret::loop
