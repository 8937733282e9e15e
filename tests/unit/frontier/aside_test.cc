// SPDX-License-Identifier: Apache-2.0
#include "frontier/aside.h"

#include <gtest/gtest.h>

#include <set>

#include "frontier/random.h"

namespace spinneret::frontier {
namespace {

TEST(Aside, DomainsGoByTurnsAndTheHostsOfOneInTheirOrder) {
  Aside aside;
  EXPECT_TRUE(aside.empty());
  for (LaneId lane = 0; lane < 1000; ++lane) aside.put(lane, /*domain=*/7);
  aside.put(1000, 8);
  aside.put(1001, 8);
  EXPECT_EQ(aside.size(), 1002U);
  for (const LaneId expected : {0U, 1000U, 1U, 1001U, 2U, 3U})
    EXPECT_EQ(aside.take_next(), expected);
  aside.put(1002, 8);
  EXPECT_EQ(aside.take_next(), 4U);
  EXPECT_EQ(aside.take_next(), 1002U);
}

TEST(Aside, EachIsTakenOnceInTurnOrDrawn) {
  Aside aside;
  Random random(1);
  std::set<LaneId> there;
  LaneId next = 0;
  for (int step = 0; step < 20'000; ++step) {
    const bool puts = step < 15'000 && random.next() % 3 != 0;
    if (puts || there.empty()) {
      aside.put(next, random.next() % 5 * random.next() % 3000);
      there.insert(next++);
    } else if (random.next() % 4 == 0) {
      ASSERT_EQ(there.erase(aside.take_next()), 1U);
    } else {
      const Aside::Place place = aside.draw(random.next());
      const LaneId seen = aside.at(place);
      ASSERT_EQ(aside.take(place), seen);
      ASSERT_EQ(there.erase(seen), 1U);
    }
    ASSERT_EQ(aside.size(), there.size());
  }
}

}  // namespace
}  // namespace spinneret::frontier
