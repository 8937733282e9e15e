// SPDX-License-Identifier: Apache-2.0
// What politeness-sched is asked instead of a crawl: which of the answers of loop/enquiry.h, and over which store.
#ifndef SPINNERET_TOOLS_SCHED_ENQUIRY_H_
#define SPINNERET_TOOLS_SCHED_ENQUIRY_H_

#include <string>

#include "cli/tool.h"
#include "loop/enquiry.h"

namespace spinneret {

using Action = int (*)(const loop::Enquiry&);

// nullptr: none is asked for. Looking in needs no lock: it reads what is on disk, beside a running crawl too.
Action reading_action(const cli::Options& given);
// Of what changes the state by hand, and wants its lock.
Action writing_action(const cli::Options& given);

// `db`: the folder of the store. The exit status.
int enquire(cli::Tool& tool, Action action, const std::string& db, bool read_only);
// --dry-run, beside a running crawl, too: what would change goes into a folder that is thrown away.
int run_dry(cli::Tool& tool, const std::string& db);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_ENQUIRY_H_
