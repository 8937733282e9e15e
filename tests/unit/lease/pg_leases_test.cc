// SPDX-License-Identifier: Apache-2.0
// Tests what leases over PostgreSQL do beyond what holds for all leases (lease_test.cc).
#include "lease/pg_leases.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/held_wire.h"
#include "support/pg_engine.h"

namespace spinneret::lease {
namespace {

class OfPg : public testing::Test {
 protected:
  void SetUp() override {
    if (PgEngine::shared() == nullptr) return;
    sql("DROP SCHEMA IF EXISTS spinneret CASCADE");
    a_ = make("a"), b_ = make("b");
  }
  std::unique_ptr<Leases> make(const std::string& node) {
    return pg_leases(PgEngine::shared()->address("t"), clock_, node, 600'000);
  }
  static std::string sql(const std::string& text) {
    const std::vector<std::string> cells = PgEngine::shared()->command(text);
    return cells.empty() ? "" : cells[0];
  }

  FakeClock clock_;
  std::unique_ptr<Leases> a_, b_;
};
#define NEEDS_POSTGRESQL \
  if (PgEngine::shared() == nullptr) return

// The server's clock was set back, or a standby with another clock has taken over, and the holder
// of the lease is dead.
TEST_F(OfPg, LeaseThatWouldLastForDaysHasRunOut) {
  NEEDS_POSTGRESQL;
  const Lease old = a_->take("p1", 0)->lease;
  EXPECT_FALSE(b_->take("p1", 0)->granted);
  sql("UPDATE spinneret.lease SET until = clock_timestamp() + interval '2 days'");
  // A renewal by the holder corrects it.
  std::vector<Renewed> answers;
  ASSERT_TRUE(a_->renew({&old, 1}, answers).ok());
  EXPECT_EQ(answers[0], Renewed::kHeld);
  EXPECT_FALSE(b_->take("p1", 0)->granted);
  sql("UPDATE spinneret.lease SET until = clock_timestamp() + interval '2 days'");
  const auto taken = b_->take("p1", 0);
  ASSERT_TRUE(taken.ok());
  EXPECT_TRUE(taken->granted);
  EXPECT_GT(taken->lease.epoch, old.epoch);
  ASSERT_TRUE(a_->renew({&old, 1}, answers).ok());
  EXPECT_EQ(answers[0], Renewed::kLost);
}

// A transaction that is about to write holds the lease until it is committed.
TEST_F(OfPg, NobodyTakesALeaseBetweenItsCheckAndTheWrite) {
  NEEDS_POSTGRESQL;
  const Lease lease = a_->take("p1", 0)->lease;
  const Leases::Row row[] = {{"status", "1", "x", 0}};
  ASSERT_TRUE(*a_->write(lease, row));
  pg::Connection other(PgEngine::shared()->address("t"), pg::Use::kLook);
  // A writer holds the row: a renewal waits, and fails after the time limit of a call.
  ASSERT_TRUE(other.ask("BEGIN; SELECT FROM spinneret.lease WHERE name = 'p1' FOR SHARE").ok());
  std::vector<Renewed> answers;
  EXPECT_FALSE(a_->renew({&lease, 1}, answers).ok());
  EXPECT_TRUE(*a_->write(lease, row));
  ASSERT_TRUE(other.ask("ROLLBACK").ok());
  ASSERT_TRUE(a_->renew({&lease, 1}, answers).ok());
  EXPECT_EQ(answers[0], Renewed::kHeld);
}

// Bug: the partitions of a machine wrote to a PostgreSQL one after the other: with a server 300 ms
// away 16 of them waited for five seconds.
TEST_F(OfPg, AllThatIsWrittenAtOnceGoesOutBeforeAnAnswerComes) {
  NEEDS_POSTGRESQL;
  HeldWire wire(PgEngine::shared()->address("t"));
  const std::unique_ptr<Leases> far = pg_leases(wire.address(), clock_, "a", 600'000);
  std::vector<Leases::Writing> all;
  for (int p = 0; p < 16; ++p) {
    const std::string number = std::to_string(p);
    all.push_back({far->take("p" + number, 0)->lease, {{"reports", number, "x", 0}}});
  }
  std::vector<bool> written;
  // From now on the server knows the statement.
  ASSERT_TRUE(far->write_each({all.data(), 1}, written).ok());
  wire.hold_until(16);
  const Status done = far->write_each(all, written);
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(written, std::vector<bool>(16, true));
  EXPECT_EQ(far->read("reports")->size(), 16U);
  // A client that waits for each answer gets none.
  wire.hold_until(2);
  EXPECT_FALSE(far->write(all[0].lease, all[0].rows).ok());
}

// Each is a transaction of its own: a row that one of them finds locked, or its failure, does not
// affect the others.
TEST_F(OfPg, OneOfSeveralThatFailsLeavesTheOthersAndTheNextCallAlone) {
  NEEDS_POSTGRESQL;
  std::vector<Leases::Writing> all;
  for (const char* const field : {"1", "2", "3"})
    all.push_back({a_->take(std::string("p") + field, 0)->lease, {{"t", field, "x", 0}}});
  sql("ALTER TABLE spinneret.cell ADD CONSTRAINT odd CHECK (field <> '2')");
  std::vector<bool> written;
  const Status done = a_->write_each(all, written);
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.message().find("odd"), std::string::npos) << done.message();
  EXPECT_EQ(a_->read("t")->count("1"), 1U);
  sql("ALTER TABLE spinneret.cell DROP CONSTRAINT odd");
  ASSERT_TRUE(a_->write_each(all, written).ok());
  EXPECT_EQ(written, std::vector<bool>(3, true));
  EXPECT_EQ(a_->read("t")->size(), 3U);
}

TEST_F(OfPg, TableGoesWhenTheTimeOfAllItsRowsIsPast) {
  NEEDS_POSTGRESQL;
  const Lease lease = a_->take("p1", 0)->lease;
  const Leases::Row rows[] = {
      {"acks", "1", "x", 60'000}, {"acks", "2", "y", 60'000}, {"acks", "2", "z", 60'000}};
  ASSERT_TRUE(*a_->write(lease, rows));
  EXPECT_EQ(*a_->read("acks"), (Rows{{"1", "x"}, {"2", "z"}}));
  sql("UPDATE spinneret.cell SET until = clock_timestamp() - interval '1 s' WHERE field = '1'");
  EXPECT_EQ(a_->read("acks")->size(), 2U);  // as long as one of them was written in time
  sql("UPDATE spinneret.cell SET until = clock_timestamp() - interval '1 s'");
  EXPECT_EQ(*a_->read("acks"), Rows());
  ASSERT_TRUE(a_->erase("other", "x").ok());
  EXPECT_EQ(sql("SELECT count(*) FROM spinneret.cell"), "0");
}

TEST_F(OfPg, TablesThatAreGoneAreMadeAnew) {
  NEEDS_POSTGRESQL;
  const Lease lease = a_->take("p1", 0)->lease;
  sql("DROP SCHEMA spinneret CASCADE");
  std::vector<Renewed> answers;
  EXPECT_FALSE(a_->renew({&lease, 1}, answers).ok());
  EXPECT_FALSE(a_->refused());
  ASSERT_TRUE(a_->renew({&lease, 1}, answers).ok());
  EXPECT_EQ(answers[0], Renewed::kForgotten);
}

TEST_F(OfPg, WhatTheServerRefusesIsNoReasonToAskAgain) {
  NEEDS_POSTGRESQL;
  pg::Address address = PgEngine::shared()->address("t");
  address.database = "nowhere";
  const std::unique_ptr<Leases> nowhere = pg_leases(address, clock_, "a", 10'000);
  const auto read = nowhere->read("x");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.message().find("database \"nowhere\" does not exist"), std::string::npos)
      << read.message();
  EXPECT_TRUE(nowhere->refused());
  address = PgEngine::shared()->address("t");
  address.hosts[0].port = 1;
  const std::unique_ptr<Leases> away = pg_leases(address, clock_, "a", 10'000);
  EXPECT_FALSE(away->read("x").ok());
  EXPECT_FALSE(away->refused());
}

// A server that is set to forget what it committed must not lose leases with its machine.
TEST_F(OfPg, CommitsOfLeasesWaitForTheDiskThoseOfTheBusDoNot) {
  NEEDS_POSTGRESQL;
  const auto commits = [](pg::Use use) {
    pg::Connection connection(PgEngine::shared()->address("t"), use);
    const auto rows = connection.ask("SHOW synchronous_commit");
    return rows.ok() ? rows->text(0, 0) : rows.message();
  };
  EXPECT_EQ(commits(pg::Use::kLeases), "on");
  EXPECT_EQ(commits(pg::Use::kBus), "off");
  sql("ALTER ROLE postgres SET synchronous_commit = 'off'");
  EXPECT_EQ(commits(pg::Use::kLeases), "on");
  sql("ALTER ROLE postgres SET synchronous_commit = 'remote_apply'");
  EXPECT_EQ(commits(pg::Use::kLeases), "remote_apply");
  sql("ALTER ROLE postgres RESET synchronous_commit");
}

}  // namespace
}  // namespace spinneret::lease
