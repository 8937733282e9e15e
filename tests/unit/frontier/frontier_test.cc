// SPDX-License-Identifier: Apache-2.0
// What goes out when, and the effects of results: one host after another, rules first, failures.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/frontier/frontier_fixture.h"

namespace spinneret::frontier {
namespace {

TEST_F(FrontierTest, ASeedGoesOutOnceAndIsDone) {
  open();
  EXPECT_TRUE(frontier_->exhausted());
  seed({"http://a.test/#x", "http://a.test/", "HTTP://A.TEST:80/"});
  EXPECT_FALSE(frontier_->exhausted());
  EXPECT_EQ(next(), "http://a.test/");
  EXPECT_EQ(sent_.depth, 0U);
  EXPECT_EQ(next(), "");
  EXPECT_EQ(settle("http://a.test/"), Verdict::kFinal);
  EXPECT_TRUE(frontier_->exhausted());
  EXPECT_EQ(frontier_->statistics().known, 2U);
  EXPECT_EQ(settle("http://a.test/"), Verdict::kStranger);
  seed({"http://a.test/"});
  EXPECT_TRUE(frontier_->exhausted());
  expect_in_order();
}

TEST_F(FrontierTest, WhatIsNoPageIsNotTakenIn) {
  options_.max_depth = 2;
  open();
  EXPECT_EQ(frontier_->offer({.url = "not a url"}), Frontier::Offer::kNotUrl);
  EXPECT_EQ(frontier_->offer({.url = "mailto:a@b"}), Frontier::Offer::kNotHttp);
  EXPECT_EQ(frontier_->offer({.url = "http://a/", .depth = 3}), Frontier::Offer::kTooDeep);
  EXPECT_EQ(frontier_->tail(), 0U);
}

TEST_F(FrontierTest, NothingGoesOutBeforeItIsCommitted) {
  open();
  frontier_->offer({.url = "http://a.test/"});
  frontier_->seal();
  EXPECT_EQ(next(), "");
  store_.fail_next_commit();
  EXPECT_FALSE(frontier_->commit().ok());
}

TEST_F(FrontierTest, ATailIsForgottenAndASealedLinkIsNot) {
  open();
  seed({"http://a.test/"});
  next();
  frontier_->offer({.url = "http://b.test/1"});
  settle("http://a.test/");
  frontier_->offer({.url = "http://b.test/torn"});
  EXPECT_EQ(frontier_->tail(), 1U);
  frontier_->drop_tail();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "http://b.test/1");
  EXPECT_FALSE(find_url(store_, "http://b.test/torn")->has_value());
}

TEST_F(FrontierTest, OneAtATimePerHostWithTheDelayBetween) {
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://b.test/1", "https://a.test/3"});
  EXPECT_EQ(next(), "http://a.test/1");
  EXPECT_EQ(next(), "http://b.test/1");
  EXPECT_EQ(next(), "");  // http and https of one name are one host here
  clock_.advance_ms(10'000);
  EXPECT_EQ(next(), "");
  settle("http://a.test/1");
  EXPECT_EQ(next(), "");
  EXPECT_EQ(frontier_->wait_ms(), 1000);
  clock_.advance_ms(999);
  EXPECT_EQ(next(), "");
  clock_.advance_ms(1);
  const std::string second = next();
  EXPECT_TRUE(second == "http://a.test/2" || second == "https://a.test/3");
}

TEST_F(FrontierTest, SeveralAtOnceHaveTheDelayBetweenTheirRequests) {
  options_.politeness.per_host = 2;
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4"});
  next();
  settle("http://a.test/1");
  clock_.advance_ms(1000);
  EXPECT_EQ(next(), "http://a.test/2");
  EXPECT_EQ(next(), "");
  clock_.advance_ms(1000);
  EXPECT_EQ(next(), "http://a.test/3");
  clock_.advance_ms(5000);
  EXPECT_EQ(next(), "");
  settle("http://a.test/2");
  EXPECT_EQ(next(), "http://a.test/4");
}

TEST_F(FrontierTest, AFirstURLGoesAheadOfAllOthersUntilItHasPassedTheGate) {
  options_.politeness = {.delay_ms = 0, .per_host = 8};
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://a.test/3"});
  EXPECT_EQ(next(), "http://a.test/1");
  EXPECT_EQ(next(), "");
  settle("http://a.test/1");
  EXPECT_EQ(next(), "http://a.test/2");
  EXPECT_EQ(next(), "http://a.test/3");
}

TEST_F(FrontierTest, RulesAreFetchedFirstAndThePageIsSentAgain) {
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://b.test/1"});
  EXPECT_EQ(next(), "http://a.test/1");
  EXPECT_EQ(next(), "http://b.test/1");
  EXPECT_EQ(settle(Settled{.url = "http://a.test/1",
                           .outcome = Outcome::kNeeds,
                           .needs = "http://a.test/robots.txt"}),
            Verdict::kPassing);
  // No request went to the host, so that its rules may be fetched at once.
  EXPECT_EQ(next(), "http://a.test/robots.txt");
  EXPECT_EQ(sent_.purpose, Purpose::kRobots);
  EXPECT_EQ(next(), "");
  EXPECT_EQ(
      settle(Settled{
          .url = "http://a.test/robots.txt", .purpose = Purpose::kRobots, .crawl_delay_ms = 5000}),
      Verdict::kPassing);
  clock_.advance_ms(4999);
  EXPECT_EQ(next(), "");
  clock_.advance_ms(1);
  EXPECT_EQ(next(), "http://a.test/1");
  EXPECT_EQ(settle("http://a.test/1"), Verdict::kFinal);
  EXPECT_EQ(frontier_->statistics().robots, 1U);
  expect_in_order();
}

TEST_F(FrontierTest, APageThatIsARobotsTxtIsNotTheRules) {
  open();
  seed({"http://a.test/robots.txt"});
  EXPECT_EQ(next(), "http://a.test/robots.txt");
  settle(Settled{.url = "http://a.test/robots.txt",
                 .outcome = Outcome::kNeeds,
                 .needs = "http://a.test/robots.txt"});
  EXPECT_EQ(next(), "http://a.test/robots.txt");
  EXPECT_EQ(settle(Settled{.url = "http://a.test/robots.txt", .purpose = Purpose::kRobots}),
            Verdict::kPassing);
  clock_.advance_ms(1000);
  EXPECT_EQ(next(), "http://a.test/robots.txt");
  EXPECT_EQ(sent_.purpose, Purpose::kPage);
  EXPECT_EQ(settle("http://a.test/robots.txt"), Verdict::kFinal);
}

TEST_F(FrontierTest, RulesThatAreNeededForEverAreGivenUpOn) {
  options_.politeness.delay_ms = 0;
  options_.tries = 1;
  open();
  seed({"http://a.test/1"});
  int rules = 0;
  for (int i = 0; i < 100 && frontier_->next(sent_); ++i) {
    if (sent_.purpose == Purpose::kRobots) {
      ++rules;
      settle(
          Settled{.url = sent_.url, .purpose = Purpose::kRobots, .outcome = Outcome::kServerError});
    } else {
      settle(Settled{
          .url = sent_.url, .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
    }
  }
  EXPECT_EQ(rules, 3);
  EXPECT_TRUE(frontier_->exhausted());
  ASSERT_EQ(frontier_->take_given_up().size(), 1U);
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kError);
  expect_in_order();
}

// The gate does not store a refused address: the page that asks for rules again is refused like
// them; the next page asks anew.
TEST_F(FrontierTest, APageWhoseRobotsHasARefusedAddressIsRefused) {
  options_.politeness.delay_ms = 0;
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  int rules = 0;
  for (int i = 0; i < 100 && frontier_->next(sent_); ++i) {
    if (sent_.purpose == Purpose::kRobots) {
      ++rules;
      settle(Settled{.url = sent_.url,
                     .purpose = Purpose::kRobots,
                     .outcome = Outcome::kRefusedAddress,
                     .error = "10.0.0.1 is private"});
    } else {
      settle(Settled{
          .url = sent_.url, .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
    }
  }
  EXPECT_EQ(rules, 2);
  EXPECT_TRUE(frontier_->exhausted());
  const auto given_up = frontier_->take_given_up();
  ASSERT_EQ(given_up.size(), 2U);
  EXPECT_EQ(given_up[0].outcome, Outcome::kRefusedAddress);
  EXPECT_EQ(given_up[0].error, "10.0.0.1 is private");
  EXPECT_EQ(row("http://a.test/2").outcome, Outcome::kRefusedAddress);
  expect_in_order();
}

// Returns the answer of a gate that has no rules for the host, and will have none for
// `retry_after_ms`.
Settled without_rules(const std::string& url, std::int64_t retry_after_ms,
                      std::string_view reason = "503") {
  return Settled{.url = url,
                 .outcome = Outcome::kBlockedByRobots,
                 .retry_after_ms = retry_after_ms,
                 .robots_reason = reason};
}

TEST_F(FrontierTest, PagesWaitWhereRobotsTxtCannotBeHadAndForTheNextRunWhereItNeverCan) {
  options_.tries = 3;
  open();
  seed({"http://a.test/1", "http://a.test/2", "https://a.test/3"});
  for (int hold = 0; hold < 2; ++hold) {
    EXPECT_EQ(next(), "http://a.test/1");
    EXPECT_EQ(settle(without_rules("http://a.test/1", 300'000)), Verdict::kPassing);
    ASSERT_EQ(frontier_->take_notices().size(), 1U);
    if (hold == 0) {
      // Another origin of the host is not held, and a reopened state asks the gate again.
      EXPECT_EQ(next(), "https://a.test/3");
      EXPECT_EQ(settle("https://a.test/3"), Verdict::kFinal);
      EXPECT_EQ(frontier_->wait_ms(), 300'000);
    }
    EXPECT_FALSE(frontier_->exhausted());
    clock_.advance_ms(299'999);
    EXPECT_EQ(next(), "");
    clock_.advance_ms(1);
  }
  EXPECT_EQ(row("http://a.test/1").visits, 0U);
  // The third time the host is given up, for this run only: its other pages do not wait once more
  // each.
  EXPECT_EQ(next(), "http://a.test/1");
  EXPECT_EQ(settle(without_rules("http://a.test/1", 300'000)), Verdict::kPutOff);
  EXPECT_EQ(next(), "");
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kWaiting);
  EXPECT_TRUE(frontier_->exhausted());
  std::size_t all = 0;
  EXPECT_EQ(frontier_->finished_hosts(1, all).at(0).why, "its robots.txt is unavailable (503)");
  expect_in_order();
  reopen();
  EXPECT_EQ(next(), "http://a.test/1");
}

TEST_F(FrontierTest, AHostThatIsHeldIsServedOnceItsRulesAreThere) {
  options_.politeness.delay_ms = 0;
  options_.politeness.per_host = 2;
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  EXPECT_EQ(next(), "http://a.test/1");
  settle("http://a.test/1");
  EXPECT_EQ(next(), "http://a.test/2");
  settle(without_rules("http://a.test/2", 60'000));
  EXPECT_EQ(find_url(store_, "http://a.test/2")->value().host.row.held_reason, "503");
  clock_.advance_ms(60'000);
  EXPECT_EQ(next(), "http://a.test/2");
  EXPECT_EQ(settle("http://a.test/2"), Verdict::kFinal);
  EXPECT_EQ(find_url(store_, "http://a.test/2")->value().host.row.held_until_ms, 0);
  expect_in_order();
}

TEST_F(FrontierTest, AVisitTimeIsWaitedForHoweverFewTriesThereAre) {
  options_.tries = 1;
  open();
  seed({"http://a.test/1"});
  for (int day = 0; day < 3; ++day) {
    EXPECT_EQ(next(), "http://a.test/1");
    EXPECT_EQ(settle(without_rules("http://a.test/1", 80'000'000, "visit-time")),
              Verdict::kPassing);
    EXPECT_EQ(next(), "");
    clock_.advance_ms(80'000'000);
  }
  EXPECT_EQ(next(), "http://a.test/1");
  EXPECT_EQ(settle("http://a.test/1"), Verdict::kFinal);
}

TEST_F(FrontierTest, AHostThatIsDownLosesPatienceByItsRobotsTxtSoonerThanThatExpires) {
  options_.politeness = {.delay_ms = 100, .patience = 3};
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  EXPECT_EQ(next(), "http://a.test/1");
  settle(Settled{
      .url = "http://a.test/1", .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
  const std::int64_t begun = clock_.monotonic_ns();
  Verdict verdict = Verdict::kPassing;
  int rules = 0;
  while (verdict == Verdict::kPassing) {
    clock_.advance_ms(std::max<std::int64_t>(frontier_->wait_ms(), 0));
    ASSERT_FALSE(next().empty());
    if (sent_.purpose == Purpose::kRobots) {
      ++rules;
      settle(Settled{
          .url = sent_.url, .purpose = Purpose::kRobots, .outcome = Outcome::kConnectFailed});
    } else {
      verdict = settle(without_rules(sent_.url, 300'000, "connect-failed"));
    }
  }
  EXPECT_EQ(rules, 3);
  EXPECT_LT(clock_.monotonic_ns() - begun, 1'500'000'000);
  EXPECT_EQ(verdict, Verdict::kPutOff);
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kWaiting);
  EXPECT_EQ(next(), "");
  EXPECT_TRUE(frontier_->exhausted());
  EXPECT_EQ(frontier_->statistics().hosts_finished, 1U);
  expect_in_order();
}

// As with robots-check's --stale, the gate lets pages pass by an older copy.
TEST_F(FrontierTest, ARobotsTxtThatCannotBeHadFinishesNoHostWhosePagesCan) {
  options_.politeness = {.delay_ms = 0, .patience = 1};
  open();
  seed({"http://a.test/1"});
  next();
  settle(Settled{
      .url = "http://a.test/1", .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
  next();
  settle(Settled{.url = "http://a.test/robots.txt",
                 .purpose = Purpose::kRobots,
                 .outcome = Outcome::kTimeout});
  clock_.advance_ms(50);
  EXPECT_EQ(next(), "http://a.test/1");
  EXPECT_EQ(settle("http://a.test/1"), Verdict::kFinal);
  EXPECT_EQ(frontier_->statistics().hosts_finished, 0U);
}

TEST_F(FrontierTest, NeedsWithoutAURLIsAFailure) {
  options_.tries = 1;
  open();
  seed({"http://a.test/1"});
  next();
  settle(Settled{.url = "http://a.test/1", .outcome = Outcome::kNeeds, .needs = "nonsense"});
  EXPECT_EQ(frontier_->take_given_up().size(), 1U);
  EXPECT_TRUE(frontier_->exhausted());
}

TEST_F(FrontierTest, ACappedCrawlDelayIsReported) {
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  next();
  settle(Settled{.url = "http://a.test/1", .crawl_delay_ms = 600'000});
  const std::vector<std::string> notices = frontier_->take_notices();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0],
            "http://a.test asks for a Crawl-delay of 600 s; --crawl-delay-cap makes it 180 s");
  EXPECT_EQ(frontier_->wait_ms(), 180'000);
}

TEST_F(FrontierTest, FailuresAreTriedAgainABoundedNumberOfTimes) {
  options_.tries = 3;
  options_.retry_delay_ms = 10'000;
  open();
  seed({"http://a.test/"});
  next();
  EXPECT_EQ(settle("http://a.test/", Outcome::kServerError), Verdict::kPassing);
  EXPECT_FALSE(frontier_->exhausted());
  EXPECT_EQ(next(), "");
  const std::int64_t first = frontier_->wait_ms();
  EXPECT_GE(first, 7500);
  EXPECT_LE(first, 12'500);
  expect_in_order();
  clock_.advance_ms(first);
  ASSERT_TRUE(frontier_->pending());
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "http://a.test/");
  EXPECT_EQ(settle("http://a.test/", Outcome::kServerError), Verdict::kPassing);
  EXPECT_GE(frontier_->wait_ms(), 15'000);
  clock_.advance_ms(25'000);
  ASSERT_TRUE(frontier_->commit().ok());
  next();
  EXPECT_EQ(settle("http://a.test/", Outcome::kServerError), Verdict::kFinal);
  EXPECT_TRUE(frontier_->exhausted());
  EXPECT_EQ(row("http://a.test/").state, UrlState::kError);
  expect_in_order();
}

TEST_F(FrontierTest, ARetryThatIsDueIsKnownAfterAReopen) {
  open();
  seed({"http://a.test/"});
  next();
  settle("http://a.test/", Outcome::kAborted);
  open();
  EXPECT_FALSE(frontier_->exhausted());
  clock_.advance_ms(40'000);
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "http://a.test/");
}

TEST_F(FrontierTest, AHostThatIsSilentIsGivenUpForThisRunAndItsURLsStay) {
  options_.politeness = {.delay_ms = 0, .patience = 2};
  options_.tries = 1;
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://a.test/3"});
  next();
  EXPECT_EQ(settle("http://a.test/1", Outcome::kDnsFailed), Verdict::kPassing);
  clock_.advance_ms(50);
  next();
  EXPECT_EQ(settle("http://a.test/2", Outcome::kDnsFailed), Verdict::kPutOff);
  EXPECT_EQ(next(), "");
  std::size_t all = 0;
  const std::vector<Frontier::Finished> finished = frontier_->finished_hosts(10, all);
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].why, "it has not answered 2 times in a row, the last dns-failed");
  EXPECT_EQ(finished[0].waiting, 3U);
  EXPECT_EQ(frontier_->finished_hosts(0, all).size(), 0U);
  EXPECT_EQ(all, 1U);
  EXPECT_EQ(frontier_->statistics().all.waiting, 3U);
  expect_in_order();
  reopen();
  clock_.advance_ms(100);
  EXPECT_EQ(next(), "http://a.test/2");
  expect_in_order();
}

TEST_F(FrontierTest, BlockedURLsCostNoDelay) {
  for (const std::uint32_t per_host : {1U, 4U}) {
    store_ = MemoryStore();
    options_.politeness.per_host = per_host;
    open();
    seed({"http://a.test/1", "http://a.test/2"});
    EXPECT_EQ(next(), "http://a.test/1");
    settle("http://a.test/1", Outcome::kBlockedByRobots);
    EXPECT_EQ(next(), "http://a.test/2");
    EXPECT_EQ(row("http://a.test/1").state, UrlState::kBlocked);
  }
}

TEST_F(FrontierTest, GapsHoldAcrossAReopenAlsoForWhatWasInFlight) {
  options_.politeness.delay_ms = 60'000;
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://b.test/1", "http://b.test/2"});
  EXPECT_EQ(next(), "http://a.test/1");
  EXPECT_EQ(next(), "http://b.test/1");
  settle("http://a.test/1");
  clock_.advance_ms(20'000);
  open();  // a crash: b.test/1 was in flight
  EXPECT_EQ(next(), "");
  clock_.advance_ms(40'000 - 1);
  EXPECT_EQ(next(), "");
  clock_.advance_ms(20'000);
  EXPECT_EQ(next(), "");
  // Marks are removed lazily: a.test may have to wait as long as b.test.
  clock_.advance_ms(1);
  EXPECT_EQ(next(), "http://a.test/2");
  EXPECT_EQ(next(), "http://b.test/1");
}

TEST_F(FrontierTest, AGapAfterACrashHoldsAcrossTheNextCrash) {
  options_.politeness.delay_ms = 60'000;
  open();
  seed({"http://a.test/1"});
  next();
  clock_.advance_ms(1000);
  open();
  ASSERT_TRUE(frontier_->commit().ok());
  clock_.advance_ms(1000);
  open();
  clock_.advance_ms(58'999);
  EXPECT_EQ(next(), "");
  clock_.advance_ms(1001);
  EXPECT_EQ(next(), "http://a.test/1");
}

TEST_F(FrontierTest, RecalledFlightsGoOutAgainAfterTheDelay) {
  open();
  seed({"http://a.test/1", "http://b.test/1"});
  next();
  next();
  frontier_->recall_flights();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(frontier_->in_flight(), 0U);
  EXPECT_EQ(next(), "");
  clock_.advance_ms(1000);
  EXPECT_EQ((std::set<std::string>{next(), next()}),
            (std::set<std::string>{"http://a.test/1", "http://b.test/1"}));
}

TEST_F(FrontierTest, RecalledRulesGoOutAgain) {
  open();
  seed({"http://a.test/1"});
  next();
  settle(Settled{
      .url = "http://a.test/1", .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
  EXPECT_EQ(next(), "http://a.test/robots.txt");
  frontier_->recall_flights();
  clock_.advance_ms(1000);
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "http://a.test/robots.txt");
  EXPECT_EQ(sent_.purpose, Purpose::kRobots);
}

}  // namespace
}  // namespace spinneret::frontier
