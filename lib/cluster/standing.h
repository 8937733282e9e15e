// SPDX-License-Identifier: Apache-2.0
// What a partition says of itself each second: for the end of the crawl (termination.h), for its status, and for whoever looks.
// A row of the engine's table "reports", by the partition's number:
//
//   epoch beat activity idle outbox-empty pages waiting in-flight outbox lag-ms pages-per-1000-s given-up done      in decimal
//
// The last four are of later releases: where they are missing, they are 0; and what comes behind them is of a later one still.
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
  Report report;  // but for its holder, which is the lease's
  std::uint64_t pages = 0, waiting = 0, in_flight = 0;
  std::uint64_t outbox = 0;    // batches that no other partition keeps yet
  std::uint64_t lag_ms = 0;    // Sender::lag_ms
  std::uint64_t pace = 0;      // pages in 1000 s, as of the last ten
  std::uint64_t given_up = 0;  // hosts that did not answer, and seeds that were not reached
  std::uint64_t done = 0;      // pages that are known, and were had

  bool idle() const { return report.idle && report.outbox_empty; }
};

std::string format_standing(const Standing& standing);
// False: it is none; then `out` is as it was.
bool parse_standing(std::string_view text, Standing& out);

// The row of the table "crawl" that says that all is done: the highest epoch by then. An engine that is restored from before says
// again what was said of an earlier run, and all its leases have run out: whoever has worked since, under a later epoch, knows.
inline constexpr std::string_view kFinished = "finished";
bool is_over(const lease::Rows& crawl, std::uint64_t worked_epoch);

// What all partitions together have given up, as they have reported it.
Result<std::uint64_t> given_up_in_all(lease::Leases& leases);

// What a partition has of the whole crawl's pages, as all have reported them: `own` of `all`. Where that is not known of
// one of them, or there are none, as much as any other.
struct PartOfPages {
  std::uint64_t own, all;
};
PartOfPages part_of_pages(const lease::Rows& reports, std::uint32_t partition,
                          std::uint32_t partitions);

// Pages a second, as a mean over ten seconds in which what is newer counts more.
class Pace {
 public:
  // `pages` so far. The first call begins.
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
