// SPDX-License-Identifier: Apache-2.0
#include "frontier/host_queue.h"

#include <algorithm>

#include "frontier/encode.h"

namespace spinneret::frontier {
namespace {

// A seek costs as much as so many steps.
constexpr int kStepsBeforeSeek = 8;

// Moves to the first key >= `key`. A cursor that stands somewhere is known to have passed no key
// beyond that.
void approach(Cursor& at, std::string_view key) {
  for (int steps = 0; at.valid() && steps < kStepsBeforeSeek; ++steps) {
    if (at.key() >= key) return;
    at.next();
  }
  at.seek(key);
}

}  // namespace

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
  if (place <= cursor_) return reset_before(place);
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
  // If the front changes with every page, most of a larger block would be read for nothing.
  block_ = std::min(block_, kFirstBlock);
}

// The walk stops once it has seen all that waits: behind that there may be much that was erased.
void HostQueue::refill(Cursor& at, HostId host, const std::vector<Place>& flying,
                       std::uint64_t waiting, std::size_t most_bytes) {
  if (!window_empty() || complete_) return;
  const bool from_start = cursor_.value == 0;
  std::string key;
  make_queue_key(key, host, Place{cursor_.value + 1});
  // Entries are collected in a large buffer, and then kept in just so many bytes: a string that
  // grows would allocate four times.
  static thread_local std::string room;
  room.clear();
  bytes_.swap(room);
  head_ = 0;
  std::uint64_t seen = 0;
  approach(at, key);
  for (;; at.next()) {
    HostId owner = 0;
    Place place;
    complete_ = !at.valid() || !split_queue_key(at.key(), owner, place) || owner != host;
    if (complete_) break;
    ++seen;
    if (std::find(flying.begin(), flying.end(), place) != flying.end()) {
      cursor_ = place;
    } else {
      append(place, at.value());
    }
    complete_ = from_start && seen == waiting;
    if (complete_ || count_ == block_ || (count_ >= kLeastBlock && bytes_.size() >= most_bytes))
      break;
  }
  bytes_.swap(room);
  bytes_ = std::string(room);
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
  bytes_ = std::string();  // frees it: the turns of 100,000 hosts in play are far away
  head_ = 0;
}

}  // namespace spinneret::frontier
