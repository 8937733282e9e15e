// SPDX-License-Identifier: Apache-2.0
// The command line of politeness-sched, as what the frontier and the driver of the loop want. Wrong usage ends
// the program, as cli::Options does.
#ifndef SPINNERET_TOOLS_SCHED_SETTINGS_H_
#define SPINNERET_TOOLS_SCHED_SETTINGS_H_

#include <string>

#include "cli/tool.h"
#include "frontier/frontier.h"
#include "loop/driver.h"

namespace spinneret {

extern const cli::ToolSpec kSchedTool;

// What is asked instead of a crawl: "list"; nullptr: nothing. Wrong usage: two of them, and seeds or a command beside one
// that reads neither.
const char* action_of(const cli::Options& given);
// Likewise where --cluster is asked something instead, which needs no state.
void check_cluster_action(const cli::Options& given);

frontier::Options frontier_options(const cli::Options& given);

// `state`: the folder where the crawl is kept.
loop::DriverOptions driver_options(const cli::Options& given, const std::string& state);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_SETTINGS_H_
