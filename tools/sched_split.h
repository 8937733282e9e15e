// SPDX-License-Identifier: Apache-2.0
// --split: makes the states of two partitions, of a crawl with twice as many, from the state of one
// partition at rest.
#ifndef SPINNERET_TOOLS_SCHED_SPLIT_H_
#define SPINNERET_TOOLS_SCHED_SPLIT_H_

#include <string>

#include "cli/tool.h"

namespace spinneret {

// Reads --cluster, --partition=I/P and --split=FOLDER, whose {} stands for each new partition's
// number. `state` is only read. Returns the exit status. Wrong usage ends the program.
int split_partition(cli::Tool& tool, const std::string& state);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_SPLIT_H_
