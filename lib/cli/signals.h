// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as a flag and a descriptor that a poll loop can watch.
#ifndef SPINNERET_CLI_SIGNALS_H_
#define SPINNERET_CLI_SIGNALS_H_

#include "base/result.h"

namespace spinneret::cli {

// From now on the first SIGINT, SIGTERM or SIGHUP sets stop_signal() and makes stop_fd() readable, and input that a
// Tool waits for ends. A second signal of the same kind kills as usual. Call this once, before any thread starts.
Status install_stop_signals();

// The signal that came, or 0. Async-signal-safe.
int stop_signal();

// A descriptor that is readable once a signal came; -1 before install_stop_signals().
int stop_fd();

// Waits until a signal comes, there is input at `fd` (-1: none), or `ms` have passed. Returns false once a signal has
// come; later calls then wait for `fd` and the time alone.
bool wait_for_stop(int ms, int fd = -1);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_SIGNALS_H_
