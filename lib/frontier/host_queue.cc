// SPDX-License-Identifier: Apache-2.0
#include "frontier/host_queue.h"

#include <algorithm>

#include "frontier/encode.h"

namespace spinneret::frontier {

void HostQueue::append(Place place, std::string_view entry) {
  if (window_empty()) {
    bytes_.clear();
    head_ = 0;
  }
  put_big_endian(bytes_, place.value, 6);
  put_bytes(bytes_, entry);
  ++count_;
  cursor_ = place;
}

void HostQueue::inserted(Place place, std::string_view entry, std::uint16_t keep) {
  if (place < cursor_) return reset_before(place);
  if (!complete_) return;
  if (count_ < keep) return append(place, entry);
  complete_ = false;
}

// What was in the window stands behind the new cursor and is read again when its time comes.
void HostQueue::reset_before(Place place) {
  if (!window_empty()) place = std::min(place, front_place());
  if (place <= cursor_) {
    cursor_ = Place{place.value == 0 ? 0 : place.value - 1};
  }
  complete_ = false;
  bytes_.clear();
  head_ = 0;
  count_ = 0;
}

void HostQueue::refill(Store& store, HostId host, const std::vector<Place>& flying,
                       std::uint16_t most) {
  if (!window_empty() || complete_) return;
  block_ = std::min(block_, std::max(most, kFirstBlock));
  std::string key;
  std::string end;
  make_queue_key(end, host, Place{(std::uint64_t{1} << 48) - 1});
  const std::unique_ptr<Cursor> at = store.scan(Table::kQueue, end);
  make_queue_key(key, host, Place{cursor_.value + 1});
  for (at->seek(key); at->valid() && count_ < block_; at->next()) {
    HostId owner = 0;
    Place place;
    if (!split_queue_key(at->key(), owner, place) || owner != host) break;
    if (std::find(flying.begin(), flying.end(), place) != flying.end()) {
      cursor_ = place;
    } else {
      append(place, at->value());
    }
  }
  complete_ = !at->valid();
  block_ = std::min<std::uint16_t>(static_cast<std::uint16_t>(block_ * 2), kLastBlock);
}

Place HostQueue::front_place() const {
  Decoder from{std::string_view(bytes_).substr(head_)};
  return Place{from.big_endian(6)};
}

std::string_view HostQueue::front_bytes() const {
  Decoder from{std::string_view(bytes_).substr(head_)};
  from.big_endian(6);
  return from.bytes();
}

bool HostQueue::front(Place& place, QueueEntry& entry) const {
  place = front_place();
  return decode_queue_entry(front_bytes(), entry);
}

void HostQueue::pop() {
  Decoder from{std::string_view(bytes_).substr(head_)};
  from.big_endian(6);
  from.bytes();
  head_ = static_cast<std::uint32_t>(bytes_.size() - from.rest.size());
  --count_;
  if (!window_empty()) return;
  bytes_.clear();
  head_ = 0;
}

void HostQueue::shrink() {
  if (window_empty()) bytes_ = std::string();
}

}  // namespace spinneret::frontier
