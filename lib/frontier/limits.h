// SPDX-License-Identifier: Apache-2.0
// What a run may still ask for, by number, by bytes and by the hour.
//
//   limit             counts                               once reached
//   max_pages         pages of this run, with those in     nothing more goes out
//                     flight
//   max_total_pages   the same of all runs                 likewise
//   max_bytes         bytes of bodies of this run          likewise
//   hours             -                                    nothing goes out outside of them
//   max_host_pages    pages of one host, of all runs       nothing more goes out there: see
//                                                          Lanes::limit_reached
//
// Borrows its constructor arguments. Cost: O(1).
#ifndef SPINNERET_FRONTIER_LIMITS_H_
#define SPINNERET_FRONTIER_LIMITS_H_

#include <cstdint>
#include <string_view>

#include "frontier/flights.h"
#include "frontier/host_row.h"
#include "frontier/options.h"
#include "frontier/statistics.h"

namespace spinneret::frontier {

class Limits {
 public:
  Limits(const Options& options, const Statistics& statistics, const Flights& flights)
      : options_(options), statistics_(statistics), flights_(flights) {}

  // Sets how many pages earlier runs have asked for.
  void begin(std::uint64_t pages_before) { pages_before_ = pages_before; }
  // The option that limits pages or bytes, in this run or over all runs, and is reached; empty:
  // none.
  std::string_view which() const;
  bool reached() const { return !which().empty(); }
  // Milliseconds until anything may go out by the hour; 0: it may.
  std::int64_t closed_ms(std::int64_t wall_ms) const;
  // The sums over all hosts and runs, as their rows count.
  HostCounts sums() const;

 private:
  const Options& options_;
  const Statistics& statistics_;
  const Flights& flights_;
  std::uint64_t pages_before_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_LIMITS_H_
