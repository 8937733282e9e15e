// SPDX-License-Identifier: Apache-2.0
// The options of a frontier when it is opened.
#ifndef SPINNERET_FRONTIER_OPTIONS_H_
#define SPINNERET_FRONTIER_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/hours.h"
#include "frontier/host_table.h"
#include "frontier/order.h"
#include "frontier/politeness.h"
#include "frontier/recrawl.h"
#include "frontier/slots.h"
#include "frontier/suspects.h"
#include "url/partition.h"

namespace spinneret::frontier {

// What frontiers behind one pipeline share: how many URLs may be in flight, and which of them it
// dies of.
struct Company {
  explicit Company(std::uint32_t in_flight) : slots(in_flight) {}
  Slots slots;
  Suspects suspects;  // keyed as Flights are
};

struct Options {
  Politeness politeness;
  PolitenessKey key = PolitenessKey::kHost;
  std::uint32_t in_flight = 64;          // most URLs in flight: see slots.h
  std::uint32_t tries = 3;               // tries of a URL whose failures may pass
  std::int64_t retry_delay_ms = 30'000;  // delay before the second try; doubles, with jitter
  std::int64_t lease_ms = 600'000;       // time after which a URL in flight is taken for lost
  std::uint64_t max_pages = 0;           // limit for this run; 0: none
  std::uint64_t max_total_pages = 0;     // limit over all runs
  std::uint64_t max_bytes = 0;           // limit for the bodies of this run
  std::uint64_t max_host_pages = 0;      // limit for one host, over all runs
  Hours hours;                           // hours of local time in which anything may go out
  Recrawl recrawl;
  // The order of a host's URLs of one priority; none: as the state has it, kPriority in a new one.
  std::optional<Order> order;
  bool continuous = false;  // goes on with what falls due instead of ending
  // Pages that were last visited before this are fetched whole, without their validators: what is
  // taken from a page has changed since, and a 304 would bring nothing of it.
  std::int64_t whole_before_ms = 0;
  std::uint32_t gone_tries = 3;  // visits that find nothing before a page is forgotten
  std::uint32_t max_depth = UINT32_MAX;
  std::uint64_t seed = 0;  // seed of the jitter
  // Hosts that are kept in memory whole, at 400 bytes and a window each: see host_table.h.
  std::size_t hosts_in_play = 100'000;
  std::uint32_t log_page = 4096;  // hosts a page of the log: see host_log.h
  std::uint32_t crowd = 16;       // members for which a lane gets an agenda: see lanes.h
  // In a crawl in partitions: which partition owns which URLs, and the number of this one.
  // Borrowed; nullptr: all URLs are ours.
  const Partitions* partitions = nullptr;
  std::uint32_t partition = 0;
  // Borrowed; a frontier without it has its pipeline to itself.
  Company* company = nullptr;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_OPTIONS_H_
