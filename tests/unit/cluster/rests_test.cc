// SPDX-License-Identifier: Apache-2.0
#include "cluster/rests.h"

#include <gtest/gtest.h>

#include "cluster/begun.h"

namespace spinneret::cluster {
namespace {

TEST(Rests, EachTimeForTwiceAsLong) {
  Rests rests;
  EXPECT_FALSE(rests.rests(7, 0));
  EXPECT_EQ(rests.trouble(7, 0, false), 10'000);
  EXPECT_TRUE(rests.rests(7, 9'999));
  EXPECT_FALSE(rests.rests(7, 10'000));
  EXPECT_FALSE(rests.rests(6, 0));
  EXPECT_EQ(rests.trouble(7, 10'000, false), 20'000);
  for (int i = 0; i < 10; ++i) rests.trouble(7, 0, false);
  EXPECT_EQ(rests.trouble(7, 0, false), 600'000);
  EXPECT_EQ(rests.trouble(7, 0, /*lived_long=*/true), 10'000);
}

TEST(Rests, AMachineThatCanRunNoneIsToldFromOneThatIsRefusedSome) {
  Rests rests;
  rests.trouble(0, 0, false);
  rests.trouble(1, 0, false);
  EXPECT_FALSE(rests.hopeless());
  rests.trouble(0, 10'000, false);
  EXPECT_TRUE(rests.hopeless());
}

// Bug: a machine whose partitions ran well, and which was refused one of them three times, took no
// more.
TEST(Rests, OneThatIsRefusedAgainAndAgainIsNotTheMachineWhereOthersRun) {
  Rests rests;
  for (int i = 0; i < 5; ++i) {
    rests.trouble(3, 0, false);
    rests.goes_well();
    EXPECT_FALSE(rests.hopeless());
  }
  // The refused partition rests for longer and longer all the same.
  EXPECT_EQ(rests.trouble(3, 0, false), 320'000);
}

TEST(Rests, APauseIsNoTrouble) {
  Rests rests;
  rests.trouble(3, 0, false);
  rests.pause(3, 500);
  EXPECT_TRUE(rests.any(499));
  EXPECT_FALSE(rests.any(500));
  EXPECT_EQ(rests.trouble(3, 500, false), 10'000);
}

// Bug: a partition that was to begin anew waited for up to ten minutes, like one that rests.
TEST(Rests, OneThatIsToBeginAnewIsTriedAtOnceAndOnceForEachTimeThatThisIsSaid) {
  Rests rests;
  rests.trouble(3, 0, false);
  rests.trouble(4, 0, false);
  rests.heed({{"p3", "some-state"}});
  EXPECT_TRUE(rests.rests(3, 0));
  rests.heed({{"p3", std::string(kAnew)}});
  EXPECT_FALSE(rests.rests(3, 0));
  EXPECT_TRUE(rests.rests(4, 0));
  // A refusal after that has another cause, so that the partition rests.
  rests.trouble(3, 0, false);
  rests.heed({{"p3", std::string(kAnew)}});
  EXPECT_TRUE(rests.rests(3, 0));
  rests.heed({{"p3", std::string(kBegun)}});
  rests.heed({{"p3", std::string(kAnew)}});
  EXPECT_FALSE(rests.rests(3, 0));
}

}  // namespace
}  // namespace spinneret::cluster
