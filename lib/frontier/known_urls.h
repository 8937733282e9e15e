// SPDX-License-Identifier: Apache-2.0
// What a link says of a URL that is known already: a shorter way, a better priority, a vote of
// another page, that the URL has changed since, or that it is wanted as a page, where it was only
// asked for so far. What changes depends on where the URL is:
//
//   the URL           shorter, or better       votes      wanted as a page
//   was settled in    nothing                  those of   waits again if its row is open
//   this batch                                 a retry
//   waits in a queue  goes to the end of its   raise it   goes to the end of its new queue
//                     new queue
//   is in flight      what it comes back with  its row    its row, for when it comes back
//   waits for a try   its row                  its row    its row, without validators
//   is settled        its row                  nothing    waits again, without validators
//
// A sitemap's hint brings the next visit of a settled URL forward: see later.h.
//
// Borrows its constructor arguments. Not thread-safe. Cost: a look into flights and, where
// something is better, a write.
#ifndef SPINNERET_FRONTIER_KNOWN_URLS_H_
#define SPINNERET_FRONTIER_KNOWN_URLS_H_

#include <cstdint>
#include <string_view>

#include "frontier/admission.h"
#include "frontier/backlog.h"
#include "frontier/flights.h"
#include "frontier/host_table.h"
#include "frontier/later.h"

namespace spinneret::frontier {

class KnownUrls {
 public:
  KnownUrls(const HostTable& hosts, Backlog& backlog, Flights& flights, Later& later)
      : hosts_(hosts), backlog_(backlog), flights_(flights), later_(later) {}

  // `row` is the URL's, as the table has it.
  void improve(const Admission::Entry& entry, std::string_view row, std::int64_t wall_ms);

 private:
  void want_more(const Admission::Entry& entry, UrlRow& row);
  void improve_waiting(const Admission::Entry& entry, UrlRow& row);
  void improve_in_flight(const Admission::Entry& entry, UrlRow& row, Flight& flight);
  void raise_waiting(const Admission::Entry& entry, UrlRow& row);
  Flight* flight_of(const Admission::Entry& entry);

  const HostTable& hosts_;
  Backlog& backlog_;
  Flights& flights_;
  Later& later_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_KNOWN_URLS_H_
