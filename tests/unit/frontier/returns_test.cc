// SPDX-License-Identifier: Apache-2.0
// Tests each line of the tables in returns.h, with all parts except Frontier itself.
#include "frontier/returns.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/clock.h"
#include "unit/frontier/rooms_fixture.h"

namespace spinneret::frontier {
namespace {

constexpr std::string_view kUrl = "http://a.test/1";
constexpr std::string_view kRobots = "http://a.test/robots.txt";

class ReturnsTest : public RoomsTest {
 protected:
  ReturnsTest() {
    visits_.begin_run(1);
    time_.begin(store_, 0);
    admit("/1", {.depth = 3, .via = "http://a.test/"});
  }
  void send() { fly(std::string(kUrl), time_.now()); }
  void send_rules() {
    ASSERT_FALSE(gate_.need(slot_, kRobots));
    gate_.send(slot_);
    flights_.begin(rules_key_, slot_, Purpose::kRobots, {}, {}, time_.now());
  }
  Verdict settle(const Settled& result) {
    row_ = {};
    const Verdict verdict = returns_.settle(result, row_);
    commit();
    backlog_.committed();
    return verdict;
  }
  // Fails so often that one try is left.
  void leave_one_try() {
    for (int tries = 2; tries != 0; --tries) {
      send();
      ASSERT_EQ(settle({.url = kUrl, .outcome = Outcome::kServerError, .status = 500}),
                Verdict::kPassing);
      const Moment due{.steady_ms = INT64_MAX};
      later_.take_due(due, [this](const LaterKey& key) { return visits_.fall_due(key); });
      commit();
    }
  }

  const std::string rules_key_ = Flights::key_of(Purpose::kRobots, kRobots);
  FakeClock clock_;
  Timepiece time_{clock_};
  Later later_{store_, {}};
  Admission admission_;
  Visits visits_{hosts_, backlog_, later_, patience_, admission_, random_, statistics_, {}};
  Suspects suspects_;
  Returns returns_{
      time_,      gate_,
      flights_,   visits_,
      suspects_,  {hosts_, gate_, lanes_, patience_, politeness_, random_, statistics_, notices_},
      statistics_};
  UrlRow row_;
};

TEST_F(ReturnsTest, WhatIsNotInFlightIsAStranger) {
  EXPECT_EQ(settle({.url = kUrl}), Verdict::kStranger);
  EXPECT_FALSE(returns_.note_aborted({.url = kUrl}));
  EXPECT_EQ(statistics_.strangers, 1U);
}

TEST_F(ReturnsTest, AnAbortedOneStaysInFlight) {
  send();
  EXPECT_TRUE(returns_.note_aborted({.url = kUrl, .outcome = Outcome::kAborted}));
  ASSERT_NE(flights_.find(std::string(kUrl)), nullptr);
  EXPECT_TRUE(flights_.find(std::string(kUrl))->aborted);
}

TEST_F(ReturnsTest, APageIsSettledAndPassesItsGate) {
  send();
  EXPECT_EQ(settle({.url = kUrl, .status = 200}), Verdict::kFinal);
  EXPECT_EQ(row_.state, UrlState::kDone);
  EXPECT_EQ(hosts_.host(slot_).rules, Rules::kHad);
  EXPECT_TRUE(flights_.all().empty());
}

TEST_F(ReturnsTest, ARobotsTxtIsNoPage) {
  send_rules();
  EXPECT_EQ(settle({.url = kRobots, .purpose = Purpose::kRobots, .status = 200}),
            Verdict::kPassing);
  EXPECT_EQ(hosts_.host(slot_).rules, Rules::kUntried);
  EXPECT_EQ(statistics_.robots, 1U);
  EXPECT_EQ(statistics_.pages, 0U);
}

TEST_F(ReturnsTest, APageThatNeedsRulesWaits) {
  send();
  EXPECT_EQ(settle({.url = kUrl, .outcome = Outcome::kNeeds, .needs = kRobots}), Verdict::kPassing);
  EXPECT_EQ(hosts_.host(slot_).rules, Rules::kWanted);
  EXPECT_TRUE(in_window());
}

TEST_F(ReturnsTest, APageWhoseRulesCannotBeHadIsGivenUpAtItsLastTry) {
  leave_one_try();
  send();
  EXPECT_EQ(settle({.url = kUrl, .outcome = Outcome::kNeeds, .needs = "mailto:a"}),
            Verdict::kPassing);
  const std::vector<Returns::GivenUp> gone = returns_.take_given_up();
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].page.url, kUrl);
  EXPECT_EQ(gone[0].page.depth, 3U);
  EXPECT_EQ(gone[0].via, "http://a.test/");
  EXPECT_EQ(gone[0].error, "what it needs is not a URL");
  EXPECT_TRUE(returns_.take_given_up().empty());
}

TEST_F(ReturnsTest, APageThatIsHeldBackWaitsOrIsPutOff) {
  const Settled held{.url = kUrl, .retry_after_ms = 1000, .robots_reason = "server-error"};
  for (int i = 0; i < 2; ++i) {
    send();
    ASSERT_EQ(settle(held), Verdict::kPassing);
    clock_.advance_ms(1000);
  }
  send();
  EXPECT_EQ(settle(held), Verdict::kPutOff);
  EXPECT_TRUE(in_window());
  EXPECT_EQ(row_.depth, 3U);
}

TEST_F(ReturnsTest, WhatWasSentByThenIsLostWhichIsOneOfItsTries) {
  send();
  clock_.advance_ms(1000);
  returns_.expire(time_.now().mono_ms - 1001);
  EXPECT_EQ(flights_.all().size(), 1U);
  returns_.expire(time_.now().mono_ms - 1000);
  EXPECT_TRUE(flights_.all().empty());
  commit();
  EXPECT_EQ(statistics_.lost, 1U);
  EXPECT_EQ(row("/1").failures, 1U);
  EXPECT_TRUE(returns_.take_given_up().empty());
}

TEST_F(ReturnsTest, WhatIsLostAtItsLastTryIsGivenUpAndSaysWhoWasToBlame) {
  leave_one_try();
  send();
  ASSERT_TRUE(returns_.note_aborted({.url = kUrl, .outcome = Outcome::kAborted}));
  returns_.expire(INT64_MAX);
  const std::vector<Returns::GivenUp> gone = returns_.take_given_up();
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].error, "a stage of the pipeline has stopped before it was done");
  EXPECT_EQ(gone[0].outcome, Outcome::kAborted);
}

TEST_F(ReturnsTest, AGuiltyPageHasFailedAndItsDeathsCountOn) {
  send();
  returns_.convict_only();
  commit();
  EXPECT_EQ(row("/1").failures, 1U);
  EXPECT_EQ(row("/1").error, "the pipeline dies of it");
  EXPECT_EQ(suspects_.deaths(kUrl), 1);
}

TEST_F(ReturnsTest, AGuiltyRobotsTxtCostsItsHostPatience) {
  send_rules();
  returns_.convict_only();
  EXPECT_EQ(hosts_.play(slot_).row.failures, 1U);
  EXPECT_EQ(suspects_.deaths(rules_key_), 1);
}

}  // namespace
}  // namespace spinneret::frontier
