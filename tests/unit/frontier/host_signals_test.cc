// SPDX-License-Identifier: Apache-2.0
#include "frontier/host_signals.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "unit/frontier/frontier_fixture.h"

namespace spinneret::frontier {
namespace {

constexpr std::int64_t kHour = 3'600'000;
constexpr int kPages = 40;

// Sites whose pages change by the day, or never, and whose sitemaps claim each day that all of them
// have changed.
class HostSignalsTest : public FrontierTest {
 protected:
  void begin(const std::string& rules, const std::vector<std::string>& hosts) {
    options_.continuous = true;
    options_.politeness.delay_ms = 0;
    options_.recrawl = *parse_recrawl(rules);
    hosts_ = hosts;
    open();
    std::vector<std::string> urls;
    for (const std::string& host : hosts) {
      for (int i = 0; i < kPages; ++i) urls.push_back("http://" + host + "/" + std::to_string(i));
    }
    seed(urls);
    work();
    visits_.clear();
  }
  bool changes(const std::string& host) const { return host.starts_with("true"); }
  void claim_all() {
    for (const std::string& host : hosts_) {
      for (int i = 0; i < kPages; ++i) {
        const std::string url = "http://" + host + "/" + std::to_string(i);
        frontier_->offer({.url = url, .modified_ms = clock_.unix_ms() - 1000});
      }
    }
    frontier_->seal();
  }
  void work() {
    ASSERT_TRUE(frontier_->commit().ok());
    for (std::string url = next(); !url.empty(); url = next()) {
      const std::string host = url.substr(7, url.find('/', 7) - 7);
      ++visits_[host];
      const std::string digest =
          changes(host) ? std::to_string(clock_.unix_ms() / (24 * kHour)) : "same";
      settle(Settled{.url = url, .status = 200, .digest = digest});
    }
  }
  void days(int count) {
    for (int day = 0; day < count; ++day) {
      clock_.advance_ms(24 * kHour);
      claim_all();
      work();
    }
  }
  std::vector<std::string> hosts_;
  std::map<std::string, int> visits_;
};

TEST_F(HostSignalsTest, BugSitemapsWithTodaysDateTookTheBudgetOfOthers) {
  begin("best:20/d", {"false.test", "true.test"});
  days(60);
  EXPECT_GT(visits_["true.test"], 9 * visits_["false.test"]);
  EXPECT_GT(visits_["false.test"], 0);
  expect_in_order();
}

TEST_F(HostSignalsTest, FourLastmodsAreTriedBeforeTheRest) {
  begin("best:1/d", {"false.test", "true.test"});
  clock_.advance_ms(2 * kHour);
  claim_all();
  ASSERT_TRUE(frontier_->commit().ok());
  int urgent = 0;
  for (const std::string& host : hosts_) {
    for (int i = 0; i < kPages; ++i) {
      const UrlRow row = this->row("http://" + host + "/" + std::to_string(i));
      EXPECT_TRUE(row.claimed) << host << i;
      urgent += row.due_ms < row.last_ms ? 1 : 0;
    }
  }
  EXPECT_EQ(urgent, 8);
}

TEST_F(HostSignalsTest, FixedIntervalsFollowThemLikewise) {
  begin("90d", {"false.test", "true.test"});
  days(20);
  EXPECT_EQ(visits_["false.test"], 4);
  EXPECT_GT(visits_["true.test"], 15 * kPages);
  expect_in_order();
}

TEST_F(HostSignalsTest, WhatWasLearnedSurvivesACrash) {
  begin("90d", {"false.test"});
  days(5);
  EXPECT_EQ(visits_["false.test"], 4);
  open();
  days(5);
  EXPECT_EQ(visits_["false.test"], 4);
}

TEST_F(HostSignalsTest, AHostThatMendsItsWaysIsBelievedAgain) {
  HostSignals signals(store_);
  UrlRow row;
  row.claimed = true;
  for (int i = 0; i < 64; ++i) signals.learn(1, row, {.changed = false});
  EXPECT_FALSE(signals.follows_lastmod(1));
  for (int i = 0; i < 64; ++i) signals.learn(1, row, {.changed = true});
  EXPECT_TRUE(signals.follows_lastmod(1));
  EXPECT_TRUE(signals.follows_lastmod(2));
}

// The server answers 304 if it gets the validator that it has.
class ValidatorsTest : public FrontierTest {
 protected:
  // Returns how many of `count` visits brought a body.
  int visit(int count, bool is_true, const std::string& etag, const std::string& modified) {
    int bodies = 0;
    for (int i = 0; i < count; ++i, ++version_) {
      clock_.advance_ms(24 * kHour);
      EXPECT_TRUE(frontier_->commit().ok());
      EXPECT_EQ(next(), "http://a.test/1");
      const bool not_modified = (!sent_.etag.empty() && sent_.etag == etag) ||
                                (etag.empty() && sent_.last_modified == modified);
      if (!not_modified) ++bodies;
      const std::string digest = is_true ? "same" : std::to_string(version_);
      settle(Settled{.url = "http://a.test/1",
                     .outcome = not_modified ? Outcome::kNotModified : Outcome::kOk,
                     .status = static_cast<std::uint16_t>(not_modified ? 304 : 200),
                     .etag = etag,
                     .last_modified = modified,
                     .digest = not_modified ? std::string_view() : digest});
    }
    return bodies;
  }
  void begin() {
    options_.continuous = true;
    options_.politeness.delay_ms = 0;
    options_.recrawl = *parse_recrawl("12h");
    open();
    seed({"http://a.test/1"});
  }
  int version_ = 0;
};

TEST_F(ValidatorsTest, BugAnETagThatStaysKeptTheOldCopyForEver) {
  for (const auto& [etag, modified] :
       {std::pair("\"v\"", "Thu, 01 Jan 2026 00:00:00 GMT"), std::pair("", "Thu")}) {
    store_ = MemoryStore();
    begin();
    EXPECT_EQ(visit(18, false, etag, modified), 2)
        << etag;  // the first visit, and the check after 16
    EXPECT_EQ(visit(30, false, etag, modified), 30) << etag;
    // The server tells the truth from now on: 64 verdicts are remembered.
    EXPECT_LT(visit(400, true, etag, modified), 300) << etag;
    EXPECT_LE(visit(100, true, etag, modified), 2) << etag;
  }
}

TEST_F(ValidatorsTest, AHostThatIsBelievedIsCheckedSeldom) {
  begin();
  // Checks come after 16, 32, ... 512 visits.
  EXPECT_EQ(visit(1000, true, "\"v\"", ""), 1 + 6);
}

TEST_F(ValidatorsTest, AWeakETagIsNotJudgedByBytes) {
  begin();
  EXPECT_EQ(visit(200, false, "W/\"v\"", ""), 1 + 4);
}

}  // namespace
}  // namespace spinneret::frontier
