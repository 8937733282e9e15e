// SPDX-License-Identifier: Apache-2.0
// Ends a stopped process whose output nobody reads.
#ifndef SPINNERET_TOOLS_FETCH_WATCHDOG_H_
#define SPINNERET_TOOLS_FETCH_WATCHDOG_H_

#include "base/result.h"

namespace spinneret {

// Starts a thread that waits for the stop signal (cli/signals.h, which must be installed before),
// then for some seconds, and ends the process if it still runs then.
Status start_watchdog();

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FETCH_WATCHDOG_H_
