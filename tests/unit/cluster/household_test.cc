// SPDX-License-Identifier: Apache-2.0
// What the partitions of one process ask the engine for together.
#include "cluster/household.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bus/memory_bus.h"
#include "cluster/channel.h"
#include "cluster/member.h"
#include "cluster/standing.h"
#include "frontier/memory_store.h"
#include "lease/memory_leases.h"
#include "unit/cluster/crawler.h"

namespace spinneret::cluster {
namespace {

// Leases that count questions to tables; all questions of one look count as one.
class CountedLeases : public lease::MemoryLeases {
 public:
  using MemoryLeases::MemoryLeases;
  Result<lease::Rows> read(std::string_view table) override {
    questions += looks_ ? 0 : 1;
    return MemoryLeases::read(table);
  }
  Status look(std::span<const lease::Lease> held, std::span<const std::string_view> tables,
              std::span<const std::string> names, View& out) override {
    ++questions;
    looks_ = true;
    Status done = MemoryLeases::look(held, tables, names, out);
    looks_ = false;
    return done;
  }
  Status write_each(std::span<const Writing> all, std::vector<bool>& written) override {
    ++writings;
    return MemoryLeases::write_each(all, written);
  }
  int questions = 0, writings = 0;

 private:
  bool looks_ = false;
};

// Tests with members of one process, each with its state open.
class HouseholdTest : public testing::Test {
 protected:
  // Starts the first `here` of so many partitions.
  void begin(std::uint32_t here, std::uint32_t partitions) {
    for (std::uint32_t p = 0; p < here; ++p) {
      stores_.push_back(std::make_unique<frontier::MemoryStore>());
      members_.push_back(std::make_unique<Member>(
          MemberSettings{.partition = p, .partitions = partitions, .ttl_ms = kTtlMs},
          Member::Engines{bus_, leases_}, clock_));
      ASSERT_TRUE(*members_[p]->take());
      ASSERT_TRUE(members_[p]->open(*stores_[p]).ok());
      members_[p]->move_to(&household_);
    }
  }
  // Does what a scheduler does: all members exchange, and then all commit.
  void exchange() {
    for (const auto& member : members_) member->exchange();
    for (std::size_t p = 0; p < members_.size(); ++p) {
      members_[p]->stage([](std::string_view, std::string_view) {});
      ASSERT_TRUE(stores_[p]->commit().ok());
      members_[p]->committed();
    }
  }
  // Offers a link of each member to partition `far`, which is elsewhere.
  void offer_to(std::uint32_t far) {
    for (const auto& member : members_)
      member->offer(far, "http://far.test/" + std::to_string(member->partition()));
  }
  // Acks all links as kept by partition `far`, for the member's owner under `epoch`.
  void acknowledge(std::uint32_t far, const Member& member, std::uint64_t epoch) {
    engine_.tables[ack_table(partition_name(member.partition()))][std::to_string(far)] =
        format_ack({.source_epoch = epoch, .taken = 1, .kept = 1, .receiver_epoch = 1});
  }

  FakeClock clock_;
  lease::MemoryLeaseEngine engine_;
  bus::MemoryBus bus_;
  CountedLeases leases_{engine_, clock_, "a", kTtlMs};
  Household household_;
  std::vector<std::unique_ptr<frontier::MemoryStore>> stores_;
  std::vector<std::unique_ptr<Member>> members_;
};

// Bug: a partition without work took the end of an earlier run for the end of this one, and
// reported nothing any more. The others, which knew better, waited for its report for ever.
TEST_F(HouseholdTest, TheEndOfAnEarlierRunIsOldNewsForAllWhereItIsForOne) {
  begin(2, 2);
  members_[0]->over({.idle = false});
  engine_.tables["crawl"][std::string(kFinished)] = "0";
  const auto over = [&] {
    clock_.advance_ms(1000);
    exchange();
    const bool first = members_[0]->over({.idle = true});
    return members_[1]->over({.idle = true}) && first;
  };
  int turns = 0;
  while (!over() && turns < 100) ++turns;
  EXPECT_GT(turns, 1);
  EXPECT_LT(turns, 100);
}

// Bug: each partition of a machine waited for an answer of its own, every half second, from an
// engine that may be far away.
TEST_F(HouseholdTest, AcksToAllPartitionsOfOneProcessAreReadByOneQuestion) {
  begin(4, 5);
  offer_to(4);
  const auto turn = [&] {
    clock_.advance_ms(3000);
    leases_.questions = 0;
    exchange();
  };
  turn();
  turn();
  for (const auto& member : members_) acknowledge(4, *member, member->lease().epoch);
  turn();
  EXPECT_EQ(leases_.questions, 1);
  turn();
  EXPECT_EQ(leases_.questions, 0);
}

// Bug: each partition of a machine reported its standing to the engine, and looked for the end, by
// a question of its own: with an engine 300 ms away 16 of them stood still for five seconds of six.
TEST_F(HouseholdTest, AllPartitionsOfOneProcessAreReportedByOneQuestion) {
  begin(4, 4);
  const auto over = [&](bool idle) {
    clock_.advance_ms(1000);
    leases_.questions = leases_.writings = 0;
    bool all = true;
    for (const auto& member : members_) all = member->over({.idle = idle}) && all;
    exchange();
    return all;
  };
  EXPECT_FALSE(over(false));
  EXPECT_LE(leases_.questions, 1);  // asks which partitions have begun
  EXPECT_EQ(leases_.writings, 1);
  EXPECT_EQ(engine_.tables[std::string(kReportsTable)].size(), members_.size());
  bool ended = false;
  for (int turn = 0; turn < 8 && !ended; ++turn) {
    ended = over(true);
    EXPECT_LE(leases_.questions, 1);
    EXPECT_LE(leases_.writings, 1);
  }
  EXPECT_TRUE(ended);
}

// Bug: each partition of a machine acked what it had taken by a question of its own.
TEST_F(HouseholdTest, AcksOfAllPartitionsOfOneProcessAreWrittenByOneQuestion) {
  begin(4, 5);
  for (std::uint32_t p = 0; p < members_.size(); ++p) {
    std::string message;
    append_frame(message, {partition_name(4), p, 1, 1, "http://a.test/\n"});
    std::vector<bus::Appended> outcomes;
    const std::string stream = partition_name(p);
    const bus::Item item{stream, message};
    ASSERT_TRUE(bus_.publish({&item, 1}, outcomes).ok());
  }
  for (int turn = 0; turn < 2; ++turn) {
    clock_.advance_ms(3000);
    exchange();
  }
  EXPECT_EQ(leases_.writings, 1);
  EXPECT_EQ(engine_.tables[ack_table(partition_name(4))].size(), members_.size());
}

// Bug: the member that had asked for all looked after its own epoch and its own copies alone. Those
// of the others came to a halt, and with copies the crawl never ended.
TEST_F(HouseholdTest, EachPartitionOfOneProcessRaisesItsOwnEpoch) {
  begin(3, 4);
  offer_to(3);
  const std::uint64_t later = members_[0]->lease().epoch + 1'000'000;
  for (int turn = 0; turn < 4; ++turn) {
    clock_.advance_ms(1000);
    exchange();
    // Partition 3 now knows a later owner of each member's partition.
    for (const auto& member : members_) acknowledge(3, *member, later);
  }
  for (const auto& member : members_)
    EXPECT_GT(member->lease().epoch, later) << member->partition();
}

}  // namespace
}  // namespace spinneret::cluster
