// SPDX-License-Identifier: Apache-2.0
// What a partition reports about itself each second: for the end of the crawl (termination.h), for
// its status, and for observers. A row of the engine's table "reports", by the partition's number,
// with decimal numbers:
//
//   epoch beat activity idle outbox-empty pages waiting in-flight outbox
//     lag-ms pages-per-1000-s given-up done
//
// The last four are from later releases: where they are missing they are 0. Anything after them is
// from a later release still.
#ifndef SPINNERET_CLUSTER_STANDING_H_
#define SPINNERET_CLUSTER_STANDING_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cluster/termination.h"
#include "lease/lease.h"

namespace spinneret::cluster {

inline constexpr std::string_view kReportsTable = "reports";

struct Standing {
  Report report;  // without its holder, which the lease tells
  std::uint64_t pages = 0, waiting = 0, in_flight = 0;
  std::uint64_t outbox = 0;    // batches that no other partition keeps yet
  std::uint64_t lag_ms = 0;    // Sender::lag_ms
  std::uint64_t pace = 0;      // pages in 1000 s, by the last ten seconds
  std::uint64_t given_up = 0;  // hosts that did not answer, and seeds that were not reached
  std::uint64_t done = 0;      // pages known and fetched

  bool idle() const { return report.idle && report.outbox_empty; }
};

std::string format_standing(const Standing& standing);
// Returns false, and leaves `out` as it was, where the text is no report.
bool parse_standing(std::string_view text, Standing& out);

// The row of the table "crawl" which says that all is done, with the highest epoch at that time. An
// engine restored from an earlier time may say that of an earlier run, when all leases have run
// out: whoever has worked since then, under a later epoch, knows better.
inline constexpr std::string_view kFinished = "finished";
bool is_over(const lease::Rows& crawl, std::uint64_t worked_epoch);

// Returns what all partitions together have given up, by their reports.
Result<std::uint64_t> given_up_in_all(lease::Leases& leases);

// A partition's part of the whole crawl's pages, by the reports: `own` of `all`. Where a report is
// missing, or the partition has no pages, it gets as much as any other.
struct PartOfPages {
  std::uint64_t own, all;
};
PartOfPages part_of_pages(const lease::Rows& reports, std::uint32_t partition,
                          std::uint32_t partitions);

// Pages a second: a mean over ten seconds in which newer values count more.
class Pace {
 public:
  // `pages` is the number so far. The first call only begins.
  void add(std::uint64_t pages, std::int64_t now_ms);
  std::uint64_t per_1000_s() const {
    return static_cast<std::uint64_t>(std::llround(rate_ * 1000));
  }

 private:
  std::uint64_t pages_ = 0;
  std::int64_t at_ms_ = -1;
  double rate_ = 0;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_STANDING_H_
