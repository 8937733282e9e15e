// SPDX-License-Identifier: Apache-2.0
// Decides whether the crawl is over. It uses no sums, which drift where copies are restored. Every
// partition must have reported under its present epoch that it is idle and its outbox empty, and
// have reported so **again** since, with the same epoch and the same activity count. Then at the
// moment between the two rounds all were idle, and whatever was on its way would have been in an
// outbox: so nothing was.
//
//   Termination over(partitions);
//   if (over.round(reports)) ...   // whenever reports were read; holder is 0 where nobody owns p
#ifndef SPINNERET_CLUSTER_TERMINATION_H_
#define SPINNERET_CLUSTER_TERMINATION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace spinneret::cluster {

struct Report {
  std::uint64_t epoch = 0;  // under which the partition reported
  // Epoch of the partition's lease now; 0: unowned. A partition in quarantine reports nothing.
  std::uint64_t holder = 0;
  std::uint64_t beat = 0;      // number of its reports
  std::uint64_t activity = 0;  // count of what it did: batches taken, results, links offered
  bool idle = false;           // nothing queued, due or in flight
  bool outbox_empty = false;
};

class Termination {
 public:
  explicit Termination(std::size_t partitions) : partitions_(partitions) {}

  // Takes all reports. Returns true once the crawl is over, and from then on.
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
