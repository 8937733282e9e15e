// SPDX-License-Identifier: Apache-2.0
// The line of progress of a scheduler, for one state or for all partitions of a machine.
#ifndef SPINNERET_TOOLS_SCHED_PROGRESS_H_
#define SPINNERET_TOOLS_SCHED_PROGRESS_H_

#include <cstdint>

#include "cli/tool.h"
#include "frontier/politeness.h"
#include "loop/progress.h"

namespace spinneret {

// `max_pages` is that of the whole run; 0: there is no limit, or each partition has its own.
loop::Progress make_progress(const cli::Tool& tool, const frontier::Politeness& politeness,
                             std::uint64_t max_pages);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_PROGRESS_H_
