// SPDX-License-Identifier: Apache-2.0
// Making links and results durable, in one batch.
#include <algorithm>
#include <utility>

#include "frontier/frontier.h"
#include "frontier/meta.h"

namespace spinneret::frontier {
namespace {

// Arrival numbers are reserved in blocks, so that a number is never given twice, whatever happens.
constexpr std::uint64_t kArrivalBlock = std::uint64_t{1} << 16;
// At most so many that are due again are taken in at once.
constexpr int kPromoteAtOnce = 1000;

}  // namespace

bool Frontier::pending() const {
  return admission_.sealed() != 0 || store_.staged() != 0 || !wanted_lanes_.empty() ||
         retry_due_ms_ <= now().wall_ms;
}

Status Frontier::commit() {
  if (admission_.sealed() != 0) admit_sealed();
  Status done = commit_staged();
  settled_keys_.clear();
  // Only over what is committed: the walk does not see what is staged.
  if (done.ok() && retry_due_ms_ <= now().wall_ms) {
    promote_due();
    done = commit_staged();
  }
  statistics_.hosts = hosts_.size();
  arrange_wanted();
  return done;
}

Status Frontier::commit_staged() {
  hosts_.stage(store_, now());
  return store_.commit();
}

void Frontier::admit_sealed() {
  admission_.take_sealed(
      hosts_, store_,
      [this](const Admission::Entry& entry, std::string_view row) {
        ++statistics_.known;
        lower_depth(entry, row);
      },
      [this](const Admission::Entry& entry) { admit_new(entry); });
  statistics_.known += admission_.repeats();
}

void Frontier::stage_counters() {
  arrivals_reserved_ = next_arrival_ + kArrivalBlock;
  store_.put(Table::kMeta, kArrivalsKey, encode_number(arrivals_reserved_));
}

void Frontier::admit_new(const Admission::Entry& entry) {
  if (next_arrival_ >= arrivals_reserved_) stage_counters();
  Host& host = hosts_.host(entry.host);
  UrlRow row;
  row.priority = std::min(entry.priority, kLastPriority);
  row.depth = entry.depth;
  row.arrival = next_arrival_++;
  row.added_ms = now().wall_ms;
  row.is_sitemap = entry.is_sitemap;
  row.via = entry.via;
  row.extra = entry.extra;
  make_url_key(key_, host.row.id, entry.rest);
  encode_url_row(row_bytes_, row, host.origin);
  store_.put(Table::kUrls, key_, row_bytes_);
  const Place place = Place::of(row.priority, row.arrival);
  make_queue_key(key_, host.row.id, place);
  encode_queue_entry(entry_bytes_, {row.depth, row.is_sitemap, false, entry.rest, entry.extra});
  store_.put(Table::kQueue, key_, entry_bytes_);
  host.queue.inserted(place, entry_bytes_);
  ++host.row.counts.waiting;
  ++statistics_.all.waiting;
  ++statistics_.admitted;
  hosts_.touch(entry.host);
  want_arranged(host.lane);
}

// A shorter way to a known URL. One that waits keeps its place but for the depth in it; what is in flight
// or has been settled in this very batch is left as it is.
void Frontier::lower_depth(const Admission::Entry& entry, std::string_view row_bytes) {
  Host& host = hosts_.host(entry.host);
  UrlRow row;
  if (!decode_url_row(row_bytes, host.origin, row) || row.depth <= entry.depth) return;
  make_url_key(key_, host.row.id, entry.rest);
  if (settled_keys_.contains(key_)) return;
  row.depth = entry.depth;
  const Place old = Place::of(row.priority, row.arrival);
  const bool queued = row.state == UrlState::kWaiting && row.due_ms == 0;
  const bool flying = std::find(host.flying.begin(), host.flying.end(), old) != host.flying.end();
  if (queued && !flying) {
    // A key of the queue is put once only: a new place, at the end.
    if (next_arrival_ >= arrivals_reserved_) stage_counters();
    row.arrival = next_arrival_++;
    std::string key;
    make_queue_key(key, host.row.id, old);
    store_.erase_single(Table::kQueue, key);
    host.queue.erased(old);
    const Place place = Place::of(row.priority, row.arrival);
    make_queue_key(key, host.row.id, place);
    encode_queue_entry(entry_bytes_,
                       {row.depth, row.is_sitemap, row.visits != 0, entry.rest, row.extra});
    store_.put(Table::kQueue, key, entry_bytes_);
    host.queue.inserted(place, entry_bytes_);
    want_arranged(host.lane);
  }
  encode_url_row(row_bytes_, row, host.origin);
  store_.put(Table::kUrls, key_, row_bytes_);
}

void Frontier::promote_due() {
  const std::int64_t wall_ms = now().wall_ms;
  retry_due_ms_ = INT64_MAX;
  const std::unique_ptr<Cursor> at = store_.scan(Table::kLater);
  int taken = 0;
  for (at->seek({}); at->valid(); at->next()) {
    LaterKey later;
    if (!split_later_key(at->key(), later) || later.kind != LaterKind::kRetry) break;
    if (later.due_ms > wall_ms || taken == kPromoteAtOnce) {
      retry_due_ms_ = later.due_ms;
      break;
    }
    ++taken;
    promote(later);
    store_.erase_single(Table::kLater, at->key());
  }
}

void Frontier::promote(const LaterKey& later) {
  HostSlot slot = 0;
  if (!hosts_.lookup(later.host, slot)) return;
  Host& host = hosts_.host(slot);
  make_url_key(key_, host.row.id, later.rest);
  UrlRow row;
  if (!store_.get(Table::kUrls, key_, row_bytes_) ||
      !decode_url_row(row_bytes_, host.origin, row) || row.state != UrlState::kWaiting) {
    return;
  }
  if (next_arrival_ >= arrivals_reserved_) stage_counters();
  row.arrival = next_arrival_++;
  row.due_ms = 0;
  encode_url_row(row_bytes_, row, host.origin);
  store_.put(Table::kUrls, key_, row_bytes_);
  const Place place = Place::of(row.priority, row.arrival);
  make_queue_key(key_, host.row.id, place);
  encode_queue_entry(entry_bytes_, {row.depth, row.is_sitemap, true, later.rest, row.extra});
  store_.put(Table::kQueue, key_, entry_bytes_);
  host.queue.inserted(place, entry_bytes_);
  want_arranged(host.lane);
}

}  // namespace spinneret::frontier
