// SPDX-License-Identifier: Apache-2.0
// States are cut in two in the middle of a crawl, and the crawl goes on with twice as many
// partitions.
#include "cluster/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bus/memory_bus.h"
#include "cluster/copies.h"
#include "cluster/store_tables.h"
#include "frontier/inspect.h"
#include "frontier/meta.h"
#include "unit/cluster/crawler.h"
#include "url/parse.h"

namespace spinneret::cluster {
namespace {

using frontier::MemoryStore;
using frontier::Table;

constexpr std::uint32_t kParts = 2;

Status split(MemoryStore& from, std::uint32_t partition, std::array<frontier::Store*, 2> into,
             std::array<Half, 2>& halves, std::uint32_t parts = kParts) {
  const Partitions of(2 * parts);
  Url scratch;
  return split_state(
      from, partition, Begun(parts), [&](std::string_view url) { return of.of_text(url, scratch); },
      into, halves);
}

std::size_t urls_in(const MemoryStore::Rows& rows) {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const auto& row) { return !frontier::is_via_key(row.first); }));
}

using Crawlers = std::vector<std::unique_ptr<Crawler>>;

// Returns the newest row of each host, whether it is in the table or on its way there.
std::map<std::string, std::string> hosts_of(const Crawlers& crawlers) {
  std::map<std::string, std::string> out;
  for (const auto& one : crawlers) {
    const Status read = frontier::for_each_host(one->store(), [&](const frontier::HostEntry& host) {
      frontier::encode_host_row(out[host.origin], host.row);
      return true;
    });
    EXPECT_TRUE(read.ok()) << read.message();
  }
  return out;
}

// Returns the rows of kUrls, with the host's name in place of its number, or those of what waits.
std::map<std::string, std::string> rows_of(const Crawlers& crawlers, Table table) {
  std::map<std::string, std::string> out;
  for (const auto& one : crawlers) {
    std::map<std::string, std::string> names;
    for (const auto& [origin, bytes] : one->store().rows(Table::kHosts)) {
      frontier::HostRow row;
      EXPECT_TRUE(frontier::decode_host_row(bytes, row));
      std::string prefix;
      frontier::make_host_prefix(prefix, row.id);
      names[prefix] = origin;
    }
    for (const auto& [key, value] : one->store().rows(table)) {
      if (frontier::is_via_key(key)) continue;  // it belongs to no host
      const std::string name =
          table == Table::kHosts ? key : names.at(key.substr(0, 4)) + key.substr(4);
      EXPECT_TRUE(out.emplace(name, value).second) << name;
    }
  }
  return out;
}

// Every half must be a consistent state: its counts are those of its rows, what waits has a place,
// and all belongs to its part.
void expect_sound(Crawler& half, std::uint32_t part, FakeClock& clock) {
  MemoryStore copy = half.store();
  frontier::Options options;
  Result<std::unique_ptr<frontier::Frontier>> opened =
      frontier::Frontier::open(copy, clock, options);
  ASSERT_TRUE(opened.ok()) << opened.message();
  ASSERT_TRUE((*opened)->close().ok());
  const auto seen = frontier::verify(copy, [](const std::string& problem) { FAIL() << problem; });
  ASSERT_TRUE(seen.ok()) << seen.message();
  const Partitions of(2 * kParts);
  Url scratch;
  for (const auto& [origin, row] : half.store().rows(Table::kHosts))
    EXPECT_EQ(of.of_text(origin, scratch), part) << origin;
}

void turn_all(const Crawlers& crawlers, FakeClock& clock, std::mt19937& random) {
  clock.advance_ms(50);
  for (const auto& one : crawlers) one->turn(random);
}

Crawlers make(std::uint32_t count, bus::Bus& bus, lease::MemoryLeaseEngine& engine,
              FakeClock& clock) {
  Crawlers out;
  for (std::uint32_t p = 0; p < count; ++p)
    out.push_back(std::make_unique<Crawler>(PartOf{p, count}, bus, engine, clock));
  return out;
}

TEST(Split, ACrawlThatIsKilledAndSplitAtAnyMomentLosesNoPageAndGoesOn) {
  std::size_t links = 0, in_the_middle = 0;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    FakeClock clock;
    lease::MemoryLeaseEngine engine, other_engine;
    bus::MemoryBus bus(64 << 10, {.lose = 0.2, .repeat = 0.1, .delay = 0.1}, seed), other_bus;
    const Crawlers before = make(kParts, bus, engine, clock);
    // The quarantine of the leases is over after 200 turns.
    for (std::uint32_t turn = 0; turn < 205 + seed * 8; ++turn) turn_all(before, clock, random);
    for (const auto& one : before) one->kill();
    const Crawlers after = make(2 * kParts, other_bus, other_engine, clock);
    for (std::uint32_t p = 0; p < kParts; ++p) {
      std::array<Half, 2> halves;
      const auto rows = before[p]->store().rows(Table::kUrls);
      const Status done = split(before[p]->store(), p,
                                {&after[2 * p]->store(), &after[2 * p + 1]->store()}, halves);
      ASSERT_TRUE(done.ok()) << done.message();
      EXPECT_EQ(before[p]->store().rows(Table::kUrls), rows);
      EXPECT_EQ(halves[0].urls + halves[1].urls, urls_in(rows));
      EXPECT_EQ(halves[0].urls, urls_in(after[2 * p]->store().rows(Table::kUrls)));
      links += halves[0].links;
    }
    EXPECT_EQ(hosts_of(after), hosts_of(before)) << seed;
    for (const Table table : {Table::kUrls, Table::kQueue})
      EXPECT_EQ(rows_of(after, table), rows_of(before, table)) << seed;
    for (std::uint32_t p = 0; p < 2 * kParts; ++p) expect_sound(*after[p], p, clock);
    std::set<std::string> pages;
    for (const auto& one : before) pages.insert(one->fetched().begin(), one->fetched().end());
    if (pages.size() < kSites * kPages) ++in_the_middle;
    for (int turn = 0; turn < 20'000; ++turn) {
      turn_all(after, clock, random);
      if (std::all_of(after.begin(), after.end(), [](const auto& one) { return one->over(); }))
        break;
    }
    std::size_t fetches = 0;
    for (const auto& one : after) {
      EXPECT_TRUE(one->over()) << seed;
      pages.insert(one->fetched().begin(), one->fetched().end());
      fetches += one->fetched().size();
    }
    EXPECT_EQ(pages.size(), kSites * kPages) << seed;
    // A page that was done stays done; one in flight at the kill goes out again.
    std::size_t done = 0;
    for (const auto& one : before)
      done += std::set<std::string>(one->fetched().begin(), one->fetched().end()).size();
    EXPECT_LE(fetches, kSites * kPages - done + kParts * 64) << seed;
  }
  // Otherwise the test would have shown nothing.
  EXPECT_GT(links, 100U);
  EXPECT_GT(in_the_middle, 20U);
}

// Makes a consistent state with some hosts of the partition.
void fill(MemoryStore& store, std::uint32_t partition, FakeClock& clock) {
  frontier::Options options;
  const Partitions of(kParts);
  options.partitions = &of;
  options.partition = partition;
  auto frontier = frontier::Frontier::open(store, clock, options).take();
  for (int i = 0; i < kSites * kPages; ++i) frontier->offer({.url = page_at(i)});
  frontier->seal();
  ASSERT_TRUE(frontier->commit().ok());
  ASSERT_TRUE(frontier->close().ok());
}

TEST(Split, LinksOfTheOutboxGoToWhereTheyBelongNowAndNoneIsLeftOut) {
  FakeClock clock;
  MemoryStore from;
  fill(from, 1, clock);
  StoreTables tables(from);
  Sender sender(tables, {.source = "p1"});
  ASSERT_TRUE(sender.open().ok());
  sender.stamp(77);
  std::multiset<std::string> offered;
  for (int i = 0; i < 1000; ++i) {
    const std::string line = page(i % 50, i) + "\tdepth=3\tvia=http://www.site1.example/";
    offered.insert(line);
    sender.offer(0, line, 0);
    if (i % 70 == 0) sender.stage(0);
  }
  sender.stage(0);
  ASSERT_TRUE(from.commit().ok());
  sender.committed();
  Receiver receiver(tables, {.partition = 1});
  ASSERT_TRUE(receiver.open(78).ok());
  EXPECT_EQ(receiver.take({"p0", 1, 99, 1, "http://www.site2.example/\n"}, 0), Take::kAdmit);
  receiver.stage();
  ASSERT_TRUE(from.commit().ok());
  std::array<MemoryStore, 2> into;
  std::array<Half, 2> halves;
  ASSERT_TRUE(split(from, 1, {&into[0], &into[1]}, halves).ok());
  EXPECT_EQ(halves[0].links, 1000U);
  EXPECT_EQ(halves[1].links, 0U);
  const Partitions of(2 * kParts);
  Url scratch;
  std::multiset<std::string> left;
  StoreTables first(into[0]);
  for_each_waiting(first, [&](std::uint32_t destination, std::string_view lines) {
    while (!lines.empty()) {
      const std::string line(lines.substr(0, lines.find('\n')));
      lines.remove_prefix(line.size() + 1);
      EXPECT_EQ(destination, of.of_text(line.substr(0, line.find('\t')), scratch));
      left.insert(line);
    }
  });
  EXPECT_EQ(left, offered);
  std::set<std::string> names;
  for (MemoryStore& half : into) {
    StoreTables own(half);
    Sender opened(own, {.source = "p2"});
    ASSERT_TRUE(opened.open().ok());
    EXPECT_EQ(opened.state_epoch(), 99U);
    EXPECT_TRUE(half.rows(Table::kInbox).empty());
    names.insert(name_state(half));
  }
  names.insert(name_state(from));
  EXPECT_EQ(names.size(), 3U);
}

TEST(Split, WhatIsOfAnotherPartOrDamagedOrOlderIsNotSplit) {
  FakeClock clock;
  MemoryStore from;
  fill(from, 1, clock);
  const auto refusal = [](MemoryStore& state, std::uint32_t partition, std::uint32_t parts) {
    std::array<MemoryStore, 2> into;
    std::array<Half, 2> halves;
    const Status done = split(state, partition, {&into[0], &into[1]}, halves, parts);
    return done.ok() ? "" : done.message();
  };
  EXPECT_EQ(refusal(from, 1, kParts), "");
  EXPECT_NE(refusal(from, 0, kParts).find("is of partition 1, and not of 0"), std::string::npos);
  EXPECT_NE(refusal(from, 1, 7).find("another list of public suffixes?"), std::string::npos);
  MemoryStore odd = from;
  odd.put(Table::kQueue, std::string("\0\0\x7f\0\x05\0\0\0\0\x01", 10), "x");
  ASSERT_TRUE(odd.commit().ok());
  EXPECT_NE(refusal(odd, 1, kParts).find("--verify --repair"), std::string::npos);
  MemoryStore older = from;
  older.put(Table::kMeta, frontier::kFormatKey, frontier::encode_number(7));
  ASSERT_TRUE(older.commit().ok());
  EXPECT_NE(refusal(older, 1, kParts).find("of an older release"), std::string::npos);
  MemoryStore damaged = from;
  damaged.put(Table::kHosts, "http://x.test", "\xff");
  ASSERT_TRUE(damaged.commit().ok());
  EXPECT_NE(refusal(damaged, 1, kParts).find("x.test is damaged"), std::string::npos);
  // The disk is full.
  std::array<MemoryStore, 2> into;
  std::array<Half, 2> halves;
  into[1].fail_next_commit();
  EXPECT_FALSE(split(from, 1, {&into[0], &into[1]}, halves).ok());
}

}  // namespace
}  // namespace spinneret::cluster
