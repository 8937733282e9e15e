// SPDX-License-Identifier: Apache-2.0
// Tests each arrow of the drawing in gate.h.
#include "frontier/gate.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "frontier/memory_store.h"

namespace spinneret::frontier {
namespace {

constexpr std::string_view kRobots = "http://a.test/robots.txt";
constexpr std::string_view kDown = "unreachable";

class GateTest : public testing::Test {
 protected:
  Host& host() { return hosts_.host(slot_); }
  // Rules are wanted, go out, and come back.
  void fetch_rules(bool silent) {
    ASSERT_FALSE(gate_.need(slot_, kRobots));
    gate_.send(slot_);
    gate_.landed(slot_, silent, std::nullopt);
  }

  MemoryStore store_;
  Politeness rules_;
  HostTable hosts_{store_, PolitenessKey::kHost, rules_, 100, 16};
  Gate gate_{hosts_, /*tries=*/3};
  HostSlot slot_ = hosts_.find("http://a.test");
};

TEST_F(GateTest, RulesAreWantedSentLearnedAndHad) {
  EXPECT_EQ(gate_.stage_of(host()), Rules::kUntried);
  ASSERT_FALSE(gate_.need(slot_, "http://a.test/robots.txt#part"));
  EXPECT_EQ(gate_.stage_of(host()), Rules::kWanted);
  EXPECT_EQ(gate_.url_of(slot_), kRobots);
  // Another page of the host waits for the same rules.
  ASSERT_FALSE(gate_.need(slot_, "http://a.test/other"));
  EXPECT_EQ(gate_.url_of(slot_), kRobots);
  gate_.send(slot_);
  EXPECT_EQ(gate_.stage_of(host()), Rules::kFlying);
  gate_.landed(slot_, /*silent=*/false, std::nullopt);
  EXPECT_EQ(gate_.stage_of(host()), Rules::kUntried);
  gate_.pass(slot_);
  EXPECT_EQ(gate_.stage_of(host()), Rules::kHad);
}

TEST_F(GateTest, RulesThatDidNotArriveAreWantedAgain) {
  ASSERT_FALSE(gate_.need(slot_, kRobots));
  gate_.send(slot_);
  gate_.recalled(slot_);
  EXPECT_EQ(gate_.stage_of(host()), Rules::kWanted);
  EXPECT_EQ(gate_.url_of(slot_), kRobots);
}

TEST_F(GateTest, AssumedRulesAreHadUntilAPageNeedsThem) {
  gate_.assume_rules();
  EXPECT_EQ(gate_.stage_of(host()), Rules::kHad);
  ASSERT_FALSE(gate_.need(slot_, kRobots));
  EXPECT_EQ(gate_.stage_of(host()), Rules::kWanted);
}

TEST_F(GateTest, APageFailsThatNeedsRulesAFourthTime) {
  for (int i = 0; i < 3; ++i) fetch_rules(/*silent=*/false);
  const auto failed = gate_.need(slot_, kRobots);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->outcome, Outcome::kAborted);
  EXPECT_EQ(failed->why, "its robots.txt was fetched and is still needed");
  EXPECT_FALSE(gate_.need(slot_, kRobots));  // the next page begins anew
}

TEST_F(GateTest, APageThatPassesMakesTheCountOfTriesBeginAnew) {
  for (int i = 0; i < 9; ++i) {
    fetch_rules(false);
    gate_.pass(slot_);
  }
}

TEST_F(GateTest, WhatIsNoUrlFailsAtOnce) {
  for (const char* const needs : {"", "nonsense", "ftp://a.test/robots.txt"}) {
    const auto failed = gate_.need(slot_, needs);
    ASSERT_TRUE(failed) << needs;
    EXPECT_EQ(failed->why, "what it needs is not a URL");
  }
}

TEST_F(GateTest, ARefusedAddressOfTheRulesIsThePagesOnce) {
  ASSERT_FALSE(gate_.need(slot_, kRobots));
  gate_.send(slot_);
  gate_.landed(slot_, false, "10.0.0.1 is private");
  const auto failed = gate_.need(slot_, kRobots);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->outcome, Outcome::kRefusedAddress);
  EXPECT_EQ(failed->why, "10.0.0.1 is private");
  EXPECT_FALSE(gate_.need(slot_, kRobots));  // an address may change
}

TEST_F(GateTest, ASilentHostIsDownAndItsRulesAreAskedForAgain) {
  fetch_rules(/*silent=*/true);
  EXPECT_EQ(gate_.hold(slot_, kDown, 0), Gate::Hold::kDown);
  EXPECT_EQ(gate_.stage_of(host()), Rules::kWanted);
  EXPECT_EQ(gate_.hold(slot_, kDown, 0), Gate::Hold::kAlready);  // the rules are on their way
}

TEST_F(GateTest, NoRulesSoManyTimesInARowEndAHost) {
  EXPECT_EQ(gate_.hold(slot_, kDown, 0), Gate::Hold::kHeld);
  EXPECT_EQ(gate_.hold(slot_, kDown, 0), Gate::Hold::kHeld);
  gate_.pass(slot_);
  host().rules = Rules::kUntried;
  EXPECT_EQ(gate_.hold(slot_, kDown, 0), Gate::Hold::kHeld);
  EXPECT_EQ(gate_.hold(slot_, kDown, 0), Gate::Hold::kHeld);
  EXPECT_EQ(gate_.hold(slot_, kDown, 0), Gate::Hold::kNoRules);
}

TEST_F(GateTest, AVisitTimeEndsNone) {
  for (int i = 0; i < 9; ++i) EXPECT_EQ(gate_.hold(slot_, kVisitTime, 0), Gate::Hold::kHeld);
}

TEST_F(GateTest, AHostIsHeldUntilItsTimeOrAPageThatPasses) {
  gate_.keep_back(slot_, {.mono_ms = 100, .wall_ms = 5000}, 300, kDown);
  EXPECT_EQ(host().held_ms, 400);
  EXPECT_EQ(hosts_.play(slot_).row.held_until_ms, 5300);
  EXPECT_EQ(hosts_.play(slot_).row.held_reason, kDown);
  EXPECT_EQ(gate_.hold(slot_, kDown, 399), Gate::Hold::kAlready);
  EXPECT_EQ(gate_.hold(slot_, kDown, 400), Gate::Hold::kHeld);
  gate_.pass(slot_);
  EXPECT_EQ(host().held_ms, 0);
  EXPECT_EQ(hosts_.play(slot_).row.held_until_ms, 0);
}

TEST_F(GateTest, TwentyHoldsAreToldAndNoShortOne) {
  EXPECT_FALSE(gate_.tell(host(), " rests", 9999));
  for (int i = 1; i < 20; ++i)
    EXPECT_EQ(gate_.tell(host(), " rests", 10'000), "http://a.test rests: held for 10 s");
  EXPECT_EQ(gate_.tell(host(), " rests", 10'000),
            "http://a.test rests: held for 10 s; no more of these are told");
  EXPECT_FALSE(gate_.tell(host(), " rests", 10'000));
}

}  // namespace
}  // namespace spinneret::frontier
