// SPDX-License-Identifier: Apache-2.0
#include "frontier/slowest_host.h"

#include <gtest/gtest.h>

#include <string>

#include "frontier/memory_store.h"

namespace spinneret::frontier {
namespace {

class SlowestHostTest : public testing::Test {
 protected:
  HostSlot host(std::uint64_t waiting) {
    const HostSlot slot = hosts_.find("http://h" + std::to_string(hosts_.size()) + ".test");
    for (; waiting != 0; --waiting) hosts_.add_waiting(slot);
    return slot;
  }

  MemoryStore store_;
  Politeness politeness_{.delay_ms = 1000};
  HostTable hosts_{store_, PolitenessKey::kHost, politeness_, 100, 16};
};

TEST_F(SlowestHostTest, AHostTakesItsGapItsQueueAndItsDelay) {
  const HostSlot slot = host(5);
  EXPECT_EQ(hosts_.left_ms(slot, 100), 4000);
  hosts_.lane(hosts_.host(slot).lane).next_ms = 600;
  EXPECT_EQ(hosts_.left_ms(slot, 100), 4500);
  hosts_.host(slot).held_ms = 1100;
  EXPECT_EQ(hosts_.left_ms(slot, 100), 5000);
  politeness_.per_host = 2;
  EXPECT_EQ(hosts_.left_ms(slot, 100), 3000);
  hosts_.host(slot).finished = true;
  EXPECT_EQ(hosts_.left_ms(slot, 100), 0);
  EXPECT_EQ(hosts_.left_ms(host(0), 100), 0);
}

TEST_F(SlowestHostTest, OneLookSeesAllOfFewHosts) {
  SlowestHost slowest;
  EXPECT_EQ(slowest.left_ms(hosts_, 0), 0);
  host(3);
  const HostSlot most = host(9);
  host(5);
  EXPECT_EQ(slowest.left_ms(hosts_, 0), 8000);
  hosts_.host(most).finished = true;
  EXPECT_EQ(slowest.left_ms(hosts_, 0), 4000);
  host(7);
  EXPECT_EQ(slowest.left_ms(hosts_, 0), 6000);
}

TEST_F(SlowestHostTest, ManyAreSeenInRoundsAndNeverTakenForSlowerThanTheyAre) {
  SlowestHost slowest(/*look=*/2);
  const HostSlot most = host(9);
  for (int i = 0; i < 5; ++i) host(2);
  host(4);
  for (int look = 0; look < 6; ++look) EXPECT_EQ(slowest.left_ms(hosts_, 0), 8000) << look;
  hosts_.host(most).finished = true;
  EXPECT_LE(slowest.left_ms(hosts_, 0), 3000);
  for (int look = 0; look < 4; ++look) slowest.left_ms(hosts_, 0);
  EXPECT_EQ(slowest.left_ms(hosts_, 0), 3000);
}

}  // namespace
}  // namespace spinneret::frontier
