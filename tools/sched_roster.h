// SPDX-License-Identifier: Apache-2.0
// One machine's view of the crawl's machines and partitions, from the engine: who is running, who
// holds which partition, which orders were given; and which partitions would be this machine's fair
// share.
//
//   Roster roster(engine);
//   if (roster.look_around(say)) for (p : roster.by_liking()) if (roster.is_free(p)) ...
#ifndef SPINNERET_TOOLS_SCHED_ROSTER_H_
#define SPINNERET_TOOLS_SCHED_ROSTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/quota.h"
#include "lease/lease.h"
#include "sched_added.h"
#include "sched_partition.h"

namespace spinneret {

class Roster {
 public:
  // `terms` is CrawlTerms::text, on which all machines must agree.
  Roster(const CrawlEngine& engine, std::string terms);

  // Asks the engine how things stand. Returns false where it did not answer, or where refused() has
  // an error that asking again does not change.
  bool look_around(const std::function<void(const std::string&)>& say);
  const std::optional<Error>& refused() const { return refused_; }
  // Whether this machine is to leave.
  bool draining() const { return draining_; }
  // Whether all partitions are done, by a message that is not older than the latest epoch under
  // which this machine worked (worked()).
  bool is_over() const { return over_; }
  void worked(std::uint64_t epoch) { worked_epoch_ = std::max(worked_epoch_, epoch); }
  // Gives the machine's slot back: nobody counts this machine any more.
  void leave();

  // Tells the others that some seeds were never reached in a partition that is handed over.
  Status tell_unreached();
  // Whether hosts or seeds were given up in any partition, on any machine. Reports it, or that it
  // is not known.
  bool gave_up(const std::function<void(const std::string&)>& say);

  // Number of machines at the last look, this one included.
  std::uint32_t machines() const;
  // Updates this machine's part of --max-pages. Needs a look_around() that gave this machine a
  // slot.
  Status look_at(cluster::Quota& quota, const cluster::Quota::Own& own) {
    return slot_ ? quota.look(*leases_, *slot_, machines(), own) : Status();
  }
  // Takes in the seeds that were added to the crawl by the last look.
  void attend(AddedSeeds& added, loop::Shares& shares,
              const std::function<void(const std::string&)>& say) {
    added.attend(*leases_, crawl_, shares, say);
  }
  // Asks the engine for the states that the crawl goes by; empty where it does not answer.
  lease::Rows states();
  // Asks the engine for the reports of the partitions; empty where it does not answer.
  lease::Rows reports();

  // By the last look: is_free() says that nobody holds the partition, is_elsewhere() that another
  // machine does. Before the first look neither is so.
  bool is_free(std::uint32_t p) const { return p < holders_.size() && holders_[p].node.empty(); }
  bool is_elsewhere(std::uint32_t p) const;
  bool is_pinned_here(std::uint32_t p) const;
  // Whether it is pinned to another machine that is running.
  bool is_pinned_elsewhere(std::uint32_t p) const;
  // How many partitions should be here: as many as at any other machine, give or take one, but at
  // least those pinned here.
  std::size_t fair_share() const;
  // Returns all partitions, in the order in which this machine would take them.
  std::vector<std::uint32_t> by_liking() const;

 private:
  std::string host() const { return name_.substr(0, name_.rfind('.')); }
  Status agree();
  Status look();
  void heed_orders(const std::function<void(const std::string&)>& say);
  Status keep_slot();
  bool nobody_has_any() const;
  bool only_former_self_has_any() const;

  const std::string name_;
  const std::string terms_;
  const std::uint32_t count_;
  const std::unique_ptr<lease::Leases> leases_;
  std::vector<std::string> names_;  // of partitions, followed by those of the slots of machines
  std::vector<lease::Leases::Holder> holders_;
  std::optional<lease::Lease> slot_;
  std::uint32_t rank_slot_ = 0;
  std::uint64_t worked_epoch_ = 0;
  lease::Leases::View view_;  // the last answer
  lease::Rows pins_, crawl_;
  std::optional<Error> refused_;
  bool away_ = false, over_ = false, looked_ = false;
  bool agreed_ = false, asked_ = false, draining_ = false;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_ROSTER_H_
