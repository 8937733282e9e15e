// SPDX-License-Identifier: Apache-2.0
#include "frontier/backlog.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "frontier/meta.h"

namespace spinneret::frontier {
namespace {

// Arrival numbers are reserved in blocks, so that a number is never given twice, whatever happens.
constexpr std::uint64_t kArrivalBlock = std::uint64_t{1} << 16;
// Number of new URLs, over all hosts, that are kept in memory besides the table.
constexpr std::size_t kKeptEntries = 200'000;
// Operations of a walk in one commit.
constexpr std::size_t kBatch = 10'000;

Place place_of(const UrlRow& row) { return Place::of(row.priority, row.arrival); }

}  // namespace

// --- the start -----------------------------------------------------------------------------------

Status Backlog::load(std::uint64_t arrivals_reserved, Order order, std::optional<Order> stands) {
  next_arrival_ = arrivals_reserved_ = arrivals_reserved;
  order_ = order;
  return stands == order ? Status() : reorder();
}

// URLs of one rank stay as they came.
Status Backlog::reorder() {
  store_.put(Table::kMeta, kOrderKey, {});  // until the last batch they stand in none
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
    make_queue_key(place_, id, place_of(row));
    if (!store_.get(Table::kQueue, place_, entry_)) continue;
    store_.erase_single(Table::kQueue, place_);
    row.arrival = arrival_of(rank, number_in(row.arrival));
    encode_url_row(row_, row, origin);
    store_.put(Table::kUrls, at->key(), row_);
    make_queue_key(place_, id, place_of(row));
    store_.put(Table::kQueue, place_, entry_);
    if (store_.staged() < kBatch) continue;
    if (const Status done = store_.commit(); !done.ok()) return done;
  }
  store_.put(Table::kMeta, kOrderKey, stored_name(order_));
  return store_.commit();
}

// Counts the keys of what waits: a million in about half a second.
Status Backlog::recount(std::vector<std::uint64_t> later) {
  std::vector<std::uint64_t> counts = std::move(later);
  HostSlot slot = 0;
  const std::unique_ptr<Cursor> queue = store_.scan(Table::kQueue);
  for (queue->seek({}); queue->valid(); queue->next()) {
    HostId id = 0;
    Place place;
    if (split_queue_key(queue->key(), id, place) && hosts_.lookup(id, slot)) ++counts[slot];
  }
  statistics_.all.waiting = 0;
  for (slot = 0; slot < hosts_.size(); ++slot) {
    statistics_.all.waiting += counts[slot];
    if (hosts_.waiting(hosts_.host(slot)) != counts[slot]) hosts_.set_waiting(slot, counts[slot]);
  }
  return store_.status();
}

std::uint64_t Backlog::next_number() {
  if (next_arrival_ >= arrivals_reserved_) {
    arrivals_reserved_ = next_arrival_ + kArrivalBlock;
    store_.put(Table::kMeta, kArrivalsKey, encode_number(arrivals_reserved_));
  }
  return next_arrival_++;
}

// --- new ones ------------------------------------------------------------------------------------

void Backlog::fill_new(const Admission::Entry& entry, std::int64_t wall_ms) {
  new_row_.priority = entry.priority;
  new_row_.depth = entry.depth;
  new_row_.arrival = entry.arrival;
  new_row_.added_ms = wall_ms;
  new_row_.is_sitemap = entry.is_sitemap;
  new_row_.via_number = entry.via_number;
  new_row_.via = entry.via;
  new_row_.extra = entry.extra;
  new_row_.votes = entry.votes;
}

void Backlog::admit(Admission::Entry& entry, std::int64_t wall_ms) {
  const Host& host = hosts_.host(entry.host);
  entry.priority = std::min(entry.priority, kLastPriority);
  entry.arrival = arrival_of(rank_of(order_, entry.depth, entry.votes), next_number());
  const Place place = Place::of(entry.priority, entry.arrival);
  if (entry.told == Admission::Told::kFirst) {
    via_number_ = number_in(entry.arrival);
    vias_.put(via_number_, entry.via);
  }
  entry.via_number = entry.told == Admission::Told::kAlone ? 0 : via_number_;
  // An entry behind others changes nothing about its lane's turn.
  if (host.play == nullptr || !host.play->queue.is_behind(place)) lanes_.want(entry.host);
  fill_new(entry, wall_ms);
  encode_queue_entry(entry_, entry_of(new_row_, host.origin, entry.rest));
  // All windows together keep about kKeptEntries, however many hosts there are.
  const std::size_t share = kKeptEntries / std::max<std::size_t>(hosts_.size(), 1);
  const auto keep =
      static_cast<std::uint16_t>(std::min<std::size_t>(share, HostQueue::kFirstBlock));
  hosts_.queued(entry.host, place, entry_, keep);
  ++statistics_.all.waiting;
  ++statistics_.admitted;
  hosts_.add_waiting(entry.host);
}

void Backlog::store(const Admission::Entry& entry, std::string_view key, std::int64_t wall_ms) {
  const Host& host = hosts_.host(entry.host);
  fill_new(entry, wall_ms);
  encode_waiting_row(row_, new_row_, host.origin);
  store_.put(Table::kUrls, key, row_);
  make_queue_key(place_, host.id, Place::of(entry.priority, entry.arrival));
  encode_queue_entry(entry_, entry_of(new_row_, host.origin, entry.rest));
  store_.put(Table::kQueue, place_, entry_);
}

// --- known ones ----------------------------------------------------------------------------------

void Backlog::make_key(HostSlot slot, std::string_view rest) {
  make_url_key(key_, hosts_.host(slot).id, rest);
}

bool Backlog::get(HostSlot slot, std::string_view rest, UrlRow& row) {
  make_key(slot, rest);
  return store_.get(Table::kUrls, key_, row_) &&
         decode_url_row(row_, hosts_.host(slot).origin, row);
}

void Backlog::put(HostSlot slot, std::string_view rest, const UrlRow& row) {
  make_key(slot, rest);
  encode_url_row(row_, row, hosts_.host(slot).origin);
  store_.put(Table::kUrls, key_, row_);
}

void Backlog::requeue(HostSlot slot, std::string_view rest, UrlRow& row) {
  const Host& host = hosts_.host(slot);
  row.arrival = arrival_of(rank_of(order_, row.depth, row.votes), next_number());
  row.due_ms = 0;
  make_key(slot, rest);
  encode_waiting_row(row_, row, host.origin);
  store_.put(Table::kUrls, key_, row_);
  encode_queue_entry(entry_, entry_of(row, host.origin, rest));
  put_place(slot, place_of(row));
}

// Puts the place of what stands in entry_.
void Backlog::put_place(HostSlot slot, Place place) {
  make_queue_key(place_, hosts_.host(slot).id, place);
  store_.put(Table::kQueue, place_, entry_);
  hosts_.queued(slot, place, entry_, HostQueue::kFirstBlock);
  lanes_.want(slot);
}

void Backlog::move_to_end(HostSlot slot, std::string_view rest, UrlRow& row, Place from) {
  const Host& host = hosts_.host(slot);
  make_queue_key(place_, host.id, from);
  store_.erase_single(Table::kQueue, place_);
  if (host.play != nullptr) host.play->queue.erased(from);
  requeue(slot, rest, row);
}

bool Backlog::rises(const UrlRow& row) const {
  return rank_of(order_, row.depth, row.votes) < rank_in(row.arrival);
}

bool Backlog::rise(HostSlot slot, std::string_view rest, UrlRow& row) {
  const Host& host = hosts_.host(slot);
  const Place from = place_of(row);
  make_queue_key(place_, host.id, from);
  if (!store_.get(Table::kQueue, place_, entry_)) return false;
  store_.erase_single(Table::kQueue, place_);
  if (host.play != nullptr) host.play->queue.erased(from);
  row.arrival = arrival_of(rank_of(order_, row.depth, row.votes), number_in(row.arrival));
  put(slot, rest, row);
  put_place(slot, place_of(row));
  return true;
}

bool Backlog::fill_stub(HostSlot slot, std::string_view rest, UrlRow& row) {
  const Host& host = hosts_.host(slot);
  const Place place = place_of(row);
  make_queue_key(place_, host.id, place);
  QueueEntry waiting;
  if (!store_.get(Table::kQueue, place_, entry_) || !decode_queue_entry(entry_, waiting) ||
      waiting.rest != rest)
    return false;
  fill_row(row, waiting, place, host.origin);
  return true;
}

// --- of this batch -------------------------------------------------------------------------------

void Backlog::settle(HostSlot slot, std::string_view rest, Place place) {
  make_queue_key(place_, hosts_.host(slot).id, place);
  store_.erase_single(Table::kQueue, place_);
  make_key(slot, rest);
  settled_.insert(key_);
}

bool Backlog::is_settled(HostSlot slot, std::string_view rest) {
  make_key(slot, rest);
  return settled_.contains(key_);
}

void Backlog::keep_open(HostSlot slot, std::string_view rest, const UrlRow& row) {
  make_key(slot, rest);
  encode_url_row(open_[key_], row, hosts_.host(slot).origin);
}

bool Backlog::get_open(HostSlot slot, std::string_view rest, UrlRow& row) {
  make_key(slot, rest);
  const auto at = open_.find(key_);
  return at != open_.end() && decode_url_row(at->second, hosts_.host(slot).origin, row);
}

void Backlog::committed() {
  settled_.clear();
  open_.clear();
}

void Backlog::count(HostSlot slot, UrlState from, UrlState to) {
  HostCounts& counts = hosts_.play(slot).row.counts;
  --counts.of(from);
  ++counts.of(to);
  --statistics_.all.of(from);
  ++statistics_.all.of(to);
  hosts_.touch(slot);
}

void Backlog::revive(HostSlot slot, UrlRow& row) {
  count(slot, row.state, UrlState::kWaiting);
  row.state = UrlState::kWaiting;
  row.failures = 0;
}

}  // namespace spinneret::frontier
