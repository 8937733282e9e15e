// SPDX-License-Identifier: Apache-2.0
// A machine of a crawl in partitions: it takes its fair share of them, and crawls them all with one pipeline. Who owns a partition
// is that one's own affair (sched_holding.h): a machine that is wrong about it costs time only.
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
// Who holds each of so many leases, by their number: machines, by node_name, or partitions, by cluster::partition_name.
Result<std::vector<lease::Leases::Holder>> holders_of(lease::Leases& leases, std::uint32_t count,
                                                      std::string (*name)(std::uint32_t));

// Tables of what was asked of machines: rows by partition, and by a machine's name.
inline constexpr std::string_view kPins = "pins", kDrains = "drains";
// Partitions in which, in this run, what had failed or was kept out was given another chance.
inline constexpr std::string_view kRetried = "retried";

// --drain=NODE, --pin=P=NODE, --begin-anew=P: tells them. The exit status.
bool gives_order(const cli::Options& given);
int give_order(cli::Tool& tool);

// --partitions=P --state='p{}' SEED... -- COMMAND: until the crawl is over or a signal comes. The exit status.
int run_node(cli::Tool& tool);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_NODE_H_
