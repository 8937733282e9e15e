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
  EXPECT_EQ(lives.die(now + 10'000, false).pause_ms, 0);  // the pipeline lived for long
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
  EXPECT_FALSE(lives.fresh(1999));  // it may still die because of its start
  EXPECT_TRUE(lives.fresh(2000));
  lives.note_result();
  EXPECT_FALSE(lives.fresh(2000));
  lives.die(3000, false);
  lives.begin(3000);
  EXPECT_TRUE(lives.fresh(5000));
}

TEST(LivesTest, BehindOneThatGaveNothingTheNextOneShowsFirstThatItStarts) {
  Lives lives;
  lives.begin(0);
  lives.die(1, false);
  lives.begin(1);
  // No pipeline ever gave anything: no page can be blamed.
  EXPECT_TRUE(lives.may_send(1));
  lives.note_result();
  lives.die(2, false);
  lives.begin(2);
  EXPECT_TRUE(lives.may_send(2));
  lives.die(3, false);
  lives.begin(3);
  EXPECT_FALSE(lives.may_send(2002));
  EXPECT_TRUE(lives.may_send(2003));
  lives.die(2500, /*guilty=*/true);
  lives.begin(2500);
  EXPECT_TRUE(lives.may_send(2500));
}

}  // namespace
}  // namespace spinneret::loop
