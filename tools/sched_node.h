// SPDX-License-Identifier: Apache-2.0
// A machine of a crawl in partitions: it takes its fair share of them, and runs a command for each. Who owns a partition is the
// command's own affair (sched_partition.h): a machine that is wrong about that costs time only.
#ifndef SPINNERET_TOOLS_SCHED_NODE_H_
#define SPINNERET_TOOLS_SCHED_NODE_H_

#include "cli/tool.h"

namespace spinneret {

// --partitions=P -- COMMAND: until the crawl is over or a signal comes. The exit status.
int run_node(cli::Tool& tool);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_NODE_H_
