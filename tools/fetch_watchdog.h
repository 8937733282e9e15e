// SPDX-License-Identifier: Apache-2.0
// Output that nobody reads must not keep a stopped process alive.
#ifndef SPINNERET_TOOLS_FETCH_WATCHDOG_H_
#define SPINNERET_TOOLS_FETCH_WATCHDOG_H_

#include "base/result.h"

namespace spinneret {

// Starts a thread that waits for the stop signal alone (cli/signals.h, installed before), then only for time to pass, and
// ends the process if that is still there.
Status start_watchdog();

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FETCH_WATCHDOG_H_
