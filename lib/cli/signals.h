// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as a flag and a descriptor that a poll loop can watch.
#ifndef SPINNERET_CLI_SIGNALS_H_
#define SPINNERET_CLI_SIGNALS_H_

#include "base/result.h"

namespace spinneret::cli {

// From now on the first SIGINT, SIGTERM or SIGHUP sets stop_signal() and makes stop_fd() readable; the
// second one of a kind kills as usual. Inputs that a Tool waits for end then. Call once, before threads start.
Status install_stop_signals();

// The signal that came, or 0. Async-signal-safe.
int stop_signal();

// Readable once a signal came; -1 before install_stop_signals().
int stop_fd();

// Waits for a signal, for input at `fd` (none: -1), at most so long. Once a signal has come it wakes nobody any more.
// False: one has come.
bool wait_for_stop(int ms, int fd = -1);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_SIGNALS_H_
