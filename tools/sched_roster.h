// SPDX-License-Identifier: Apache-2.0
// The machines of a crawl and what each has, as the engine tells it to one of them: who is there, who holds which partition, what was
// asked of whom; and what of all that would be this machine's fair part.
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
  // `terms`: CrawlTerms::text, on which all machines must agree.
  Roster(const CrawlEngine& engine, std::string terms);

  // How things stand now. False: the engine has not said, or refused() has an error that asking again does not change.
  bool look_around(const std::function<void(const std::string&)>& say);
  const std::optional<Error>& refused() const { return refused_; }
  // This machine is to leave.
  bool draining() const { return draining_; }
  // All partitions are done, and were not before this machine worked on one of them under the latest of those epochs.
  bool is_over() const { return over_; }
  void worked(std::uint64_t epoch) { worked_epoch_ = std::max(worked_epoch_, epoch); }
  // Nobody counts it any more.
  void leave();

  // Tells the others that seeds were never reached in a partition that is handed over.
  Status tell_unreached();
  // Whether hosts or seeds were given up in any partition, on whichever machine it was; says so, and where that is not known.
  bool gave_up(const std::function<void(const std::string&)>& say);

  // As many as are there by the last look, and this one.
  std::uint32_t machines() const;
  // What there is of --max-pages for this machine, which a look around has made one of them.
  Status look_at(cluster::Quota& quota, const cluster::Quota::Own& own) {
    return slot_ ? quota.look(*leases_, *slot_, machines(), own) : Status();
  }
  // What was added to the crawl by the last look.
  void attend(AddedSeeds& added, loop::Shares& shares,
              const std::function<void(const std::string&)>& say) {
    added.attend(*leases_, crawl_, shares, say);
  }
  // What the engine says now of the states that the crawl goes by; nothing, where it does not answer.
  lease::Rows states();
  // What partitions say of themselves; likewise.
  lease::Rows reports();

  // By the last look: nobody holds it; somebody else does. Before the first one neither is so.
  bool is_free(std::uint32_t p) const { return p < holders_.size() && holders_[p].node.empty(); }
  bool is_elsewhere(std::uint32_t p) const;
  bool is_pinned_here(std::uint32_t p) const;
  // At a machine that is there.
  bool is_pinned_elsewhere(std::uint32_t p) const;
  // How many should be here: as many as with any other machine, give or take one, and those that are pinned here.
  std::size_t fair_share() const;
  // All partitions, those first that this machine would take first.
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
  std::vector<std::string> names_;  // of partitions, and behind them of the slots of machines
  std::vector<lease::Leases::Holder> holders_;
  std::optional<lease::Lease> slot_;
  std::uint32_t rank_slot_ = 0;
  std::uint64_t worked_epoch_ = 0;
  lease::Leases::View view_;  // the last one
  lease::Rows pins_, crawl_;
  std::optional<Error> refused_;
  bool away_ = false, over_ = false, looked_ = false;
  bool agreed_ = false, asked_ = false, draining_ = false;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_ROSTER_H_
