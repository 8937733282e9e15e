// SPDX-License-Identifier: Apache-2.0
// Revisits: by an interval, by what a page's changes teach, and by a budget.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "unit/frontier/frontier_fixture.h"

namespace spinneret::frontier {
namespace {

TEST_F(FrontierTest, RecrawlInTheNextRunWithValidators) {
  constexpr std::int64_t kDay = 86'400'000;
  options_.recrawl = *parse_recrawl("1d");
  open();
  seed({"http://a.test/1"});
  next();
  settle(
      Settled{.url = "http://a.test/1", .etag = "\"v1\"", .last_modified = "Thu", .digest = "d1"});
  EXPECT_TRUE(frontier_->exhausted());
  expect_in_order();
  clock_.advance_ms(2 * kDay);
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "");  // only once a run, however short the interval
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

TEST_F(FrontierTest, a_page_of_before_is_asked_for_whole_until_it_has_come) {
  constexpr std::int64_t kDay = 86'400'000;
  const std::string url = "http://a.test/1";
  options_.recrawl = *parse_recrawl("1d");
  open();
  seed({url});
  next();
  settle(Settled{.url = url, .etag = "e", .last_modified = "Thu", .digest = "d"});
  const auto visit = [&] {
    clock_.advance_ms(2 * kDay);
    reopen();
    ASSERT_TRUE(frontier_->commit().ok());
    ASSERT_EQ(next(), url);
  };
  options_.whole_before_ms = clock_.unix_ms() + 1;
  visit();
  EXPECT_EQ(sent_.etag + sent_.last_modified, "");
  // The visit fails: the old validators are no use for the try after that.
  settle(Settled{.url = url, .outcome = Outcome::kServerError, .status = 500});
  EXPECT_EQ(row(url).etag, "");
  visit();
  EXPECT_EQ(sent_.etag + sent_.last_modified, "");
  settle(Settled{.url = url, .etag = "e", .last_modified = "Thu", .digest = "d"});
  EXPECT_EQ(row(url).etag, "e");
  // From here on the page is younger than that moment.
  visit();
  EXPECT_EQ(sent_.etag, "e");
  EXPECT_EQ(sent_.last_modified, "Thu");
}

// Bug: a page came whole after a moment that only another machine's clock had reached. It was asked
// for whole at each visit until this machine's clock reached that moment.
TEST_F(FrontierTest, AMomentAheadOfTheClockIsAskedForOnce) {
  constexpr std::int64_t kDay = 86'400'000;
  const std::string url = "http://a.test/1";
  options_.recrawl = *parse_recrawl("1d");
  open();
  seed({url});
  next();
  settle(Settled{.url = url, .etag = "e", .digest = "d"});
  options_.whole_before_ms = clock_.unix_ms() + 20 * kDay;
  const auto visit = [&](const std::string& known) {
    clock_.advance_ms(22 * kDay);
    clock_.jump_wall_ms(-20 * kDay);
    reopen();
    ASSERT_TRUE(frontier_->commit().ok());
    ASSERT_EQ(next(), url);
    EXPECT_EQ(sent_.etag, known);
    settle(Settled{.url = url, .etag = "e", .digest = "d"});
  };
  visit("");
  clock_.jump_wall_ms(options_.whole_before_ms - clock_.unix_ms());
  visit("e");
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

constexpr std::int64_t kHour = 3'600'000;

// A site whose pages have digests that say when they changed last.
class BestTest : public FrontierTest {
 protected:
  void begin(const std::string& rules, int pages) {
    options_.politeness.delay_ms = 0;
    options_.recrawl = *parse_recrawl(rules);
    open();
    std::vector<std::string> urls;
    for (int i = 0; i < pages; ++i) urls.push_back("http://a.test/" + std::to_string(i));
    seed(urls);
    work();
    visits_.clear();
  }
  // Page i changes every i hours; page 0 never.
  std::string digest(const std::string& url) const {
    const int hours = std::stoi(url.substr(url.rfind('/') + 1));
    return hours == 0 ? "0" : std::to_string(clock_.unix_ms() / (hours * kHour));
  }
  // Sends all that may go out now, and settles it.
  void work() {
    ASSERT_TRUE(frontier_->commit().ok());
    for (std::string url = next(); !url.empty(); url = next()) {
      ++visits_[url];
      const std::string found = digest(url);
      settle(Settled{.url = url, .status = 200, .digest = found});
    }
  }
  std::uint64_t all() const {
    std::uint64_t sum = 0;
    for (const auto& each : visits_) sum += each.second;
    return sum;
  }
  std::map<std::string, std::uint64_t> visits_;
};

TEST_F(BestTest, VisitsAsManyAsTheBudgetSaysWhereTheyAreWorthMost) {
  options_.continuous = true;
  begin("best:12/d", 40);
  for (int hour = 0; hour < 60 * 24; ++hour) {
    clock_.advance_ms(kHour);
    work();
    EXPECT_FALSE(frontier_->exhausted());
  }
  EXPECT_NEAR(static_cast<double>(all()), 12 * 60, 1);
  // Pages that change by the hour are beyond reach, and those that never change need no visit.
  const auto count = [&](int from, int to) {
    std::uint64_t sum = 0;
    for (int i = from; i < to; ++i) sum += visits_["http://a.test/" + std::to_string(i)];
    return static_cast<double>(sum) / (to - from);
  };
  EXPECT_LT(count(0, 1), 0.7 * count(20, 40));
  EXPECT_LT(count(1, 3), 0.7 * count(20, 40));
  const UrlRow row = this->row("http://a.test/30");
  EXPECT_FALSE(row.history.empty());
  EXPECT_NE(row.visit_class, 0);
  expect_in_order();
}

TEST_F(BestTest, ARunEndsWithItsBudget) {
  begin("best:5/d", 20);
  EXPECT_TRUE(frontier_->exhausted());
  // With three runs a day each run has the budget of the time since the last one.
  for (int run = 0; run < 30; ++run) {
    clock_.advance_ms(8 * kHour);
    reopen();
    visits_.clear();
    ASSERT_TRUE(frontier_->commit().ok());
    work();
    EXPECT_TRUE(frontier_->exhausted());
    EXPECT_NEAR(static_cast<double>(all()), 5.0 / 3, 1) << run;
    expect_in_order();
  }
  // No more than one day's budget is saved. Each page is visited once, however long the budget
  // lasts.
  ASSERT_TRUE(frontier_->close().ok());
  clock_.advance_ms(300 * kHour);
  options_.recrawl = *parse_recrawl("best:35/d,least=1m");
  open();
  visits_.clear();
  for (int i = 0; i < 10; ++i) {
    work();
    clock_.advance_ms(kHour);
  }
  EXPECT_EQ(all(), 20U);
  EXPECT_TRUE(frontier_->exhausted());
  expect_in_order();
}

TEST_F(BestTest, NoPageIsForgottenForLongerThanSaid) {
  options_.continuous = true;
  begin("best:10/d,most=10d", 60);
  std::map<std::string, int> waited;
  for (int hour = 0; hour < 40 * 24; ++hour) {
    clock_.advance_ms(kHour);
    visits_.clear();
    work();
    for (int i = 0; i < 60; ++i) {
      const std::string url = "http://a.test/" + std::to_string(i);
      if (visits_[url] != 0) waited[url] = 0;
      EXPECT_LE(++waited[url], 10 * 24 + 13) << url;
    }
  }
}

TEST_F(BestTest, AHigherPriorityIsVisitedMoreOften) {
  options_.continuous = true;
  options_.politeness.delay_ms = 0;
  options_.recrawl = *parse_recrawl("best:10/d");
  open();
  for (int i = 30; i < 50; ++i) {
    frontier_->offer({.url = "http://a.test/" + std::to_string(i),
                      .priority = static_cast<std::uint8_t>(i < 40 ? 1 : 5)});
  }
  frontier_->seal();
  for (int hour = 0; hour < 60 * 24; ++hour, clock_.advance_ms(kHour)) work();
  std::uint64_t high = 0;
  for (int i = 30; i < 40; ++i) high += visits_["http://a.test/" + std::to_string(i)];
  EXPECT_GT(high, 2 * (all() - high));
}

TEST_F(BestTest, ACrashLosesNoPlaceAndNoBudget) {
  options_.continuous = true;
  begin("best:24/d", 30);
  for (int hour = 0; hour < 20 * 24; ++hour) {
    clock_.advance_ms(kHour);
    work();
    if (hour % 7 == 0) open();  // as after kill -9
    if (hour % 50 == 0) {
      frontier_->recall_flights();
      expect_in_order();
    }
  }
  EXPECT_NEAR(static_cast<double>(all()), 24 * 20, 2);
  EXPECT_EQ(visits_.size(), 30U);
  expect_in_order();
}

TEST_F(BestTest, WhatIsLearnedOutlivesOtherRules) {
  options_.continuous = true;
  begin("adaptive:1h..30d", 30);
  for (int hour = 0; hour < 20 * 24; ++hour) {
    clock_.advance_ms(kHour);
    work();
  }
  const UrlRow before = row("http://a.test/20");
  EXPECT_FALSE(before.history.empty());
  for (const char* const rules : {"best:100/d", "1d", "best:9/h,most=9d", "adaptive:1h..30d"}) {
    options_.recrawl = *parse_recrawl(rules);
    reopen();
    expect_in_order();
    const UrlRow after = row("http://a.test/20");
    EXPECT_EQ(after.interval_ms, before.interval_ms) << rules;
    EXPECT_EQ(after.history.changes, before.history.changes) << rules;
    EXPECT_EQ(after.history.changed_s, before.history.changed_s) << rules;
    EXPECT_EQ(after.compared_ms, before.compared_ms) << rules;
  }
  int later = 0;
  for (int i = 0; i < 30; ++i) {
    const UrlRow row = this->row("http://a.test/" + std::to_string(i));
    if (row.state == UrlState::kWaiting) continue;
    EXPECT_EQ(row.due_ms, row.last_ms + row.interval_ms);
    ++later;
  }
  EXPECT_GT(later, 5);
}

TEST_F(BestTest, ASitemapsHintMakesAVisitUrgent) {
  options_.continuous = true;
  begin("best:1/d", 50);
  clock_.advance_ms(24 * kHour);
  frontier_->offer({.url = "http://a.test/37", .modified_ms = clock_.unix_ms() - 1000});
  frontier_->seal();
  work();
  EXPECT_EQ(visits_.count("http://a.test/37"), 1U);
  EXPECT_EQ(all(), 1U);
  expect_in_order();
}

// Makes six visits, with what a stage says of content that has another digest each time.
class KnownContentTest : public BestTest {
 protected:
  ChangeHistory visit(Settled result) {
    if (said_ == 0) begin("best:100/d", 1);
    clock_.advance_ms(24 * kHour);
    EXPECT_TRUE(frontier_->commit().ok());
    EXPECT_EQ(next(), kUrl);
    const std::string digest = std::to_string(said_++);
    result.status = 200;
    result.digest = digest;
    settle(result);
    return row(kUrl).history;
  }
  void SetUp() override { options_.continuous = true; }

  static constexpr const char* kUrl = "http://a.test/0";
  int said_ = 0;
};

TEST_F(KnownContentTest, AChangeIsWhatTheStageSaysThatKnowsContent) {
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(
        visit({.url = kUrl, .outcome = i < 3 ? Outcome::kDuplicate : Outcome::kOk}).changes != 0,
        i >= 3)
        << i;
}

TEST_F(KnownContentTest, BugAPageThatWasAlikeButForItsDigestCountedAsChanged) {
  for (int i = 0; i < 6; ++i) {
    const ChangeHistory history = visit({.url = kUrl, .is_alike = i < 3 || i == 5});
    EXPECT_EQ(history.changes != 0, i >= 3) << i;
    EXPECT_GT(history.same_s, 0U) << i;
  }
}

TEST_F(FrontierTest, AdaptiveVisitsComeLaterWherePagesAreAlike) {
  options_.politeness.delay_ms = 0;
  options_.continuous = true;
  options_.recrawl = *parse_recrawl("adaptive:1h..90d");
  open();
  frontier_->offer({.url = "http://a.test/"});
  frontier_->seal();
  std::int64_t before = 0;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(frontier_->commit().ok());
    ASSERT_EQ(next(), "http://a.test/") << i;
    const std::string digest = std::to_string(i);
    settle(Settled{.url = "http://a.test/", .status = 200, .digest = digest, .is_alike = i < 3});
    const std::int64_t interval = row("http://a.test/").interval_ms;
    EXPECT_EQ(interval > before, i < 3) << i;
    before = interval;
    clock_.advance_ms(interval + 1);
  }
}

TEST_F(BestTest, AFailureIsNoVisitAndItsTimeCounts) {
  options_.continuous = true;
  options_.tries = 1;
  begin("best:100/d", 1);
  for (const Outcome outcome : {Outcome::kServerError, Outcome::kOk}) {
    clock_.advance_ms(24 * kHour);
    ASSERT_TRUE(frontier_->commit().ok());
    ASSERT_EQ(next(), "http://a.test/0");
    settle(Settled{.url = "http://a.test/0", .outcome = outcome, .status = 200, .digest = "0"});
  }
  EXPECT_EQ(row("http://a.test/0").history.same_s, 48 * 3600U);
}

TEST_F(BestTest, AnOlderStateOpensByItsOwnRulesAndByOthers) {
  begin("2h", 9);
  ASSERT_TRUE(frontier_->close().ok());
  frontier_.reset();
  // Format 4 knew places by time only; its rows are those of pages that were visited once.
  store_.put(Table::kMeta, kFormatKey, encode_number(4));
  ASSERT_TRUE(store_.commit().ok());
  clock_.advance_ms(3 * kHour);
  for (const char* const rules : {"2h", "best:20/d"}) {
    options_.recrawl = *parse_recrawl(rules);
    open();
    visits_.clear();
    work();
    EXPECT_EQ(all(), 9U) << rules;
    expect_in_order();
    ASSERT_TRUE(frontier_->close().ok());
    clock_.advance_ms(3 * kHour);
  }
}

TEST_F(FrontierTest, BugPagesOfARunWithoutRecrawlWereNeverVisitedAgain) {
  options_.politeness.delay_ms = 0;
  for (const char* const rules : {"1d", "adaptive:1h..2d", "best:100/d"}) {
    options_.recrawl = *parse_recrawl(rules);
    store_ = MemoryStore();
    open();
    seed({"http://a.test/1"});
    settle(next());
    options_.recrawl = {};
    reopen();
    seed({"http://a.test/2"});
    EXPECT_EQ(next(), "http://a.test/2");
    settle("http://a.test/2");
    clock_.advance_ms(9 * 24 * kHour);
    options_.recrawl = *parse_recrawl(rules);
    reopen();
    ASSERT_TRUE(frontier_->commit().ok());
    std::set<std::string> again;
    for (std::string url = next(); !url.empty(); url = next()) {
      again.insert(url);
      settle(url);
    }
    EXPECT_EQ(again.size(), 2U) << rules;
    expect_in_order();
    frontier_.reset();
  }
}

}  // namespace
}  // namespace spinneret::frontier
