// SPDX-License-Identifier: Apache-2.0
// Is the crawl over? Without sums, which drift where copies are restored: every partition has reported under its present
// epoch that it is idle and that its outbox is empty, and has reported it **again** since, with the same epoch and the
// same count of what it did. At the moment between the two rounds then all were idle, and everything that was on its way
// was in an outbox: nothing was.
//
//   Termination over(partitions);
//   if (over.round(reports)) ...     // each time the reports were read; reports[p].epoch is 0 where nobody owns p
#ifndef SPINNERET_CLUSTER_TERMINATION_H_
#define SPINNERET_CLUSTER_TERMINATION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace spinneret::cluster {

struct Report {
  std::uint64_t epoch = 0;  // that the partition reported under
  std::uint64_t holder =
      0;  // of its lease as it is now; 0: unowned. A partition in quarantine reports nothing
  std::uint64_t beat = 0;      // counts its reports
  std::uint64_t activity = 0;  // counts what it did: batches taken, results, links offered
  bool idle = false;           // nothing queued, due or in flight
  bool outbox_empty = false;
};

class Termination {
 public:
  explicit Termination(std::size_t partitions) : partitions_(partitions) {}

  // True once the crawl is over, for ever.
  bool round(std::span<const Report> reports) {
    bool quiet = reports.size() == partitions_;
    for (const Report& one : reports) {
      quiet = quiet && one.epoch != 0 && one.epoch == one.holder && one.idle && one.outbox_empty;
    }
    if (!quiet) {
      first_.clear();
      return over_;
    }
    bool again = !first_.empty(), same = again;
    for (std::size_t p = 0; again && p < partitions_; ++p) {
      again = reports[p].beat != first_[p].beat || reports[p].epoch != first_[p].epoch;
    }
    for (std::size_t p = 0; same && p < partitions_; ++p) {
      same = reports[p].epoch == first_[p].epoch && reports[p].activity == first_[p].activity;
    }
    over_ = over_ || (again && same);
    if (!same) first_.assign(reports.begin(), reports.end());
    return over_;
  }

 private:
  std::size_t partitions_;
  std::vector<Report> first_;
  bool over_ = false;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_TERMINATION_H_
