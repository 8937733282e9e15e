// SPDX-License-Identifier: Apache-2.0
// A machine of a crawl in partitions: takes its fair share of them, and crawls them all with one
// pipeline. Each partition secures its own ownership (sched_holding.h): a machine that is wrong
// about it loses time only.
#ifndef SPINNERET_TOOLS_SCHED_NODE_H_
#define SPINNERET_TOOLS_SCHED_NODE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/tool.h"
#include "lease/lease.h"

namespace spinneret {

// Leases of machines, by which they count each other.
inline constexpr std::uint32_t kMostNodes = 64;
std::string node_name(std::uint32_t slot);
// Returns who holds each of `count` leases, by number. `name` names them: node_name() for machines,
// cluster::partition_name() for partitions.
Result<std::vector<lease::Leases::Holder>> holders_of(lease::Leases& leases, std::uint32_t count,
                                                      std::string (*name)(std::uint32_t));

// Tables of orders to machines: the rows of kPins are by partition, those of kDrains by a machine's
// name.
inline constexpr std::string_view kPins = "pins", kDrains = "drains";
// Table of the partitions in which URLs that had failed or were kept out were given another chance
// in this run.
inline constexpr std::string_view kRetried = "retried";

// --drain=NODE, --pin=P=NODE, --begin-anew=P: gives the order by way of the engine. Returns the
// exit status.
bool gives_order(const cli::Options& given);
int give_order(cli::Tool& tool);

// --partitions=P --state='p{}' SEED... -- COMMAND: runs until the crawl is over or a signal comes.
// Returns the exit status.
int run_node(cli::Tool& tool);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_NODE_H_
