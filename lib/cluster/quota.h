// SPDX-License-Identifier: Apache-2.0
// How many pages a whole crawl may still ask for in this run, as one of its machines knows it. Each partition counts its pages over all
// runs and owners, and reports them (standing.h); the engine's table "pages-before" has what each had when this run began. Of what is
// left a machine takes its part, as there are so many of them, and looks again a beat later. So slow crawls end at the number, and
// fast ones at what the machines have asked for in the second in which they heard of each other last.
//
//   quota.enter(3, pages);                                  // a partition comes: pages of all runs
//   quota.look(leases, machines, own);                      // each beat; own: pages and flights of each partition here
//   quota.room(own)                                         // so many may go out now
//
// Not thread-safe. An engine that forgets all is told again by whoever knows.
#ifndef SPINNERET_CLUSTER_QUOTA_H_
#define SPINNERET_CLUSTER_QUOTA_H_

#include <cstdint>
#include <map>
#include <string_view>

#include "base/result.h"
#include "lease/lease.h"

namespace spinneret::cluster {

// To be emptied by whoever comes first in a run.
inline constexpr std::string_view kPagesBefore = "pages-before";

class Quota {
 public:
  struct Asked {
    std::uint64_t pages = 0;  // of all runs
    std::uint64_t in_flight = 0;
  };
  using Own = std::map<std::uint32_t, Asked>;

  // 0: no limit.
  explicit Quota(std::uint64_t limit) : limit_(limit) {}
  bool limits() const { return limit_ != 0; }
  void enter(std::uint32_t partition, std::uint64_t pages) { before_.emplace(partition, pages); }
  // Nothing more goes out before the next look: what it has asked for is among the others' then.
  void left() { known_ = false; }
  Status look(lease::Leases& leases, std::uint32_t machines, const Own& own);
  std::uint64_t room(const Own& own) const;
  // By the last look all is asked for.
  bool reached() const { return known_ && left_ == 0; }

 private:
  std::uint64_t count(const Own& own) const;

  std::uint64_t limit_;
  std::map<std::uint32_t, std::uint64_t> before_;  // of partitions that were ever here
  std::uint64_t most_ = 0;                         // that count() may come to
  std::uint64_t left_ = 0;                         // of the crawl
  bool known_ = false;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_QUOTA_H_
