// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as a flag and a descriptor that a poll loop can watch.
#ifndef SPINNERET_CLI_SIGNALS_H_
#define SPINNERET_CLI_SIGNALS_H_

#include "base/result.h"

namespace spinneret::cli {

// After this call, the first SIGINT, SIGTERM or SIGHUP sets stop_signal(), makes stop_fd()
// readable, and ends the input that a Tool waits for. A second signal of the same kind kills as
// usual. Must be called once, before any thread starts.
Status install_stop_signals();

// The signal received, or 0. Async-signal-safe.
int stop_signal();

// A descriptor that is readable once a signal was received; -1 before install_stop_signals().
int stop_fd();

// Waits until a signal is received, there is input at `fd` (-1: none), or `ms` have passed. Returns
// false once a signal was received; later calls then wait for `fd` and the time only.
bool wait_for_stop(int ms, int fd = -1);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_SIGNALS_H_
