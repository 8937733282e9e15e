// SPDX-License-Identifier: Apache-2.0
// Making links, results and marks durable, and what is read of them at the start.
#include <algorithm>
#include <utility>
#include <vector>

#include "frontier/encode.h"
#include "frontier/frontier.h"
#include "frontier/meta.h"

namespace spinneret::frontier {
namespace {

// Arrival numbers are reserved in blocks, so that a number is never given twice, whatever happens.
constexpr std::uint64_t kArrivalBlock = std::uint64_t{1} << 16;
// New URLs that are kept in memory besides the table, over all hosts.
constexpr std::size_t kKeptEntries = 200'000;

}  // namespace

bool Frontier::pending() const {
  return admission_.sealed() != 0 || store_.staged() != 0 || lanes_.any_wanted() ||
         later_.is_due(now());
}

Status Frontier::commit() {
  if (admission_.sealed() != 0) admit_sealed();
  Status done = commit_staged();
  settled_keys_.clear();
  open_rows_.clear();
  // Only over what is committed: the walk does not see what is staged.
  if (done.ok()) done = promote_due();
  if (done.ok()) done = hosts_.status();
  // A host that rests forgets what its window has passed.
  if (done.ok() && !flights_.any_passed_over()) hosts_.rest();
  statistics_.hosts = hosts_.size();
  lanes_.arrange();
  return done;
}

// Of all hosts and runs, as their rows count.
HostCounts Frontier::sums() const {
  HostCounts all = statistics_.all;
  all.pages = pages_before_ + statistics_.pages;
  return all;
}

Status Frontier::commit_staged() {
  hosts_.stage(now(), sums());
  later_.stage();
  return store_.commit();
}

void Frontier::admit_sealed() {
  admission_.take_sealed(
      hosts_, store_, [this](Admission::Entry& entry) { admit_new(entry); },
      [this](const Admission::Entry& entry, std::string_view row) {
        ++statistics_.known;
        improve(entry, row);
      },
      [this](const Admission::Entry& entry, std::string_view key) { store_new(entry, key); });
  statistics_.known += admission_.repeats();
}

std::uint64_t Frontier::next_number() {
  if (next_arrival_ >= arrivals_reserved_) stage_counters();
  return next_arrival_++;
}

void Frontier::stage_counters() {
  arrivals_reserved_ = next_arrival_ + kArrivalBlock;
  store_.put(Table::kMeta, kArrivalsKey, encode_number(arrivals_reserved_));
}

// In memory: its place, behind all that came before it.
void Frontier::admit_new(Admission::Entry& entry) {
  const Host& host = hosts_.host(entry.host);
  entry.priority = std::min(entry.priority, kLastPriority);
  entry.arrival = arrival_of(rank_of(order_, entry.depth, entry.votes), next_number());
  const Place place = Place::of(entry.priority, entry.arrival);
  // Behind others it changes nothing about its lane's turn.
  if (host.play == nullptr || !host.play->queue.is_behind(place)) lanes_.want(entry.host);
  fill_new_row(entry);
  encode_queue_entry(entry_bytes_, entry_of(new_row_, host.origin, entry.rest));
  hosts_.queued(entry.host, place, entry_bytes_,
                window_share(kKeptEntries, HostQueue::kFirstBlock));
  ++statistics_.all.waiting;
  ++statistics_.admitted;
  hosts_.add_waiting(entry.host);
}

void Frontier::fill_new_row(const Admission::Entry& entry) {
  new_row_.priority = entry.priority;
  new_row_.depth = entry.depth;
  new_row_.arrival = entry.arrival;
  new_row_.added_ms = now().wall_ms;
  new_row_.is_sitemap = entry.is_sitemap;
  new_row_.via = entry.via;
  new_row_.extra = entry.extra;
  new_row_.votes = entry.votes;
}

void Frontier::put_row(HostSlot slot, std::string_view rest, const UrlRow& row) {
  const Host& host = hosts_.host(slot);
  make_url_key(key_, host.id, rest);
  encode_url_row(row_bytes_, row, host.origin);
  store_.put(Table::kUrls, key_, row_bytes_);
}

void Frontier::store_new(const Admission::Entry& entry, std::string_view key) {
  const Host& host = hosts_.host(entry.host);
  fill_new_row(entry);
  encode_waiting_row(row_bytes_, new_row_, host.origin);
  store_.put(Table::kUrls, key, row_bytes_);
  make_queue_key(key_, host.id, Place::of(entry.priority, entry.arrival));
  encode_queue_entry(entry_bytes_, entry_of(new_row_, host.origin, entry.rest));
  store_.put(Table::kQueue, key_, entry_bytes_);
}

// A shorter way to a known URL, a better priority, or another page's word for it. What has been settled in this very batch
// is left as it is, but for what was only asked for and is now wanted itself, and for the votes of what is to be tried again.
void Frontier::improve(const Admission::Entry& entry, std::string_view row_bytes) {
  const Host& host = hosts_.host(entry.host);
  const bool hinted = entry.modified_ms != 0 || entry.interval_ms != 0;
  UrlRow row;
  if (!decode_url_row(row_bytes, host.origin, row)) return;
  if (!row.is_stub && row.rest != entry.rest) return;  // of one fingerprint: see keys.h
  const bool better = entry.depth < row.depth || (entry.raises && entry.priority < row.priority);
  const bool voted = !entry.votes.empty() && row.state == UrlState::kWaiting;
  if (!better && !hinted && !voted) return;
  make_url_key(key_, host.id, entry.rest);
  if (settled_keys_.contains(key_)) {
    const auto open = open_rows_.find(key_);
    if (open == open_rows_.end() || !decode_url_row(open->second, host.origin, row)) return;
    if (wants_more(entry.depth, row.depth)) return improve_checked(entry, row);
    if (entry.votes.empty()) return;
    take_votes(entry, row);
    return put_row(entry.host, entry.rest, row);
  }
  if (wants_more(entry.depth, row.depth)) return improve_checked(entry, row);
  if (hinted) {
    later_.hint(row, host.id, entry.rest, entry.modified_ms, entry.interval_ms, now().wall_ms);
  }
  if (row.state == UrlState::kWaiting && row.due_ms == 0) {
    if (better) {
      improve_waiting(entry, row);
    } else if (voted) {
      raise_waiting(entry, row);
    }
    return;
  }
  // What waits by its worth keeps its class until its next visit.
  take_better(entry, row);
  put_row(entry.host, entry.rest, row);
}

// More is wanted of a URL than to know whether it is there. What is in flight comes back with less than that: its row tells
// who settles it. What was had is forgotten, lest its validators leave a page without a body.
void Frontier::improve_checked(const Admission::Entry& entry, UrlRow& row) {
  const Host& host = hosts_.host(entry.host);
  const bool waits = row.state == UrlState::kWaiting;
  Flight* const flight =
      waits && row.due_ms == 0 ? flights_.find(join_url(host.origin, entry.rest)) : nullptr;
  if (waits && row.due_ms == 0 && flight == nullptr) return improve_waiting(entry, row);
  row.etag.clear();
  row.last_modified.clear();
  row.digest.clear();
  if (!waits) {
    later_.drop(row, host.id, entry.rest);
    count_state(entry.host, row.state, UrlState::kWaiting);
    row.state = UrlState::kWaiting;
    row.failures = 0;
  }
  if (flight != nullptr) {
    // A stub has no room for what is wanted of it, and its place is that of the flight, as its priority says.
    QueueEntry flying;
    if (!decode_queue_entry(flight->entry, flying)) return;
    if (row.is_stub) fill_row(row, flying, flight->place, host.origin);
    return take_better_in_flight(entry, row, *flight);
  }
  take_better(entry, row);
  if (!waits) return requeue(entry.host, entry.rest, row);
  put_row(entry.host, entry.rest, row);
}

void Frontier::take_better(const Admission::Entry& entry, UrlRow& row) {
  if (wants_more(entry.depth, row.depth)) {
    row.is_sitemap = entry.is_sitemap;
    row.extra = entry.extra;
  }
  row.depth = std::min(row.depth, entry.depth);
  take_votes(entry, row);
  if (entry.raises) row.priority = std::min(row.priority, std::min(entry.priority, kLastPriority));
}

// They count until the page is visited: afterwards they change no order.
void Frontier::take_votes(const Admission::Entry& entry, UrlRow& row) {
  if (row.state == UrlState::kWaiting) row.votes.add(entry.votes);
}

void Frontier::take_better_in_flight(const Admission::Entry& entry, UrlRow& row, Flight& flight) {
  if (entry.raises) flight.raised = std::min(flight.raised, entry.priority);
  const std::uint8_t priority = row.priority;
  take_better(entry, row);
  row.priority = priority;
  put_row(entry.host, entry.rest, row);
}

// Another page's word for what waits: it goes to where its rank is, once that is a better one. A number of links makes it
// rise by its logarithm at most so often.
void Frontier::raise_waiting(const Admission::Entry& entry, UrlRow& row) {
  const Host& host = hosts_.host(entry.host);
  const Place old = Place::of(row.priority, row.arrival);
  take_votes(entry, row);
  const std::uint64_t rank = rank_of(order_, row.depth, row.votes);
  const Flight* const flight =
      rank < rank_in(row.arrival) ? flights_.find(join_url(host.origin, entry.rest)) : nullptr;
  const bool flies = flight != nullptr && flight->place == old;
  make_queue_key(key_, host.id, old);
  if (rank >= rank_in(row.arrival) || flies || !store_.get(Table::kQueue, key_, entry_bytes_))
    return put_row(entry.host, entry.rest, row);
  store_.erase_single(Table::kQueue, key_);
  if (host.play != nullptr) host.play->queue.erased(old);
  row.arrival = arrival_of(rank, number_in(row.arrival));
  put_row(entry.host, entry.rest, row);
  put_place(entry.host, Place::of(row.priority, row.arrival));
}

// It goes to the end of its queue, or of those of its new priority, for a key of the queue is put once only; what is in
// flight stays there, and is stored with its new depth when it comes back.
void Frontier::improve_waiting(const Admission::Entry& entry, UrlRow& row) {
  const Host& host = hosts_.host(entry.host);
  const Place old = Place::of(row.priority, row.arrival);
  Flight* const flight = flights_.find(join_url(host.origin, entry.rest));
  if (flight != nullptr && flight->place == old) {
    QueueEntry flying;
    if (!decode_queue_entry(flight->entry, flying)) return;
    // It comes back with less than its row says by now: see improve_checked.
    if (wants_more(row.depth, flying.depth)) return take_better_in_flight(entry, row, *flight);
    flying.depth = std::min(flying.depth, entry.depth);
    encode_queue_entry(entry_bytes_, flying);
    flight->entry = entry_bytes_;
    if (entry.raises) flight->raised = std::min(flight->raised, entry.priority);
    if (entry.votes.empty()) return;
    take_votes(entry, row);
    return put_row(entry.host, entry.rest, row);
  }
  make_queue_key(key_, host.id, old);
  if (row.is_stub) {
    QueueEntry waiting;
    const bool there = store_.get(Table::kQueue, key_, row_bytes_);
    if (!there || !decode_queue_entry(row_bytes_, waiting) || waiting.rest != entry.rest) return;
    fill_row(row, waiting, old, host.origin);
  }
  take_better(entry, row);
  store_.erase_single(Table::kQueue, key_);
  if (host.play != nullptr) host.play->queue.erased(old);
  requeue(entry.host, entry.rest, row);
}

bool Frontier::load_row(const LaterKey& later, HostSlot& slot, UrlRow& row) {
  if (!hosts_.lookup(later.host, slot)) return false;
  make_url_key(key_, later.host, later.rest);
  return store_.get(Table::kUrls, key_, row_bytes_) &&
         decode_url_row(row_bytes_, hosts_.host(slot).origin, row) && !row.is_stub;
}

// What falls due goes to the end of its host's queue.
Status Frontier::promote_due() {
  const Moment at = now();
  if (!later_.is_due(at)) return {};
  later_.take_due(at, [this](const LaterKey& later) { return promote(later); });
  return commit_staged();
}

Later::Taken Frontier::promote(const LaterKey& later) {
  HostSlot slot = 0;
  UrlRow row;
  const bool is_retry = later.kind == LaterKind::kRetry;
  if (!load_row(later, slot, row) || (row.state == UrlState::kWaiting) != is_retry)
    return Later::Taken::kStale;
  if (!is_retry) {
    if (row.run == run_ && !options_.continuous) return Later::Taken::kLeft;
    if (!Later::stands(later, row)) return Later::Taken::kStale;
    count_state(slot, row.state, UrlState::kWaiting);
    row.state = UrlState::kWaiting;
    row.failures = 0;
    ++statistics_.recrawled;
  }
  requeue(slot, later.rest, row);
  return Later::Taken::kSent;
}

// To the end of its host's queue.
void Frontier::requeue(HostSlot slot, std::string_view rest, UrlRow& row) {
  const Host& host = hosts_.host(slot);
  row.arrival = arrival_of(rank_of(order_, row.depth, row.votes), next_number());
  row.due_ms = 0;
  make_url_key(key_, host.id, rest);
  encode_waiting_row(row_bytes_, row, host.origin);
  store_.put(Table::kUrls, key_, row_bytes_);
  encode_queue_entry(entry_bytes_, entry_of(row, host.origin, rest));
  put_place(slot, Place::of(row.priority, row.arrival));
}

// Of what stands in entry_bytes_.
void Frontier::put_place(HostSlot slot, Place place) {
  make_queue_key(key_, hosts_.host(slot).id, place);
  store_.put(Table::kQueue, key_, entry_bytes_);
  hosts_.queued(slot, place, entry_bytes_, HostQueue::kFirstBlock);
  lanes_.want(slot);
}

// Queues that stand in another order are put into this one, once. Those of one rank stay as they came.
Status Frontier::reorder() {
  constexpr std::size_t kBatch = 10'000;
  store_.put(Table::kMeta, kOrderKey, {});  // from the first batch to the last they stand in none
  const std::unique_ptr<Cursor> at = store_.scan(Table::kUrls);
  for (at->seek({}); at->valid(); at->next()) {
    HostId id = 0;
    HostSlot slot = 0;
    UrlRow row;
    if (!split_url_key(at->key(), id) || !hosts_.lookup(id, slot)) continue;
    const std::string_view origin = hosts_.host(slot).origin;
    if (!decode_url_row(at->value(), origin, row)) continue;
    const std::uint64_t rank = rank_of(order_, row.depth, row.votes);
    const bool stands = row.state == UrlState::kWaiting && row.due_ms == 0;
    if (!stands || rank == rank_in(row.arrival)) continue;
    make_queue_key(key_, id, Place::of(row.priority, row.arrival));
    if (!store_.get(Table::kQueue, key_, entry_bytes_)) continue;
    store_.erase_single(Table::kQueue, key_);
    row.arrival = arrival_of(rank, number_in(row.arrival));
    encode_url_row(row_bytes_, row, origin);
    store_.put(Table::kUrls, at->key(), row_bytes_);
    make_queue_key(key_, id, Place::of(row.priority, row.arrival));
    store_.put(Table::kQueue, key_, entry_bytes_);
    if (store_.staged() < kBatch) continue;
    if (const Status done = store_.commit(); !done.ok()) return done;
  }
  store_.put(Table::kMeta, kOrderKey, to_string(order_));
  return store_.commit();
}

// By the keys of what waits now and later. A million in about half a second.
Status Frontier::recount_waiting() {
  std::vector<std::uint64_t> counts(hosts_.size());
  HostSlot slot = 0;
  const std::unique_ptr<Cursor> queue = store_.scan(Table::kQueue);
  for (queue->seek({}); queue->valid(); queue->next()) {
    HostId id = 0;
    Place place;
    if (split_queue_key(queue->key(), id, place) && hosts_.lookup(id, slot)) ++counts[slot];
  }
  later_.for_each_retry([&](const LaterKey& key) {
    if (hosts_.lookup(key.host, slot)) ++counts[slot];
    return false;
  });
  statistics_.all.waiting = 0;
  for (slot = 0; slot < hosts_.size(); ++slot) {
    statistics_.all.waiting += counts[slot];
    if (hosts_.waiting(hosts_.host(slot)) != counts[slot]) hosts_.set_waiting(slot, counts[slot]);
  }
  return store_.status();
}

Status Frontier::commit_flights() { return flights_.stage_marks() ? store_.commit() : Status(); }

Status Frontier::close() {
  recall_flights();
  if (const Status done = commit(); !done.ok()) return done;
  if (const Status done = hosts_.commit_counts(now(), sums()); !done.ok()) return done;
  // Next-allowed times of the rows say all there is to say about the gaps.
  flights_.clear_marks();
  store_.put(Table::kMeta, kCleanKey, encode_number(1));
  if (const Status done = store_.commit(); !done.ok()) return done;
  return store_.sync();
}

}  // namespace spinneret::frontier
