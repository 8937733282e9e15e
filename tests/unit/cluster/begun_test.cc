// SPDX-License-Identifier: Apache-2.0
// A partition that has begun begins anew only where somebody said so, whatever the engine forgets.
#include "cluster/begun.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bus/memory_bus.h"
#include "cluster/channel.h"
#include "cluster/copies.h"
#include "cluster/member.h"
#include "frontier/memory_store.h"
#include "lease/memory_leases.h"

namespace spinneret::cluster {
namespace {

using frontier::MemoryStore;

constexpr std::int64_t kTtlMs = 10'000;
constexpr std::uint32_t kParts = 3;

class BegunTest : public testing::Test {
 protected:
  // The owner of a partition opens that state, and reports; then it is gone. Returns the error if
  // it was refused.
  std::string open(std::uint32_t partition, MemoryStore& store) {
    lease::MemoryLeases leases(engine_, clock_, "node", kTtlMs);
    return open(partition, store, leases);
  }
  std::string open(std::uint32_t partition, MemoryStore& store, lease::Leases& leases) {
    Member member({.partition = partition, .partitions = kParts, .ttl_ms = kTtlMs}, {bus_, leases},
                  clock_);
    EXPECT_TRUE(*member.take());
    const Status opened = member.open(store);
    if (opened.ok()) {
      member.over({});
      EXPECT_TRUE(store.commit().ok());
    }
    store.drop_staged();
    member.leave();
    clock_.advance_ms(kTtlMs);
    return opened.ok() ? "" : opened.message();
  }
  // Reports the states that have begun, as a node that comes with that state does before it takes
  // anything.
  void tell(MemoryStore& store) {
    lease::MemoryLeases leases(engine_, clock_, "node", kTtlMs);
    Begun begun(kParts);
    begun.add(store);
    ASSERT_TRUE(begun.tell(leases, *leases.read(kStates)).ok());
  }

  FakeClock clock_;
  bus::MemoryBus bus_;
  lease::MemoryLeaseEngine engine_;
};

TEST_F(BegunTest, AnEmptyStateIsRefusedThoughTheEngineHasForgottenAll) {
  MemoryStore first, second, empty, third;
  ASSERT_EQ(open(0, first), "");
  ASSERT_EQ(open(1, second), "");
  engine_.forget();
  // It learned of the other partition when it opened, and reports it.
  tell(second);
  EXPECT_EQ(open(0, empty),
            "partition 0 has its state elsewhere (the engine has forgotten which, and here is "
            "none): bring "
            "its folder here, or let a node that has it go on; if all is gone for good, "
            "--begin-anew=0 lets it "
            "begin anew: its pages are crawled again, and links that others gave it are lost");
  // It is refused at the second try as well, with what the first one left.
  EXPECT_NE(open(0, empty), "");
  EXPECT_EQ(open(0, first), "");
  EXPECT_EQ(open(1, second), "");
  // The third partition has never begun.
  EXPECT_EQ(open(2, third), "");
  EXPECT_NE(open(0, empty).find("has its state elsewhere ("), std::string::npos);
}

TEST_F(BegunTest, WhatBeganBehindTheOpeningIsHeardOf) {
  MemoryStore first, second, empty;
  lease::MemoryLeases leases(engine_, clock_, "node", kTtlMs);
  Member member({.partition = 0, .partitions = kParts, .ttl_ms = kTtlMs}, {bus_, leases}, clock_);
  ASSERT_TRUE(*member.take());
  ASSERT_TRUE(member.open(first).ok());
  member.over({});
  ASSERT_EQ(open(1, second), "");
  member.over({});
  ASSERT_TRUE(first.commit().ok());
  engine_.forget();
  tell(first);
  EXPECT_NE(open(1, empty), "");
}

TEST_F(BegunTest, SomebodysWordLetsItBeginAnew) {
  MemoryStore first, empty;
  ASSERT_EQ(open(0, first), "");
  EXPECT_NE(open(0, empty), "");
  engine_.tables[std::string(kStates)]["p0"] = std::string(kAnew);
  // The partition then counts as not begun, although others have seen that it had.
  tell(first);
  EXPECT_EQ(open(0, empty), "");
  EXPECT_NE(open(0, first), "");
  EXPECT_EQ(open(0, empty), "");
}

// Leases whose engine takes the claim, but whose answer is lost.
class Deaf : public lease::MemoryLeases {
 public:
  using MemoryLeases::MemoryLeases;
  Result<std::string> claim(std::string_view table, std::string_view field,
                            std::string_view value) override {
    static_cast<void>(MemoryLeases::claim(table, field, value).ok());
    return Error{"no answer"};
  }
};

// Bug: the state had another name at each try until a try reached its commit. It was then refused
// in favour of a name that was never committed.
TEST_F(BegunTest, AStateWhoseClaimWasNotAnsweredComesAgainByTheSameName) {
  MemoryStore store, empty;
  Deaf deaf(engine_, clock_, "node", kTtlMs);
  EXPECT_EQ(open(0, store, deaf), "no answer");
  EXPECT_EQ(open(0, store), "");
  // Only now does the state have a name that counts.
  EXPECT_TRUE(read_mark(store).has_value());
  EXPECT_FALSE(store.rows(frontier::Table::kMeta).contains(kClaimKey));
  EXPECT_NE(open(0, empty), "");
  EXPECT_FALSE(read_mark(empty).has_value());
}

TEST_F(BegunTest, HalvesOfWhatHasBegunHaveBegun) {
  MemoryStore half;
  Begun begun(kParts);
  begun.add(
      {{"p0", "a name"}, {"p1", std::string(kAnew)}, {"p2", std::string(kBegun)}, {"p3", "x"}});
  EXPECT_EQ(begun.count(), 2U);
  begun.split().keep_in(half);
  ASSERT_TRUE(half.commit().ok());
  lease::MemoryLeases leases(engine_, clock_, "node", kTtlMs);
  Begun halves(2 * kParts);
  halves.add(half);
  EXPECT_FALSE(halves.all());
  ASSERT_TRUE(halves.tell(leases, {{"p4", "a name"}}).ok());
  const lease::Rows told = *leases.read(kStates);
  EXPECT_EQ(told, (lease::Rows{{"p0", "begun"}, {"p1", "begun"}, {"p5", "begun"}}));
  // A damaged entry, or one of a crawl with more partitions, names none.
  half.put(frontier::Table::kMeta, "begun", "\x01\x80");
  ASSERT_TRUE(half.commit().ok());
  Begun one(2);
  one.add(half);
  EXPECT_EQ(one.count(), 1U);
}

}  // namespace
}  // namespace spinneret::cluster
