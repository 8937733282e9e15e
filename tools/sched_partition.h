// SPDX-License-Identifier: Apache-2.0
// The scheduler of one partition of a crawl: --cluster and what goes with it. What it does with lease, links and end is
// cluster/member.h.
#ifndef SPINNERET_TOOLS_SCHED_PARTITION_H_
#define SPINNERET_TOOLS_SCHED_PARTITION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bus/resp_bus.h"
#include "cli/tool.h"
#include "cluster/member.h"
#include "frontier/frontier.h"
#include "frontier/store.h"
#include "lease/resp_leases.h"
#include "url/partition.h"

namespace spinneret {

inline constexpr std::uint32_t kMostPartitions = 4096;

// What --cluster, --node, --partition-lease and --partition or --partitions say. Wrong usage ends the program.
struct CrawlEngine {
  resp::Address address;
  PartOf part;  // of --partitions: 0 of so many
  std::string node;
  std::int64_t ttl_ms = 0;
};
CrawlEngine engine_of(const cli::Options& given);

// --status: a record for each partition. The exit status.
int print_status(cli::Tool& tool);

class SchedPartition {
 public:
  // Nothing without --cluster. Wrong usage ends the program.
  static std::unique_ptr<SchedPartition> of(cli::Tool& tool);

  // Waits until the partition is ours, and until whoever had it can send nothing any more. No value: go on; else the exit
  // status, and it has been said why.
  std::optional<int> join();
  // Says why join() or open() failed. The exit status: that of a partition which is not ours where it may go well later.
  int refuse(const Status& why);
  // The state, before a frontier is opened on it.
  Status open(frontier::Store& store) { return member_.open(store); }
  void share(frontier::Options& options) const;
  frontier::Neighbours& neighbours() { return member_; }
  // Behind the end of the state.
  void leave() { member_.leave(); }

 private:
  SchedPartition(cli::Tool& tool, const CrawlEngine& engine, Partitions partitions,
                 const std::string& terms);

  cli::Tool& tool_;
  Partitions partitions_;
  PartOf part_;
  bus::RespBus bus_;
  lease::RespLeases leases_, beats_;
  cluster::Member member_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_PARTITION_H_
