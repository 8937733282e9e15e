// SPDX-License-Identifier: Apache-2.0
#include "frontier/agenda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "frontier/recrawl.h"

namespace spinneret::frontier {
namespace {

TEST(Agenda, GivesNothingBeforeItsTime) {
  Agenda::Turns turns;
  Agenda agenda(turns);
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
  Agenda::Turns turns;
  Agenda agenda(turns);
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
  Agenda::Turns turns;
  Agenda agenda(turns);
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
  Agenda::Turns turns;
  Agenda agenda(turns);
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
  Agenda::Turns turns;
  Agenda agenda(turns);
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
  Agenda::Turns turns;
  Agenda agenda(turns);
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
  Agenda::Turns turns;
  Agenda agenda(turns);
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
  Agenda::Turns turns;
  Agenda agenda(turns);
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
  Agenda::Turns turns;
  Agenda agenda(turns);
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
  Agenda::Turns turns;
  Agenda agenda(turns);
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

constexpr std::int64_t kDay = 86'400'000;
constexpr std::int64_t kNow = 1'700'000'000'000;

TEST(Recrawl, Parse) {
  EXPECT_EQ(parse_recrawl("4w")->least_ms, 28 * kDay);
  EXPECT_FALSE(parse_recrawl("4w")->adaptive());
  const auto adaptive = parse_recrawl("adaptive:1d..90d");
  ASSERT_TRUE(adaptive);
  EXPECT_EQ(adaptive->least_ms, kDay);
  EXPECT_EQ(adaptive->most_ms, 90 * kDay);
  EXPECT_EQ(parse_recrawl(to_string(*adaptive))->most_ms, 90 * kDay);
  for (const char* const bad :
       {"", "0", "weekly", "adaptive:", "adaptive:1d", "adaptive:2d..1d", "adaptive:1d..1d"}) {
    EXPECT_FALSE(parse_recrawl(bad)) << bad;
  }
}

TEST(Recrawl, FixedIsFixed) {
  const Recrawl rules = *parse_recrawl("1d");
  std::int64_t interval = 0;
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, true, false, 0, kNow}, rules), kNow + kDay);
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kNotModified, false, false, 0, kNow}, rules),
            kNow + kDay);
}

TEST(Recrawl, AdaptiveFollowsTheChanges) {
  const Recrawl rules = *parse_recrawl("adaptive:1d..30d");
  std::int64_t interval = 0;
  const auto visit = [&](Outcome outcome, bool first, bool same) {
    return next_visit_ms(interval, {outcome, first, same, 0, kNow}, rules) - kNow;
  };
  EXPECT_EQ(visit(Outcome::kOk, true, false), 7 * kDay);
  EXPECT_EQ(visit(Outcome::kOk, false, false), 7 * kDay / 2);
  EXPECT_EQ(visit(Outcome::kNotModified, false, false), 7 * kDay / 2 * 3 / 2);
  for (int i = 0; i < 20; ++i) visit(Outcome::kOk, false, true);
  EXPECT_EQ(visit(Outcome::kDuplicate, false, false), 30 * kDay);
  for (int i = 0; i < 20; ++i) visit(Outcome::kOk, false, false);
  EXPECT_EQ(visit(Outcome::kOk, false, false), kDay);
}

TEST(Recrawl, ExpiresPutsOffWithinTheBound) {
  const Recrawl rules = *parse_recrawl("adaptive:1d..30d");
  std::int64_t interval = kDay;
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, false, false, kNow + 5 * kDay, kNow}, rules),
            kNow + 5 * kDay);
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, false, false, kNow + 500 * kDay, kNow}, rules),
            kNow + 30 * kDay);
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, false, false, kNow - kDay, kNow}, rules),
            kNow + kDay);
}

TEST(W3cTime, TheFormsOfSitemaps) {
  EXPECT_EQ(parse_w3c_time("1970"), 0);
  EXPECT_EQ(parse_w3c_time("1970-02"), 31 * kDay);
  EXPECT_EQ(parse_w3c_time("2000-03-01"), 951'868'800'000);
  EXPECT_EQ(parse_w3c_time("2023-11-14T22:13:20Z"), kNow);
  EXPECT_EQ(parse_w3c_time("2023-11-14T23:13:20+01:00"), kNow);
  EXPECT_EQ(parse_w3c_time("2023-11-14T22:13:20.123Z"), kNow);
  EXPECT_EQ(parse_w3c_time("2023-11-14T22:13Z"), kNow - 20'000);
  for (const char* const bad :
       {"", "x", "2023-13-01", "2023-1-1", "2023-11-14T", "2023-11-14T22:13:20",
        "2023-11-14T99:13Z", "2023/11/14", "2023-11-14T22:13:20.5"}) {
    EXPECT_FALSE(parse_w3c_time(bad)) << bad;
  }
}

TEST(ChangeFrequency, Words) {
  EXPECT_EQ(change_frequency_ms("daily"), kDay);
  EXPECT_FALSE(change_frequency_ms("always"));
  EXPECT_FALSE(change_frequency_ms("Daily"));
}

}  // namespace
}  // namespace spinneret::frontier
