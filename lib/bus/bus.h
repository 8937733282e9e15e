// SPDX-License-Identifier: Apache-2.0
// A bus carries batches of links between partitions, over an engine that others run.
//
//   bus::Item items[] = {{"p17", message}};
//   std::vector<bus::Appended> outcomes;
//   if (!bus.publish(items, outcomes).ok()) ...  // the engine is away: each may be appended or not
//   bus::Cursor cursor{"p17", {}};               // from the oldest message that is left
//   std::vector<bus::Message> messages;
//   bus.read({&cursor, 1}, 64, 0, messages);     // moves the cursor behind what it returns
//   bus.trim("p17", cursor.place, fence);
//
// **A bus may lose, repeat, reorder and forget everything**: whoever needs more keeps what it sent
// until the receiver has acknowledged it (cluster/channel.h). A message is any bytes. A stream is
// named by [a-z0-9-]+, and exists once something was published to it.
//
// The unread bytes of a stream are bounded (stream_budget()). The engine itself checks the bound
// when it appends, so that many senders share it. An empty stream takes a message even larger than
// the bound.
//
// Not thread-safe; each thread has a Bus of its own. A call blocks until the engine has answered,
// or fails at the engine's time limit; the next call tries to connect anew. Error messages never
// contain a password.
#ifndef SPINNERET_BUS_BUS_H_
#define SPINNERET_BUS_BUS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spinneret::bus {

// A reader's place in a stream: after the message with this id. Empty: before all messages. The id
// is the engine's own. It is kept only in memory, since a reader that begins before all messages
// merely meets repeats.
struct Place {
  std::string id;
  friend bool operator==(const Place&, const Place&) = default;
};

// A message to append, and its stream. Views of the caller's data.
struct Item {
  std::string_view stream;
  std::string_view bytes;
};

enum class Appended : std::uint8_t {
  kYes,
  kFull,  // the stream has as many unread bytes as it may: try later
};

struct Cursor {
  std::string stream;
  Place place;
};

struct Message {
  std::size_t cursor = 0;  // index of the one that it was read by
  Place place;
  std::string bytes;
};

// Lets only the owner of a lease through; lease/lease.h makes it. The engine compares `owner` with
// the value at `lease` in the same step as it acts. Empty: everybody may.
struct Fence {
  std::string lease;
  std::string owner;
};

// Returns the most unread bytes of a stream: 1 MiB, and less where there are so many streams that
// together they would exceed 48 MiB; but at least 64 KiB.
constexpr std::uint64_t stream_budget(std::size_t streams) {
  constexpr std::uint64_t kOne = std::uint64_t{1} << 20, kAll = 48 * kOne;
  return std::max<std::uint64_t>(std::min(kOne, kAll / std::max<std::size_t>(streams, 1)),
                                 64 << 10);
}

class Bus {
 public:
  virtual ~Bus() = default;

  // Appends each item in order. outcomes[i] is that of items[i] where the call succeeds; where it
  // fails, each may have been appended or not.
  virtual Status publish(std::span<const Item> items, std::vector<Appended>& outcomes) = 0;
  // Reads up to `limit` messages of each cursor's stream into `messages`, which is cleared first;
  // those of one stream are in its order. Waits up to `wait_ms` for the first message. Where the
  // engine has forgotten a cursor's place (its streams began anew), that cursor is put before all
  // messages again.
  virtual Status read(std::span<Cursor> cursors, std::size_t limit, std::int64_t wait_ms,
                      std::vector<Message>& messages) = 0;
  // Drops the messages of each stream up to and including the one at `through`. Where its fence no
  // longer holds, drops nothing of that stream, and answers false. One round trip for all. Where
  // the call fails, each may be trimmed or not.
  struct Trim {
    std::string stream;
    Place through;
    Fence fence;
  };
  virtual Status trim_each(std::span<const Trim> all, std::vector<bool>& trimmed) = 0;
  Result<bool> trim(std::string_view stream, const Place& through, const Fence& fence) {
    const Trim one = {std::string(stream), through, fence};
    std::vector<bool> trimmed;
    if (const Status done = trim_each({&one, 1}, trimmed); !done.ok()) return done.error();
    return bool{trimmed.front()};
  }
};

}  // namespace spinneret::bus

#endif  // SPINNERET_BUS_BUS_H_
