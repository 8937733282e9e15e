// SPDX-License-Identifier: Apache-2.0
// The front of one host's queue, in memory. The queue itself is durable (table kQueue); this window
// over it is a cache that can be dropped at any time, so that hosts which are not served hold no
// memory.
//
//   kQueue of the host, in order of Place:
//
//     ... gone ... | in flight, or in the window | only in the table ...
//                                          cursor_
//
// Everything at or before cursor_ is in the window or in flight; everything behind it is in the
// table only, and there is nothing behind it where complete_.
#ifndef SPINNERET_FRONTIER_HOST_QUEUE_H_
#define SPINNERET_FRONTIER_HOST_QUEUE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontier/keys.h"
#include "frontier/store.h"
#include "frontier/url_row.h"

namespace spinneret::frontier {

class HostQueue {
 public:
  static constexpr std::uint16_t kLeastBlock = 4;
  static constexpr std::uint16_t kFirstBlock = 8;
  static constexpr std::uint16_t kLastBlock = 512;

  // A host whose queue is known to be empty starts complete; one that comes from the table does
  // not.
  explicit HostQueue(bool complete) : complete_(complete) {}

  // Notes that an entry was put into the table (perhaps not yet committed). It is kept in the
  // window, too, if that holds the whole queue and fewer than `keep` entries; callers with very
  // many hosts pass less.
  void inserted(Place place, std::string_view entry, std::uint16_t keep = kFirstBlock);
  // Notes that an entry of the table that was in flight waits again.
  void returned(Place place) { reset_before(place); }
  // Notes that an entry of the table, which may be in the window, was erased.
  void erased(Place place) { reset_before(place); }

  bool window_empty() const { return head_ == bytes_.size(); }
  bool complete() const { return complete_; }
  // Whether nothing waits, as far as the window knows; exact after refill().
  bool empty() const { return window_empty() && complete_; }

  // Whether an entry put at `place` stands behind one that is in the window.
  bool is_behind(Place place) const { return !window_empty() && cursor_ < place; }

  // If the window is empty, reads more of the table (kQueue, by a cursor made with nothing staged):
  // at most kLastBlock entries, and no more once they take `most_bytes`, but at least kLeastBlock.
  // `flying`: the host's places in flight. `waiting`: the most entries that it has in the table. A
  // cursor may serve several hosts in the order of their ids.
  void refill(Cursor& at, HostId host, const std::vector<Place>& flying, std::uint64_t waiting,
              std::size_t most_bytes = SIZE_MAX);

  // The first entry; only where !window_empty(). Views live until the queue changes.
  Place front_place() const;
  bool front(Place& place, QueueEntry& entry) const;
  std::string_view front_bytes() const;  // that entry, encoded
  void pop();

 private:
  void append(Place place, std::string_view entry);
  void reset_before(Place place);

  // Entries as place (6 bytes), length (varint), bytes; the first begins at head_.
  std::string bytes_;
  std::uint32_t head_ = 0;
  std::uint16_t count_ = 0;
  // Number of entries to read at a time: doubles while the host is drained.
  std::uint16_t block_ = kFirstBlock;
  bool complete_;
  Place cursor_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_HOST_QUEUE_H_
