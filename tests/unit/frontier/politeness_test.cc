// SPDX-License-Identifier: Apache-2.0
#include "frontier/politeness.h"

#include <gtest/gtest.h>

#include "unit/frontier/frontier_fixture.h"

namespace spinneret::frontier {
namespace {

constexpr std::uint64_t kNoJitter = 25;  // 75 + 25 percent

TEST(Politeness, TheFloorIsTheDelayOrTheCrawlDelay) {
  Politeness rules;
  HostRow host;
  EXPECT_EQ(floor_ms(host, rules), 1000);
  host.crawl_delay_ms = 10'000;
  EXPECT_EQ(floor_ms(host, rules), 10'000);
  host.crawl_delay_ms = 100;  // the site allows more than our own delay
  EXPECT_EQ(floor_ms(host, rules), 100);
  rules.min_delay_ms = 500;
  EXPECT_EQ(floor_ms(host, rules), 500);
  host.crawl_delay_ms = 3'600'000;
  EXPECT_EQ(floor_ms(host, rules), 180'000);
  rules.crawl_delay_cap_ms = 7'200'000;
  EXPECT_EQ(floor_ms(host, rules), 3'600'000);
}

TEST(Politeness, TheDelayFollowsTheResponseTime) {
  const Politeness rules;
  HostRow host;
  EXPECT_EQ(gap_after(host, {Outcome::kOk, 100}, rules, kNoJitter), 1000);
  EXPECT_EQ(gap_after(host, {Outcome::kServerError, 3000}, rules, kNoJitter), 5970);  // eased once
  EXPECT_EQ(gap_after(host, {Outcome::kServerError, 300'000}, rules, kNoJitter), 60'000);
  for (int i = 0; i < 300; ++i) gap_after(host, {Outcome::kOk, 3000}, rules, kNoJitter);
  EXPECT_EQ(gap_after(host, {Outcome::kOk, 3000}, rules, kNoJitter), 3000);
}

TEST(Politeness, WithoutADelayTheFactorIsOff) {
  Politeness rules;
  rules.delay_ms = 0;
  HostRow host;
  EXPECT_EQ(gap_after(host, {Outcome::kOk, 5000}, rules, kNoJitter), 0);
}

TEST(Politeness, A429DoublesAndIsForgivenSlowly) {
  const Politeness rules;
  HostRow host;
  EXPECT_EQ(gap_after(host, {Outcome::kRateLimited, 1}, rules, kNoJitter), 2000);
  EXPECT_EQ(gap_after(host, {Outcome::kRateLimited, 1}, rules, kNoJitter), 4000);
  EXPECT_EQ(gap_after(host, {Outcome::kRateLimited, 1}, rules, kNoJitter), 8000);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(gap_after(host, {Outcome::kOk, 1}, rules, kNoJitter), 8000);
  EXPECT_EQ(gap_after(host, {Outcome::kOk, 1}, rules, kNoJitter), 4000);
  for (int i = 0; i < 20; ++i) gap_after(host, {Outcome::kOk, 1}, rules, kNoJitter);
  EXPECT_EQ(gap_after(host, {Outcome::kOk, 1}, rules, kNoJitter), 1000);
  // The factor never eases again.
  EXPECT_TRUE(host.no_easing);
  EXPECT_EQ(host.factor_percent, 200U);
}

TEST(Politeness, BackoffHasJitterAndAnEnd) {
  const Politeness rules;
  HostRow low;
  HostRow high;
  EXPECT_EQ(gap_after(low, {Outcome::kRateLimited, 1}, rules, 0), 1500);
  EXPECT_EQ(gap_after(high, {Outcome::kRateLimited, 1}, rules, 50), 2500);
  for (int i = 0; i < 100; ++i) gap_after(high, {Outcome::kRateLimited, 1}, rules, 50);
  EXPECT_EQ(high.backoff_ms, 3'600'000);
}

TEST(Politeness, RetryAfterIsKeptAndCapped) {
  const Politeness rules;
  HostRow host;
  EXPECT_EQ(gap_after(host, {Outcome::kRateLimited, 1, 120'000}, rules, kNoJitter), 120'000);
  EXPECT_EQ(gap_after(host, {Outcome::kRateLimited, 1, 0}, rules, kNoJitter), 4000);
  EXPECT_EQ(gap_after(host, {Outcome::kRateLimited, 1, 1'000'000'000}, rules, kNoJitter),
            86'400'000);
}

TEST(Politeness, PatienceRunsOutAndASuccessRestoresIt) {
  Politeness rules;
  HostRow host;
  const auto is_lost_by = [&](Outcome outcome) {
    count_sign(host, sign_of(outcome, /*heard=*/false), outcome);
    return out_of_patience(host, rules);
  };
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(is_lost_by(Outcome::kTimeout));
    EXPECT_FALSE(is_lost_by(Outcome::kNotFound));
  }
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(is_lost_by(Outcome::kDnsFailed));
  // A stage's own failure neither costs patience nor restores it.
  EXPECT_FALSE(is_lost_by(Outcome::kAborted));
  EXPECT_TRUE(is_lost_by(Outcome::kDnsFailed));
  rules.patience = 0;
  EXPECT_FALSE(is_lost_by(Outcome::kDnsFailed));
}

// Bug: five broken pages in a row ended a site that answered each of them.
TEST(Politeness, OnlySilenceCostsPatience) {
  for (const Outcome outcome : {Outcome::kBadResponse, Outcome::kTimeout, Outcome::kTlsFailed}) {
    EXPECT_EQ(sign_of(outcome, /*heard=*/true), Sign::kLife);
    EXPECT_EQ(sign_of(outcome, /*heard=*/false), Sign::kSilence);
  }
  EXPECT_EQ(sign_of(Outcome::kServerError, true), Sign::kLife);
  EXPECT_EQ(sign_of(Outcome::kNeeds, false), Sign::kNone);
  EXPECT_EQ(sign_of(Outcome::kBlockedByRobots, false), Sign::kNone);
}

TEST(Politeness, TheGapGrowsWithEachSilence) {
  HostRow host;
  const Politeness rules;
  for (const std::int64_t want : {1000, 2000, 4000, 8000}) {
    count_sign(host, Sign::kSilence, Outcome::kTimeout);
    EXPECT_EQ(silence_gap_ms(host, rules, 0), want);
  }
  host.failures = 1000;
  EXPECT_EQ(silence_gap_ms(host, rules, 0), 3'600'000);
  host.failures = 1;
  EXPECT_EQ(silence_gap_ms(host, {.delay_ms = 0}, 0), 50);
}

TEST(Politeness, ThrottleCountsFromTheFirstOfASpan) {
  Politeness rules;
  rules.throttle = 3;
  rules.throttle_ms = 60'000;
  HostRow host;
  const std::int64_t start = 1'700'000'000'000;
  EXPECT_EQ(throttle_gap(host, rules, start), 0);
  EXPECT_EQ(throttle_gap(host, rules, start + 1000), 0);
  EXPECT_EQ(throttle_gap(host, rules, start + 2000), 58'000);
  EXPECT_EQ(throttle_gap(host, rules, start + 60'000), 0);
  // A clock that was set back begins a new span, and does not wait for the old one.
  EXPECT_EQ(throttle_gap(host, rules, start - 1'000'000), 0);
}

TEST(Politeness, WhatWasNeverAskedCostsNothing) {
  EXPECT_FALSE(was_asked(Outcome::kNeeds));
  EXPECT_FALSE(was_asked(Outcome::kBlockedByRobots));
  EXPECT_FALSE(was_asked(Outcome::kRefusedAddress));
  EXPECT_TRUE(was_asked(Outcome::kOk));
  EXPECT_TRUE(was_asked(Outcome::kTimeout));
}

// --- clocks: waits where clocks are set, or where the machine is another one --------------------

TEST_F(FrontierTest, AWallClockThatIsSetBackMakesNoWaitLonger) {
  options_.politeness.delay_ms = 60'000;
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  next();
  settle("http://a.test/1");
  clock_.jump_wall_ms(-86'400'000);
  EXPECT_EQ(frontier_->wait_ms(), 60'000);  // gaps are measured by the other clock
  open();
  EXPECT_LE(frontier_->wait_ms(), 60'000);
  EXPECT_EQ(next(), "");
  clock_.advance_ms(60'000);
  EXPECT_EQ(next(), "http://a.test/2");
}

TEST_F(FrontierTest, AWallClockThatIsSetForwardMakesNoWaitShorter) {
  options_.politeness.delay_ms = 60'000;
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  next();
  settle("http://a.test/1");
  clock_.advance_ms(20'000);
  clock_.jump_wall_ms(86'400'000);
  reopen();
  EXPECT_EQ(next(), "");
  EXPECT_GE(frontier_->wait_ms(), 40'000);
  EXPECT_LE(frontier_->wait_ms(), 40'001);
  clock_.advance_ms(40'001);
  EXPECT_EQ(next(), "http://a.test/2");
}

TEST_F(FrontierTest, OnAnotherBootAllOfAWaitCountsAgain) {
  options_.politeness.delay_ms = 60'000;
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  next();
  settle("http://a.test/1");
  ASSERT_TRUE(frontier_->close().ok());
  for (const char* const boot : {"second", "third"}) {
    clock_.advance_ms(50'000);
    clock_.reboot(boot);
    open();
    EXPECT_EQ(frontier_->wait_ms(), 60'000) << boot;
    EXPECT_EQ(next(), "");
  }
  // Within that boot the wait is no more than what is left of it.
  clock_.advance_ms(50'000);
  open();
  clock_.advance_ms(60'000);
  EXPECT_EQ(next(), "http://a.test/2");
}

TEST_F(FrontierTest, ARetryIsAsFarAwayAsItWasWhereTheWallClockIsSet) {
  options_.tries = 2;
  open();
  seed({"http://a.test/1"});
  next();
  settle("http://a.test/1", Outcome::kServerError);
  clock_.jump_wall_ms(86'400'000);
  EXPECT_EQ(next(), "");
  const std::int64_t wait = frontier_->wait_ms();
  EXPECT_GE(wait, 22'500);
  clock_.jump_wall_ms(-172'800'000);
  EXPECT_EQ(frontier_->wait_ms(), wait);
  reopen();
  clock_.jump_wall_ms(86'400'000);
  clock_.advance_ms(wait - 1);
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "");
  clock_.advance_ms(1);
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "http://a.test/1");
}

TEST_F(FrontierTest, ARetryOfAClockThatWasYearsAheadComesWithinTheLongestDelay) {
  options_.tries = 2;
  clock_.jump_wall_ms(std::int64_t{10} * 365 * 86'400'000);
  open();
  seed({"http://a.test/1"});
  next();
  settle("http://a.test/1", Outcome::kServerError);
  ASSERT_TRUE(frontier_->close().ok());
  clock_.jump_wall_ms(-std::int64_t{10} * 365 * 86'400'000);
  clock_.reboot("second");
  open();
  EXPECT_LE(frontier_->wait_ms(), kMaxRetryDelayMs * 5 / 4);
}

TEST_F(FrontierTest, AGapIsNoPartOfAMillisecondShort) {
  options_.politeness.delay_ms = 3;
  options_.politeness.factor_percent = 0;
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  next();
  clock_.advance_ns(900'000);
  settle("http://a.test/1");
  clock_.advance_ms(2);
  clock_.advance_ns(100'000);
  EXPECT_EQ(next(), "");
  clock_.advance_ns(1'000'000);
  EXPECT_EQ(next(), "http://a.test/2");
}

TEST_F(FrontierTest, AThrottleHoldsWhateverTheWallClockSays) {
  options_.politeness = {.delay_ms = 0, .throttle = 1, .throttle_ms = 3'600'000};
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  settle(next());
  clock_.advance_ms(1'000'000);
  clock_.jump_wall_ms(86'400'000);
  reopen();
  EXPECT_EQ(next(), "");
  EXPECT_EQ(frontier_->wait_ms(), 2'600'001);  // the part of a millisecond that a row may have lost
  ASSERT_TRUE(frontier_->close().ok());
  clock_.reboot("second");
  open();
  EXPECT_EQ(frontier_->wait_ms(), 3'600'000);
  clock_.advance_ms(3'600'000);
  EXPECT_EQ(next(), "http://a.test/2");
}

// --- gaps as they were kept ---------------------------------------------------------------------

class GapTest : public FrontierTest {
 protected:
  HostRow host() {
    EXPECT_TRUE(frontier_->commit().ok());
    HostRow row;
    EXPECT_TRUE(decode_host_row(store_.rows(Table::kHosts).at("http://a.test"), row));
    return row;
  }
};

TEST_F(GapTest, OfAHostTheOneWithTheLeastToSpareIsKept) {
  options_.politeness = {.delay_ms = 1000};
  clock_.advance_ms(1);
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4"});
  settle(next());
  EXPECT_EQ(host().least_gap_ms, -1);
  clock_.advance_ms(1500);
  const std::string second = next();
  EXPECT_EQ(host().least_gap_ms, 1500);
  EXPECT_EQ(host().least_gap_owed_ms, 1000);
  // The host asks for a longer gap, and gets it.
  settle(Settled{
      .url = second, .outcome = Outcome::kRateLimited, .status = 429, .retry_after_ms = 30'000});
  clock_.advance_ms(29'999);
  EXPECT_EQ(next(), "");
  clock_.advance_ms(frontier_->wait_ms());
  const std::string third = next();
  EXPECT_NE(third, "");
  const HostRow held = host();
  EXPECT_GE(held.least_gap_owed_ms, 30'000);
  EXPECT_GE(held.least_gap_ms, held.least_gap_owed_ms);
  EXPECT_LT(held.least_gap_ms - held.least_gap_owed_ms, 500);
  // The next run has no answer from which to count, and keeps what was measured.
  reopen();
  clock_.advance_ms(60'000);
  EXPECT_NE(next(), "");
  EXPECT_EQ(host().least_gap_ms, held.least_gap_ms);
}

TEST_F(GapTest, WhatWasNotAskedIsNoVisitAndSeveralAtOnceHaveNoneBetweenThem) {
  options_.politeness = {.delay_ms = 1000};
  clock_.advance_ms(1);
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  settle(next(), Outcome::kNeeds);
  clock_.advance_ms(1);
  EXPECT_EQ(host().least_gap_ms, -1);
  ASSERT_TRUE(frontier_->close().ok());
  options_.politeness = {.delay_ms = 0, .per_host = 2};
  open();
  for (std::string url = next(); !url.empty(); url = next()) settle(url);
  EXPECT_EQ(host().least_gap_ms, -1);
}

}  // namespace
}  // namespace spinneret::frontier
