// SPDX-License-Identifier: Apache-2.0
// How many pages a whole crawl may still ask for in this run, as tickets, each of which one machine
// at most can hold. One row of the engine's table "quota" has the tickets left, and the most pages
// that each partition may reach; it changes only by compare-and-set:
//
//   version told left { ' ' partition ':' epoch ':' most }...   // pages of all runs, and in flight
//
// So there are never more tickets than the limit. They belong to a partition, not to a machine: its
// next owner goes on with them, and with its count of pages. The epoch is that of the owner who has
// last entered itself in the row: an earlier one that wakes up changes nothing.
//
//   quota.look(leases, slot, machines, own);   // at each beat, and when due(own)
//   quota.most(3, epoch)                       // the pages and flights that it may now reach
//
// An engine that forgets, or is restored from an earlier time, is told the row again by machines
// that know it: `told` is the version that it was told last. After that nobody changes the row for
// some looks, in which whoever knows a later version tells it.
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

// To be emptied by the first machine of a run.
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

  // `limit` of 0: there is no limit.
  explicit Quota(std::uint64_t limit) : limit_(limit) {}
  bool limits() const { return limit_ != 0; }
  // Takes tickets that are wanted, and gives back others. `slot` is any lease of this machine.
  // Where the engine does not answer, the machine keeps what it has.
  Status look(lease::Leases& leases, const lease::Lease& slot, std::uint32_t machines,
              const Own& own);
  // Whether a look would change something now.
  bool due(const Own& own) const;
  std::uint64_t most(std::uint32_t partition, std::uint64_t epoch) const;
  // Whether, by the last look, all pages were asked for and have their results.
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
  Row row_;              // the row as this machine knows it; version 0: not at all
  int quiet_looks_ = 0;  // looks left in which it changes nothing
  bool reached_ = false;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_QUOTA_H_
