// SPDX-License-Identifier: Apache-2.0
// Rows of hosts on their way into kHosts: whenever a host is read, the result is what was last
// committed of it.
#include "frontier/row_log.h"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "frontier/host_log.h"
#include "frontier/meta.h"
#include "frontier/upkeep.h"
#include "unit/frontier/frontier_fixture.h"

namespace spinneret::frontier {
namespace {

TEST(RowLog, GivesWhatItWasGivenOldestFirst) {
  MemoryStore store;
  RowLog log(store);
  for (int batch = 1; batch <= 3; ++batch) {
    log.add(7, "seven " + std::to_string(batch));
    log.add(200 + static_cast<HostId>(batch), "");
    log.stage();
    ASSERT_TRUE(store.commit().ok());
  }
  log.stage();  // nothing was added
  EXPECT_EQ(store.staged(), 0U);
  std::string seen;
  const auto see = [&](RowLog::Number batch, HostId id, std::string_view row) {
    seen += std::to_string(batch) + ":" + std::to_string(id) + ":" + std::string(row) + " ";
  };
  RowLog again(store);
  ASSERT_TRUE(again.read(see).ok());
  EXPECT_EQ(seen, "1:7:seven 1 1:201: 2:7:seven 2 2:202: 3:7:seven 3 3:203: ");
  EXPECT_EQ(again.size(), 6U);
  EXPECT_EQ(again.batches(), 3U);
  EXPECT_EQ(again.next(), 4U);
  seen.clear();
  ASSERT_TRUE(again.take_oldest(see));
  ASSERT_TRUE(store.commit().ok());
  EXPECT_EQ(seen, "1:7:seven 1 1:201: ");
  EXPECT_FALSE(again.get(1, [](HostId, std::string_view) {}));
  LoggedRows rows;
  ASSERT_TRUE(rows.read(store).ok());
  EXPECT_EQ(rows.of(7, "other"), "seven 3");
  EXPECT_EQ(rows.of(8, "other"), "other");
  again.clear();
  ASSERT_TRUE(store.commit().ok());
  EXPECT_TRUE(store.rows(Table::kMeta).empty());
}

TEST(RowLog, WhatIsCutOrMissingIsToldOrWhole) {
  MemoryStore store;
  RowLog log(store);
  for (int batch = 0; batch < 3; ++batch) {
    log.add(1, "one");
    log.add(300, "three hundred");
    log.stage();
    ASSERT_TRUE(store.commit().ok());
  }
  const MemoryStore::Rows rows = store.rows(Table::kMeta);
  const auto second = std::next(rows.begin());
  for (std::size_t size = 0; size < second->second.size(); ++size) {
    store.put(Table::kMeta, second->first, second->second.substr(0, size));
    ASSERT_TRUE(store.commit().ok());
    int given = 0;
    const Status read =
        RowLog(store).read([&](RowLog::Number, HostId, std::string_view) { ++given; });
    // A cut between two rows cannot be recognised; but a store keeps a row whole, or reports it as
    // damaged.
    EXPECT_TRUE(!read.ok() || size == 0 || size == 5) << size;
    EXPECT_LE(given, 6);
  }
  store.erase(Table::kMeta, second->first);
  ASSERT_TRUE(store.commit().ok());
  EXPECT_FALSE(RowLog(store).read([](RowLog::Number, HostId, std::string_view) {}).ok());
}

class LoggedHostsTest : public FrontierTest {
 protected:
  static constexpr int kHosts = 12;
  void SetUp() override {
    options_.politeness.delay_ms = 0;
    options_.politeness.factor_percent = 0;
    options_.in_flight = 100;
    options_.log_page = 4;
    options_.hosts_in_play = 3;
    open();
    std::vector<std::string> urls;
    for (int i = 0; i < 40 * kHosts; ++i)
      urls.push_back("http://h" + std::to_string(i % kHosts) + ".test/" + std::to_string(i));
    seed(urls);
  }
  // Sends and settles all that may go out, in one batch.
  void turn() {
    std::vector<std::string> sent;
    while (frontier_->next(sent_)) sent.push_back(sent_.url);
    ASSERT_TRUE(frontier_->commit_flights().ok());
    for (const std::string& url : sent)
      frontier_->settle({.url = url, .outcome = Outcome::kOk, .status = 200, .size = url.size()});
    ASSERT_TRUE(frontier_->commit().ok());
    clock_.advance_ms(1);
  }
  std::size_t logged() const {
    std::size_t count = 0;
    for (const auto& [key, bytes] : store_.rows(Table::kMeta)) count += is_of_row_log(key) ? 1 : 0;
    return count;
  }
  // Returns the row of each host, without its times.
  std::map<std::string, std::string> hosts() {
    std::map<std::string, std::string> out;
    const Status read = for_each_host(store_, [&](const HostEntry& host) {
      HostRow row = host.row;
      row.wait_ms = row.next_wall_ms = row.next_boot_ms = 0;
      row.boot = 0;
      row.counts.waiting = 0;
      encode_host_row(out[host.origin], row);
      return true;
    });
    EXPECT_TRUE(read.ok()) << read.message();
    return out;
  }
};

TEST_F(LoggedHostsTest, AKilledStateAndAClosedOneAreOneAndTheLogStaysShort) {
  std::size_t most = 0;
  for (int i = 0; i < 30; ++i) {
    turn();
    most = std::max(most, logged());
    const auto here = hosts();
    if (i % 5 == 4) open();  // killed
    EXPECT_EQ(hosts(), here) << i;
    if (i % 7 == 6) reopen();
    EXPECT_EQ(hosts(), here) << i;
    expect_in_order();
  }
  EXPECT_GE(most, 2U);
  EXPECT_LE(most, 4U);  // two rows a host, and what is staged
  EXPECT_EQ(frontier_->statistics().all.done, 30U * kHosts);
  std::uint64_t done = 0;
  ASSERT_TRUE(for_each_host(store_, [&](const HostEntry& host) {
                done += host.row.counts.done;
                return true;
              }).ok());
  EXPECT_EQ(done, 30U * kHosts);
}

TEST_F(LoggedHostsTest, OneHostIsFoundAsAllAre) {
  for (int i = 0; i < 3; ++i) turn();
  ASSERT_GT(logged(), 0U);
  const Result<std::optional<FoundUrl>> found = find_url(store_, "http://h3.test/3");
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->host.row.counts.done, 3U);
}

// Opens by the tables alone, as after a change by hand.
TEST_F(LoggedHostsTest, WithoutTheLogOfHostsTheRowsAreThoseOfTheLastCommit) {
  for (int i = 0; i < 3; ++i) turn();
  const auto here = hosts();
  forget_host_log(store_);
  ASSERT_TRUE(store_.commit().ok());
  open();
  EXPECT_EQ(hosts(), here);
  EXPECT_EQ(frontier_->statistics().all.done, 3U * kHosts);
  turn();
  EXPECT_EQ(frontier_->statistics().all.done, 4U * kHosts);
}

TEST_F(LoggedHostsTest, ChangesByHandAreNotHiddenBehindTheLog) {
  for (int i = 0; i < 3; ++i) turn();
  const auto before = hosts();
  frontier_.reset();
  Result<Upkeep> upkeep = Upkeep::open(store_);
  ASSERT_TRUE(upkeep.ok());
  EXPECT_EQ(logged(), 0U);
  EXPECT_EQ(hosts(), before);
  const auto first = [](std::string_view url) { return url == "http://h0.test/0"; };
  const auto say = [](std::string_view, const UrlRow&) {};
  const Result<std::uint64_t> gone = upkeep->forget(first, say, [] { return true; });
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(*gone, 1U);
  EXPECT_NE(hosts(), before);
  open();
  EXPECT_EQ(frontier_->statistics().all.done, 3U * kHosts - 1);
  expect_in_order();
}

TEST_F(LoggedHostsTest, EmptyingTheLogChangesNothing) {
  for (int i = 0; i < 5; ++i) turn();
  const auto here = hosts();
  frontier_.reset();
  ASSERT_TRUE(Upkeep::open(store_).ok());
  EXPECT_EQ(hosts(), here);
  ASSERT_TRUE(Upkeep::open(store_).ok());
  EXPECT_EQ(hosts(), here);
}

// Up to format 9 all rows were in kHosts.
TEST_F(LoggedHostsTest, AStateOfFormat9IsTakenAsItIs) {
  for (int i = 0; i < 3; ++i) turn();
  ASSERT_TRUE(frontier_->close().ok());
  frontier_.reset();
  ASSERT_TRUE(Upkeep::open(store_).ok());
  store_.put(Table::kMeta, kFormatKey, encode_number(9));
  ASSERT_TRUE(store_.commit().ok());
  const auto before = hosts();
  open();
  EXPECT_EQ(hosts(), before);
  std::string bytes;
  ASSERT_TRUE(store_.get(Table::kMeta, kFormatKey, bytes));
  EXPECT_EQ(bytes, encode_number(kFormat));
  turn();
  EXPECT_EQ(frontier_->statistics().all.done, 4U * kHosts);
  expect_in_order();
}

// Bug: such a state could neither be opened nor repaired.
TEST_F(LoggedHostsTest, BugAGapInTheLogStoppedTheRepair) {
  options_.in_flight = 4;  // so that a batch has few rows
  open();
  for (int i = 0; i < 10; ++i) turn();
  const std::uint64_t done_before = frontier_->statistics().all.done;
  frontier_.reset();
  std::vector<std::string> batches;
  for (const auto& [key, bytes] : store_.rows(Table::kMeta)) {
    if (is_of_row_log(key)) batches.push_back(key);
  }
  ASSERT_GE(batches.size(), 3U);
  store_.erase(Table::kMeta, batches[1]);
  store_.put(Table::kMeta, batches.back(), "\x01\xff");
  ASSERT_TRUE(store_.commit().ok());
  std::string told;
  const auto problem = [&told](const std::string& each) { told += each + "\n"; };
  ASSERT_TRUE(verify(store_, problem).ok());
  EXPECT_NE(told.find("rows of hosts before batch"), std::string::npos) << told;
  EXPECT_NE(told.find("rows of hosts of batch"), std::string::npos) << told;
  EXPECT_FALSE(Upkeep::open(store_).ok());
  {
    Result<Upkeep> upkeep = Upkeep::open_damaged(store_);
    ASSERT_TRUE(upkeep.ok()) << upkeep.message();
    const Status done = upkeep->repair();
    ASSERT_TRUE(done.ok()) << done.message();
  }
  EXPECT_EQ(logged(), 0U);
  told.clear();
  ASSERT_TRUE(verify(store_, problem).ok());
  EXPECT_EQ(told, "");
  open();
  EXPECT_EQ(frontier_->statistics().all.done, done_before);
  turn();
  EXPECT_GT(frontier_->statistics().all.done, done_before);
  expect_in_order();
}

// With one result a commit its row goes straight into its table.
TEST_F(LoggedHostsTest, ARowAloneGoesIntoTheTable) {
  options_.log_page = 4096;
  open();
  for (int i = 0; i < 3; ++i) {
    ASSERT_FALSE(next().empty());
    settle(sent_.url);
  }
  EXPECT_EQ(logged(), 0U);
}

}  // namespace
}  // namespace spinneret::frontier
