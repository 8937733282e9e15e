// SPDX-License-Identifier: Apache-2.0
// Rows of URLs by fingerprint: how states of older formats are moved, killed at every batch, and
// the memory of recently seen URLs.
#include "frontier/url_table.h"

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontier/overlay_store.h"
#include "frontier/recent_urls.h"
#include "frontier/upkeep.h"
#include "frontier/vias.h"
#include "frontier_fixture.h"

namespace spinneret::frontier {
namespace {

TEST(UrlKey, FingerprintsAreTheSameOnEveryMachine) {
  EXPECT_EQ(fingerprint_of("/"), 14358199731505944110U);
  std::string key;
  make_url_key(key, 0x01020304, "/");
  EXPECT_EQ(key.size(), 12U);
  EXPECT_EQ(key.substr(0, 4), "\x01\x02\x03\x04");
  EXPECT_FALSE(is_old_url_key(key));
  HostId host = 0;
  EXPECT_TRUE(split_url_key(key, host));
  EXPECT_EQ(host, 0x01020304U);
  for (const char* const rest : {"", "/", "/1234567", "me:pw@/1234"}) {
    make_old_url_key(key, 7, rest);
    EXPECT_TRUE(is_old_url_key(key)) << rest;
    EXPECT_FALSE(split_url_key(key, host)) << rest;
  }
}

// Returns a row as in formats 3 to 7: without `rest`, whose length is one byte where it is empty.
std::string old_row(UrlRow row, std::string_view origin) {
  std::string stub;
  std::string bytes;
  row.rest.clear();
  encode_url_row(bytes, row, origin);
  if (row.is_stub) return bytes;
  row.is_stub = true;
  encode_url_row(stub, row, origin);
  return bytes.erase(stub.size(), 1);
}

// A store whose commits fail after the first few.
class DyingStore : public OverlayStore {
 public:
  DyingStore(MemoryStore& base, int batches)
      : OverlayStore(base, base), base_(base), left_(batches) {}
  bool get(Table table, std::string_view key, std::string& value) override {
    return base_.get(table, key, value);
  }
  std::unique_ptr<Cursor> scan(Table table, std::string_view end = {}) override {
    return base_.scan(table, end);
  }
  void put(Table table, std::string_view key, std::string_view value) override {
    base_.put(table, key, value);
  }
  void erase(Table table, std::string_view key) override { base_.erase(table, key); }
  Status commit() override {
    if (left_-- <= 0) base_.fail_next_commit();
    return base_.commit();
  }

 private:
  MemoryStore& base_;
  int left_;
};

// Returns the store as another process finds it after a crash.
MemoryStore with_rows_of(const MemoryStore& dead) {
  MemoryStore store;
  for (const Table table :
       {Table::kMeta, Table::kHosts, Table::kUrls, Table::kQueue, Table::kLater}) {
    for (const auto& [key, value] : dead.rows(table)) store.put(table, key, value);
  }
  EXPECT_TRUE(store.commit().ok());
  return store;
}

class UrlTableTest : public FrontierTest {
 protected:
  // Crawls for some turns and is killed: pages are done, have failed, wait, will be tried again, or
  // are in flight.
  void crawl() {
    options_.order = Order::kInlinks;
    options_.retry_delay_ms = 1000;
    options_.politeness.delay_ms = 10;
    open();
    seed({"http://h0.test/0", "http://me:pw@h1.test/secret?a"});
    for (int turn = 0; turn < 12; ++turn) {
      std::vector<std::string> sent;
      for (Dispatch out; sent.size() < 3 && frontier_->next(out);) sent.push_back(out.url);
      ASSERT_TRUE(frontier_->commit_flights().ok());
      for (const std::string& url : sent) {
        if (turn == 11) return;
        for (int i = 0; i < 4; ++i) {
          const int page = turn * 7 + i;
          frontier_->offer(
              {.url = "http://h" + std::to_string(page % 5) + ".test/page/" + std::to_string(page),
               .depth = 1,
               .via = url});
        }
        const Outcome outcome = turn % 4 == 1   ? Outcome::kGone
                                : turn % 4 == 2 ? Outcome::kTimeout
                                                : Outcome::kOk;
        frontier_->settle({.url = url, .outcome = outcome, .status = 200, .etag = "\"e\""});
      }
      ASSERT_TRUE(frontier_->commit().ok());
      clock_.advance_ms(30);
    }
  }

  // Returns everything that is known of every URL.
  static std::map<std::string, std::string> pages(Store& store) {
    std::map<std::string, std::string> out;
    const Status read = for_each_host(store, [&](const HostEntry& host) {
      std::string last;
      const Status urls = for_each_url(store, host, [&](std::string_view rest, const UrlRow& row) {
        EXPECT_LT(last, rest);  // sorted
        last = rest;
        EXPECT_EQ(row.rest, rest);
        UrlRow plain = row;
        plain.via_number = 0;  // older formats have the page's URL alone
        encode_url_row(out[join_url(host.origin, rest)], plain, host.origin);
        return true;
      });
      EXPECT_TRUE(urls.ok());
      return true;
    });
    EXPECT_TRUE(read.ok());
    return out;
  }

  void name_in_full(UrlRow& row) {
    EXPECT_TRUE(Vias(store_).name(row));
    row.via_number = 0;
  }

  // Turns the content of `store_` into a state of an older format.
  void make_old(std::uint64_t format) {
    std::map<HostId, std::string> origins;
    ASSERT_TRUE(for_each_host(store_, [&](const HostEntry& host) {
                  origins[host.row.id] = host.origin;
                  return true;
                }).ok());
    const MemoryStore::Rows rows = store_.rows(Table::kUrls);
    std::string old_key;
    for (const auto& [key, bytes] : rows) {
      if (is_via_key(key)) {
        store_.erase(Table::kUrls, key);
        continue;
      }
      HostId id = 0;
      UrlRow row;
      ASSERT_TRUE(split_url_key(key, id) && decode_url_row(bytes, origins.at(id), row));
      std::string rest = row.rest;
      if (row.is_stub) {
        std::string place;
        std::string value;
        QueueEntry entry;
        make_queue_key(place, id, Place::of(row.priority, row.arrival));
        ASSERT_TRUE(store_.get(Table::kQueue, place, value) && decode_queue_entry(value, entry));
        rest = entry.rest;
        UrlRow whole = row;
        fill_row(whole, entry, Place::of(row.priority, row.arrival), origins.at(id));
        name_in_full(whole);
        encode_queue_entry(value, entry_of(whole, origins.at(id), rest));
        store_.put(Table::kQueue, place, value);
      } else {
        name_in_full(row);
      }
      make_old_url_key(old_key, id, rest);
      store_.erase(Table::kUrls, key);
      store_.put(Table::kUrls, old_key, old_row(row, origins.at(id)));
    }
    store_.put(Table::kMeta, kFormatKey, encode_number(format));
    ASSERT_TRUE(store_.commit().ok());
  }

  std::size_t old_keys() const {
    std::size_t count = 0;
    for (const auto& [key, bytes] : store_.rows(Table::kUrls)) count += is_old_url_key(key);
    return count;
  }
};

TEST_F(UrlTableTest, AnOlderStateIsReadAsItIsAndMovedByWhoOpensIt) {
  for (const std::uint64_t format : {7U, 6U, 5U, 4U}) {
    store_ = MemoryStore();
    crawl();
    const auto before = pages(store_);
    ASSERT_GT(before.size(), 20U);
    make_old(format);
    EXPECT_EQ(old_keys(), before.size());
    EXPECT_EQ(pages(store_), before);
    expect_in_order();
    EXPECT_EQ(row("http://me:pw@h1.test/secret?a").rest, "me:pw@/secret?a");
    options_.order = std::nullopt;
    open();
    EXPECT_EQ(old_keys(), 0U);
    EXPECT_EQ(pages(store_), before);
    expect_in_order();
    std::string bytes;
    EXPECT_FALSE(store_.get(Table::kMeta, kMovingKey, bytes));
    ASSERT_TRUE(store_.get(Table::kMeta, kFormatKey, bytes));
    EXPECT_EQ(bytes, encode_number(kFormat));
    // The crawl goes on: no URL is there twice, and all of them come out.
    for (int turns = 0; turns < 500 && !frontier_->exhausted(); ++turns) {
      const std::string url = next();
      if (!url.empty()) settle(url);
      clock_.advance_ms(1000);
      ASSERT_TRUE(frontier_->commit().ok());
    }
    EXPECT_EQ(frontier_->statistics().all.waiting, 0U);
    EXPECT_EQ(pages(store_).size(), before.size());
  }
}

// The opening dies after any of its batches, or in the middle of the next.
TEST_F(UrlTableTest, AMoveThatIsKilledAtAnyBatchGoesOn) {
  crawl();
  const auto before = pages(store_);
  make_old(7);
  const MemoryStore old = store_;
  std::set<std::size_t> left;
  for (int batches = 0;; ++batches) {
    store_ = old;
    const Result<Meta> meta = read_meta(store_);
    ASSERT_TRUE(meta.ok());
    DyingStore dying(store_, batches);
    const Status moved = move_urls(dying, *meta, 4);
    store_ = with_rows_of(store_);
    left.insert(old_keys());
    EXPECT_EQ(pages(store_), before);
    expect_in_order();
    if (moved.ok()) break;
    const Result<Meta> again = read_meta(store_);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->format, 7U);  // even if only a part is
    store_.drop_staged();
    // The move goes on by hand, or by a crawl.
    if (batches % 2 == 0) {
      ASSERT_TRUE(Upkeep::open(store_).ok());
    } else {
      open();
    }
    EXPECT_EQ(old_keys(), 0U);
    EXPECT_EQ(pages(store_), before);
    expect_in_order();
  }
  EXPECT_GT(left.size(), 10U);
}

// A URL's fingerprint may find the row of another URL.
TEST_F(UrlTableTest, AUrlOfTheSameFingerprintIsTakenForTheOneThatIsThere) {
  open();
  seed({"http://a.test/1"});
  settle(next());
  HostId host = 0;
  std::string key = store_.rows(Table::kUrls).begin()->first;
  ASSERT_TRUE(split_url_key(key, host));
  const std::string bytes = store_.rows(Table::kUrls).begin()->second;
  make_url_key(key, host, "/2");  // as if both URLs had this fingerprint
  store_.put(Table::kUrls, key, bytes);
  ASSERT_TRUE(store_.commit().ok());
  frontier_->offer({.url = "http://a.test/2", .depth = 0, .priority = 0, .raises = true});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(frontier_->statistics().known, 1U);
  EXPECT_EQ(frontier_->statistics().all.waiting, 0U);
  EXPECT_EQ(store_.rows(Table::kUrls).at(key), bytes);
}

// A link that was seen a moment ago is not looked up, unless it says something new.
TEST_F(UrlTableTest, WhatWasSeenLatelyIsStillRaisedByAShorterWay) {
  open();
  const auto link = [&](std::uint32_t depth, std::uint8_t priority, bool raises) {
    frontier_->offer(
        {.url = "http://a.test/1", .depth = depth, .priority = priority, .raises = raises});
    frontier_->seal();
    ASSERT_TRUE(frontier_->commit().ok());
  };
  for (const std::uint32_t depth : {5U, 7U, 5U, 4U, 4U, 3U, 9U}) link(depth, 5, false);
  EXPECT_EQ(row("http://a.test/1").depth, 3U);
  link(9, 2, true);
  EXPECT_EQ(row("http://a.test/1").priority, 2);
  EXPECT_EQ(frontier_->statistics().known, 7U);
  EXPECT_EQ(frontier_->statistics().admitted, 1U);
  expect_in_order();
}

// Bug: the URLs were raised in the order of their keys, which means nothing.
TEST_F(UrlTableTest, WhatABatchRaisesGoesInTheOrderInWhichItCame) {
  open();
  std::vector<std::string> urls;
  for (int i = 0; i < 20; ++i) urls.push_back("http://a.test/" + std::to_string(i));
  seed(urls);
  for (const std::string& url : urls)
    frontier_->offer({.url = url, .depth = 1, .priority = 0, .raises = true});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  frontier_->assume_rules();
  for (const std::string& url : urls) {
    clock_.advance_ms(60'000);
    EXPECT_EQ(next(), url);
    settle(url);
  }
}

TEST(RecentUrls, KnowsWhatATwinKnowsWhileItGrows) {
  RecentUrls recent(std::size_t{1} << 20);
  std::map<std::pair<HostId, std::uint64_t>, std::uint32_t> twin;
  std::mt19937_64 random(7);
  int forgotten = 0;
  for (int i = 0; i < 60'000; ++i) {
    const auto host = static_cast<HostId>(random() % 50);
    const std::uint64_t fingerprint = fingerprint_of(std::to_string(random() % 2000));
    const auto depth = static_cast<std::uint32_t>(random() % 70);
    const auto known = twin.find({host, fingerprint});
    const bool expected = known != twin.end() && depth >= known->second;
    const bool known_here = recent.knows(host, fingerprint, depth);
    EXPECT_TRUE(expected || !known_here);
    forgotten += expected && !known_here ? 1 : 0;
    recent.add(host, fingerprint, depth);
    if (depth <= RecentUrls::kMostDepth) twin[{host, fingerprint}] = depth;
  }
  EXPECT_GT(twin.size(), 40'000U);
  EXPECT_LT(forgotten, 600);
  EXPECT_EQ(recent.bytes(), std::size_t{1} << 19);
}

TEST(RecentUrls, ForgetsRatherThanGrowBeyondItsBytes) {
  RecentUrls recent(std::size_t{1} << 16);  // 8,192 words
  for (std::uint64_t i = 0; i < 100'000; ++i) recent.add(1, fingerprint_of(std::to_string(i)), 3);
  EXPECT_EQ(recent.bytes(), std::size_t{1} << 16);
  int known = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i)
    known += recent.knows(1, fingerprint_of(std::to_string(i)), 3) ? 1 : 0;
  EXPECT_GT(known, 7500);
  EXPECT_LE(known, 8192);
  int late = 0;
  for (std::uint64_t i = 99'000; i < 100'000; ++i)
    late += recent.knows(1, fingerprint_of(std::to_string(i)), 3) ? 1 : 0;
  EXPECT_GT(late, 900);
}

}  // namespace
}  // namespace spinneret::frontier
