// SPDX-License-Identifier: Apache-2.0
#include "cluster/quota.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/clock.h"
#include "cluster/standing.h"
#include "lease/memory_leases.h"

namespace spinneret::cluster {
namespace {

class QuotaTest : public testing::Test {
 protected:
  struct Machine {
    Quota quota{100};
    Quota::Own own;
  };
  // As owners do each second.
  void report(const Machine& machine) {
    for (const auto& [partition, asked] : machine.own) {
      Standing standing;
      standing.pages = asked.pages;
      standing.in_flight = asked.in_flight;
      engine_.tables[std::string(kReportsTable)][std::to_string(partition)] =
          format_standing(standing);
    }
  }
  void come(Machine& machine, std::uint32_t partition, std::uint64_t pages) {
    machine.own[partition] = {pages, 0};
    machine.quota.enter(partition, pages);
  }
  void look(Machine& machine, std::uint32_t machines) {
    ASSERT_TRUE(machine.quota.look(leases_, machines, machine.own).ok());
  }
  // All that it may now, with at most `most` of them; how many that were.
  std::uint64_t fetch(Machine& machine, std::uint32_t partition, std::uint64_t most) {
    const std::uint64_t pages = std::min(most, machine.quota.room(machine.own));
    machine.own[partition].pages += pages;
    return pages;
  }

  FakeClock clock_;
  lease::MemoryLeaseEngine engine_;
  lease::MemoryLeases leases_{engine_, clock_, "node", 10'000};
};

TEST_F(QuotaTest, OneMachineAsksForAsManyAndNoMore) {
  Machine one;
  come(one, 0, 0);
  come(one, 1, 0);
  EXPECT_EQ(one.quota.room(one.own), 0);  // it has not looked
  look(one, 1);
  EXPECT_EQ(fetch(one, 0, 60), 60);
  one.own[1].in_flight = 30;
  EXPECT_EQ(fetch(one, 0, 60), 10);
  look(one, 1);
  EXPECT_TRUE(one.quota.reached());
  EXPECT_EQ(fetch(one, 0, 60), 0);
  // One that failed is none.
  one.own[1] = {29, 0};
  EXPECT_EQ(one.quota.room(one.own), 1);
}

// bug: --max-pages was each partition's: sixteen had sixteen times as many
TEST_F(QuotaTest, MachinesThatHearOfEachOtherAskTogetherForAsManyAndNoMore) {
  std::array<Machine, 3> machines;
  for (std::uint32_t p = 0; p < 6; ++p) come(machines[p % 3], p, 1000 * p);
  std::uint64_t all = 0;
  for (int round = 0; round < 20; ++round) {
    for (Machine& each : machines) report(each);
    for (Machine& each : machines) look(each, 3);
    for (std::uint32_t m = 0; m < 3; ++m) all += fetch(machines[m], m, m == 0 ? 50 : 3);
  }
  // (The last page goes to as many as look at once.)
  EXPECT_GE(all, 100);
  EXPECT_LE(all, 102);
}

TEST_F(QuotaTest, APartitionThatMovesHasWhatItHadAsked) {
  std::array<Machine, 2> machines;
  for (std::uint32_t p = 0; p < 2; ++p) come(machines[p], p, 500);
  for (Machine& each : machines) report(each), look(each, 2);
  EXPECT_EQ(fetch(machines[0], 0, 40), 40);
  report(machines[0]);
  machines[0].own.clear();
  machines[0].quota.left();
  EXPECT_EQ(machines[0].quota.room(machines[0].own), 0);
  come(machines[1], 0, 540);
  look(machines[1], 1);
  EXPECT_EQ(fetch(machines[1], 0, 100), 60);
}

TEST_F(QuotaTest, AnEngineThatForgetsIsTold) {
  Machine one;
  come(one, 0, 500);
  look(one, 1);
  EXPECT_EQ(fetch(one, 0, 40), 40);
  engine_.forget();
  look(one, 1);
  EXPECT_EQ(engine_.tables["pages-before"]["0"], "500");
  EXPECT_EQ(fetch(one, 0, 100), 60);
  // The next run begins with what there is by then.
  ASSERT_TRUE(lease::erase_all(leases_, kPagesBefore).ok());
  Machine next;
  come(next, 0, 600);
  look(next, 1);
  EXPECT_EQ(fetch(next, 0, 1000), 100);
}

TEST_F(QuotaTest, AnEngineThatIsAwayGivesNoRoom) {
  Machine one;
  come(one, 0, 0);
  look(one, 1);
  engine_.away = true;
  EXPECT_FALSE(one.quota.look(leases_, 1, one.own).ok());
  EXPECT_EQ(one.quota.room(one.own), 0);
}

TEST_F(QuotaTest, WithoutALimitThereIsAlwaysRoom) {
  const Quota none(0);
  EXPECT_FALSE(none.limits());
  EXPECT_EQ(none.room({}), UINT64_MAX);
}

}  // namespace
}  // namespace spinneret::cluster
