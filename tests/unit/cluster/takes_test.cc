// SPDX-License-Identifier: Apache-2.0
#include "cluster/takes.h"

#include <gtest/gtest.h>

#include "frontier/memory_store.h"

namespace spinneret::cluster {
namespace {

// Bug: a machine with another name, or without the files of an earlier one, did not know that more
// is taken from pages now: a server that answered 304 gave nothing.
TEST(Takes, AStateKeepsSinceWhenWhoeverHasIt) {
  frontier::MemoryStore store;
  EXPECT_EQ(taken_since(store, "links", 1000), 1000);
  ASSERT_TRUE(store.commit().ok());
  EXPECT_EQ(taken_since(store, "links", 2000), 1000);
  EXPECT_EQ(taken_since(store, "links and texts", 3000), 3000);
  ASSERT_TRUE(store.commit().ok());
  EXPECT_EQ(taken_since(store, "links and texts", 4000), 3000);
  EXPECT_EQ(taken_since(store, "links", 5000), 5000);
}

// A time that is not committed does not count.
TEST(Takes, ARunThatEndsBeforeItsFirstCommitIsNone) {
  frontier::MemoryStore store;
  taken_since(store, "links", 1000);
  store.drop_staged();
  EXPECT_EQ(taken_since(store, "links", 2000), 2000);
}

// Bug: a program that opened a state with a clock that was behind took the newest pages for ones
// that had been asked for since.
TEST(Takes, AClockThatIsBehindMakesNoVisitOneSince) {
  frontier::MemoryStore store;
  StateClock clock;
  clock.stage(store, 3'600'000);
  ASSERT_TRUE(store.commit().ok());
  clock.stage(store, 3'600'999);  // not written, because less than a second has passed
  EXPECT_EQ(store.staged(), 0U);
  EXPECT_GT(taken_since(store, "links", 1000), 3'600'999);
  ASSERT_TRUE(store.commit().ok());
  // A clock that is set back is written as it is.
  clock.stage(store, 2000);
  EXPECT_EQ(store.staged(), 1U);
}

}  // namespace
}  // namespace spinneret::cluster
