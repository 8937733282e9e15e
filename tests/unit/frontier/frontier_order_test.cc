// SPDX-License-Identifier: Apache-2.0
// Order, depth and limits, and what is kept from one run to the next.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "unit/frontier/frontier_fixture.h"

namespace spinneret::frontier {
namespace {

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
  settle(Settled{
      .url = "http://a.test/1", .outcome = Outcome::kNeeds, .needs = "http://a.test/robots.txt"});
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
  EXPECT_EQ(row("http://a.test/1").via, "");  // the first link's `via` stays
  EXPECT_EQ(row("http://a.test/2").depth, 4U);
  expect_in_order();
  std::map<std::string, std::uint32_t> depths;
  while (frontier_->next(sent_)) {
    depths[sent_.url] = sent_.depth;
    settle(sent_.url);
  }
  EXPECT_EQ(depths,
            (std::map<std::string, std::uint32_t>{{"http://a.test/1", 2}, {"http://a.test/2", 4}}));
  expect_in_order();
}

TEST_F(FrontierTest, ALaterPriorityRaisesAUrlThatWaits) {
  options_.politeness.delay_ms = 0;
  options_.in_flight = 1;
  open();
  const auto offer = [&](const std::string& page, std::uint8_t priority, bool raises) {
    const std::string url = "http://a.test/" + page;
    frontier_->offer({.url = url, .priority = priority, .raises = raises, .via = "http://b.test/"});
  };
  for (const char* const page : {"1", "2", "3", "4", "5", "6"}) offer(page, 5, false);
  offer("6", 3, true);   // in the same batch
  offer("6", 4, true);   // does not lower it again
  offer("5", 0, false);  // raises nothing
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(row("http://a.test/6").priority, 3);
  EXPECT_EQ(row("http://a.test/5").priority, 5);
  offer("4", 1, true);
  offer("3", 0, false);
  offer("6", 9, true);
  offer("2", 2, true);
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  expect_in_order();
  open();  // as after kill -9
  EXPECT_EQ(row("http://a.test/4").via, "http://b.test/");
  std::string order;
  for (std::string url = next(); !url.empty(); url = next()) {
    order += url.back();
    // A URL in flight stays in flight, and is not sent twice.
    offer(url.substr(url.rfind('/') + 1), 0, true);
    frontier_->seal();
    ASSERT_TRUE(frontier_->commit().ok());
    settle(url);
    ASSERT_TRUE(frontier_->commit().ok());
  }
  EXPECT_EQ(order, "426135");
  EXPECT_EQ(frontier_->statistics().all.done, 6U);
  expect_in_order();
}

TEST_F(FrontierTest, ALaterPriorityRaisesWhatIsToBeTriedOrVisitedAgain) {
  options_.politeness.delay_ms = 0;
  options_.retry_delay_ms = 1000;
  options_.recrawl = *parse_recrawl("1d");
  open();
  seed({"http://a.test/1", "http://a.test/2"});
  settle(next(), Outcome::kServerError);
  settle(next());
  for (const char* const url : {"http://a.test/1", "http://a.test/2"})
    frontier_->offer({.url = url, .priority = 0, .raises = true});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  expect_in_order();
  clock_.advance_ms(2 * 86'400'000);
  reopen();
  ASSERT_TRUE(frontier_->commit().ok());
  for (int i = 0; i < 2; ++i) {
    settle(next());
    EXPECT_EQ(sent_.priority, 0);
  }
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

TEST_F(FrontierTest, WhatWasOnlyAskedForBecomesAPageWhereALinkWantsThat) {
  options_.politeness.delay_ms = 0;
  open();
  const auto offer = [this](std::uint32_t depth) {
    frontier_->offer({.url = "http://a.test/1", .depth = depth});
    frontier_->seal();
    ASSERT_TRUE(frontier_->commit().ok());
  };
  offer(kCheckDepth + 3);
  next();
  EXPECT_EQ(sent_.depth, kCheckDepth + 3);
  settle("http://a.test/1");
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kDone);
  offer(kCheckDepth + 1);  // it wants no more than is known
  expect_in_order();
  offer(kIdsDepth + 7);
  next();
  EXPECT_EQ(sent_.depth, kIdsDepth + 7);
  offer(4);  // the URL is in flight
  settle("http://a.test/1");
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kWaiting);
  next();
  EXPECT_EQ(sent_.depth, 4U);
  settle("http://a.test/1");
  offer(kCheckDepth);
  expect_in_order();
  EXPECT_TRUE(frontier_->exhausted());
}

// Bug: the page was settled by the answer to a HEAD.
TEST_F(FrontierTest, AShorterWayToWhatIsOnlyAskedForInFlightDoesNotSettleThePage) {
  options_.politeness.delay_ms = 0;
  open();
  const auto offer = [this](std::uint32_t depth, std::uint8_t priority = kLinkPriority) {
    frontier_->offer({.url = "http://a.test/1",
                      .depth = depth,
                      .priority = priority,
                      .raises = priority != kLinkPriority});
    frontier_->seal();
    ASSERT_TRUE(frontier_->commit().ok());
  };
  offer(kCheckDepth + 3);
  next();
  offer(4, 2);
  offer(3);
  offer(5, 1);
  settle("http://a.test/1");
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kWaiting);
  next();
  EXPECT_EQ(sent_.depth, 3U);
  settle("http://a.test/1");
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kDone);
  EXPECT_TRUE(frontier_->exhausted());
}

// Bug: the link was forgotten, and the page never crawled.
TEST_F(FrontierTest, APageWantedInTheBatchThatAsksForItsIdsIsCrawled) {
  options_.politeness.delay_ms = 0;
  open();
  const auto offer = [this](std::uint32_t depth) {
    frontier_->offer({.url = "http://a.test/1", .depth = depth});
    frontier_->seal();
  };
  offer(kCheckDepth);
  ASSERT_TRUE(frontier_->commit().ok());
  next();
  offer(kIdsDepth);
  ASSERT_TRUE(frontier_->commit().ok());
  frontier_->settle({.url = "http://a.test/1"});
  offer(2);
  ASSERT_TRUE(frontier_->commit().ok());
  next();
  EXPECT_EQ(sent_.depth, 2U);
  settle("http://a.test/1");
  EXPECT_EQ(row("http://a.test/1").state, UrlState::kDone);
  expect_in_order();
  EXPECT_TRUE(frontier_->exhausted());
}

// Bug: a resource that a page shows was taken for a page, which the scope refused.
TEST_F(FrontierTest, WhatWasOnlyAskedForTakesTheFieldsOfTheLinkThatWantsMore) {
  options_.politeness.delay_ms = 0;
  open();
  const auto offer = [this](const char* url, std::uint32_t depth, const char* extra) {
    frontier_->offer({.url = url, .depth = depth, .extra = extra});
  };
  const auto commit = [this] {
    frontier_->seal();
    ASSERT_TRUE(frontier_->commit().ok());
  };
  const auto expect_shown = [this](const char* url) {
    next();
    EXPECT_EQ(sent_.depth, 1U) << url;
    EXPECT_EQ(sent_.extra, "\tpurpose=requisite") << url;
    settle(url);
  };
  offer("http://a.test/batch", kCheckDepth, "");
  offer("http://a.test/batch", 1, "\tpurpose=requisite");
  commit();
  expect_shown("http://a.test/batch");
  offer("http://a.test/waits", kCheckDepth, "");
  commit();
  offer("http://a.test/waits", 1, "\tpurpose=requisite");
  commit();
  expect_shown("http://a.test/waits");
  offer("http://a.test/flies", kCheckDepth, "");
  commit();
  next();
  offer("http://a.test/flies", 1, "\tpurpose=requisite");
  commit();
  settle("http://a.test/flies");
  expect_shown("http://a.test/flies");
  offer("http://a.test/done", kCheckDepth, "");
  commit();
  next();
  settle("http://a.test/done");
  offer("http://a.test/done", 1, "\tpurpose=requisite");
  commit();
  expect_shown("http://a.test/done");
  EXPECT_TRUE(frontier_->exhausted());
}

TEST_F(FrontierTest, ASeedsFieldsGoWithItThroughAReopen) {
  open();
  frontier_->offer(
      {.url = "http://a.test/1", .depth = 2, .is_sitemap = true, .extra = "\tid=7\tx"});
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

// Everything about a URL is stored with its place in the queue until its first visit, and in its
// row from then on.
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
  // No request was made, so that this does not count.
  settle(next(), Outcome::kBlockedByRobots);
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
  open();  // the end is durable
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(frontier_->wait_ms(), 3'599'000);
  clock_.advance_ms(3'599'000);
  EXPECT_EQ(next(), "http://a.test/3");
}

// Otherwise a server whose pages use both names would be asked twice as often.
TEST_F(FrontierTest, AHostWithADotAtItsEndIsTheSameHost) {
  open();
  seed({"http://a.test/", "http://a.test./"});
  EXPECT_EQ(next(), "http://a.test/");
  EXPECT_EQ(next(), "");
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

// The name's own lane has its gap. Its address is another lane, which one scheme learns before the
// other does. So two requests to one address go out together once, and not again.
TEST_F(FrontierTest, EachSchemeOfANameLearnsItsAddressByItself) {
  options_.key = PolitenessKey::kIp;
  open();
  frontier_->assume_rules();
  seed({"http://a.test/1", "https://a.test/1", "http://a.test/2", "https://a.test/2",
        "http://a.test/3", "https://a.test/3"});
  const auto settled = [this](const std::string& url) {
    settle(Settled{.url = url, .status = 200, .ip = "192.0.2.1"});
  };
  const std::string first = next();
  EXPECT_EQ(next(), "");  // one name is one lane
  settled(first);
  EXPECT_EQ(next(), "");
  clock_.advance_ms(1000);
  const std::string second = next();
  const std::string third = next();
  EXPECT_NE(second.substr(0, 5), third.substr(0, 5));
  settled(second);
  settled(third);
  for (int left = 3; left != 0; --left) {
    clock_.advance_ms(1000);
    const std::string url = next();
    EXPECT_NE(url, "");
    EXPECT_EQ(next(), "");
    settled(url);
  }
}

// Crawls many hosts in few lanes, with failures, wanted rules, holds and restarts, until nothing is
// left. Returns how often each URL was settled for good; `least_gap` and `took` are in
// milliseconds.
std::map<std::string, int> drive(unsigned seed, PolitenessKey key, std::uint32_t crowd,
                                 std::int64_t& least_gap, std::int64_t& took) {
  MemoryStore store;
  FakeClock clock;
  Options options;
  options.key = key;
  options.crowd = crowd;
  options.in_flight = 32;
  options.politeness.per_host = 1 + seed % 3;
  options.politeness.delay_ms = 100;
  options.retry_delay_ms = 500;
  options.hosts_in_play = seed % 2 == 0 ? 5 : 1000;
  std::unique_ptr<Frontier> frontier = Frontier::open(store, clock, options).take();
  std::mt19937 random(seed);
  const auto host_of = [](unsigned n) {
    return "http://h" + std::to_string(n) + ".d" + std::to_string(n % 3) + ".test/";
  };
  for (unsigned i = 0; i < 300; ++i) {
    const std::string url = host_of(static_cast<unsigned>(random() % 60)) + std::to_string(i);
    EXPECT_EQ(frontier->offer({.url = url, .priority = static_cast<std::uint8_t>(random() % 10)}),
              Frontier::Offer::kStaged);
  }
  frontier->seal();
  std::map<std::string, int> tries, settled;
  std::map<std::string, std::int64_t> sent_at;  // by lane
  std::vector<Dispatch> pipe;
  const std::int64_t begun = clock.monotonic_ns();
  least_gap = INT64_MAX;
  for (int turn = 0; turn < 100'000 && settled.size() < 300; ++turn) {
    EXPECT_TRUE(frontier->commit().ok());
    Dispatch dispatch;
    while (frontier->next(dispatch)) {
      EXPECT_TRUE(frontier->commit_flights().ok());
      pipe.push_back(dispatch);
      const std::size_t dot = dispatch.url.find('.');
      const std::string lane = dispatch.url.substr(dot, dispatch.url.find('/', dot) - dot);
      const std::int64_t now_ms = clock.monotonic_ns() / 1'000'000;
      if (const auto before = sent_at.find(lane); before != sent_at.end())
        least_gap = std::min(least_gap, now_ms - before->second);
      sent_at[lane] = now_ms;
    }
    if (turn == 500) {
      pipe.clear();
      frontier = Frontier::open(store, clock, options).take();
      continue;
    }
    if (pipe.empty()) {
      EXPECT_FALSE(frontier->exhausted());
      EXPECT_GT(frontier->wait_ms(), 0);
      clock.advance_ms(
          std::min<std::int64_t>(std::max<std::int64_t>(frontier->wait_ms(), 1), 1000));
      continue;
    }
    const Dispatch back = pipe.front();
    pipe.erase(pipe.begin());
    const std::string origin = back.url.substr(0, back.url.find('/', 8));
    const std::string needs = origin + "/robots.txt";
    const auto number = std::hash<std::string>()(back.url) % 16;
    const auto host = std::hash<std::string>()(origin);
    const std::string ip = "10.0.0." + std::to_string(host % 3);
    Settled result{.url = back.url, .purpose = back.purpose, .status = 200, .ip = ip};
    const int tried = tries[back.url]++;
    // A page for which no request was made leaves no gap behind it.
    if (seed % 2 == 0 && back.purpose == Purpose::kPage && host % 2 == 0 && tries[needs] == 0) {
      result.outcome = Outcome::kNeeds;
      result.needs = needs;
      --tries[back.url];
    } else if (number < 3 && tried == 0) {
      result.outcome = Outcome::kServerError;
      result.status = 500;
      if (number == 0) result.retry_after_ms = 700;
    }
    if (is_last_word(frontier->settle(result).verdict)) ++settled[back.url];
  }
  EXPECT_TRUE(frontier->commit().ok());
  EXPECT_TRUE(frontier->exhausted());
  took = (clock.monotonic_ns() - begun) / 1'000'000;
  return settled;
}

// The slow twin walks over all hosts of a lane whenever one of them sends or gets something.
TEST(Crowds, ServeWhatAWalkOverTheLaneServes) {
  for (unsigned seed = 1; seed <= 30 && !testing::Test::HasFailure(); ++seed) {
    for (const PolitenessKey key :
         {PolitenessKey::kHost, PolitenessKey::kDomain, PolitenessKey::kIp}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", key " +
                   std::to_string(static_cast<int>(key)));
      std::int64_t gap = 0, slow_gap = 0, took = 0, slow_took = 0;
      const auto slow = drive(seed, key, UINT32_MAX, slow_gap, slow_took);
      EXPECT_EQ(slow.size(), 300U);
      for (const std::uint32_t crowd : {1U, 2U, 16U}) {
        EXPECT_TRUE(drive(seed, key, crowd, gap, took) == slow);
        EXPECT_LE(took, slow_took + slow_took / 4 + 1000);
        if (key == PolitenessKey::kDomain && seed % 2 == 1) {
          EXPECT_GE(gap, 100);
        }
      }
    }
  }
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
  for (int i = 0; i < 120; ++i)
    urls.push_back("http://h" + std::to_string(i % 40) + ".test/" + std::to_string(i));
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
    // The link leads to a host that is not in play.
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

}  // namespace
}  // namespace spinneret::frontier
