// SPDX-License-Identifier: Apache-2.0
// What a frontier counts.
#ifndef SPINNERET_FRONTIER_STATISTICS_H_
#define SPINNERET_FRONTIER_STATISTICS_H_

#include <array>
#include <cstdint>

#include "frontier/host_row.h"

namespace spinneret::frontier {

// Counted since the frontier was opened, except the states of URLs, which are those of the whole
// crawl.
struct Statistics {
  HostCounts all;  // sums over all hosts
  std::uint64_t hosts = 0;
  std::uint64_t admitted = 0;
  std::uint64_t known = 0;  // offered, but already there
  std::uint64_t too_deep = 0;
  std::uint64_t refused = 0;  // links that policy has refused
  std::uint64_t items = 0;    // items of pages, which are no URLs to visit
  std::uint64_t sent = 0;
  std::uint64_t pages = 0;   // asked for, with a final result
  std::uint64_t robots = 0;  // robots.txt fetched
  std::uint64_t retries = 0;
  std::uint64_t strangers = 0;
  std::uint64_t lost = 0;                       // leases that ran out
  std::uint64_t recrawled = 0;                  // pages that fell due again
  std::uint64_t forgotten = 0;                  // pages gone for good
  std::array<std::uint64_t, 32> outcomes = {};  // final results, by Outcome
  std::uint64_t bytes = 0;
  std::uint64_t hosts_finished = 0;   // given up, at least for a while
  std::uint64_t hosts_given_up = 0;   // those of them that are given up now
  std::uint64_t seeds_unreached = 0;  // seeds given up without an answer
  bool paused = false;                // nothing answers any more
};

// What a run has not reached, for lack of any answer.
struct GivenUpSum {
  std::uint64_t hosts = 0;
  std::uint64_t waiting = 0;  // URLs that wait there
  std::uint64_t seeds = 0;    // seeds not reached on hosts that did answer
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_STATISTICS_H_
