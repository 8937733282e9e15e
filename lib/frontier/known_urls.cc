// SPDX-License-Identifier: Apache-2.0
#include "frontier/known_urls.h"

#include <algorithm>
#include <string>
#include <utility>

namespace spinneret::frontier {
namespace {

// Votes count until the page is visited: afterwards they change no order.
void take_votes(const Admission::Entry& entry, UrlRow& row) {
  if (row.state == UrlState::kWaiting) row.votes.add(entry.votes);
}

void take_better(const Admission::Entry& entry, UrlRow& row) {
  if (wants_more(entry.depth, row.depth)) {
    row.is_sitemap = entry.is_sitemap;
    row.extra = entry.extra;
  }
  row.depth = std::min(row.depth, entry.depth);
  take_votes(entry, row);
  if (entry.raises) row.priority = std::min(row.priority, std::min(entry.priority, kLastPriority));
}

}  // namespace

Flight* KnownUrls::flight_of(const Admission::Entry& entry) {
  return flights_.find(join_url(hosts_.host(entry.host).origin, entry.rest));
}

// A URL that was settled in this very batch stays as it is. But one that was only asked for may now
// be wanted as a page, and one that is to be tried again takes votes.
void KnownUrls::improve(const Admission::Entry& entry, std::string_view row_bytes,
                        std::int64_t wall_ms) {
  const Host& host = hosts_.host(entry.host);
  const bool hinted = entry.modified_ms != 0 || entry.interval_ms != 0;
  UrlRow row;
  if (!decode_url_row(row_bytes, host.origin, row)) return;
  // another URL of that fingerprint: see keys.h
  if (!row.is_stub && row.rest != entry.rest) return;
  const bool better = entry.depth < row.depth || (entry.raises && entry.priority < row.priority);
  const bool voted = !entry.votes.empty() && row.state == UrlState::kWaiting;
  if (!better && !hinted && !voted) return;
  if (backlog_.is_settled(entry.host, entry.rest)) {
    if (!backlog_.get_open(entry.host, entry.rest, row)) return;
    if (wants_more(entry.depth, row.depth)) return want_more(entry, row);
    if (entry.votes.empty()) return;
    take_votes(entry, row);
    return backlog_.put(entry.host, entry.rest, row);
  }
  if (wants_more(entry.depth, row.depth)) return want_more(entry, row);
  if (hinted) later_.hint(row, host.id, entry.rest, entry.modified_ms, entry.interval_ms, wall_ms);
  if (row.state == UrlState::kWaiting && row.due_ms == 0) {
    if (better) {
      improve_waiting(entry, row);
    } else if (voted) {
      raise_waiting(entry, row);
    }
    return;
  }
  // A page that waits by its worth keeps its class until its next visit.
  take_better(entry, row);
  backlog_.put(entry.host, entry.rest, row);
}

// A flight comes back with less than is wanted now: the row tells whoever settles it. What was
// fetched is forgotten, so that no validators leave a page without a body.
void KnownUrls::want_more(const Admission::Entry& entry, UrlRow& row) {
  const Host& host = hosts_.host(entry.host);
  const bool waits = row.state == UrlState::kWaiting;
  Flight* const flight = waits && row.due_ms == 0 ? flight_of(entry) : nullptr;
  if (waits && row.due_ms == 0 && flight == nullptr) return improve_waiting(entry, row);
  forget_validators(row);
  row.digest.clear();
  if (!waits) {
    later_.drop(row, host.id, entry.rest);
    backlog_.revive(entry.host, row);
  }
  if (flight != nullptr) {
    // A stub cannot say what is wanted of the URL. Its place is that of the flight, as its priority
    // says.
    QueueEntry flying;
    if (!decode_queue_entry(flight->entry, flying)) return;
    if (row.is_stub) fill_row(row, flying, flight->place, host.origin);
    return improve_in_flight(entry, row, *flight);
  }
  take_better(entry, row);
  if (!waits) return backlog_.requeue(entry.host, entry.rest, row);
  backlog_.put(entry.host, entry.rest, row);
}

void KnownUrls::improve_in_flight(const Admission::Entry& entry, UrlRow& row, Flight& flight) {
  if (entry.raises) flight.raised = std::min(flight.raised, entry.priority);
  const std::uint8_t priority = row.priority;
  take_better(entry, row);
  row.priority = priority;
  backlog_.put(entry.host, entry.rest, row);
}

// Moves a URL to its rank, once that is a better one: for any number of links, as often as their
// logarithm at most.
void KnownUrls::raise_waiting(const Admission::Entry& entry, UrlRow& row) {
  take_votes(entry, row);
  const bool rises = backlog_.rises(row);
  const Flight* const flight = rises ? flight_of(entry) : nullptr;
  const bool flies = flight != nullptr && flight->place == Place::of(row.priority, row.arrival);
  if (!rises || flies || !backlog_.rise(entry.host, entry.rest, row))
    backlog_.put(entry.host, entry.rest, row);
}

// Moves a URL to the end of its queue, or of those of its new priority, because a key of the queue
// is put once only. A flight goes on, and is stored with its new depth when it comes back.
void KnownUrls::improve_waiting(const Admission::Entry& entry, UrlRow& row) {
  const Place old = Place::of(row.priority, row.arrival);
  Flight* const flight = flight_of(entry);
  if (flight != nullptr && flight->place == old) {
    QueueEntry flying;
    if (!decode_queue_entry(flight->entry, flying)) return;
    // It comes back with less than its row says by now: see want_more.
    if (wants_more(row.depth, flying.depth)) return improve_in_flight(entry, row, *flight);
    flying.depth = std::min(flying.depth, entry.depth);
    std::string bytes;
    encode_queue_entry(bytes, flying);
    flight->entry = std::move(bytes);
    if (entry.raises) flight->raised = std::min(flight->raised, entry.priority);
    if (entry.votes.empty()) return;
    take_votes(entry, row);
    return backlog_.put(entry.host, entry.rest, row);
  }
  if (row.is_stub && !backlog_.fill_stub(entry.host, entry.rest, row)) return;
  take_better(entry, row);
  backlog_.move_to_end(entry.host, entry.rest, row, old);
}

}  // namespace spinneret::frontier
