// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace spinneret::cli {
namespace {

volatile std::sig_atomic_t g_signal = 0;
int g_pipe[2] = {-1, -1};

extern "C" void on_stop_signal(int number) {
  const int saved = errno;
  g_signal = number;
  const char byte = 0;
  // The write may fail only because the pipe is full, and then it is readable already.
  [[maybe_unused]] const ssize_t put = ::write(g_pipe[1], &byte, 1);
  errno = saved;
}

}  // namespace

Status install_stop_signals() {
  if (pipe2(g_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return system_error("cannot make a pipe", errno);
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  // Handled once: a user who presses Ctrl-C twice wants the program to end.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    sigaction(number, nullptr, &old);
    // Signals that nohup or a background job ignores stay ignored.
    if (old.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
  return {};
}

int stop_signal() { return g_signal; }
int stop_fd() { return g_pipe[0]; }

bool wait_for_stop(int ms, int fd) {
  pollfd fds[] = {{stop_signal() == 0 ? stop_fd() : -1, POLLIN, 0}, {fd, POLLIN, 0}};
  poll(fds, 2, ms);
  return stop_signal() == 0;
}

}  // namespace spinneret::cli
