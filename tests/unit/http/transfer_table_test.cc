// SPDX-License-Identifier: Apache-2.0
#include "http/transfer_table.h"

#include <gtest/gtest.h>

namespace spinneret {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(TransferTable, PatienceFollowsFirstAnswersWithinItsBounds) {
  TransferTable table(8);
  EXPECT_EQ(table.patience_ns(), TransferTable::kMaxPatienceNs);
  while (table.learn_patience(kMs)) {
  }
  EXPECT_EQ(table.patience_ns(), TransferTable::kMinPatienceNs);
  for (int i = 0; i < 40; ++i) table.learn_patience(10 * kMs);
  EXPECT_NEAR(static_cast<double>(table.patience_ns()), 80.0 * kMs, kMs);
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(table.learn_patience(INT64_MAX));
  EXPECT_EQ(table.patience_ns(), TransferTable::kMaxPatienceNs);
}

TEST(TransferTable, PatientOnesHoldNoSlotAndAreBounded) {
  TransferTable table(1);
  Transfer& one = table.fresh();
  Transfer& two = table.fresh();
  ASSERT_NE(&one, &two);
  for (Transfer* const transfer : {&one, &two}) {
    table.activate(*transfer, true);
    EXPECT_TRUE(transfer->probe);
    table.make_patient(*transfer);
    table.make_patient(*transfer);
  }
  EXPECT_TRUE(one.patient);
  EXPECT_FALSE(two.patient);
  EXPECT_EQ(table.held_slots(), 1U);
  EXPECT_EQ(table.probes(), 1U);
  table.deactivate(one);
  EXPECT_EQ(table.active(), std::vector<Transfer*>{&two});
  EXPECT_EQ(two.index, 0U);
  table.make_patient(two);
  EXPECT_EQ(table.held_slots(), 0U);
  EXPECT_EQ(table.probes(), 0U);
  table.on_answer(two);
  EXPECT_EQ(table.held_slots(), 1U);
  table.release(one);
  EXPECT_EQ(&table.fresh(), &one);
}

}  // namespace
}  // namespace spinneret
