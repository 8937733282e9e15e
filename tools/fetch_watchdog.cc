// SPDX-License-Identifier: Apache-2.0
#include "fetch_watchdog.h"

#include <poll.h>
#include <unistd.h>

#include <system_error>
#include <thread>

#include "base/file.h"
#include "cli/signals.h"

namespace spinneret {
namespace {

// If standard output takes nothing for this long after a stop, it never will.
constexpr int kGiveUpMs = 4500;

}  // namespace

Status start_watchdog() {
  const auto watch = [] {
    pollfd stop{cli::stop_fd(), POLLIN, 0};
    while (poll(&stop, 1, -1) <= 0) {
    }
    poll(nullptr, 0, kGiveUpMs);
    write_all(STDERR_FILENO, "fetch: stopped while nobody reads standard output\n");
    _exit(2);
  };
  try {
    std::thread(watch).detach();
  } catch (const std::system_error& failure) {
    return system_error("cannot start a thread (see ulimit -u and -v)", failure.code().value());
  }
  return {};
}

}  // namespace spinneret
