// SPDX-License-Identifier: Apache-2.0
// What a link says of a URL that is known already: a shorter way, a better priority, another page's word, that it has
// changed since, or that it is wanted as a page, where it was only asked for so far. What changes, by where the URL is:
//
//   the URL ...               shorter, or better               votes           wanted as a page
//   was settled in the batch  nothing                          of a retry      where its row is open: it waits again
//   waits in its queue        goes to the end of its new one   rises by them   goes to the end of its new one
//   is in flight              what it comes back with          its row         its row, which tells who settles it
//   waits to be tried again   its row                          its row         its row, without validators
//   is settled                its row                          nothing         waits again, without validators
//
// A hint of a sitemap brings the next visit of what is settled forward: see later.h.
//
// Borrowed: all that it is made of. Not thread-safe. Cost: a look into flights and, where something is better, a write.
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

  // `row`: as the table has it.
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
