// SPDX-License-Identifier: Apache-2.0
#include "http/poller.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace spinneret {
namespace {

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
  // Closed without a word, and opened again by somebody else.
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
}  // namespace spinneret
