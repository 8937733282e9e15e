// SPDX-License-Identifier: Apache-2.0
// What politeness-sched can be asked instead of crawling: which answer of loop/enquiry.h, and over
// which store.
#ifndef SPINNERET_TOOLS_SCHED_ENQUIRY_H_
#define SPINNERET_TOOLS_SCHED_ENQUIRY_H_

#include <string>

#include "cli/tool.h"
#include "loop/enquiry.h"

namespace spinneret {

using Action = int (*)(const loop::Enquiry&);

// Returns the action that the options ask for; nullptr: none. Reading needs no lock: it looks at
// what is on disk, even beside a running crawl.
Action reading_action(const cli::Options& given);
// Returns the action that changes the state by hand, for which its lock is needed.
Action writing_action(const cli::Options& given);

// Runs the action over the store in the folder `db`. Returns the exit status.
int enquire(cli::Tool& tool, Action action, const std::string& db, bool read_only);
// --dry-run, even beside a running crawl: changes go into a folder that is thrown away.
int run_dry(cli::Tool& tool, const std::string& db);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_ENQUIRY_H_
