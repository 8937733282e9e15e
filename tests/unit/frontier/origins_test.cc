// SPDX-License-Identifier: Apache-2.0
// The parts of a table of hosts: origins.h, lane_list.h and plays.h.
#include "frontier/origins.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/blocks.h"
#include "base/hash.h"
#include "frontier/lane_list.h"
#include "frontier/plays.h"

namespace spinneret::frontier {
namespace {

std::string origin_of(HostSlot slot) { return "http://h" + std::to_string(slot) + ".test"; }

class OriginsTest : public testing::Test {
 protected:
  // Keeps an origin without indexing it.
  HostSlot keep(const std::string& origin) {
    const auto slot = static_cast<HostSlot>(hosts_.size());
    hosts_.emplace_back().origin = origins_.keep(origin, origins_.id_end(), slot);
    return slot;
  }
  void expect_all(HostSlot count) {
    HostSlot found = 0;
    for (HostSlot slot = 0; slot < count; ++slot) {
      ASSERT_TRUE(origins_.lookup(origin_of(slot), found));
      EXPECT_EQ(found, slot);
      ASSERT_TRUE(origins_.lookup(HostId{slot + 1}, found));
      EXPECT_EQ(found, slot);
    }
  }

  Blocks<Host> hosts_;
  Origins origins_{hosts_};
  HostSlot slot_ = 0;
};

TEST_F(OriginsTest, NothingIsFoundInAnEmptyOne) {
  EXPECT_FALSE(origins_.lookup("http://a.test", slot_));
  EXPECT_FALSE(origins_.lookup(HostId{1}, slot_));
  EXPECT_EQ(origins_.id_end(), 1U);
}

TEST_F(OriginsTest, AHostIsFoundByItsIdAtOnceAndByItsOriginOnceItIsIndexed) {
  const HostSlot a = keep("http://a.test");
  EXPECT_FALSE(origins_.lookup("http://a.test", slot_));
  ASSERT_TRUE(origins_.lookup(HostId{1}, slot_));
  EXPECT_EQ(slot_, a);
  origins_.index(a);
  ASSERT_TRUE(origins_.lookup("http://a.test", slot_));
  EXPECT_EQ(slot_, a);
}

TEST_F(OriginsTest, AllAreFoundHoweverItGrows) {
  constexpr HostSlot kMany = 5000;
  for (HostSlot slot = 0; slot < kMany; ++slot) origins_.index(keep(origin_of(slot)));
  expect_all(kMany);
  EXPECT_FALSE(origins_.lookup(origin_of(kMany), slot_));
  EXPECT_LE(kMany * 4, origins_.places() * 3);
}

TEST_F(OriginsTest, VeryManyAreIndexedInOneGo) {
  constexpr HostSlot kMany = 5000;
  origins_.reserve_ids(kMany);
  for (HostSlot slot = 0; slot < kMany; ++slot) keep(origin_of(slot));
  origins_.reserve();
  for (HostSlot slot = 0; slot < kMany; ++slot)
    ASSERT_TRUE(origins_.index_hashed(slot, hash64(origin_of(slot))));
  expect_all(kMany);
  const HostSlot twice = keep(origin_of(7));
  EXPECT_FALSE(origins_.index_hashed(twice, hash64(origin_of(7))));
}

TEST_F(OriginsTest, AnOriginIsAsLongAsItWants) {
  const std::string longest = "http://" + std::string(200'000, 'a');
  origins_.index(keep("http://a.test"));
  origins_.index(keep(longest));
  origins_.index(keep("http://b.test"));
  EXPECT_EQ(hosts_[0].origin, "http://a.test");
  EXPECT_EQ(hosts_[1].origin, longest);
  ASSERT_TRUE(origins_.lookup("http://b.test", slot_));
  EXPECT_EQ(slot_, 2U);
}

TEST_F(OriginsTest, ClearedItIsAsNew) {
  for (HostSlot slot = 0; slot < 100; ++slot) origins_.index(keep(origin_of(slot)));
  hosts_.clear();
  origins_.clear();
  EXPECT_FALSE(origins_.lookup(HostId{1}, slot_));
  EXPECT_EQ(origins_.id_end(), 1U);
  for (HostSlot slot = 0; slot < 10; ++slot) origins_.index(keep(origin_of(slot)));
  expect_all(10);
}

TEST(LaneList, ALaneIsMadeOnceForEachName) {
  LaneList lanes;
  constexpr std::uint64_t kMany = 1000;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t name = 0; name < kMany; ++name)
      // These fall into one line of a small table.
      ASSERT_EQ(lanes.named(name * 64), static_cast<LaneId>(name));
  }
  EXPECT_EQ(lanes.size(), kMany);
  EXPECT_EQ(lanes[7].name, 7U * 64);
}

class PlaysTest : public testing::Test {
 protected:
  // Returns the hosts that were let go.
  std::vector<HostSlot> rest(HostSlot stays = kNoSlot) {
    std::vector<HostSlot> out;
    plays_.rest([&](const HostPlay& play) {
      if (play.slot == stays) return false;
      out.push_back(play.slot);
      return true;
    });
    return out;
  }

  Plays plays_{2};
};

TEST_F(PlaysTest, NobodyLeavesWhileThereIsRoom) {
  plays_.give(1);
  plays_.give(2);
  EXPECT_TRUE(rest().empty());
  EXPECT_EQ(plays_.size(), 2U);
}

TEST_F(PlaysTest, WhoWasUsedGetsAnotherRound) {
  std::vector<const HostPlay*> given;
  for (HostSlot slot = 1; slot <= 4; ++slot) given.push_back(&plays_.give(slot));
  EXPECT_EQ(rest(), (std::vector<HostSlot>{1, 2}));  // all were passed once
  plays_.use(*given[2]);
  plays_.give(5);
  EXPECT_EQ(rest(), std::vector<HostSlot>{4});
  plays_.give(6);
  EXPECT_EQ(rest(), std::vector<HostSlot>{3});
}

TEST_F(PlaysTest, WhereAllWereUsedTheSecondRoundTakesThem) {
  for (HostSlot slot = 1; slot <= 4; ++slot) plays_.give(slot);
  EXPECT_EQ(rest(), (std::vector<HostSlot>{1, 2}));
}

TEST_F(PlaysTest, WhoMayNotLeaveStays) {
  for (HostSlot slot = 1; slot <= 3; ++slot) plays_.give(slot);
  EXPECT_EQ(rest(1), std::vector<HostSlot>{2});
}

TEST_F(PlaysTest, WhatWasLetGoIsGivenOutAsNew) {
  for (HostSlot slot = 1; slot <= 3; ++slot) plays_.give(slot).dirty = true;
  ASSERT_EQ(rest().size(), 1U);
  const HostPlay& play = plays_.give(9);
  EXPECT_EQ(play.slot, 9U);
  EXPECT_FALSE(play.dirty);
  EXPECT_EQ(plays_.size(), 3U);
}

}  // namespace
}  // namespace spinneret::frontier
