// SPDX-License-Identifier: Apache-2.0
// Hosts that do not answer: which are given up, for how long, and when the fault is ours alone.
#include "frontier/outage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "frontier/meta.h"
#include "frontier/rest.h"
#include "frontier/upkeep.h"
#include "unit/frontier/frontier_fixture.h"

namespace spinneret::frontier {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;

TEST(Rests, GrowWithEachUntilTheHostAnswers) {
  Rests rests;
  Rests::Slot slot = 0;
  std::int64_t now = 0;
  for (const std::int64_t minutes : {10, 20, 40, 80}) {
    rests.begin(7, now);
    EXPECT_EQ(rests.next_ms(), now + minutes * kMinuteMs);
    EXPECT_FALSE(rests.take(rests.next_ms() - 1, slot));
    now = rests.next_ms();
    ASSERT_TRUE(rests.take(now, slot));
    EXPECT_EQ(slot, 7U);
  }
  for (int i = 0; i < 20; ++i) {
    rests.begin(7, now);
    rests.take(INT64_MAX - 1, slot);
  }
  rests.begin(7, now);
  EXPECT_EQ(rests.next_ms(), now + 24 * 60 * kMinuteMs);
  rests.take(INT64_MAX - 1, slot);
  rests.forget(7);
  rests.begin(7, now);
  EXPECT_EQ(rests.next_ms(), now + 10 * kMinuteMs);
}

TEST(Outage, FewHostsThatHadAnsweredAndNothingElseToAskBeginAPause) {
  Outage outage;
  outage.silence(1, true, 0, 10);
  outage.silence(2, true, 0, 10);
  outage.silence(2, true, 0, 10);
  outage.silence(3, false, 0, 10);
  EXPECT_FALSE(outage.is_suspicious(10));
  outage.silence(4, true, 0, 10);
  ASSERT_TRUE(outage.is_suspicious(10));
  EXPECT_FALSE(outage.weigh(/*others=*/1, 10));
  EXPECT_FALSE(outage.is_suspicious(10));
  outage.silence(4, true, 0, 20);
  EXPECT_TRUE(outage.weigh(/*others=*/0, 20));
  EXPECT_TRUE(outage.paused());
  outage.life(30);
  EXPECT_FALSE(outage.paused());
  for (Outage::Slot slot = 0; slot < 20; ++slot) outage.silence(slot, true, 0, 40);
  EXPECT_FALSE(outage.is_suspicious(3029));
  EXPECT_TRUE(outage.is_suspicious(3030));
  EXPECT_TRUE(outage.weigh(/*others=*/1000, 3030));
}

TEST(Outage, ProbesGetRarerAndTheLongestPauseEnds) {
  Outage outage;
  for (Outage::Slot slot = 0; slot < 3; ++slot) outage.silence(slot, true, 0, 0);
  ASSERT_TRUE(outage.weigh(0, 0));
  // What was on its way before the pause does not count.
  outage.silence(3, true, -1, 5);
  std::int64_t now = 0;
  for (const std::int64_t gap : {1, 2, 4, 8, 16, 30, 30}) {
    EXPECT_EQ(outage.probe_ms(), now + gap * 1000);
    now = outage.probe_ms();
    ASSERT_TRUE(outage.may_probe(now));
    outage.probed();
    EXPECT_FALSE(outage.may_probe(now + 1000));
    outage.landed(-1);
    EXPECT_FALSE(outage.may_probe(now + 1000));
    outage.landed(now);
    outage.silence(0, true, now, now);
  }
  EXPECT_FALSE(outage.give_up(299'999));
  EXPECT_TRUE(outage.give_up(300'000));
  EXPECT_FALSE(outage.weigh(0, 300'001));
  outage.life(300'001);
  for (Outage::Slot slot = 0; slot < 3; ++slot) outage.silence(slot, true, 0, 300'002);
  EXPECT_TRUE(outage.weigh(0, 300'002));
}

class OutageTest : public FrontierTest {
 protected:
  using Answers = std::function<Outcome(const std::string& url)>;
  // Runs until the crawl is over, or the clock has gone on by `ms`. Returns the number of requests.
  int run(std::int64_t ms, const Answers& answers) {
    int requests = 0;
    const std::int64_t end = clock_.unix_ms() + ms;
    while (clock_.unix_ms() < end && !frontier_->exhausted()) {
      while (!next().empty()) {
        ++requests;
        settle(sent_.url, answers(sent_.url));
      }
      EXPECT_TRUE(frontier_->commit().ok());
      if (frontier_->exhausted()) break;
      const std::int64_t wait = frontier_->wait_ms();
      const std::int64_t left = std::max<std::int64_t>(end - clock_.unix_ms(), 1);
      clock_.advance_ms(std::clamp<std::int64_t>(wait, 1, left));
    }
    return requests;
  }
  static Outcome alive(const std::string&) { return Outcome::kOk; }
  static Outcome dead(const std::string&) { return Outcome::kDnsFailed; }
};

std::vector<std::string> pages(const std::string& host, int from, int to) {
  std::vector<std::string> out;
  for (int i = from; i < to; ++i) out.push_back("http://" + host + "/" + std::to_string(i));
  return out;
}

// Bug: with three hosts and 46 s without DNS all three were finished for ever, with status 0.
TEST_F(OutageTest, ThreeHostsThatAnsweredSurviveMinutesWithoutANetwork) {
  open();
  for (const char* host : {"a.test", "b.test", "c.test"}) seed(pages(host, 0, 20));
  run(5000, alive);
  const std::uint64_t before = frontier_->statistics().pages;
  ASSERT_GT(before, 3U);
  const int requests = run(4 * kMinuteMs, dead);
  EXPECT_LT(requests, 30);
  EXPECT_TRUE(frontier_->statistics().paused);
  EXPECT_EQ(frontier_->statistics().hosts_finished, 0U);
  EXPECT_FALSE(frontier_->exhausted());
  EXPECT_NE(frontier_->take_notices().at(0).find("the crawl pauses"), std::string::npos);
  run(5 * kMinuteMs, alive);
  EXPECT_FALSE(frontier_->statistics().paused);
  EXPECT_TRUE(frontier_->exhausted());
  EXPECT_EQ(frontier_->statistics().all.done, 60U);
  EXPECT_NE(frontier_->take_notices().at(0).find("the crawl goes on"), std::string::npos);
  expect_in_order();
}

TEST_F(OutageTest, ARunThatBeginsWithoutANetworkPausesForHostsThatAnsweredInEarlierOnes) {
  open();
  for (const char* host : {"a.test", "b.test", "c.test"}) seed(pages(host, 0, 5));
  run(2500, alive);
  reopen();
  run(kMinuteMs, dead);
  EXPECT_TRUE(frontier_->statistics().paused);
  run(kMinuteMs, alive);
  EXPECT_EQ(frontier_->statistics().all.done, 15U);
  EXPECT_EQ(frontier_->statistics().hosts_finished, 0U);
}

TEST_F(OutageTest, ARunWhoseHostsStaySilentEndsAndTheNextOneAsksThemAgain) {
  open();
  for (const char* host : {"a.test", "b.test", "c.test"}) seed(pages(host, 0, 20));
  run(3000, alive);
  const std::int64_t begun = clock_.unix_ms();
  run(24 * 60 * kMinuteMs, dead);
  EXPECT_TRUE(frontier_->exhausted());
  EXPECT_LT(clock_.unix_ms() - begun, 10 * kMinuteMs);
  EXPECT_EQ(frontier_->statistics().hosts_finished, 3U);
  EXPECT_EQ(frontier_->statistics().all.error, 0U);
  expect_in_order();
  reopen();
  run(10 * kMinuteMs, alive);
  EXPECT_EQ(frontier_->statistics().all.done, 60U);
  EXPECT_EQ(frontier_->statistics().hosts_finished, 0U);
}

// Seeds are full of names that were never there. They prove nothing about the network.
TEST_F(OutageTest, HostsThatNeverAnsweredPauseNothing) {
  open();
  std::vector<std::string> seeds;
  for (int i = 0; i < 50; ++i) seeds.push_back("http://dead" + std::to_string(i) + ".test/");
  seed(seeds);
  const std::int64_t begun = clock_.unix_ms();
  run(60 * kMinuteMs, dead);
  EXPECT_TRUE(frontier_->exhausted());
  EXPECT_FALSE(frontier_->statistics().paused);
  EXPECT_LT(clock_.unix_ms() - begun, 5 * kMinuteMs);
  EXPECT_EQ(frontier_->statistics().all.waiting, 50U);
  for (const std::string& notice : frontier_->take_notices()) ADD_FAILURE() << notice;
}

TEST_F(OutageTest, WhileOthersAnswerASilentHostIsGivenUpAlone) {
  open();
  seed(pages("a.test", 0, 200));
  for (const char* host : {"x.test", "y.test", "z.test"}) seed(pages(host, 0, 200));
  run(3000, alive);
  run(100'000, [](const std::string& url) {
    return url.starts_with("http://a.test/") ? Outcome::kOk : Outcome::kConnectFailed;
  });
  EXPECT_FALSE(frontier_->statistics().paused);
  EXPECT_EQ(frontier_->statistics().hosts_finished, 3U);
}

// Bug: the growing wait of a dead port held up the living one of the same host, and a dead host
// held up all of its domain.
TEST_F(FrontierTest, ADeadPortHoldsUpNoOtherHostOfItsLane) {
  options_.politeness = {.delay_ms = 1000, .patience = 50};
  options_.key = PolitenessKey::kDomain;
  for (const std::uint32_t crowd : {2U, 16U}) {
    store_ = MemoryStore();
    options_.crowd = crowd;
    open();
    std::vector<std::string> urls;
    for (const char* const host :
         {"http://a.test:8000/", "http://dead.a.test/", "http://a.test/"}) {
      for (int page = 0; page < 30; ++page) urls.push_back(host + std::to_string(page));
    }
    seed(urls);
    int pages = 0;
    int silences = 0;
    for (int turn = 0; turn < 40; ++turn) {
      for (std::string url = next(); !url.empty(); url = next()) {
        const bool lives = url.starts_with("http://a.test/");
        ++(lives ? pages : silences);
        settle(url, lives ? Outcome::kOk : Outcome::kConnectFailed);
      }
      clock_.advance_ms(1000);
    }
    // Each of the two is asked after 1, 2, 4, 8 and 16 s, at turns of their common lane, one a
    // second.
    EXPECT_EQ(pages, 28) << crowd;
    EXPECT_EQ(silences, 12) << crowd;
    expect_in_order();
  }
}

// Bug: after tries at 0, 0.2, 0.6, 1.4, ... 25.4 s the next was at 51 s, and the run waited for it
// alone.
TEST_F(OutageTest, ASilentHostIsGivenUpWhenItsPatienceEnds) {
  options_.politeness = {.delay_ms = 200, .patience = 5, .give_up_ms = 30'000};
  open();
  seed(pages("gone.test", 0, 20));
  const std::int64_t begun = clock_.unix_ms();
  run(10 * kMinuteMs, dead);
  EXPECT_TRUE(frontier_->exhausted());
  EXPECT_EQ(frontier_->statistics().hosts_finished, 1U);
  EXPECT_GE(clock_.unix_ms() - begun, 30'000);
  EXPECT_LE(clock_.unix_ms() - begun, 31'000);
}

// This holds for a run that goes on for long enough, and not before the host's rest is over.
TEST_F(OutageTest, AHostThatWasGivenUpIsAskedAgainAfterARest) {
  open();
  seed(pages("a.test", 0, 4000));
  seed(pages("b.test", 0, 3));
  int asked = 0;
  bool up = false;
  const auto answers = [&](const std::string& url) {
    if (!url.starts_with("http://b.test/")) return Outcome::kOk;
    ++asked;
    return up ? Outcome::kOk : Outcome::kConnectFailed;
  };
  run(9 * kMinuteMs, answers);
  EXPECT_EQ(asked, 5);
  run(2 * kMinuteMs, answers);
  EXPECT_EQ(asked, 6);
  up = true;
  run(kMinuteMs * 18, answers);
  EXPECT_EQ(asked, 6);
  run(kMinuteMs * 4, answers);
  EXPECT_EQ(frontier_->statistics().all.done + frontier_->statistics().all.waiting, 4003U);
  EXPECT_EQ(row("http://b.test/1").state, UrlState::kDone);
}

TEST_F(OutageTest, BrokenPagesDoNotEndALivingSite) {
  open();
  seed(pages("a.test", 0, 60));
  int asked = 0;
  while (!frontier_->exhausted()) {
    clock_.advance_ms(std::max<std::int64_t>(frontier_->wait_ms(), 1));
    ASSERT_TRUE(frontier_->commit().ok());
    if (next().empty()) continue;
    const bool broken = ++asked <= 6;
    settle(Settled{
        .url = sent_.url, .outcome = broken ? Outcome::kBadResponse : Outcome::kOk, .status = 200});
  }
  EXPECT_EQ(frontier_->statistics().hosts_finished, 0U);
  EXPECT_EQ(frontier_->statistics().all.done, 60U);
}

// A page that never answers is given up by itself where others of its host answer.
TEST_F(OutageTest, APageThatNeverAnswersIsGivenUpWhereItsHostDoes) {
  options_.retry_delay_ms = 2000;
  open();
  seed(pages("a.test", 0, 100));
  run(kMinuteMs * 10, [](const std::string& url) {
    return url == "http://a.test/7" ? Outcome::kTimeout : Outcome::kOk;
  });
  EXPECT_EQ(row("http://a.test/7").state, UrlState::kError);
  EXPECT_EQ(frontier_->statistics().hosts_finished, 0U);
}

TEST_F(OutageTest, NoRunWaitsForTriesAtAHostThatWasGivenUp) {
  options_.tries = 1;
  options_.politeness = {.delay_ms = 0, .patience = 3};
  open();
  seed(pages("a.test", 0, 9));
  EXPECT_EQ(run(20'000, dead), 3);
  EXPECT_TRUE(frontier_->exhausted());
  EXPECT_EQ(frontier_->given_up().waiting, 9U);
  reopen();
  run(2 * kMinuteMs, alive);
  EXPECT_EQ(frontier_->statistics().all.done, 9U);
  expect_in_order();
}

// A state of format 3 has hosts finished for ever, and has blocked the URL with which that was
// found.
TEST_F(OutageTest, HostsThatAnOldStateHadFinishedComeBack) {
  open();
  seed(pages("a.test", 0, 3));
  run(3000, [](const std::string&) { return Outcome::kBlockedByRobots; });
  ASSERT_EQ(row("http://a.test/1").state, UrlState::kBlocked);
  ASSERT_TRUE(frontier_->close().ok());
  std::string bytes;
  HostRow host;
  ASSERT_TRUE(store_.get(Table::kHosts, "http://a.test", bytes) && decode_host_row(bytes, host));
  host.finish = Finish::kPatience;
  host.failures = 5;
  encode_host_row(bytes, host);
  store_.put(Table::kHosts, "http://a.test", bytes);
  store_.put(Table::kMeta, kFormatKey, encode_number(3));
  ASSERT_TRUE(store_.commit().ok());
  for (int opened = 0; opened < 2; ++opened) {
    open();
    EXPECT_EQ(frontier_->statistics().all.waiting, 3U);
    expect_in_order();
  }
  run(kMinuteMs, alive);
  EXPECT_EQ(frontier_->statistics().all.done, 3U);
}

// Bug: only URLs in state error were counted, so that the count was 0 where a whole host came back.
TEST_F(OutageTest, ClearErrorsCountsWhatWaitsAtHostsThatWereGivenUp) {
  open();
  seed(pages("a.test", 0, 4));
  run(kMinuteMs, dead);
  EXPECT_EQ(frontier_->given_up().hosts, 1U);
  ASSERT_TRUE(frontier_->close().ok());
  Result<Upkeep> upkeep = Upkeep::open(store_);
  ASSERT_TRUE(upkeep.ok());
  const Result<std::uint64_t> cleared = upkeep->clear_errors();
  ASSERT_TRUE(cleared.ok());
  EXPECT_EQ(*cleared, 4U);
}

TEST_F(OutageTest, TheOnlyURLOfADeadHostWaitsForTheNextRunWithAllItsTries) {
  open();
  seed({"http://a.test/"});
  for (int visit = 0; visit < 2; ++visit) {
    EXPECT_EQ(run(60 * kMinuteMs, dead), 3);
    EXPECT_TRUE(frontier_->exhausted());
    EXPECT_EQ(row("http://a.test/").state, UrlState::kWaiting);
    expect_in_order();
    reopen();
  }
  EXPECT_EQ(run(60 * kMinuteMs, alive), 1);
  EXPECT_EQ(row("http://a.test/").state, UrlState::kDone);
}

}  // namespace
}  // namespace spinneret::frontier
