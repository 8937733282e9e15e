// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

namespace spinneret::cli {
namespace {

bool readable(int fd) {
  pollfd ready{fd, POLLIN, 0};
  return poll(&ready, 1, 0) == 1;
}

using SignalsDeathTest = testing::Test;

// Each in a child: handlers are for the whole process. 0 is what a child that is content ends with.
TEST(SignalsDeathTest, FirstSignalIsAFlagAndADescriptor) {
  EXPECT_EXIT(
      {
        const bool before = stop_fd() == -1 && stop_signal() == 0;
        const bool installed = install_stop_signals().ok() && !readable(stop_fd());
        raise(SIGTERM);
        _exit(before && installed && stop_signal() == SIGTERM && readable(stop_fd()) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(SignalsDeathTest, SecondOfAKindKills) {
  EXPECT_EXIT(
      {
        if (!install_stop_signals().ok()) _exit(1);
        raise(SIGINT);
        raise(SIGINT);
        _exit(2);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(SignalsDeathTest, IgnoredOnesStayIgnored) {
  EXPECT_EXIT(
      {
        signal(SIGHUP, SIG_IGN);  // as nohup does
        if (!install_stop_signals().ok()) _exit(1);
        raise(SIGHUP);
        raise(SIGHUP);
        _exit(stop_signal() == 0 && !readable(stop_fd()) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace spinneret::cli
