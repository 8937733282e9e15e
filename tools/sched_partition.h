// SPDX-License-Identifier: Apache-2.0
// The scheduler of one partition of a crawl: --cluster and the options that go with it.
// cluster/member.h deals with the lease, the links and the end of the crawl.
#ifndef SPINNERET_TOOLS_SCHED_PARTITION_H_
#define SPINNERET_TOOLS_SCHED_PARTITION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
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

// The values of --cluster, --node, --partition-lease, and --partition or --partitions. Wrong usage
// ends the program.
struct CrawlEngine {
  engine::Address address;
  PartOf part;  // with --partitions: 0 of so many
  std::string node;
  std::int64_t ttl_ms = 0;
};
CrawlEngine engine_of(const cli::Options& given);

// --status: prints a record for each partition. Returns the exit status.
int print_status(cli::Tool& tool);

// Where links and copies of all partitions go, and the terms on which their owners must agree.
// Wrong usage ends the program.
struct CrawlTerms {
  Partitions partitions;
  std::string text;
  std::string map;     // what decides, beside their number, which partition has a host
  std::string copies;  // empty: none
  std::string takes;   // the value of --takes: what is taken from pages
};
CrawlTerms terms_of(const cli::Options& given, const CrawlEngine& engine);

// How a partition speaks and waits: in the main thread, or in one of its own.
struct Surroundings {
  std::function<void(const std::string&)> say;
  std::function<bool(int ms)> wait;  // false: the partition is to end
  std::shared_ptr<cluster::Beater> beater;
};
// To be called once, before there are threads: it sets an environment variable, by which stages
// find the renewals.
std::shared_ptr<cluster::Beater> beater_of(cli::Tool& tool, const CrawlEngine& engine);

// Returns a partition's part of a budget of visits that is for the whole crawl.
frontier::Recrawl part_of_budget(frontier::Recrawl whole, const cluster::PartOfPages& part);

class SchedPartition {
 public:
  // Returns nullptr without --cluster. Wrong usage ends the program.
  static std::unique_ptr<SchedPartition> of(cli::Tool& tool);
  // `delay_ms` is the crawl's.
  SchedPartition(Surroundings around, const CrawlEngine& engine, CrawlTerms terms,
                 std::int64_t delay_ms);
  ~SchedPartition() { around_.beater->remove(member_); }
  SchedPartition(const SchedPartition&) = delete;
  SchedPartition& operator=(const SchedPartition&) = delete;

  // Waits until the partition is ours, and until its former owner can no longer send anything.
  // Before that, tells the engine what a state in the folder knows of other partitions. Returns no
  // value to go on, else the exit status, whose reason was reported.
  std::optional<int> join(const std::string& folder);
  // Reports why join() or open() failed. Returns the exit status, which says whether another
  // attempt may go well later.
  int refuse(const Status& why);
  // Takes the lock of the folder, after join(). The former owner of the partition may stand still
  // with the lock, or be cut off from here. It is waited for, since no machine can have the state
  // before. Returns as join() does.
  std::optional<int> lock(const std::string& folder, std::optional<FileLock>& lock);
  // To be called where we hold the lock of the folder. With --copies, makes the folder's state the
  // one that the crawl goes on from. Returns as join() does.
  std::optional<int> restore(const std::string& folder);
  // Opens the state for the partition, before a frontier is opened on it.
  Status open(frontier::Store& store) { return member_.open(store, restored_.replaces); }
  // Whether the partition's failures were given another chance in this run. tell_retried() says
  // that they were.
  Result<bool> was_retried();
  Status tell_retried();
  // With --copies, to be called after the end of the run: ships the state for the next machine.
  Status ship_last(frontier::Store& store, const std::string& checkpoint);
  // Sets the partition's options for the frontier that is opened on the state next.
  void share(frontier::Store& store, frontier::Options& options);
  frontier::Neighbours& neighbours() { return member_; }
  Deadlines* deadlines() { return around_.beater->deadlines(); }
  std::uint64_t epoch() { return member_.lease().epoch; }
  // Says which other partitions are on this machine, from open() until leave(); nullptr: none.
  void move_to(cluster::Household* household) { member_.move_to(household); }
  // To be called after the state is closed.
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
  std::string node_;
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
