// SPDX-License-Identifier: Apache-2.0
#include "http/transfer.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <string>
#include <utility>
#include <vector>

#include "http/poller.h"
#include "http/transfer_table.h"

namespace spinneret::http {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Owner : TransferOwner {
  void on_transfer_stage(Transfer&) override {}
  bool take_bytes(Transfer&, std::size_t) override { return true; }
  void on_transfer_end(Transfer&, WireEnd, std::string_view) override {}
  std::int64_t now_ns() const override { return 0; }
  std::int64_t boot_ns() const override { return boot_ns_; }
  std::int64_t lease_ms(std::uint64_t name) const override { return name == 7 ? lease_ms_ : 0; }
  std::int64_t boot_ns_ = 0, lease_ms_ = 0;
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

constexpr std::int64_t kMs = 1'000'000;

// Regression: nothing could be fetched that takes longer than a lease, however often the lease was
// renewed.
TEST(Transfer, GoesOnForAsLongAsItsLeaseIsRenewedAndIsCutAtTheLastDeadline) {
  Owner owner;
  Transfer transfer;
  FetchLimits limits;
  FetchRequest request;
  request.send_by_ms = 9'000;
  request.end_by_ms = 10'000;
  request.by_lease = 7;
  transfer.begin(owner, std::move(request), 0);
  transfer.begin_exchange({}, 0);
  transfer.stage = Transfer::Stage::kWaiting;
  EXPECT_EQ(transfer.deadline_ns(limits), 10 * kSecond);
  // An earlier renewal takes no time away.
  owner.lease_ms_ = 4'000;
  EXPECT_EQ(transfer.deadline_ns(limits), 10 * kSecond);
  owner.boot_ns_ = 11 * kSecond;
  EXPECT_TRUE(transfer.is_late() && transfer.is_late_to_send());
  owner.lease_ms_ = 17'000;
  EXPECT_FALSE(transfer.is_late() || transfer.is_late_to_send());
  EXPECT_EQ(transfer.deadline_ns(limits), 6 * kSecond);
  // A redirect must be sent before that deadline by the same margin as the first request.
  owner.boot_ns_ = 16 * kSecond + kMs;
  EXPECT_TRUE(transfer.is_late_to_send());
  EXPECT_FALSE(transfer.is_late());
  owner.boot_ns_ = 17 * kSecond + kMs;
  EXPECT_TRUE(transfer.is_late());
  // The transfer's own limits hold all the same.
  owner.lease_ms_ = 1'000'000;
  EXPECT_EQ(transfer.deadline_ns(limits), limits.first_byte_ms * kMs);
  EXPECT_EQ(transfer.limit_ns(limits), limits.first_byte_ms * kMs);
}

TEST(Transfer, IsCutInTimeWhereItsDeadlineIsNobodysAnyMore) {
  Owner owner;
  Transfer transfer;
  FetchRequest request;
  request.send_by_ms = 9'000;
  request.end_by_ms = 10'000;
  request.by_lease = 8;  // as after its partition has left
  owner.lease_ms_ = 60'000;
  transfer.begin(owner, std::move(request), 0);
  owner.boot_ns_ = 10 * kSecond + kMs;
  EXPECT_TRUE(transfer.is_late() && transfer.is_late_to_send());
}

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

struct Recorder : Poller::Client {
  void on_ready(int fd, unsigned ready) override {
    fds.push_back(fd);
    last = ready;
  }
  std::vector<int> fds;
  unsigned last = 0;
};

class PollerTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair_), 0); }
  void TearDown() override {
    for (const int fd : pair_) {
      if (fd >= 0) ::close(fd);
    }
  }
  void send(char c = 'x') { ASSERT_EQ(::write(pair_[1], &c, 1), 1); }
  int pair_[2] = {-1, -1};
  std::unique_ptr<Poller> poller_ = Poller::create().take();
  Recorder client_;
};

TEST_F(PollerTest, TellsWhatIsReady) {
  ASSERT_TRUE(poller_->watch(pair_[0], Poller::kRead, &client_));
  EXPECT_FALSE(poller_->wait(0));
  send();
  EXPECT_TRUE(poller_->wait(1000));
  EXPECT_EQ(client_.fds, std::vector<int>{pair_[0]});
  EXPECT_EQ(client_.last, Poller::kRead);
  poller_->watch(pair_[0], Poller::kWrite, &client_);
  EXPECT_TRUE(poller_->wait(1000));
  EXPECT_EQ(client_.last, Poller::kWrite);
}

TEST_F(PollerTest, AParkedDescriptorIsSilentAndComesBack) {
  poller_->watch(pair_[0], Poller::kRead, &client_);
  poller_->park(pair_[0]);
  send();
  poller_->wait(0);
  poller_->wait(0);
  EXPECT_TRUE(client_.fds.empty());
  poller_->watch(pair_[0], Poller::kRead, &client_);
  EXPECT_TRUE(poller_->wait(1000));
  EXPECT_EQ(client_.fds.size(), 1U);
}

TEST_F(PollerTest, AParkedDescriptorThatIsHungUpDoesNotSpin) {
  poller_->watch(pair_[0], Poller::kRead, &client_);
  poller_->park(pair_[0]);
  ::close(pair_[1]);
  pair_[1] = -1;
  poller_->wait(0);
  EXPECT_FALSE(poller_->wait(50));
  EXPECT_TRUE(client_.fds.empty());
}

TEST_F(PollerTest, ARegularFileCannotBeWatched) {
  const int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
  EXPECT_FALSE(poller_->watch(fd, Poller::kRead, &client_));
  ::close(fd);
}

// The number of a closed descriptor comes back for another file, in the same state and in others.
TEST_F(PollerTest, ANumberThatComesBackIsANewFile) {
  for (const bool parked : {false, true}) {
    int first[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, first), 0);
    poller_->watch(first[0], Poller::kRead, &client_);
    if (parked) poller_->park(first[0]);
    poller_->forget(first[0]);
    ::close(first[0]);
    ::close(first[1]);
    int second[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, second), 0);
    ASSERT_EQ(second[0], first[0]);
    poller_->watch(second[0], Poller::kRead, &client_);
    ASSERT_EQ(::write(second[1], "x", 1), 1);
    client_.fds.clear();
    EXPECT_TRUE(poller_->wait(1000));
    EXPECT_EQ(client_.fds, std::vector<int>{second[0]});
    poller_->forget(second[0]);
    ::close(second[0]);
    ::close(second[1]);
  }
}

TEST_F(PollerTest, AnotherClientTakesANumberOver) {
  Recorder other;
  poller_->watch(pair_[0], Poller::kRead, &other);
  // The descriptor is closed without notice, and another file gets its number.
  const int copy = dup(pair_[0]);
  ::close(pair_[0]);
  ASSERT_EQ(dup2(copy, pair_[0]), pair_[0]);
  ::close(copy);
  poller_->watch(pair_[0], Poller::kRead, &client_);
  send();
  EXPECT_TRUE(poller_->wait(1000));
  EXPECT_TRUE(other.fds.empty());
  EXPECT_EQ(client_.fds.size(), 1U);
}

TEST_F(PollerTest, BeforeWaitIsCalledOnlyWhereNothingIsReady) {
  int called = 0;
  const auto before = [&called] { ++called; };
  poller_->watch(pair_[0], Poller::kRead, &client_);
  poller_->wait(1, before);
  EXPECT_EQ(called, 1);
  send();
  poller_->wait(1000, before);
  EXPECT_EQ(called, 1);
  poller_->wait(0, before);
  EXPECT_EQ(called, 1);
}

}  // namespace
}  // namespace spinneret::http
