// SPDX-License-Identifier: Apache-2.0
// Leases that run out, and pipelines that die: which page is blamed, and that nothing is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "support/sanitized.h"
#include "unit/frontier/frontier_fixture.h"

namespace spinneret::frontier {
namespace {

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
  // It belongs to a page that is still to come.
  EXPECT_EQ(frontier_->tail(), 1U);
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_TRUE(frontier_->take_given_up().empty());
  clock_.advance_ms(5000);
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "http://a.test/1");
  clock_.advance_ms(5000);
  frontier_->expire_leases();
  const auto given_up = frontier_->take_given_up();
  ASSERT_EQ(given_up.size(), 1U);
  EXPECT_EQ(given_up[0].page.url, "http://a.test/1");
  EXPECT_EQ(settle("http://a.test/1"), Verdict::kStranger);
}

// Runs a pipeline that dies whenever `poison` is in flight. Returns how often it died.
int run_with_poison(Frontier& frontier, FakeClock& clock, const std::string& poison,
                    int most_deaths) {
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
  for (int i = 0; i < 50; ++i)
    urls.push_back("http://" + std::string(1, static_cast<char>('a' + i % 5)) + ".test/" +
                   std::to_string(i));
  seed(urls);
  // It dies twice among others, once alone in a pipeline that others have passed, and then as often
  // as --tries says.
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
      settle(Settled{
          .url = sent_.url, .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
    } else {
      settle(sent_.url);
    }
  }
  EXPECT_LE(deaths, 6);
  EXPECT_EQ(frontier_->statistics().hosts_finished, 1U);
  EXPECT_EQ(row("http://b.test/1").state, UrlState::kDone);
}

// A pipeline may die of every third record, whatever that is. The page that comes third goes first
// in the next pipeline, and passes.
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
  // A page that never comes first is guilty all the same.
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

// The pipeline is killed again and again, and no page is to blame.
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

// fetch reports this for all URLs that it holds when it cannot write a body, and ends.
TEST_F(FrontierTest, WhatIsAbortedIsNoTryAndNoSignOfLifeAndGoesOutAgain) {
  options_.tries = 1;
  open();
  seed({"http://a.test/1", "http://b.test/1", "http://c.test/1"});
  next();
  EXPECT_EQ(settle(sent_.url), Verdict::kFinal);
  for (int death = 0; death < 10; ++death) {
    std::vector<std::string> flying;
    for (std::string url = next(); !url.empty(); url = next()) flying.push_back(url);
    EXPECT_EQ(flying.size(), 2U);
    for (const std::string& url : flying)
      EXPECT_EQ(settle(url, Outcome::kAborted), Verdict::kPassing);
    EXPECT_EQ(frontier_->in_flight(), 2U);
    EXPECT_FALSE(frontier_->blame_flights(/*fresh=*/true));
    ASSERT_TRUE(frontier_->commit().ok());
    clock_.advance_ms(1000);
  }
  EXPECT_EQ(frontier_->statistics().all.waiting, 2U);
  EXPECT_EQ(frontier_->statistics().all.visits, 1U);
  EXPECT_TRUE(frontier_->take_given_up().empty());
  expect_in_order();
}

// Aborted URLs do not wait for ever: where no pipeline dies, they count as dropped.
TEST_F(FrontierTest, WhatIsAbortedByAStageThatLivesOnIsATryAtTheEndOfItsLease) {
  options_.tries = 1;
  open();
  seed({"http://a.test/1"});
  EXPECT_EQ(settle(next(), Outcome::kAborted), Verdict::kPassing);
  EXPECT_EQ(settle("http://b.test/1", Outcome::kAborted), Verdict::kStranger);
  frontier_->expire_leases(/*all=*/true);
  const auto given_up = frontier_->take_given_up();
  ASSERT_EQ(given_up.size(), 1U);
  EXPECT_EQ(given_up[0].error, "a stage of the pipeline has stopped before it was done");
}

// A pipeline that dies at once, whatever it gets, is broken itself, however well earlier runs went.
TEST_F(FrontierTest, ARunInWhichNothingHasPassedBlamesNoPage) {
  options_.politeness.delay_ms = 0;
  options_.tries = 1;
  open();
  seed({"http://a.test/0", "http://b.test/0"});
  EXPECT_EQ(run_with_poison(*frontier_, clock_, "", 1), 0);
  seed({"http://a.test/1", "http://a.test/2", "http://a.test/3", "http://b.test/1"});
  for (int run = 0; run < 4; ++run) {
    reopen();
    for (int death = 0; death < 5; ++death) {
      EXPECT_FALSE(frontier_->exhausted());
      EXPECT_FALSE(next().empty());
      while (!next().empty()) {
      }
      EXPECT_FALSE(frontier_->blame_flights(/*fresh=*/true));
      ASSERT_TRUE(frontier_->commit().ok());
    }
  }
  EXPECT_EQ(frontier_->statistics().all.waiting, 4U);
  reopen();
  EXPECT_EQ(run_with_poison(*frontier_, clock_, "", 1), 0);
  EXPECT_EQ(frontier_->statistics().all.done, 6U);
  expect_in_order();
}

// These pages are first in line each time that a crawl goes on, and yet are found, because others
// of their host go first after a death.
TEST_F(FrontierTest, APageThatKillsThePipelineIsFoundThoughItIsTheFirstOfEachRun) {
  for (const std::int64_t delay_ms : {0, 1000}) {
    options_.politeness.delay_ms = delay_ms;
    const std::string host = "http://h" + std::to_string(delay_ms) + ".test/";
    open();
    seed({host + "0"});
    EXPECT_EQ(run_with_poison(*frontier_, clock_, "", 1), 0);
    seed({host + "poison", host + "poison2", host + "1", host + "2"});
    reopen();
    int deaths_in_a_row = 0;
    for (int step = 0; step < 100 && !frontier_->exhausted(); ++step) {
      clock_.advance_ms(std::max<std::int64_t>(frontier_->wait_ms(), 0));
      const std::string url = next();
      if (url.starts_with(host + "poison")) {
        EXPECT_LT(++deaths_in_a_row, 5);
        if (frontier_->blame_flights(/*fresh=*/true)) deaths_in_a_row = 0;
      } else if (!url.empty()) {
        settle(url);
        deaths_in_a_row = 0;
      }
      ASSERT_TRUE(frontier_->commit().ok());
    }
    EXPECT_EQ(row(host + "poison").state, UrlState::kError);
    EXPECT_EQ(row(host + "poison2").state, UrlState::kError);
    EXPECT_EQ(row(host + "2").state, UrlState::kDone);
    expect_in_order();
  }
}

// Bug: the marks of flights had a batch of their own, which took along the staged result of a page,
// without its links and its host's row: after a crash the page was done, and nothing of it was
// known.
TEST_F(FrontierTest, BugMarkingFlightsBehindAResultMadeHalfABatchDurable) {
  open();
  seed({"http://a.test/1", "http://b.test/1"});
  ASSERT_EQ(next(), "http://a.test/1");
  frontier_->offer({.url = "http://c.test/", .depth = 1, .via = "http://a.test/1"});
  frontier_->settle({.url = "http://a.test/1", .status = 200});
  ASSERT_NE(store_.staged(), 0U);
  ASSERT_EQ(next(), "http://b.test/1");
  EXPECT_EQ(store_.staged(), 0U);
  open();  // a crash
  expect_in_order();
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kDone);
  EXPECT_EQ(row("http://c.test/").state, UrlState::kWaiting);
  EXPECT_EQ(frontier_->statistics().all.done, 1U);
  // b was in flight and counts as visited now; a's gap holds, too.
  EXPECT_EQ(next(), "http://c.test/");
  EXPECT_EQ(next(), "");
}

// If there is nothing to mark, a result that is staged without its links is not committed.
TEST_F(FrontierTest, NothingToMarkCommitsNothing) {
  open();
  seed({"http://a.test/1"});
  ASSERT_EQ(next(), "http://a.test/1");
  frontier_->offer({.url = "http://c.test/", .depth = 1, .via = "http://a.test/1"});
  frontier_->settle({.url = "http://a.test/1", .status = 200});
  ASSERT_TRUE(frontier_->commit_flights().ok());
  store_.drop_staged();
  open();
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kWaiting);
  expect_in_order();
}

// A URL that was passed over goes on waiting, whatever becomes of those that went first.
TEST_F(FrontierTest, WhatWasPassedOverIsNotForgotten) {
  options_.politeness.delay_ms = 0;
  options_.retry_delay_ms = 1000;
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  EXPECT_EQ(next(), "http://a.test/1");
  EXPECT_FALSE(frontier_->blame_flights(/*fresh=*/true));
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "http://a.test/2");
  EXPECT_EQ(next(), "");
  // It is dropped on its way, which is no sign of life.
  frontier_->expire_leases(/*all=*/true);
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_FALSE(frontier_->exhausted());
  EXPECT_EQ(next(), "http://a.test/1");
  EXPECT_FALSE(frontier_->blame_flights(/*fresh=*/true));
  ASSERT_TRUE(frontier_->commit().ok());
  // The other URL waits for its retry, so that nothing can go first.
  EXPECT_EQ(next(), "http://a.test/1");
}

// A web of `pages` numbers over `hosts` hosts, in which every page links to some others. The
// pipeline answers in any order. A crash may come at any moment: whatever was staged, offered or in
// the pipe is gone.
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
  // The end of the last visit of each host.
  std::map<std::string, std::int64_t> last;
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
        // The bound is that of heard and of unheard hosts: no time passes here that would make a
        // host silent.
        ASSERT_LE(frontier.in_flight(), (1 + Slots::kUnheardForEach) * options.in_flight);
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
          // A crash in the middle of its links.
          if (crashes < 40 && random() % 100 == 0) step = crash_at;
        }
        if (step < crash_at) {
          ASSERT_EQ(frontier.settle(Settled{.url = url}).verdict, Verdict::kFinal);
          last[url.substr(0, url.rfind('/'))] = clock.monotonic_ns() / 1'000'000;
          if (random() % 3 != 0) {
            ASSERT_TRUE(frontier.commit().ok());
            final.insert(url);
          } else {
            step = crash_at;  // a crash before the commit
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
    const Result<std::uint64_t> checked = verify(store, [seed](const std::string& problem) {
      ADD_FAILURE() << problem << " seed " << seed;
    });
    ASSERT_TRUE(checked.ok());
  }
  int doubled = 0;
  for (unsigned page = 0; page < world.pages; ++page) {
    ASSERT_TRUE(visits.contains(world.url(page)))
        << "lost: " << world.url(page) << " seed " << seed;
    doubled += visits[world.url(page)] - 1;
  }
  EXPECT_LE(doubled, 2 * crashes * static_cast<int>(options.in_flight));
  EXPECT_EQ(visits.size(), world.pages);
}

TEST(FrontierCrash, NothingIsLostNothingIsEarlyDoublesAreBounded) {
  for (unsigned seed = 0; seed < (kSanitized ? 20 : 60); ++seed) {
    crash_test(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace spinneret::frontier
