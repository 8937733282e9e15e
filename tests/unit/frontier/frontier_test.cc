// SPDX-License-Identifier: Apache-2.0
// The frontier in a made-up world: a clock that is told the time, a store in memory, a web of numbers.
#include "frontier/frontier.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "frontier/inspect.h"
#include "frontier/memory_store.h"

namespace spinneret::frontier {
namespace {

class FrontierTest : public testing::Test {
 protected:
  void open() {
    Result<std::unique_ptr<Frontier>> opened = Frontier::open(store_, clock_, options_);
    ASSERT_TRUE(opened.ok()) << opened.message();
    frontier_ = opened.take();
  }
  // A run that ends, and the next one; open() alone is a crash.
  void reopen() {
    ASSERT_TRUE(frontier_->close().ok());
    open();
  }
  void seed(const std::vector<std::string>& urls) {
    for (const std::string& url : urls) {
      ASSERT_EQ(frontier_->offer({.url = url, .priority = kSeedPriority}), Frontier::Offer::kStaged);
    }
    frontier_->seal();
    ASSERT_TRUE(frontier_->commit().ok());
  }
  // The next URL, or "".
  std::string next() {
    if (!frontier_->next(sent_)) return "";
    EXPECT_TRUE(frontier_->commit_flights().ok());
    return sent_.url;
  }
  Verdict settle(Settled result) {
    const Verdict verdict = frontier_->settle(result);
    EXPECT_TRUE(frontier_->commit().ok());
    return verdict;
  }
  Verdict settle(const std::string& url, Outcome outcome = Outcome::kOk) {
    return settle(Settled{.url = url, .outcome = outcome, .status = 200});
  }
  void expect_in_order() {
    const Result<std::uint64_t> checked = verify(store_, [](const std::string& problem) { ADD_FAILURE() << problem; });
    EXPECT_TRUE(checked.ok());
  }
  UrlRow row(const std::string& url) {
    Result<std::optional<FoundUrl>> found = find_url(store_, url);
    EXPECT_TRUE(found.ok() && found->has_value()) << url;
    return found.ok() && found->has_value() ? (*found)->row : UrlRow();
  }

  MemoryStore store_;
  FakeClock clock_;
  Options options_;
  std::unique_ptr<Frontier> frontier_;
  Dispatch sent_;
};

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
  EXPECT_EQ(next(), "");  // http and https of one name are one host to it
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
  EXPECT_EQ(settle(Settled{.url = "http://a.test/1", .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"}),
            Verdict::kPassing);
  // The host was not asked: its rules may go out at once.
  EXPECT_EQ(next(), "http://a.test/robots.txt");
  EXPECT_EQ(sent_.purpose, Purpose::kRobots);
  EXPECT_EQ(next(), "");
  EXPECT_EQ(settle(Settled{.url = "http://a.test/robots.txt", .purpose = Purpose::kRobots, .crawl_delay_ms = 5000}),
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
  settle(Settled{.url = "http://a.test/robots.txt", .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
  EXPECT_EQ(next(), "http://a.test/robots.txt");
  EXPECT_EQ(settle(Settled{.url = "http://a.test/robots.txt", .purpose = Purpose::kRobots}), Verdict::kPassing);
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
      settle(Settled{.url = sent_.url, .purpose = Purpose::kRobots, .outcome = Outcome::kServerError});
    } else {
      settle(Settled{.url = sent_.url, .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
    }
  }
  EXPECT_EQ(rules, 3);
  EXPECT_TRUE(frontier_->exhausted());
  ASSERT_EQ(frontier_->take_given_up().size(), 1U);
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kError);
  expect_in_order();
}

// A gate that has no rules for the host, and will have none for `retry_after_ms`.
Settled without_rules(const std::string& url, std::int64_t retry_after_ms, std::string_view reason = "503") {
  return Settled{.url = url,
                 .outcome = Outcome::kBlockedByRobots,
                 .retry_after_ms = retry_after_ms,
                 .robots_reason = reason};
}

TEST_F(FrontierTest, PagesWaitWhereRobotsTxtCannotBeHadAndAreBlockedWhenItNeverCan) {
  options_.tries = 3;
  open();
  seed({"http://a.test/1", "http://a.test/2", "https://a.test/3"});
  for (int hold = 0; hold < 2; ++hold) {
    EXPECT_EQ(next(), "http://a.test/1");
    EXPECT_EQ(settle(without_rules("http://a.test/1", 300'000)), Verdict::kPassing);
    ASSERT_EQ(frontier_->take_notices().size(), 1U);
    if (hold == 0) {
      // Another origin of the host is not held, and a reopened state asks the gate anew.
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
  // The third time it is blocked, and so is what comes after it: they do not wait once more each.
  EXPECT_EQ(next(), "http://a.test/1");
  EXPECT_EQ(settle(without_rules("http://a.test/1", 300'000)), Verdict::kFinal);
  EXPECT_EQ(next(), "http://a.test/2");
  EXPECT_EQ(settle(without_rules("http://a.test/2", 300'000)), Verdict::kFinal);
  EXPECT_EQ(row("http://a.test/2").state, UrlState::kBlocked);
  EXPECT_TRUE(frontier_->exhausted());
  expect_in_order();
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
    EXPECT_EQ(settle(without_rules("http://a.test/1", 80'000'000, "visit-time")), Verdict::kPassing);
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
  settle(Settled{.url = "http://a.test/1", .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
  const std::int64_t begun = clock_.monotonic_ns();
  Verdict verdict = Verdict::kPassing;
  int rules = 0;
  while (verdict == Verdict::kPassing) {
    clock_.advance_ms(std::max<std::int64_t>(frontier_->wait_ms(), 0));
    ASSERT_FALSE(next().empty());
    if (sent_.purpose == Purpose::kRobots) {
      ++rules;
      settle(Settled{.url = sent_.url, .purpose = Purpose::kRobots, .outcome = Outcome::kConnectFailed});
    } else {
      verdict = settle(without_rules(sent_.url, 300'000, "connect-failed"));
    }
  }
  EXPECT_EQ(rules, 3);
  EXPECT_LT(clock_.monotonic_ns() - begun, 1'000'000'000);
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kBlocked);
  EXPECT_EQ(next(), "");
  EXPECT_TRUE(frontier_->exhausted());
  EXPECT_EQ(frontier_->statistics().hosts_finished, 1U);
  expect_in_order();
}

// As with robots-check's --stale: the gate lets pages pass by an older copy.
TEST_F(FrontierTest, ARobotsTxtThatCannotBeHadFinishesNoHostWhosePagesCan) {
  options_.politeness = {.delay_ms = 0, .patience = 1};
  open();
  seed({"http://a.test/1"});
  next();
  settle(Settled{.url = "http://a.test/1", .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
  next();
  settle(Settled{.url = "http://a.test/robots.txt", .purpose = Purpose::kRobots, .outcome = Outcome::kTimeout});
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
  EXPECT_EQ(notices[0], "http://a.test asks for a Crawl-delay of 600 s; --crawl-delay-cap makes it 180 s");
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

TEST_F(FrontierTest, AHostThatFailsIsFinishedAndItsURLsStay) {
  options_.politeness = {.delay_ms = 0, .patience = 2};
  options_.tries = 1;
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://a.test/3"});
  next();
  settle("http://a.test/1", Outcome::kDnsFailed);
  next();
  settle("http://a.test/2", Outcome::kDnsFailed);
  EXPECT_EQ(next(), "");
  EXPECT_TRUE(frontier_->exhausted());
  std::size_t all = 0;
  const std::vector<Frontier::Finished> finished = frontier_->finished_hosts(10, all);
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].why, "too many failures in a row, the last dns-failed");
  EXPECT_EQ(finished[0].waiting, 1U);
  EXPECT_EQ(frontier_->finished_hosts(0, all).size(), 0U);
  EXPECT_EQ(all, 1U);
  EXPECT_EQ(frontier_->statistics().all.waiting, 1U);
  open();
  EXPECT_TRUE(next().empty());
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
  // Marks are taken back lazily: a.test may have to wait as long as b.test.
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
  EXPECT_EQ((std::set<std::string>{next(), next()}), (std::set<std::string>{"http://a.test/1", "http://b.test/1"}));
}

TEST_F(FrontierTest, RecalledRulesGoOutAgain) {
  open();
  seed({"http://a.test/1"});
  next();
  settle(Settled{.url = "http://a.test/1", .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
  EXPECT_EQ(next(), "http://a.test/robots.txt");
  frontier_->recall_flights();
  clock_.advance_ms(1000);
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "http://a.test/robots.txt");
  EXPECT_EQ(sent_.purpose, Purpose::kRobots);
}

TEST_F(FrontierTest, ALeaseThatRunsOutIsATry) {
  options_.tries = 2;
  options_.lease_ms = 5000;
  options_.retry_delay_ms = 1000;
  open();
  seed({"http://a.test/1"});
  next();
  frontier_->offer({.url = "http://tail.test/"});
  clock_.advance_ms(4999);
  frontier_->expire_leases();
  EXPECT_EQ(frontier_->in_flight(), 1U);
  clock_.advance_ms(1);
  frontier_->expire_leases();
  EXPECT_EQ(frontier_->in_flight(), 0U);
  EXPECT_EQ(frontier_->tail(), 1U);  // which belongs to a page that is still to come
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_TRUE(frontier_->take_given_up().empty());
  clock_.advance_ms(5000);
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "http://a.test/1");
  clock_.advance_ms(5000);
  frontier_->expire_leases();
  const auto given_up = frontier_->take_given_up();
  ASSERT_EQ(given_up.size(), 1U);
  EXPECT_EQ(given_up[0].url, "http://a.test/1");
  EXPECT_EQ(settle("http://a.test/1"), Verdict::kStranger);
}

// Runs a pipeline that dies of `poison` whenever that is in flight. Returns how often.
int run_with_poison(Frontier& frontier, FakeClock& clock, const std::string& poison, int most_deaths) {
  int deaths = 0;
  bool fresh = true;
  std::vector<Dispatch> flying;
  while (deaths < most_deaths) {
    for (Dispatch out; frontier.next(out);) flying.push_back(out);
    const auto is_poison = [&poison](const Dispatch& each) { return each.url == poison; };
    if (std::any_of(flying.begin(), flying.end(), is_poison)) {
      ++deaths;
      flying.clear();
      frontier.blame_flights(fresh);
      fresh = true;
    } else if (!flying.empty()) {
      frontier.settle({.url = flying.back().url, .purpose = flying.back().purpose});
      flying.pop_back();
      fresh = false;
    } else if (frontier.exhausted()) {
      break;
    } else {
      clock.advance_ms(frontier.wait_ms());
    }
    EXPECT_TRUE(frontier.commit().ok());
  }
  return deaths;
}

TEST_F(FrontierTest, APageThatKillsThePipelineIsSingledOutAndGivenUp) {
  open();
  seed({"http://z.test/"});
  EXPECT_EQ(run_with_poison(*frontier_, clock_, "", 1), 0);
  std::vector<std::string> urls{"http://b.test/poison"};
  for (int i = 0; i < 50; ++i) urls.push_back("http://" + std::string(1, static_cast<char>('a' + i % 5)) + ".test/" + std::to_string(i));
  seed(urls);
  // Twice among others, once alone in a pipeline that others have passed, and then as often as --tries says.
  EXPECT_EQ(run_with_poison(*frontier_, clock_, "http://b.test/poison", 100), 6);
  EXPECT_EQ(row("http://b.test/poison").state, UrlState::kError);
  EXPECT_EQ(frontier_->statistics().all.done, 51U);
  EXPECT_EQ(frontier_->statistics().all.waiting, 0U);
  const std::vector<Frontier::GivenUp> given_up = frontier_->take_given_up();
  ASSERT_EQ(given_up.size(), 1U);
  EXPECT_EQ(given_up[0].error, "the pipeline dies of it");
  expect_in_order();
}

TEST_F(FrontierTest, ARobotsTxtThatKillsThePipelineFinishesItsHost) {
  options_.politeness.patience = 2;
  options_.tries = 1;
  open();
  seed({"http://z.test/"});
  EXPECT_EQ(run_with_poison(*frontier_, clock_, "", 1), 0);
  seed({"http://a.test/1", "http://a.test/2", "http://b.test/1"});
  int deaths = 0;
  while (!frontier_->exhausted() && deaths < 20) {
    clock_.advance_ms(std::max<std::int64_t>(frontier_->wait_ms(), 0));
    ASSERT_FALSE(next().empty());
    if (sent_.purpose == Purpose::kRobots) {
      ++deaths;
      frontier_->blame_flights(/*fresh=*/true);
      ASSERT_TRUE(frontier_->commit().ok());
    } else if (sent_.url.starts_with("http://a.test/")) {
      settle(Settled{.url = sent_.url, .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
    } else {
      settle(sent_.url);
    }
  }
  EXPECT_LE(deaths, 6);
  EXPECT_EQ(frontier_->statistics().hosts_finished, 1U);
  EXPECT_EQ(row("http://b.test/1").state, UrlState::kDone);
}

// One that dies of every third record, say, whatever that is: who comes third goes first in the next, and passes.
TEST_F(FrontierTest, WhatDiesInAPipelineThatOthersHadPassedIsTriedInAFreshOneFirst) {
  options_.politeness.delay_ms = 0;
  options_.tries = 1;
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://b.test/1", "http://c.test/1"});
  int passed = 0;
  for (int step = 0; step < 200 && !frontier_->exhausted(); ++step) {
    const std::string url = next();
    if (url.empty()) {
      clock_.advance_ms(std::max<std::int64_t>(frontier_->wait_ms(), 1));
      ASSERT_TRUE(frontier_->commit().ok());
    } else if (passed == 2) {
      EXPECT_FALSE(frontier_->blame_flights(/*fresh=*/false));
      ASSERT_TRUE(frontier_->commit().ok());
      passed = 0;
    } else {
      EXPECT_EQ(settle(url), Verdict::kFinal);
      ++passed;
    }
  }
  EXPECT_EQ(frontier_->statistics().all.done, 4U);
  // Guilty all the same where it never comes first.
  seed({"http://d.test/1"});
  int deaths = 0;
  for (; !frontier_->exhausted(); ++deaths) {
    clock_.advance_ms(std::max<std::int64_t>(frontier_->wait_ms(), 0));
    ASSERT_EQ(next(), "http://d.test/1");
    frontier_->blame_flights(/*fresh=*/false);
    ASSERT_TRUE(frontier_->commit().ok());
  }
  EXPECT_EQ(deaths, 5);
  EXPECT_EQ(row("http://d.test/1").state, UrlState::kError);
}

// The pipeline is killed again and again, by nobody's fault.
TEST_F(FrontierTest, WhatComesBackBetweenDeathsIsNoSuspect) {
  options_.tries = 1;
  open();
  for (int i = 0; i < 20; ++i) {
    const std::string url = "http://a.test/" + std::to_string(i);
    seed({url});
    ASSERT_EQ(next(), url);
    EXPECT_FALSE(frontier_->blame_flights(/*fresh=*/true));
    clock_.advance_ms(1000);
    ASSERT_EQ(next(), url);
    EXPECT_EQ(settle(url), Verdict::kFinal);
    clock_.advance_ms(1000);
  }
  EXPECT_EQ(frontier_->statistics().all.error, 0U);
}

TEST_F(FrontierTest, ADelayThatRobotsTxtAsksForNoLongerIsKeptNoLonger) {
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://a.test/3"});
  next();
  settle(Settled{.url = "http://a.test/1", .crawl_delay_ms = 60'000, .has_rules = true});
  EXPECT_EQ(frontier_->wait_ms(), 60'000);
  clock_.advance_ms(60'000);
  next();
  settle(Settled{.url = "http://a.test/2", .has_rules = true});
  EXPECT_EQ(frontier_->wait_ms(), 1000);
}

TEST_F(FrontierTest, LostRulesAreAskedForAgainWithThePage) {
  options_.lease_ms = 5000;
  open();
  seed({"http://a.test/1"});
  next();
  settle(Settled{.url = "http://a.test/1", .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
  next();
  clock_.advance_ms(5000);
  frontier_->expire_leases();
  ASSERT_TRUE(frontier_->commit().ok());
  clock_.advance_ms(5000);
  EXPECT_EQ(next(), "http://a.test/1");
}

TEST_F(FrontierTest, SeedsGoFirstAndPrioritiesAreKept) {
  options_.politeness.delay_ms = 0;
  open();
  frontier_->offer({.url = "http://a.test/link"});
  frontier_->offer({.url = "http://a.test/late", .priority = 9});
  frontier_->offer({.url = "http://a.test/seed", .priority = kSeedPriority});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  for (const char* const url : {"http://a.test/seed", "http://a.test/link", "http://a.test/late"}) {
    EXPECT_EQ(next(), url);
    settle(url);
  }
}

TEST_F(FrontierTest, DepthOnlyFalls) {
  options_.politeness.delay_ms = 0;
  open();
  frontier_->offer({.url = "http://a.test/1", .depth = 5});
  frontier_->offer({.url = "http://a.test/2", .depth = 5});
  frontier_->offer({.url = "http://a.test/2", .depth = 4});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(row("http://a.test/2").depth, 4U);
  frontier_->offer({.url = "http://a.test/1", .depth = 2, .via = "http://other.test/"});
  frontier_->offer({.url = "http://a.test/2", .depth = 9});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(row("http://a.test/1").depth, 2U);
  EXPECT_EQ(row("http://a.test/1").via, "");  // the first state wins
  EXPECT_EQ(row("http://a.test/2").depth, 4U);
  expect_in_order();
  std::map<std::string, std::uint32_t> depths;
  while (frontier_->next(sent_)) {
    depths[sent_.url] = sent_.depth;
    settle(sent_.url);
  }
  EXPECT_EQ(depths, (std::map<std::string, std::uint32_t>{{"http://a.test/1", 2}, {"http://a.test/2", 4}}));
  expect_in_order();
}

TEST_F(FrontierTest, AShorterWayToAPageInFlightOrInTheSameBatchDoesNotMakeItWaitAgain) {
  options_.politeness.delay_ms = 0;
  open();
  frontier_->offer({.url = "http://a.test/1", .depth = 5});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  next();
  frontier_->offer({.url = "http://a.test/1", .depth = 3});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  expect_in_order();
  frontier_->offer({.url = "http://a.test/1", .depth = 1});
  settle("http://a.test/1");
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kDone);
  EXPECT_TRUE(frontier_->exhausted());
  expect_in_order();
}

TEST_F(FrontierTest, ASeedsFieldsGoWithItThroughAReopen) {
  open();
  frontier_->offer({.url = "http://a.test/1", .depth = 2, .is_sitemap = true, .extra = "\tid=7\tx"});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  open();
  next();
  EXPECT_EQ(sent_.extra, "\tid=7\tx");
  EXPECT_EQ(sent_.purpose, Purpose::kSitemap);
  EXPECT_EQ(sent_.depth, 2U);
}

TEST_F(FrontierTest, AThousandHostsAreFoundAgain) {
  const auto offer_all = [this] {
    for (int i = 0; i < 1000; ++i) {
      const std::string url = "http://h" + std::to_string(i) + ".test/";
      ASSERT_EQ(frontier_->offer({.url = url}), Frontier::Offer::kStaged);
    }
    frontier_->seal();
    ASSERT_TRUE(frontier_->commit().ok());
  };
  open();
  offer_all();
  offer_all();
  EXPECT_EQ(frontier_->statistics().hosts, 1000U);
  EXPECT_EQ(frontier_->statistics().admitted, 1000U);
  reopen();
  offer_all();
  EXPECT_EQ(frontier_->statistics().hosts, 1000U);
  EXPECT_EQ(frontier_->statistics().known, 1000U);
}

// All about a URL stands with its place in the queue until its first visit, and in its row from then on.
TEST_F(FrontierTest, WhatIsKnownOfAURLIsKnownAtEachOfItsStations) {
  options_.tries = 2;
  options_.recrawl = *parse_recrawl("1d");
  open();
  const std::string url = "http://a.test/1";
  const auto expect_known = [&](std::uint32_t depth, const char* station) {
    const UrlRow found = row(url);
    EXPECT_EQ(found.via, "http://b.test/via") << station;
    EXPECT_EQ(found.extra, "\tid=7") << station;
    EXPECT_EQ(found.depth, depth) << station;
    EXPECT_TRUE(found.is_sitemap) << station;
    EXPECT_NE(found.added_ms, 0) << station;
    expect_in_order();
  };
  const auto offer = [&](std::uint32_t depth, std::string_view via) {
    frontier_->offer(
        {.url = url, .depth = depth, .is_sitemap = true, .via = via, .extra = "\tid=7"});
    frontier_->seal();
    ASSERT_TRUE(frontier_->commit().ok());
  };
  offer(9, "http://b.test/via");
  expect_known(9, "waiting");
  offer(8, "http://c.test/shorter");
  expect_known(8, "waiting with a shorter way");
  reopen();
  expect_known(8, "after a reopen");
  EXPECT_EQ(next(), url);
  offer(7, "http://c.test/shorter");
  settle(Settled{.url = url, .purpose = Purpose::kSitemap, .outcome = Outcome::kTimeout});
  expect_known(7, "to be tried again");
  clock_.advance_ms(60'000);
  ASSERT_TRUE(frontier_->commit().ok());
  expect_known(7, "waiting again");
  EXPECT_EQ(next(), url);
  offer(6, "http://c.test/shorter");
  settle(Settled{.url = url, .purpose = Purpose::kSitemap, .etag = "e"});
  expect_known(6, "done");
  clock_.advance_ms(2 * 86'400'000);
  reopen();
  ASSERT_TRUE(frontier_->commit().ok());
  expect_known(6, "due again");
  offer(5, "http://c.test/shorter");
  expect_known(5, "due again with a shorter way");
  EXPECT_EQ(next(), url);
  EXPECT_EQ(sent_.etag, "e");
  EXPECT_EQ(sent_.depth, 5U);
}

TEST_F(FrontierTest, LimitsEndARunAndTheNextGoesOn) {
  options_.politeness.delay_ms = 0;
  options_.max_pages = 2;
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://a.test/3"});
  settle(next());
  settle(next(), Outcome::kBlockedByRobots);  // was not asked for, and does not count
  settle(next());
  EXPECT_TRUE(frontier_->exhausted());
  seed({"http://a.test/4", "http://a.test/5"});
  EXPECT_EQ(next(), "");
  options_.max_total_pages = 3;
  open();
  EXPECT_EQ(settle(next()), Verdict::kFinal);
  EXPECT_EQ(next(), "");
  EXPECT_TRUE(frontier_->exhausted());
}

TEST_F(FrontierTest, PagesOfAHostAreLimitedOverAllRuns) {
  options_.politeness.delay_ms = 0;
  options_.max_host_pages = 2;
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://a.test/3", "http://b.test/1"});
  std::set<std::string> sent;
  while (frontier_->next(sent_)) {
    sent.insert(sent_.url);
    settle(sent_.url);
  }
  EXPECT_EQ(sent, (std::set<std::string>{"http://a.test/1", "http://a.test/2", "http://b.test/1"}));
  EXPECT_TRUE(frontier_->exhausted());
  open();
  EXPECT_EQ(next(), "");
}

TEST_F(FrontierTest, NothingGoesOutBeyondTheHours) {
  setenv("TZ", "UTC", 1);
  tzset();
  options_.hours = {12 * 60, 13 * 60};  // the clock begins at 22:13:20
  open();
  seed({"http://a.test/1"});
  EXPECT_EQ(next(), "");
  EXPECT_FALSE(frontier_->exhausted());
  const std::int64_t wait = frontier_->wait_ms();
  EXPECT_EQ(wait, (13 * 60 + 46) * 60'000 + 40'000);
  clock_.advance_ms(wait);
  EXPECT_EQ(next(), "http://a.test/1");
}

TEST_F(FrontierTest, Throttle) {
  options_.politeness = {.delay_ms = 0, .throttle = 2, .throttle_ms = 3'600'000};
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://a.test/3"});
  settle(next());
  clock_.advance_ms(1000);
  settle(next());
  EXPECT_EQ(next(), "");
  EXPECT_EQ(frontier_->wait_ms(), 3'599'000);
  open();  // which is durable
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(frontier_->wait_ms(), 3'599'000);
  clock_.advance_ms(3'599'000);
  EXPECT_EQ(next(), "http://a.test/3");
}

TEST_F(FrontierTest, OneDomainOrOneAddressCanBeOneHost) {
  options_.key = PolitenessKey::kDomain;
  open();
  seed({"http://a.example.com/", "http://b.example.com/", "http://example.org/"});
  EXPECT_EQ(next(), "http://a.example.com/");
  EXPECT_EQ(next(), "http://example.org/");
  EXPECT_EQ(next(), "");
  store_ = MemoryStore();
  options_.key = PolitenessKey::kIp;
  open();
  seed({"http://a.test/1", "http://b.test/1", "http://a.test/2", "http://b.test/2"});
  next();
  next();  // nothing is known of their addresses yet
  settle(Settled{.url = "http://a.test/1", .ip = "192.0.2.1"});
  settle(Settled{.url = "http://b.test/1", .ip = "192.0.2.1"});
  clock_.advance_ms(1000);
  EXPECT_EQ(next(), "http://a.test/2");
  EXPECT_EQ(next(), "");
  settle(Settled{.url = "http://a.test/2", .ip = "192.0.2.1"});
  open();  // addresses are durable
  clock_.advance_ms(1000);
  EXPECT_EQ(next(), "http://b.test/2");
}

TEST_F(FrontierTest, RecrawlInTheNextRunWithValidators) {
  constexpr std::int64_t kDay = 86'400'000;
  options_.recrawl = *parse_recrawl("1d");
  open();
  seed({"http://a.test/1"});
  next();
  settle(Settled{.url = "http://a.test/1", .etag = "\"v1\"", .last_modified = "Thu", .digest = "d1"});
  EXPECT_TRUE(frontier_->exhausted());
  expect_in_order();
  clock_.advance_ms(2 * kDay);
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "");  // once a run, however short the interval
  EXPECT_TRUE(frontier_->exhausted());
  reopen();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "http://a.test/1");
  EXPECT_EQ(sent_.etag, "\"v1\"");
  EXPECT_EQ(sent_.last_modified, "Thu");
  settle(Settled{.url = "http://a.test/1", .outcome = Outcome::kNotModified});
  EXPECT_EQ(row("http://a.test/1").etag, "\"v1\"");
  EXPECT_EQ(row("http://a.test/1").visits, 2U);
  expect_in_order();
  clock_.advance_ms(kDay / 2);
  reopen();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_TRUE(frontier_->exhausted());
}

TEST_F(FrontierTest, ContinuousGoesOn) {
  options_.recrawl = *parse_recrawl("1d");
  options_.continuous = true;
  open();
  seed({"http://a.test/1"});
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(next(), "http://a.test/1");
    settle("http://a.test/1");
    EXPECT_FALSE(frontier_->exhausted());
    EXPECT_EQ(next(), "");
    clock_.advance_ms(frontier_->wait_ms());
    ASSERT_TRUE(frontier_->commit().ok());
  }
  EXPECT_EQ(frontier_->statistics().recrawled, 5U);
}

TEST_F(FrontierTest, RecrawlCanBeTurnedOnLater) {
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  settle(next());
  clock_.advance_ms(3'000'000);
  options_.recrawl = *parse_recrawl("1m");
  reopen();
  ASSERT_TRUE(frontier_->commit().ok());
  std::set<std::string> sent;
  while (!frontier_->exhausted()) {
    if (frontier_->next(sent_)) {
      sent.insert(sent_.url);
      settle(sent_.url);
    }
    clock_.advance_ms(1000);
    ASSERT_TRUE(frontier_->commit().ok());
    ASSERT_LT(clock_.unix_ms(), 1'700'010'000'000);
  }
  EXPECT_EQ(sent.size(), 2U);
  expect_in_order();
}

TEST_F(FrontierTest, AGonePageIsForgottenAfterSomeTries) {
  options_.recrawl = *parse_recrawl("1d");
  options_.gone_tries = 2;
  for (int run = 0; run < 5; ++run) {
    run == 0 ? open() : reopen();
    if (run == 0) seed({"http://a.test/1"});
    ASSERT_TRUE(frontier_->commit().ok());
    EXPECT_EQ(next(), run < 2 ? "http://a.test/1" : "") << run;
    if (run < 2) settle("http://a.test/1", Outcome::kNotFound);
    clock_.advance_ms(2 * 86'400'000);
  }
}

TEST_F(FrontierTest, ASitemapsHintBringsAVisitForward) {
  options_.recrawl = *parse_recrawl("90d");
  open();
  seed({"http://a.test/1"});
  settle(next());
  clock_.advance_ms(86'400'000);
  reopen();
  frontier_->offer({.url = "http://a.test/1", .modified_ms = clock_.unix_ms() - 1000});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "http://a.test/1");
  expect_in_order();
}

TEST_F(FrontierTest, AStateOfAnotherFormatIsRefused) {
  store_.put(Table::kMeta, "format", "\x63");
  ASSERT_TRUE(store_.commit().ok());
  const Result<std::unique_ptr<Frontier>> opened = Frontier::open(store_, clock_, options_);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.message().find("format 99"), std::string::npos);
}

TEST_F(FrontierTest, RowsWithoutAFormatAreDamage) {
  store_.put(Table::kUrls, "row", "x");
  ASSERT_TRUE(store_.commit().ok());
  const Result<std::unique_ptr<Frontier>> opened = Frontier::open(store_, clock_, options_);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.message().find("damaged"), std::string::npos);
}

TEST_F(FrontierTest, HostsThatAreIdleLeaveMemoryAndLoseNothingByIt) {
  options_.hosts_in_play = 3;
  options_.in_flight = 4;
  open();
  std::vector<std::string> urls;
  for (int i = 0; i < 120; ++i) urls.push_back("http://h" + std::to_string(i % 40) + ".test/" + std::to_string(i));
  seed(urls);
  EXPECT_LE(frontier_->hosts().in_play(), 3U);
  std::map<std::string, std::int64_t> last;  // by host
  int sent = 0;
  while (!frontier_->exhausted()) {
    const std::string url = next();
    if (url.empty()) {
      clock_.advance_ms(std::max<std::int64_t>(frontier_->wait_ms(), 1));
      ASSERT_TRUE(frontier_->commit().ok());
      continue;
    }
    ++sent;
    const std::string host = url.substr(0, url.rfind('/'));
    if (last.contains(host)) {
      ASSERT_GE(clock_.unix_ms() - last[host], options_.politeness.delay_ms) << url;
    }
    last[host] = clock_.unix_ms();
    // A link to a host that is not in play.
    frontier_->offer({.url = urls[static_cast<std::size_t>(sent * 7 % 120)] + "/more", .depth = 1});
    EXPECT_EQ(settle(url), Verdict::kFinal);
    EXPECT_LE(frontier_->hosts().in_play(), 3U);
  }
  EXPECT_EQ(static_cast<std::uint64_t>(sent), frontier_->statistics().all.done);
  EXPECT_EQ(frontier_->statistics().all.waiting, 0U);
  EXPECT_EQ(frontier_->hosts().size(), 40U);
  ASSERT_TRUE(frontier_->close().ok());
  expect_in_order();
}

// A web of `pages` numbers over `hosts` hosts, in which every page links to some others; a pipeline that
// answers in any order; a crash at any moment: what was staged, offered or in the pipe is gone.
struct World {
  unsigned pages;
  unsigned hosts;
  std::string url(unsigned page) const {
    return "http://h" + std::to_string(page % hosts) + ".test/" + std::to_string(page);
  }
  std::vector<unsigned> links(unsigned page) const {
    std::vector<unsigned> out = {2 * page + 1, 2 * page + 2, (page * 7919 + 13) % pages};
    std::erase_if(out, [this](unsigned each) { return each >= pages; });
    return out;
  }
};

void crash_test(unsigned seed) {
  std::mt19937 random(seed);
  const World world{200, 7};
  MemoryStore store;
  FakeClock clock;
  Options options;
  options.politeness.delay_ms = 1000;
  options.politeness.factor_percent = 0;
  options.in_flight = 4;
  options.seed = seed;
  options.hosts_in_play = seed % 2 == 0 ? 2 : 1000;
  std::map<std::string, int> visits;
  std::map<std::string, std::int64_t> last;  // end of the last visit, by host
  std::set<std::string> final;
  int crashes = 0;
  bool over = false;
  while (!over) {
    Result<std::unique_ptr<Frontier>> opened = Frontier::open(store, clock, options);
    ASSERT_TRUE(opened.ok()) << opened.message();
    Frontier& frontier = **opened;
    frontier.offer({.url = world.url(0)});
    frontier.seal();
    ASSERT_TRUE(frontier.commit().ok());
    std::deque<unsigned> pipe;
    const int crash_at = crashes < 40 ? static_cast<int>(random() % 60) : 1'000'000;
    for (int step = 0; step < crash_at && !over; ++step) {
      ASSERT_LT(step, 100'000);
      Dispatch out;
      while (frontier.next(out)) {
        ASSERT_LE(frontier.in_flight(), options.in_flight);
        ASSERT_TRUE(frontier.commit_flights().ok());
        const std::string host = out.url.substr(0, out.url.rfind('/'));
        const std::int64_t now = clock.monotonic_ns() / 1'000'000;
        if (last.contains(host)) {
          ASSERT_GE(now - last[host], options.politeness.delay_ms) << host << " seed " << seed;
        }
        last[host] = now;
        ++visits[out.url];
        pipe.push_back(static_cast<unsigned>(std::stoul(out.url.substr(out.url.rfind('/') + 1))));
      }
      if (!pipe.empty() && random() % 2 == 0) {
        std::shuffle(pipe.begin(), pipe.end(), random);
        const unsigned page = pipe.front();
        pipe.pop_front();
        const std::string url = world.url(page);
        for (const unsigned link : world.links(page)) {
          const std::string target = world.url(link);
          frontier.offer({.url = target, .depth = 1, .via = url});
          if (crashes < 40 && random() % 100 == 0) step = crash_at;  // in the middle of its links
        }
        if (step < crash_at) {
          ASSERT_EQ(frontier.settle(Settled{.url = url}), Verdict::kFinal);
          last[url.substr(0, url.rfind('/'))] = clock.monotonic_ns() / 1'000'000;
          if (random() % 3 != 0) {
            ASSERT_TRUE(frontier.commit().ok());
            final.insert(url);
          } else {
            step = crash_at;  // before it was committed
          }
        }
      } else {
        clock.advance_ms(static_cast<std::int64_t>(random() % 700));
        ASSERT_TRUE(frontier.commit().ok());
      }
      over = frontier.exhausted() && frontier.in_flight() == 0;
    }
    store.drop_staged();
    if (!over) ++crashes;
    const Result<std::uint64_t> checked =
        verify(store, [seed](const std::string& problem) { ADD_FAILURE() << problem << " seed " << seed; });
    ASSERT_TRUE(checked.ok());
  }
  int doubled = 0;
  for (unsigned page = 0; page < world.pages; ++page) {
    ASSERT_TRUE(visits.contains(world.url(page))) << "lost: " << world.url(page) << " seed " << seed;
    doubled += visits[world.url(page)] - 1;
  }
  EXPECT_LE(doubled, crashes * static_cast<int>(options.in_flight));
  EXPECT_EQ(visits.size(), world.pages);
}

TEST(FrontierCrash, NothingIsLostNothingIsEarlyDoublesAreBounded) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    crash_test(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace spinneret::frontier
