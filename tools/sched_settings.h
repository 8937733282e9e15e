// SPDX-License-Identifier: Apache-2.0
// The command line of politeness-sched, as what the frontier and the driver of the loop want. Wrong usage ends
// the program, as cli::Options does.
#ifndef SPINNERET_TOOLS_SCHED_SETTINGS_H_
#define SPINNERET_TOOLS_SCHED_SETTINGS_H_

#include <memory>
#include <string>

#include "cli/tool.h"
#include "frontier/frontier.h"
#include "loop/driver.h"
#include "loop/ends.h"
#include "loop/pipeline.h"
#include "loop/share.h"

namespace spinneret {

extern const cli::ToolSpec kSchedTool;

// What is asked instead of a crawl: "list"; nullptr: nothing. Wrong usage: two of them, and seeds or a command beside one
// that reads neither.
const char* action_of(const cli::Options& given);

frontier::Options frontier_options(const cli::Options& given);

loop::DriverOptions driver_options(const cli::Options& given);
loop::ShareOptions share_options(const cli::Options& given, const std::string& state);
// What a pipeline over that state holds: see pipeline.h.
std::string pipeline_lock(const std::string& state);
// Its command, or standard input and output; `begun`: it has been started already.
std::unique_ptr<loop::Ends> ends_of(const cli::Tool& tool, const std::string& state,
                                    std::unique_ptr<loop::Pipeline> begun);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_SETTINGS_H_
