// SPDX-License-Identifier: Apache-2.0
// How many pages a whole crawl may still ask for in this run, as tickets of which no two machines hold the same one. The engine's table
// "quota" has one row of what is left, and of what each partition may come to, which changes by compare-and-set alone:
//
//   version told left { ' ' partition ':' epoch ':' most }...        pages of all runs, with those in flight
//
// So tickets are never more than the limit, and belong to a partition rather than to a machine: whoever has it next goes on with them,
// and with its own count of pages. The epoch is that of the owner who has read the row last: an earlier one that wakes changes nothing.
//
//   quota.look(leases, slot, machines, own);      // each beat, and whenever it is due(own): takes what is wanted, gives back what is not
//   quota.most(3, epoch)                          // pages and flights of a partition may come to so many now
//
// An engine that forgets, or is restored from before, is told again by whoever knows what stood there: `told` is the version that it was
// told last. Nobody changes that for some looks, in which who knows a later one tells it.
// Not thread-safe.
#ifndef SPINNERET_CLUSTER_QUOTA_H_
#define SPINNERET_CLUSTER_QUOTA_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lease/lease.h"

namespace spinneret::cluster {

// To be emptied by whoever comes first in a run.
inline constexpr std::string_view kQuotaTable = "quota";

class Quota {
 public:
  // One partition of this machine.
  struct Asked {
    std::uint64_t epoch = 0;
    std::uint64_t pages = 0;  // of all runs
    std::uint64_t in_flight = 0;
    bool wants = false;  // it would send something now

    std::uint64_t out() const { return pages + in_flight; }
  };
  using Own = std::map<std::uint32_t, Asked>;

  // 0: no limit.
  explicit Quota(std::uint64_t limit) : limit_(limit) {}
  bool limits() const { return limit_ != 0; }
  // `slot`: any lease of this machine. What the machine has stays where the engine does not answer.
  Status look(lease::Leases& leases, const lease::Lease& slot, std::uint32_t machines,
              const Own& own);
  // Whether a look would bring something now.
  bool due(const Own& own) const;
  std::uint64_t most(std::uint32_t partition, std::uint64_t epoch) const;
  // By the last look all is asked for, and final.
  bool reached() const { return reached_; }

 private:
  struct Part {
    std::uint64_t epoch = 0, most = 0;
  };
  struct Row {
    std::uint64_t version = 0, told = 0, left = 0;
    std::map<std::uint32_t, Part> parts = {};

    bool enter(const Own& own);
    bool take_back(const Own& own);
    bool give(std::uint32_t machines, const Own& own);
    std::string text() const;
  };
  static bool parse(std::string_view text, Row& out);
  Status exchange(lease::Leases& leases, const lease::Lease& slot, std::uint32_t machines,
                  const Own& own, bool& done);
  Status judge(lease::Leases& leases, const Own& own);

  std::uint64_t limit_;
  Row row_;              // as this machine knows it; version 0: not at all
  int quiet_looks_ = 0;  // in which it changes nothing
  bool reached_ = false;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_QUOTA_H_
