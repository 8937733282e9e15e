// SPDX-License-Identifier: Apache-2.0
// Revisits by a budget, together with older formats, crashes, raised URLs, and pages that give no
// answer.
#include "frontier/best_visits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "frontier/encode.h"
#include "frontier/meta.h"
#include "unit/frontier/frontier_fixture.h"

namespace spinneret::frontier {
namespace {

constexpr std::int64_t kHour = 3'600'000;

TEST_F(FrontierTest, BugALastmodBroughtAVisitForwardOfLeast) {
  options_.continuous = true;
  options_.politeness.delay_ms = 0;
  options_.recrawl = *parse_recrawl("best:1000/s,least=1h,most=90d");
  open();
  seed({"http://a.test/1"});
  settle(next());
  clock_.advance_ms(2000);
  frontier_->offer({.url = "http://a.test/1", .modified_ms = clock_.unix_ms() - 1000});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), "");
}

TEST_F(FrontierTest, BugPagesWithoutAnswerTookTheBudgetOfOthers) {
  options_.continuous = true;
  options_.politeness.delay_ms = 0;
  options_.recrawl = *parse_recrawl("best:10/d");
  open();
  std::vector<std::string> urls;
  for (int i = 0; i < 100; ++i) urls.push_back("http://a.test/" + std::to_string(i));
  seed(urls);
  std::map<bool, int> visits;
  for (int hour = 0; hour < 400 * 24; ++hour, clock_.advance_ms(kHour)) {
    ASSERT_TRUE(frontier_->commit().ok());
    for (std::string url = next(); !url.empty(); url = next()) {
      const bool blocked = std::stoi(url.substr(url.rfind('/') + 1)) < 50;
      ++visits[blocked];
      settle(Settled{.url = url,
                     .outcome = blocked ? Outcome::kBlockedByRobots : Outcome::kOk,
                     .status = static_cast<std::uint16_t>(blocked ? 0 : 200),
                     .digest = blocked ? "" : "same"});
    }
  }
  EXPECT_LE(visits[true], 1.1 * visits[false]);
}

TEST_F(FrontierTest, BugARaiseOfWhatIsInFlightWasLost) {
  options_.politeness.delay_ms = 0;
  options_.retry_delay_ms = 1000;
  open();
  frontier_->offer({.url = "http://a.test/1"});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  ASSERT_EQ(next(), "http://a.test/1");
  frontier_->offer({.url = "http://a.test/1", .priority = 0, .raises = true});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  settle("http://a.test/1", Outcome::kServerError);
  EXPECT_EQ(row("http://a.test/1").priority, 0);
}

TEST_F(FrontierTest, BugPagesThatFormat4ForgotWereNeverVisitedAgain) {
  options_.politeness.delay_ms = 0;
  options_.recrawl = *parse_recrawl("1d");
  open();
  seed({"http://a.test/1"});
  next();
  settle(Settled{.url = "http://a.test/1", .status = 200});
  ASSERT_TRUE(frontier_->close().ok());
  // An older program runs without --recrawl.
  options_.recrawl = {};
  open();
  seed({"http://a.test/2"});
  settle(next());
  ASSERT_TRUE(frontier_->close().ok());
  // Format 4 leaves behind the setting of the run before.
  store_.put(Table::kMeta, kRecrawlKey, "86400s");
  store_.put(Table::kMeta, kFormatKey, encode_number(4));
  ASSERT_TRUE(store_.commit().ok());
  clock_.advance_ms(9 * 24 * kHour);
  options_.recrawl = *parse_recrawl("1d");
  open();
  std::map<std::string, int> seen;
  for (int i = 0; i < 5; ++i, clock_.advance_ms(5000)) {
    ASSERT_TRUE(frontier_->commit().ok());
    const std::string url = next();
    if (url.empty()) continue;
    ++seen[url];
    settle(url);
  }
  EXPECT_EQ(seen["http://a.test/1"], 1);
  EXPECT_EQ(seen["http://a.test/2"], 1);
}

TEST_F(FrontierTest, BugACrashInAMigrationEndedIt) {
  options_.politeness.delay_ms = 0;
  open();
  std::vector<std::string> urls;
  for (int i = 0; i < 12000; ++i) frontier_->offer({.url = "http://a.test/" + std::to_string(i)});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  for (std::string url = next(); !url.empty(); url = next())
    settle(Settled{.url = url, .outcome = Outcome::kBlockedByRobots});
  ASSERT_TRUE(frontier_->close().ok());
  frontier_.reset();
  HostRow host;
  std::string bytes;
  ASSERT_TRUE(for_each_host(store_, [&](const HostEntry& e) {
                host = e.row;
                return true;
              }).ok());
  ASSERT_EQ(host.counts.blocked, 12000U);
  host.finish = Finish::kPatience;
  encode_host_row(bytes, host);
  store_.put(Table::kHosts, "http://a.test", bytes);
  store_.put(Table::kMeta, kFormatKey, encode_number(3));
  ASSERT_TRUE(store_.commit().ok());
  struct Dying : MemoryStore {
    Status commit() override {
      return ++commits > 1 ? Status(Error{"dead"}) : MemoryStore::commit();
    }
    int commits = 0;
  } dying;
  for (const Table table :
       {Table::kMeta, Table::kHosts, Table::kUrls, Table::kQueue, Table::kLater}) {
    const auto at = store_.scan(table);
    for (at->seek({}); at->valid(); at->next()) dying.put(table, at->key(), at->value());
  }
  ASSERT_TRUE(dying.commit().ok());
  dying.commits = 0;
  EXPECT_FALSE(Frontier::open(dying, clock_, options_).ok());
  dying.commits = -1000;
  // What was staged is gone with the process: this copies what is durable.
  MemoryStore after;
  for (const Table table :
       {Table::kMeta, Table::kHosts, Table::kUrls, Table::kQueue, Table::kLater}) {
    const auto at = dying.scan(table);
    for (at->seek({}); at->valid(); at->next()) after.put(table, at->key(), at->value());
  }
  ASSERT_TRUE(after.commit().ok());
  ASSERT_TRUE(Frontier::open(after, clock_, options_).ok());
  ASSERT_TRUE(for_each_host(after, [&](const HostEntry& e) {
                host = e.row;
                return true;
              }).ok());
  EXPECT_EQ(host.counts.blocked, 0U);
  EXPECT_EQ(host.counts.waiting, 12000U);
}

TEST(RatePrior, BugAChangeAfterNoTimeWasNoNumber) {
  EXPECT_LE(RatePrior().step({256, 0, 5}), RatePrior().step({256, 1, 5}));
}

TEST(Budget, BugAShareOfMicrosecondsGaveMoreThanTheBudget) {
  Budget budget(600'000, 1000);
  budget.restore(0);
  int taken = 0;
  for (; budget.has(1000); ++taken) budget.take();
  EXPECT_LE(taken, 600'000);
}

}  // namespace
}  // namespace spinneret::frontier
