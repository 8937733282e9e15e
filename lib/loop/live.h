// SPDX-License-Identifier: Apache-2.0
// A running crawl as a page served on 127.0.0.1. It shows the content of --report, refreshed about
// every second, and the rate of pages. With the token that is printed at the start, a visitor can
// pause the crawl, resume it, or slow it down (valve.h).
//
// The server reads the files on disk, as --report does, and takes no lock: it is a process of its
// own, for which the crawl never waits. Each refresh reads the log's new lines and all hosts.
// Refreshes are ten times as far apart as one takes, so that they use at most a tenth of a core,
// and nothing while no browser is connected.
#ifndef SPINNERET_LOOP_LIVE_H_
#define SPINNERET_LOOP_LIVE_H_

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "cli/tool.h"
#include "frontier/frontier.h"

namespace spinneret::loop {

// Serves until a stop signal. `state` is the state's folder; port 0 means any free port. Returns
// the exit status.
int serve_live(cli::Tool& tool, const Clock& clock, const frontier::Options& options,
               const std::string& state, std::uint16_t port);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_LIVE_H_
