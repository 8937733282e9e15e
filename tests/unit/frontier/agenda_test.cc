// SPDX-License-Identifier: Apache-2.0
#include "frontier/agenda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace spinneret::frontier {
namespace {

TEST(Agenda, GivesNothingBeforeItsTime) {
  Agenda agenda;
  LaneId lane = 99;
  EXPECT_TRUE(agenda.empty());
  EXPECT_EQ(agenda.next_due(0), INT64_MAX);
  agenda.put(3, 100, 5);
  EXPECT_FALSE(agenda.take(99, lane));
  EXPECT_EQ(agenda.next_due(50), 100);
  EXPECT_TRUE(agenda.take(100, lane));
  EXPECT_EQ(lane, 3U);
  EXPECT_TRUE(agenda.empty());
  EXPECT_FALSE(agenda.take(1000, lane));
}

TEST(Agenda, ALaneStandsThereOnceWhereItWasPutLast) {
  Agenda agenda;
  LaneId lane = 0;
  agenda.put(1, 100, 5);
  agenda.put(1, 500, 5);
  EXPECT_EQ(agenda.size(), 1U);
  EXPECT_FALSE(agenda.take(499, lane));
  EXPECT_TRUE(agenda.take(500, lane));
  agenda.put(1, 10, 5);
  agenda.put(2, 10, 5);
  agenda.remove(1);
  agenda.remove(7);
  EXPECT_TRUE(agenda.take(10, lane));
  EXPECT_EQ(lane, 2U);
  EXPECT_FALSE(agenda.take(10, lane));
}

TEST(Agenda, ALaneThatIsReadyCanBePutOff) {
  Agenda agenda;
  LaneId lane = 0;
  agenda.put(1, 0, 5);
  agenda.put(2, 0, 5);
  ASSERT_TRUE(agenda.take(10, lane));  // wakes both
  EXPECT_EQ(lane, 1U);
  agenda.put(2, 100, 5);
  EXPECT_EQ(agenda.next_due(10), 100);
  EXPECT_FALSE(agenda.take(10, lane));
}

TEST(Agenda, ALaneThatStandsThereSoAlreadyKeepsItsTurn) {
  Agenda agenda;
  LaneId lane = 0;
  for (const LaneId each : {1U, 2U, 3U}) agenda.put(each, 0, 5);
  for (int i = 0; i < 1000; ++i) agenda.put(1, 0, 5);
  for (const LaneId expected : {1U, 2U, 3U}) {
    ASSERT_TRUE(agenda.take(0, lane));
    EXPECT_EQ(lane, expected);
    agenda.put(3, 0, 5);
  }
}

// What is stale is swept out, and nothing else with it.
TEST(Agenda, LanesThatAreMovedOftenStandThereOnce) {
  Agenda agenda;
  LaneId lane = 0;
  for (std::int64_t due = 0; due < 10'000; ++due) {
    agenda.put(static_cast<LaneId>(due % 3), due, static_cast<std::uint8_t>(due % 10));
    if (due % 100 == 0) agenda.next_due(due);
  }
  EXPECT_EQ(agenda.size(), 3U);
  EXPECT_EQ(agenda.next_due(0), 9997);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(agenda.take(9999, lane));
  EXPECT_FALSE(agenda.take(9999, lane));
}

TEST(Agenda, ReadyLanesOfOnePriorityAreServedInTurn) {
  Agenda agenda;
  for (LaneId lane = 0; lane < 5; ++lane) agenda.put(lane, static_cast<std::int64_t>(lane), 5);
  for (int round = 0; round < 3; ++round) {
    for (LaneId expected = 0; expected < 5; ++expected) {
      LaneId lane = 99;
      ASSERT_TRUE(agenda.take(100, lane));
      EXPECT_EQ(lane, expected);
      agenda.put(lane, 100, 5);
    }
  }
}

// Two queues that are never empty share by weight, and the last one is not starved.
TEST(Agenda, PrioritiesAreWeights) {
  Agenda agenda;
  for (LaneId lane = 0; lane < 10; ++lane) agenda.put(lane, 0, static_cast<std::uint8_t>(lane));
  std::map<LaneId, int> served;
  for (int i = 0; i < 5500; ++i) {
    LaneId lane = 0;
    ASSERT_TRUE(agenda.take(0, lane));
    ++served[lane];
    agenda.put(lane, 0, static_cast<std::uint8_t>(lane));
  }
  for (LaneId lane = 0; lane < 10; ++lane)
    EXPECT_NEAR(served[lane], 100 * (10 - static_cast<int>(lane)), 3) << lane;
}

TEST(Agenda, AQueueThatWasEmptyHasNotSavedUpTurns) {
  Agenda agenda;
  LaneId lane = 0;
  for (int i = 0; i < 1000; ++i) {
    agenda.put(0, 0, 0);
    ASSERT_TRUE(agenda.take(0, lane));
  }
  agenda.put(1, 0, 9);
  int in_a_row = 0;
  for (int i = 0; i < 5; ++i) {
    agenda.put(0, 0, 0);
    ASSERT_TRUE(agenda.take(0, lane));
    if (lane == 1) {
      ++in_a_row;
      agenda.put(1, 0, 9);
    }
  }
  EXPECT_LE(in_a_row, 1);
}

// Against the obvious twin: a list that is searched.
TEST(Agenda, NeverEarlyNeverLostAgainstAList) {
  std::mt19937 random(7);
  Agenda agenda;
  std::map<LaneId, std::int64_t> twin;
  std::int64_t now = 0;
  for (int step = 0; step < 20'000; ++step) {
    switch (random() % 4) {
      case 0:
      case 1: {
        const auto lane = static_cast<LaneId>(random() % 50);
        const std::int64_t due = now + static_cast<std::int64_t>(random() % 100);
        agenda.put(lane, due, static_cast<std::uint8_t>(random() % 10));
        twin[lane] = due;
        break;
      }
      case 2: now += static_cast<std::int64_t>(random() % 20); break;
      default: {
        LaneId lane = 0;
        const bool any =
            std::any_of(twin.begin(), twin.end(), [&](auto& each) { return each.second <= now; });
        ASSERT_EQ(agenda.take(now, lane), any);
        if (!any) break;
        ASSERT_TRUE(twin.contains(lane));
        ASSERT_LE(twin[lane], now);
        twin.erase(lane);
      }
    }
    ASSERT_EQ(agenda.size(), twin.size());
  }
}

TEST(Agenda, AheadAreTheLanesThatComeNextEachOnce) {
  Agenda agenda;
  for (LaneId lane = 0; lane < 5; ++lane) agenda.put(lane, 0, 5);
  agenda.put(5, 1000, 5);
  LaneId first = 0;
  ASSERT_TRUE(agenda.take(0, first));
  EXPECT_EQ(first, 0U);
  agenda.put(6, 0, 1);  // due already: it goes the short way
  agenda.remove(2);
  std::vector<LaneId> ahead;
  agenda.ahead(10, ahead);
  EXPECT_EQ(ahead, (std::vector<LaneId>{6, 1, 3, 4}));
  ahead.clear();
  agenda.ahead(2, ahead);
  EXPECT_EQ(ahead, (std::vector<LaneId>{6, 1}));
}

}  // namespace
}  // namespace spinneret::frontier
