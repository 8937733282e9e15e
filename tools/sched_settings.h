// SPDX-License-Identifier: Apache-2.0
// Turns the command line of politeness-sched into what the frontier and the driver of the loop
// want. Wrong usage ends the program, as cli::Options does.
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

// Returns what is asked instead of a crawl, such as "list"; nullptr: nothing. Two actions are wrong
// usage; so are seeds or a command beside an action that reads neither.
const char* action_of(const cli::Options& given);

frontier::Options frontier_options(const cli::Options& given);

loop::DriverOptions driver_options(const cli::Options& given);
loop::ShareOptions share_options(const cli::Options& given, const std::string& state);
// Returns the path of the lock that a pipeline over that state holds: see pipeline.h.
std::string pipeline_lock(const std::string& state);
// Returns the ends of the pipeline's command, or of standard input and output. `begun`: the command
// has been started already.
std::unique_ptr<loop::Ends> ends_of(const cli::Tool& tool, const std::string& state,
                                    std::unique_ptr<loop::Pipeline> begun);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_SETTINGS_H_
