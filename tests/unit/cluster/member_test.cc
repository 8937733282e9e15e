// SPDX-License-Identifier: Apache-2.0
// Whole partitions, with their frontiers, crawl a synthetic web over a bus and leases in memory:
// owners are killed, the engine forgets, and the bus does everything wrong that a bus may do. The
// clock is injected, so that nothing waits.
#include "cluster/member.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/memory_bus.h"
#include "cluster/beater.h"
#include "cluster/copies.h"
#include "cluster/memory_channel_store.h"
#include "frontier/memory_store.h"
#include "lease/memory_leases.h"
#include "unit/cluster/crawler.h"
#include "url/partition.h"

namespace spinneret::cluster {
namespace {

constexpr std::uint32_t kPartitions = 4;

void renewed(Member& member, lease::Leases& leases, const Clock& clock) {
  Member* const all[] = {&member};
  renew(all, leases, clock);
}

struct Outcome4 {
  std::size_t pages = 0;
  std::size_t fetches = 0;
  int kills = 0;
  bool over = false;
};

Outcome4 crawl(std::uint32_t seed, const bus::MemoryBus::Faults& faults, bool kills, bool forgets) {
  std::mt19937 random(seed);
  FakeClock clock;
  bus::MemoryBus bus(64 << 10, faults, seed);
  lease::MemoryLeaseEngine engine;
  std::vector<std::unique_ptr<Crawler>> nodes;
  for (std::uint32_t p = 0; p < kPartitions; ++p)
    nodes.push_back(std::make_unique<Crawler>(PartOf{p, kPartitions}, bus, engine, clock));
  Outcome4 out;
  for (int step = 0; step < 60'000 && !out.over; ++step) {
    clock.advance_ms(50);
    const bool trouble = step < 20'000;
    if (trouble && kills && random() % 150 == 0) {
      nodes[random() % kPartitions]->kill();
      ++out.kills;
    }
    if (trouble && forgets && random() % 1500 == 0) {
      bus.forget();
      engine.forget();
    }
    if (trouble && forgets) engine.away = random() % 2000 < 3;
    if (!trouble) bus.set_faults({});
    if (!trouble) engine.away = false;
    out.over = true;
    for (const std::unique_ptr<Crawler>& node : nodes) {
      node->turn(random);
      out.over = out.over && node->over();
    }
  }
  std::set<std::string> pages;
  for (const std::unique_ptr<Crawler>& node : nodes) {
    out.fetches += node->fetched().size();
    pages.insert(node->fetched().begin(), node->fetched().end());
  }
  out.pages = pages.size();
  return out;
}

TEST(Member, FourPartitionsCrawlAWebAndEndByThemselves) {
  const Outcome4 out = crawl(1, {}, false, false);
  EXPECT_TRUE(out.over);
  EXPECT_EQ(out.pages, kSites * kPages);
  EXPECT_EQ(out.fetches, out.pages);
}

TEST(Member, NoLinkIsLostWhateverTheBusAndTheEngineDo) {
  int kills = 0;
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    const bus::MemoryBus::Faults faults{
        .lose = 0.1, .repeat = 0.1, .reorder = 0.1, .delay = 0.05, .fail = 0.02, .forget = 0.002};
    const Outcome4 out = crawl(seed, faults, true, true);
    EXPECT_TRUE(out.over) << seed;
    EXPECT_EQ(out.pages, kSites * kPages) << seed;
    kills += out.kills;
    // After a kill everything in flight is fetched again.
    EXPECT_LE(out.fetches, out.pages + static_cast<std::size_t>(out.kills + 20) * 24) << seed;
  }
  EXPECT_GT(kills, 60);
}

// Thrown to end a process of several partitions in the middle of a step.
struct Struck {};

// Two machines have three partitions each: links within a machine take the direct path, the others
// the bus.
TEST(Member, NoLinkIsLostBetweenPartitionsOfOneProcessWhicheverStepItDiesAt) {
  constexpr std::uint32_t kMachines = 2, kEach = 3;
  int struck = 0;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    FakeClock clock;
    bus::MemoryBus bus(64 << 10,
                       {.lose = 0.1, .repeat = 0.1, .reorder = 0.1, .fail = 0.02, .forget = 0.002},
                       seed);
    lease::MemoryLeaseEngine engine;
    bool trouble = true;
    std::array<Household, kMachines> households;
    std::vector<std::unique_ptr<Crawler>> all;
    for (std::uint32_t p = 0; p < kMachines * kEach; ++p) {
      all.push_back(std::make_unique<Crawler>(PartOf{p, kMachines * kEach}, bus, engine, clock,
                                              &households[p / kEach], [&] {
                                                if (trouble && random() % 1500 == 0) throw Struck();
                                              }));
    }
    bool over = false;
    for (int step = 0; step < 60'000 && !over; ++step) {
      clock.advance_ms(50);
      trouble = step < 10'000;
      if (!trouble) bus.set_faults({});
      // One partition loses its lease, and its neighbours go on.
      if (trouble && random() % 700 == 0)
        engine.leases.erase(
            partition_name(static_cast<std::uint32_t>(random() % (kMachines * kEach))));
      over = true;
      for (std::uint32_t machine = 0; machine < kMachines; ++machine) {
        try {
          for (std::uint32_t p = machine * kEach; p < (machine + 1) * kEach; ++p) {
            all[p]->turn(random);
            over = over && all[p]->over();
          }
        } catch (const Struck&) {
          ++struck;
          over = false;
          for (std::uint32_t p = machine * kEach; p < (machine + 1) * kEach; ++p) all[p]->kill();
        }
      }
    }
    EXPECT_TRUE(over) << seed;
    std::set<std::string> pages;
    for (const std::unique_ptr<Crawler>& one : all)
      pages.insert(one->fetched().begin(), one->fetched().end());
    EXPECT_EQ(pages.size(), std::size_t{kSites * kPages}) << seed;
  }
  EXPECT_GT(struck, 40);
}

TEST(Member, TermsAreThoseOfWhoeverCameFirst) {
  FakeClock clock;
  lease::MemoryLeaseEngine engine;
  bus::MemoryBus bus;
  lease::MemoryLeases a(engine, clock, "a", kTtlMs), b(engine, clock, "b", kTtlMs);
  EXPECT_EQ(partitions_of(*a.read("crawl")), 0U);
  Member first({.partitions = 4}, {bus, a}, clock);
  Member same({.partition = 1, .partitions = 4}, {bus, b}, clock);
  Member other({.partition = 1, .partitions = 8}, {bus, b}, clock);
  EXPECT_TRUE(first.agree().ok());
  EXPECT_TRUE(same.agree().ok());
  EXPECT_EQ(partitions_of(*a.read("crawl")), 4U);
  const Status refused = other.agree();
  ASSERT_FALSE(refused.ok());
  EXPECT_FALSE(other.may_come_back());
  EXPECT_NE(refused.message().find("begun with \"partitions=4\", and here it is \"partitions=8\""),
            std::string::npos);
}

TEST(Member, AnotherStateOfThePartitionIsRefused) {
  FakeClock clock;
  lease::MemoryLeaseEngine engine;
  bus::MemoryBus bus;
  lease::MemoryLeases a(engine, clock, "a", kTtlMs), b(engine, clock, "b", kTtlMs);
  frontier::MemoryStore here, there;
  Member first({.ttl_ms = kTtlMs}, {bus, a}, clock);
  ASSERT_TRUE(*first.take());
  EXPECT_FALSE(first.may_open());
  ASSERT_TRUE(first.open(here).ok());
  first.leave();
  Member second({.ttl_ms = kTtlMs}, {bus, b}, clock);
  ASSERT_TRUE(*second.take());
  const Status refused = second.open(there);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.message().find("has its state elsewhere"), std::string::npos);
  EXPECT_TRUE(second.open(here).ok());
}

TEST(Member, AnEngineThatIsAwayIsNoOtherCrawl) {
  FakeClock clock;
  lease::MemoryLeaseEngine engine;
  bus::MemoryBus bus;
  lease::MemoryLeases a(engine, clock, "a", kTtlMs);
  frontier::MemoryStore store;
  Member member({.ttl_ms = kTtlMs}, {bus, a}, clock);
  engine.away = true;
  EXPECT_FALSE(member.agree().ok());
  EXPECT_TRUE(member.may_come_back());
  engine.away = false;
  EXPECT_TRUE(member.agree().ok());
  EXPECT_FALSE(member.may_come_back());
  ASSERT_TRUE(*member.take());
  engine.away = true;
  EXPECT_FALSE(member.open(store).ok());
  EXPECT_TRUE(member.may_come_back());
}

TEST(Member, SendersThatEndedLongAgoAreForgottenAtTheOpening) {
  FakeClock clock;
  lease::MemoryLeaseEngine engine;
  bus::MemoryBus bus;
  lease::MemoryLeases a(engine, clock, "a", kTtlMs);
  frontier::MemoryStore store;
  const auto rows = [&store] {
    int count = 0;
    const auto at = store.scan(frontier::Table::kInbox);
    for (at->seek(""); at->valid(); at->next()) ++count;
    return count;
  };
  for (const int expected : {1, 1, 0}) {
    Member member({.ttl_ms = kTtlMs}, {bus, a}, clock);
    ASSERT_TRUE(*member.take());
    ASSERT_TRUE(member.open(store).ok());
    if (engine.tables["seen"].empty()) {
      std::string message;
      append_frame(message, {"s-1", 0, 1, 1, "http://a.test/\n"});
      std::vector<bus::Appended> outcomes;
      const bus::Item item{"p0", message};
      ASSERT_TRUE(bus.publish({&item, 1}, outcomes).ok());
      member.exchange();
      member.stage([](std::string_view, std::string_view) {});
      ASSERT_TRUE(store.commit().ok());
      member.committed();
      engine.tables["seen"]["s-1"] = "yes";
    }
    EXPECT_EQ(rows(), expected);
    member.leave();
    clock.advance_ms(std::int64_t{20} * 24 * 3600 * 1000);
  }
}

// A bus whose first trim fails, as when the engine goes away after the commit.
class UntrimmedBus : public bus::MemoryBus {
 public:
  Status trim_each(std::span<const Trim> all, std::vector<bool>& trimmed) override {
    if (++tries == 1) return Error{"the bus is away"};
    return MemoryBus::trim_each(all, trimmed);
  }
  int tries = 0;
};

TEST(Member, WhatCouldNotBeTrimmedIsTrimmedLater) {
  FakeClock clock;
  lease::MemoryLeaseEngine engine;
  UntrimmedBus bus;
  lease::MemoryLeases a(engine, clock, "a", kTtlMs);
  frontier::MemoryStore store;
  Member member({.ttl_ms = kTtlMs}, {bus, a}, clock);
  ASSERT_TRUE(*member.take());
  ASSERT_TRUE(member.open(store).ok());
  std::vector<bus::Appended> outcomes;
  const bus::Item item{"p0", "no frame"};
  ASSERT_TRUE(bus.publish({&item, 1}, outcomes).ok());
  for (int turn = 0; turn < 5; ++turn) {
    clock.advance_ms(2000);
    member.exchange();
    member.stage([](std::string_view, std::string_view) {});
    ASSERT_TRUE(store.commit().ok());
    member.committed();
  }
  EXPECT_EQ(bus.unread("p0"), 0U);
  EXPECT_EQ(bus.tries, 2);
}

// A place for copies in memory, where a copy arrives when the test says so.
class MemoryPlace : public CopyPlace {
 public:
  Status begin_put(const std::string&, const std::string& name) override {
    names.push_back(name);
    return {};
  }
  std::optional<Status> put_ended() override { return std::exchange(outcome, {}); }
  Status get(const std::string&, const std::string&) override { return Error{"not here"}; }
  Status list(std::vector<std::string>& out) override {
    out = names;
    return {};
  }
  Status drop(const std::string& name) override {
    std::erase(names, name);
    return {};
  }
  std::vector<std::string> names;
  std::optional<Status> outcome;
};

TEST(Shipping, TheManifestNamesTwoCopiesAndAcksWhatTheOlderOneHolds) {
  FakeClock clock;
  lease::MemoryLeaseEngine engine;
  lease::MemoryLeases a(engine, clock, "a", kTtlMs), b(engine, clock, "b", kTtlMs);
  const lease::Lease held = a.take("p3", 0)->lease;
  MemoryChannelStore tables;
  Receiver receiver(tables, {.partition = 3, .copies = true});
  ASSERT_TRUE(receiver.open(held.epoch).ok());
  MemoryPlace place;
  place.names = {format_copy(3, {1, 900}), format_copy(4, {1, 1}), "else"};
  Shipping shipping(place, 3);
  ASSERT_TRUE(shipping.open(a).ok());
  const auto take = [&](std::uint64_t sequence) {
    ASSERT_EQ(receiver.take({"p0", 3, 1, sequence, "http://a.test/\n"}, 0), Take::kAdmit);
    receiver.stage();
    tables.commit();
    receiver.committed();
  };
  const auto ship = [&](std::int64_t now_ms) {
    ASSERT_TRUE(shipping.begin("folder", held.epoch, receiver, now_ms).ok());
    EXPECT_FALSE(shipping.due(Shipping::Call::kByTime, now_ms + 100'000));  // one copy at a time
    EXPECT_TRUE(*shipping.go_on(receiver, a, held, now_ms));
    EXPECT_TRUE(shipping.busy());
    place.outcome = Status();
    EXPECT_TRUE(*shipping.go_on(receiver, a, held, now_ms));
    EXPECT_FALSE(shipping.busy());
  };
  const auto kept = [&] {
    receiver.acks_lost();
    return receiver.changed_acks().front().second.kept;
  };
  take(1);
  EXPECT_TRUE(receiver.wants_copies());
  ship(0);
  EXPECT_EQ(kept(), 0U);
  take(2);
  ship(10'000);
  EXPECT_EQ(kept(), 1U);
  EXPECT_TRUE(receiver.wants_copies());
  ship(20'000);
  EXPECT_EQ(kept(), 2U);
  EXPECT_FALSE(receiver.wants_copies());
  EXPECT_EQ(engine.tables["copies"]["p3"],
            format_copy(3, {held.epoch, 3}) + " " + format_copy(3, {held.epoch, 2}));
  // The older copies of this partition are gone; all other names are untouched.
  EXPECT_EQ(place.names, (std::vector<std::string>{format_copy(4, {1, 1}), "else",
                                                   format_copy(3, {held.epoch, 2}),
                                                   format_copy(3, {held.epoch, 3})}));
  // A copy that does not arrive does not count, and the next is not asked for at once.
  take(3);
  ASSERT_TRUE(shipping.begin("folder", held.epoch, receiver, 30'000).ok());
  place.outcome = Status(Error{"the disk is full"});
  EXPECT_FALSE(shipping.go_on(receiver, a, held, 30'000).ok());
  EXPECT_EQ(kept(), 2U);
  EXPECT_FALSE(shipping.due(Shipping::Call::kWanted, 40'000));
  EXPECT_TRUE(shipping.due(Shipping::Call::kWanted, 100'000));
  // An engine that is away gets the report later.
  ASSERT_TRUE(shipping.begin("folder", held.epoch, receiver, 100'000).ok());
  place.outcome = Status();
  engine.away = true;
  EXPECT_FALSE(shipping.go_on(receiver, a, held, 100'000).ok());
  EXPECT_TRUE(shipping.busy());
  engine.away = false;
  EXPECT_TRUE(*shipping.go_on(receiver, a, held, 100'000));
  // Those of copies 3 and 5: what was taken in between is in the newer one alone.
  EXPECT_EQ(kept(), 2U);
  // An owner that was replaced changes nothing.
  clock.advance_ms(2 * kTtlMs);
  ASSERT_TRUE(b.take("p3", 0)->granted);
  const std::string before = engine.tables["copies"]["p3"];
  ASSERT_TRUE(shipping.begin("folder", held.epoch, receiver, 200'000).ok());
  place.outcome = Status();
  EXPECT_FALSE(*shipping.go_on(receiver, a, held, 200'000));
  EXPECT_EQ(engine.tables["copies"]["p3"], before);
  EXPECT_EQ(kept(), 2U);
}

TEST(Copies, NamesSortByEpochAndThenByNumber) {
  EXPECT_EQ(format_copy(3, {17, 4}), "p3-17-4");
  EXPECT_EQ(parse_copy(3, "p3-17-4"), (CopyName{17, 4}));
  for (const char* const none :
       {"", "p3", "p3-", "p3-1", "p3-1-", "p4-1-1", "p3-1-1.part", "p33-1-1", "p3-1-1-1", "p3--1-1",
        "p3-99999999999999999999-1", "p3-9007199254740992-1"})
    EXPECT_FALSE(parse_copy(3, none)) << none;
  EXPECT_LT((CopyName{17, 40}), (CopyName{18, 1}));
  EXPECT_LT((CopyName{17, 4}), (CopyName{17, 40}));
}

// Visits since the copy are not in it: the gap must hold all the same, on any machine and in any
// boot.
TEST(Copies, AllHostsCountAsVisitedWhereAStateBeginsElsewhere) {
  for (const bool marked : {true, false}) {
    FakeClock clock;
    frontier::MemoryStore store;
    frontier::Options options;
    options.politeness.delay_ms = 60'000;
    const auto open = [&] {
      Result<std::unique_ptr<frontier::Frontier>> opened =
          frontier::Frontier::open(store, clock, options);
      EXPECT_TRUE(opened.ok());
      (*opened)->assume_rules();
      return opened.take();
    };
    std::string first_name;
    {
      const auto frontier = open();
      first_name = name_state(store);
      for (int host = 0; host < 3; ++host) {
        for (int number = 0; number < 2; ++number) {
          frontier->offer({.url = page(host, number)});
          frontier->seal();
        }
      }
      ASSERT_TRUE(frontier->commit().ok());
      ASSERT_TRUE(frontier->close().ok());
    }
    clock.advance_ms(1000);
    if (marked) {
      ASSERT_TRUE(begin_elsewhere(store).ok());
    }
    EXPECT_EQ(read_mark(store)->id != first_name, marked);
    const auto frontier = open();
    frontier::Dispatch out;
    EXPECT_EQ(frontier->next(out), !marked);
    clock.advance_ms(59'000);
    EXPECT_EQ(frontier->next(out), !marked);
    clock.advance_ms(7'000);
    EXPECT_TRUE(frontier->next(out));
  }
}

TEST(Member, AnOwnerThatIsNotRenewedIsSilentBeforeTheNextOneMaySpeak) {
  FakeClock clock;
  lease::MemoryLeaseEngine engine;
  bus::MemoryBus bus;
  lease::MemoryLeases a(engine, clock, "a", kTtlMs), b(engine, clock, "b", kTtlMs);
  Member first({.ttl_ms = kTtlMs}, {bus, a}, clock);
  Member second({.ttl_ms = kTtlMs}, {bus, b}, clock);
  ASSERT_TRUE(*first.take());
  for (int beat = 0; beat < 12; ++beat) {
    clock.advance_ms(kTtlMs / 10);
    renewed(first, a, clock);
  }
  EXPECT_TRUE(first.may_open() && first.may_send());
  std::int64_t last_sent = 0, first_sent = 0;
  bool taken = false;
  for (int i = 0; i < 400 && first_sent == 0; ++i) {
    clock.advance_ms(100);
    const std::int64_t now = clock.boot_ns() / 1'000'000;
    if (first.lost().empty()) last_sent = std::max(last_sent, first.end_by_ms());
    if (!taken) taken = *second.take();
    if (taken && i % 10 == 0) renewed(second, b, clock);
    if (taken && second.may_open()) first_sent = now;
  }
  EXPECT_FALSE(first.lost().empty());
  ASSERT_NE(first_sent, 0);
  EXPECT_LE(last_sent, first_sent);
}

// The deadline of a partition must always be the one that a page sent at that moment would get.
TEST(Member, ARenewalPutsOffWhatIsUnderWayAndALossDoesNot) {
  FakeClock clock;
  lease::MemoryLeaseEngine engine;
  bus::MemoryBus bus;
  lease::MemoryLeases a(engine, clock, "a", kTtlMs), b(engine, clock, "b", kTtlMs);
  Member member({.partition = 1, .partitions = 2, .ttl_ms = kTtlMs}, {bus, a}, clock);
  Member next({.partition = 1, .partitions = 2, .ttl_ms = kTtlMs}, {bus, b}, clock);
  ASSERT_TRUE(*member.take());
  Result<Deadlines> deadlines = Deadlines::make(2);
  ASSERT_TRUE(deadlines.ok()) << deadlines.message();
  const std::uint64_t name = deadlines->begin(1);
  Member* const all[] = {&member};
  for (int beat = 0; beat < 30; ++beat) {
    clock.advance_ms(kTtlMs / 10);
    renew(all, a, clock, &*deadlines);
    EXPECT_EQ(deadlines->of(name), clock.boot_ns() / 1'000'000 + kTtlMs);
  }
  const std::int64_t last = deadlines->of(name);
  engine.away = true;
  clock.advance_ms(kTtlMs / 2);
  renew(all, a, clock, &*deadlines);
  EXPECT_EQ(deadlines->of(name), last);
  // Another machine has the partition: the deadline stays, and is over before that one may send
  // anything.
  engine.away = false;
  clock.advance_ms(kTtlMs);
  ASSERT_TRUE(*next.take());
  renew(all, a, clock, &*deadlines);
  EXPECT_FALSE(member.lost().empty());
  EXPECT_EQ(deadlines->of(name), last);
}

}  // namespace
}  // namespace spinneret::cluster
