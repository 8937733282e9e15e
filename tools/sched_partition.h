// SPDX-License-Identifier: Apache-2.0
// The scheduler of one partition of a crawl: --cluster and what goes with it. What it does with lease, links and end is
// cluster/member.h.
#ifndef SPINNERET_TOOLS_SCHED_PARTITION_H_
#define SPINNERET_TOOLS_SCHED_PARTITION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bus/bus.h"
#include "cli/tool.h"
#include "cluster/beater.h"
#include "cluster/copies.h"
#include "cluster/copy_place.h"
#include "cluster/household.h"
#include "cluster/member.h"
#include "cluster/standing.h"
#include "engine/engine.h"
#include "frontier/frontier.h"
#include "frontier/store.h"
#include "lease/lease.h"
#include "url/partition.h"

namespace spinneret {

inline constexpr std::uint32_t kMostPartitions = 4096;

// What --cluster, --node, --partition-lease and --partition or --partitions say. Wrong usage ends the program.
struct CrawlEngine {
  engine::Address address;
  PartOf part;  // of --partitions: 0 of so many
  std::string node;
  std::int64_t ttl_ms = 0;
};
CrawlEngine engine_of(const cli::Options& given);

// --status: a record for each partition. The exit status.
int print_status(cli::Tool& tool);

// Where links and copies of all partitions go, and what their owners must agree on. Wrong usage ends the program.
struct CrawlTerms {
  Partitions partitions;
  std::string text;
  std::string map;     // what says, beside their number, which partition has a host
  std::string copies;  // empty: none
  std::string takes;   // what is taken from pages, as a word
};
CrawlTerms terms_of(const cli::Options& given, const CrawlEngine& engine);

// Whom a partition speaks to, and for how long it may wait: in the main thread or in one of its own.
struct Surroundings {
  std::function<void(const std::string&)> say;
  std::function<bool(int ms)> wait;  // false: it is to end
  std::shared_ptr<cluster::Beater> beater;
};
// Called once, before there are threads: stages hear of renewals by the environment.
std::shared_ptr<cluster::Beater> beater_of(cli::Tool& tool, const CrawlEngine& engine);

// What a partition has of a budget of visits that is the whole crawl's.
frontier::Recrawl part_of_budget(frontier::Recrawl whole, const cluster::PartOfPages& part);

class SchedPartition {
 public:
  // Nothing without --cluster. Wrong usage ends the program.
  static std::unique_ptr<SchedPartition> of(cli::Tool& tool);
  // `delay_ms` is the crawl's.
  SchedPartition(Surroundings around, const CrawlEngine& engine, CrawlTerms terms,
                 std::int64_t delay_ms);
  ~SchedPartition() { around_.beater->remove(member_); }
  SchedPartition(const SchedPartition&) = delete;
  SchedPartition& operator=(const SchedPartition&) = delete;

  // Waits until the partition is ours, and until whoever had it can send nothing any more. No value: go on; else the exit
  // status, and it has been said why. What a state in the folder knows of other partitions the engine is told before.
  std::optional<int> join(const std::string& folder);
  // Says why join() or open() failed. The exit status: that of a partition which is not ours where it may go well later.
  int refuse(const Status& why);
  // Where we hold the lock of the folder. With --copies: makes its state what the crawl goes on from. As join().
  std::optional<int> restore(const std::string& folder);
  // The state, before a frontier is opened on it.
  Status open(frontier::Store& store) { return member_.open(store, restored_.replaces); }
  // Whether, in this run, its failures were given another chance; that they were.
  Result<bool> was_retried();
  Status tell_retried();
  // With --copies, behind the end of the run: what is in the state is there for the next machine.
  Status ship_last(frontier::Store& store, const std::string& checkpoint);
  // For the frontier that is opened on it then.
  void share(frontier::Store& store, frontier::Options& options);
  frontier::Neighbours& neighbours() { return member_; }
  Deadlines* deadlines() { return around_.beater->deadlines(); }
  std::uint64_t epoch() { return member_.lease().epoch; }
  // Which others are at hand, from open() until leave(); nullptr: none.
  void move_to(cluster::Household* household) { member_.move_to(household); }
  // Behind the end of the state.
  void leave() {
    around_.beater->remove(member_);
    member_.leave();
  }

 private:
  Status tell_begun(const std::string& folder);
  std::optional<int> wait_until(const std::function<bool()>& done);
  std::optional<int> wait_for_delay();

  Surroundings around_;
  std::int64_t delay_ms_;
  CrawlTerms terms_;
  PartOf part_;
  std::unique_ptr<bus::Bus> bus_;
  std::unique_ptr<lease::Leases> leases_;
  std::optional<cluster::ProgramPlace> copies_;
  cluster::Member member_;
  cluster::Restored restored_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_PARTITION_H_
