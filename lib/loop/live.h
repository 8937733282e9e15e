// SPDX-License-Identifier: Apache-2.0
// A crawl as it runs, as a page of a server on 127.0.0.1: what --report shows, anew every second or so, and how fast pages
// come. Whoever has the token that is printed at the start pauses the crawl, lets it go on or slows it down (valve.h).
//
// It reads what is on disk, as --report does, and needs no lock: it is a process of its own, which a crawl neither waits for nor
// notices. Cost: the log's new lines, and all hosts, each time; the time between is ten times what that takes, so at
// most a tenth of a core, and nothing while no browser is connected.
#ifndef SPINNERET_LOOP_LIVE_H_
#define SPINNERET_LOOP_LIVE_H_

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "cli/tool.h"
#include "frontier/frontier.h"

namespace spinneret::loop {

// Until a stop signal. `state`: the folder; port 0: a free one. Returns the exit status.
int serve_live(cli::Tool& tool, const Clock& clock, const frontier::Options& options,
               const std::string& state, std::uint16_t port);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_LIVE_H_
