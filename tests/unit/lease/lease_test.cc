// SPDX-License-Identifier: Apache-2.0
#include "lease/lease.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lease/memory_leases.h"
#include "lease/pg_leases.h"
#include "lease/resp_leases.h"
#include "support/engine_kinds.h"

namespace spinneret::lease {
namespace {

constexpr std::int64_t kTtl = 10'000;
// The time of a real engine passes: with this value no lease runs out by itself.
constexpr std::int64_t kLongTtl = 600'000;

// Two nodes, in memory or over a real engine: tests that hold for all leases.
class AnyLeases : public testing::TestWithParam<std::string> {
 protected:
  AnyLeases() {
    forget();
    a_ = make("a"), b_ = make("b");
  }
  std::unique_ptr<Leases> make(const std::string& node) {
    if (GetParam() == "memory")
      return std::make_unique<MemoryLeases>(engine_, clock_, node, kLongTtl);
    if (GetParam() == "postgresql")
      return pg_leases(PgEngine::shared()->address("t"), clock_, node, kLongTtl);
    return resp_leases(RedisEngine::shared()->address("t"), clock_, node, kLongTtl);
  }
  void forget() {
    if (GetParam() == "memory") return engine_.forget();
    if (GetParam() == "postgresql") return PgEngine::shared()->forget();
    RedisEngine::shared()->forget();
  }
  // Makes the engine forget this lease alone, or lets it run out, which is the same for everybody.
  void forget(const std::string& name) {
    if (GetParam() == "memory") {
      engine_.leases.erase(name);
    } else if (GetParam() == "postgresql") {
      PgEngine::shared()->command(
          "UPDATE spinneret.lease SET until = clock_timestamp() WHERE name = '" + name + "'");
    } else {
      RedisEngine::shared()->command(
          {"DEL", resp::key_of(RedisEngine::shared()->address("t"), "lease", name)});
    }
  }

  FakeClock clock_;
  MemoryLeaseEngine engine_;
  std::unique_ptr<Leases> a_, b_;
};
INSTANTIATE_TEST_SUITE_P(Engines, AnyLeases, testing::ValuesIn(engine_kinds()),
                         [](const auto& kind) { return kind.param; });

TEST_P(AnyLeases, HaveOneOwnerAtATime) {
  const auto first = a_->take("p1", 0);
  ASSERT_TRUE(first.ok() && first->granted);
  const auto second = b_->take("p1", 0);
  ASSERT_TRUE(second.ok());
  EXPECT_FALSE(second->granted);
  EXPECT_EQ(second->owner, "a");
  EXPECT_LE(second->remaining_ms, kLongTtl);
  EXPECT_GT(second->remaining_ms, 0);
  // Not even its own node may take it, after a restart.
  EXPECT_FALSE(a_->take("p1", 0)->granted);
  forget("p1");
  const auto third = b_->take("p1", 0);
  ASSERT_TRUE(third->granted);
  EXPECT_GT(third->lease.epoch, first->lease.epoch);
}

TEST_P(AnyLeases, RenewalNamesWhatWasForgottenAndWhatWasLost) {
  const Lease held[] = {a_->take("p1", 0)->lease, a_->take("p2", 0)->lease,
                        a_->take("p3", 0)->lease};
  forget("p2");
  forget("p3");
  ASSERT_TRUE(b_->take("p3", 0)->granted);
  std::vector<Renewed> answers;
  ASSERT_TRUE(a_->renew(held, answers).ok());
  EXPECT_EQ(answers, (std::vector{Renewed::kHeld, Renewed::kForgotten, Renewed::kLost}));
  // A forgotten lease stays forgotten.
  const std::vector<std::string> names = {"p1", "p2", "p3"};
  std::vector<Leases::Holder> holders;
  ASSERT_TRUE(a_->holders(names, holders).ok());
  ASSERT_EQ(holders.size(), 3U);
  EXPECT_EQ(holders[0].node, "a");
  EXPECT_EQ(holders[0].epoch, held[0].epoch);
  EXPECT_EQ(holders[1].node, "");
  EXPECT_EQ(holders[2].node, "b");
}

TEST_P(AnyLeases, ALookIsRenewalTablesAndHoldersAtOnce) {
  const Lease held[] = {a_->take("p1", 0)->lease, a_->take("p2", 0)->lease};
  forget("p2");
  ASSERT_TRUE(b_->take("p3", 0)->granted);
  ASSERT_TRUE(a_->claim("one", "f", "1").ok());
  ASSERT_TRUE(a_->claim("two", "g", "2").ok());
  const std::string_view tables[] = {"one", "none", "two"};
  const std::vector<std::string> names = {"p3", "p2", "p1"};
  Leases::View view;
  ASSERT_TRUE(a_->look(held, tables, names, view).ok());
  EXPECT_EQ(view.answers, (std::vector{Renewed::kHeld, Renewed::kForgotten}));
  EXPECT_EQ(view.tables, (std::vector<Rows>{{{"f", "1"}}, {}, {{"g", "2"}}}));
  ASSERT_EQ(view.holders.size(), 3U);
  EXPECT_EQ(view.holders[0].node, "b");
  EXPECT_EQ(view.holders[1].node, "");
  EXPECT_EQ(view.holders[2].node, "a");
  EXPECT_EQ(view.holders[2].epoch, held[0].epoch);
  EXPECT_GT(view.holders[2].remaining_ms, 0);
  // Nothing of the last look is left.
  ASSERT_TRUE(a_->look({}, {}, {}, view).ok());
  EXPECT_TRUE(view.answers.empty() && view.tables.empty() && view.holders.empty());
}

TEST_P(AnyLeases, EpochsAreNeverReused) {
  std::uint64_t highest = 0;
  for (int i = 0; i < 100; ++i) {
    if (i % 3 == 0) forget();
    // The wall clock was set back, and the engine forgot: the epoch that the state knows is the
    // lower bound.
    if (i % 7 == 0) clock_.jump_wall_ms(-50'000);
    const auto taken = a_->take("p1", highest);
    ASSERT_TRUE(taken->granted);
    EXPECT_GT(taken->lease.epoch, highest);
    highest = taken->lease.epoch;
    const auto raised = a_->raise(taken->lease, highest + 5);
    ASSERT_TRUE(raised.ok() && *raised);
    EXPECT_GT(**raised, highest + 5);
    highest = **raised;
    forget("p1");
  }
  EXPECT_EQ(next_epoch({5, kEpochLimit, ~std::uint64_t{0}}), 6u);
}

TEST_P(AnyLeases, OnlyTheOwnerWrites) {
  const Lease old = a_->take("p1", 0)->lease;
  const Leases::Row row[] = {{"status", "1", "x", 0}};
  EXPECT_TRUE(*a_->write(old, row));
  EXPECT_FALSE(*b_->write(old, row));
  forget("p1");
  EXPECT_FALSE(*a_->write(old, row));  // nobody has the lease
  const Lease now = b_->take("p1", 0)->lease;
  EXPECT_FALSE(*a_->write(old, row));
  EXPECT_FALSE(*a_->compare_and_set(old, "manifest", "1", {}, "1 1"));
  EXPECT_TRUE(*b_->compare_and_set(now, "manifest", "1", {}, "2 1"));
  EXPECT_FALSE(*b_->compare_and_set(now, "manifest", "1", {}, "2 2"));
  EXPECT_FALSE(*b_->compare_and_set(now, "manifest", "1", "2 9", "2 2"));
  EXPECT_TRUE(*b_->compare_and_set(now, "manifest", "1", "2 1", "2 2"));
  EXPECT_FALSE(*a_->release(old));
  EXPECT_FALSE(*a_->raise(old, 0));
  EXPECT_TRUE(*b_->release(now));
  EXPECT_TRUE(a_->take("p1", 0)->granted);
  EXPECT_EQ(*a_->claim("other", "p", "16"), "16");
  EXPECT_EQ(*b_->claim("other", "p", "64"), "16");
  EXPECT_EQ(*b_->read("other"), (Rows{{"p", "16"}}));
  EXPECT_EQ(*b_->read("status"), (Rows{{"1", "x"}}));
  EXPECT_TRUE(b_->erase("other", "p").ok());
  EXPECT_EQ(*b_->read("other"), Rows());
}

// Calls of write() one after the other are the slow twin of write_each(): each lease is checked by
// itself, and a refused one does not refuse another.
TEST_P(AnyLeases, WhatIsWrittenAtOnceIsWhatEachWouldHaveWritten) {
  std::vector<Lease> leases;
  for (int p = 0; p < 6; ++p) leases.push_back(a_->take("p" + std::to_string(p), 0)->lease);
  leases.push_back(b_->take("p6", 0)->lease);  // another node's
  forget("p5");                                // nobody's
  leases.push_back({"p0", leases[0].epoch + 1});
  leases.push_back({"p9", 1});
  std::uint32_t state = 1;
  const auto random = [&](std::uint32_t below) {
    return (state = state * 1664525u + 1013904223u) / 65536u % below;
  };
  for (int round = 0; round < 20; ++round) {
    std::vector<Leases::Writing> all, twins;
    for (std::uint32_t i = random(17); i != 0; --i) {
      all.push_back({leases[random(static_cast<std::uint32_t>(leases.size()))], {}});
      for (std::uint32_t row = random(4); row != 0; --row)
        all.back().rows.push_back({"t" + std::to_string(random(2)), std::to_string(random(5)),
                                   std::to_string(random(1000)), 0});
      twins.push_back(all.back());
      for (Leases::Row& row : twins.back().rows) row.table += "-twin";
    }
    std::vector<bool> written, expected;
    ASSERT_TRUE(a_->write_each(all, written).ok());
    for (const auto& [lease, rows] : twins) expected.push_back(*a_->write(lease, rows));
    EXPECT_EQ(written, expected) << round;
    for (const char* const table : {"t0", "t1"})
      EXPECT_EQ(*a_->read(table), *a_->read(std::string(table) + "-twin")) << round;
  }
}

TEST(MemoryLeases, RunOut) {
  FakeClock clock;
  MemoryLeaseEngine engine;
  MemoryLeases a(engine, clock, "a", kTtl), b(engine, clock, "b", kTtl);
  ASSERT_TRUE(a.take("p1", 0)->granted);
  clock.advance_ms(kTtl - 1);
  EXPECT_FALSE(b.take("p1", 0)->granted);
  clock.advance_ms(1);
  EXPECT_TRUE(b.take("p1", 0)->granted);
}

TEST(Tenure, OpensAfterTheQuarantineAndEndsBeforeTheNext) {
  constexpr std::int64_t kMs = 1'000'000;
  Tenure tenure(kTtl);
  EXPECT_FALSE(tenure.held(0));
  tenure.granted(100 * kMs, 300 * kMs);
  EXPECT_TRUE(tenure.held(9099 * kMs));
  EXPECT_FALSE(tenure.held(9100 * kMs));
  for (std::int64_t asked = 1100; asked <= 10'100; asked += 1000) tenure.renewed(asked * kMs);
  EXPECT_FALSE(tenure.may_open(10'299 * kMs));
  EXPECT_TRUE(tenure.may_open(10'300 * kMs));
  EXPECT_TRUE(tenure.may_send(12'600 * kMs));
  EXPECT_FALSE(tenure.may_send(12'601 * kMs));  // two beats without an answer
  EXPECT_TRUE(tenure.held(12'601 * kMs));
  tenure.renewed(5000 * kMs);  // an answer that was overtaken
  EXPECT_EQ(tenure.deadline_ns(), 19'100 * kMs);
  tenure.end();
  EXPECT_FALSE(tenure.may_open(12'000 * kMs));
  tenure.renewed(12'000 * kMs);
  EXPECT_FALSE(tenure.held(12'000 * kMs));
}

// With two nodes, an engine that forgets, and pauses of either, both may never send at the same
// time. Clocks run up to 5 % apart.
TEST(Tenure, NeverTwoSenders) {
  int without_quarantine = 0;
  for (unsigned seed = 1; seed <= 10'000; ++seed) {
    std::uint32_t state = seed * 2654435761u;
    const auto random = [&](std::uint32_t below) {
      return (state = state * 1664525u + 1013904223u) / 65536u % below;
    };
    FakeClock clock;
    MemoryLeaseEngine engine;
    struct Node {
      MemoryLeases leases;
      Tenure tenure{kTtl};
      Lease lease;
      std::int64_t awake_ms = 0, granted_ns = 0;
      std::int64_t rate = 1000;
    };
    Node nodes[2] = {
        {MemoryLeases(engine, clock, "a", kTtl), Tenure(kTtl), {}, 0, 0, 1000},
        {MemoryLeases(engine, clock, "b", kTtl), Tenure(kTtl), {}, 0, 0, 950 + random(101)}};
    bool both = false, naive = false;
    for (int ms = 0; ms < 60'000; ms += 250) {
      clock.advance_ms(250);
      engine.away = random(50) == 0;
      if (random(150) == 0) engine.forget();
      bool sends[2] = {false, false}, would[2] = {false, false};
      for (int i = 0; i < 2; ++i) {
        Node& node = nodes[i];
        const std::int64_t now = clock.boot_ns() / 1000 * node.rate;
        if (ms < node.awake_ms) continue;
        sends[i] = node.tenure.may_send(now);
        would[i] = node.tenure.held(now);
        if (random(100) == 0) node.awake_ms = ms + static_cast<int>(random(30'000));
        std::vector<Renewed> answers;
        if (node.tenure.held(now) && node.leases.renew({&node.lease, 1}, answers).ok()) {
          if (answers[0] == Renewed::kHeld) {
            node.tenure.renewed(now);
          } else {
            node.tenure.end();
          }
        } else if (const auto taken = node.leases.take("p1", 0); taken.ok() && taken->granted) {
          node.lease = taken->lease;
          node.tenure.granted(now, now);
        }
      }
      both = both || (sends[0] && sends[1]);
      naive = naive || (would[0] && would[1]);
    }
    EXPECT_FALSE(both) << seed;
    without_quarantine += naive;
  }
  EXPECT_GT(without_quarantine, 0);
}

}  // namespace
}  // namespace spinneret::lease
