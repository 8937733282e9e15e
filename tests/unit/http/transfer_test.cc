// SPDX-License-Identifier: Apache-2.0
#include "http/transfer.h"

#include <gtest/gtest.h>

namespace spinneret {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Owner : TransferOwner {
  void on_transfer_stage(Transfer&) override {}
  bool take_bytes(Transfer&, std::size_t) override { return true; }
  void on_transfer_end(Transfer&, WireEnd, std::string_view) override {}
  std::int64_t now_ns() const override { return 0; }
};

// Regression: a hop for which little time was left made timeouts of all that waited for its host.
TEST(Transfer, AHostIsSilentOnlyWhereItHadTheWholeOfALimit) {
  Owner owner;
  Transfer transfer;
  FetchLimits limits;
  limits.total_ms = 3000;
  limits.connect_ms = 10'000;
  transfer.begin(owner, {}, 0);
  transfer.begin_exchange({}, 0);
  EXPECT_EQ(transfer.deadline_ns(limits), 3 * kSecond);
  EXPECT_TRUE(transfer.host_is_silent(limits, 3 * kSecond));
  // The first hop took 2.6 s, and the second host gets the rest.
  transfer.begin_exchange({}, 26 * kSecond / 10);
  EXPECT_EQ(transfer.deadline_ns(limits), 3 * kSecond);
  EXPECT_EQ(transfer.expire(limits, 3 * kSecond), "not done within 3 s");
  EXPECT_FALSE(transfer.host_is_silent(limits, 3 * kSecond));
  limits.connect_ms = 400;
  EXPECT_TRUE(transfer.host_is_silent(limits, 3 * kSecond));
}

TEST(Transfer, WaitingForAHopAndPausesMoveItsLimits) {
  Owner owner;
  Transfer transfer;
  FetchLimits limits;
  limits.total_ms = 3000;
  transfer.begin(owner, {}, 0);
  transfer.begin_exchange({}, 0);
  transfer.go_on(1 * kSecond, 9 * kSecond);
  transfer.begin_exchange({}, 9 * kSecond);
  EXPECT_EQ(transfer.deadline_ns(limits), 11 * kSecond);
  transfer.add_pause_ns(kSecond);
  EXPECT_EQ(transfer.deadline_ns(limits), 12 * kSecond);
  EXPECT_FALSE(transfer.host_is_silent(limits, 12 * kSecond));
}

}  // namespace
}  // namespace spinneret
