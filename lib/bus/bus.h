// SPDX-License-Identifier: Apache-2.0
// Batches of links on their way between partitions, over an engine that others run.
//
//   bus::Item items[] = {{"p17", message}};
//   std::vector<bus::Appended> outcomes;
//   if (!bus.publish(items, outcomes).ok()) ...           // the engine is away: all of it may or may not be there
//   bus::Cursor cursor{"p17", {}};                        // from the oldest message that is left
//   std::vector<bus::Message> messages;
//   bus.read({&cursor, 1}, 64, 0, messages);              // moves the cursor behind what it gave
//   bus.trim("p17", cursor.place, fence);
//
// **A bus may lose, repeat, reorder and forget everything**: who needs more keeps what it sent until the other side has
// said that it holds it (cluster/channel.h). A message is any bytes. A stream is named by [a-z0-9-]+, and exists once
// something was published to it.
//
// A stream holds at most so many bytes unread (stream_budget()); the engine itself checks that where it appends, so many
// senders share the bound. A message that is larger than the bound is taken by a stream that is empty.
//
// Not thread-safe; each thread has a Bus of its own. A call blocks until the engine has answered, or for the engine's
// time limit, and then fails; the next call tries to connect anew. Messages of errors never hold a password.
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

// Where a reader stands in a stream: behind the message that bore it. Empty: in front of all. The engine's own words;
// kept nowhere but in memory, since a reader that begins in front of all only meets repeats.
struct Place {
  std::string id;
  friend bool operator==(const Place&, const Place&) = default;
};

// What to append, and where. Views of the caller's.
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

// What lets only a lease's owner through (lease/lease.h makes it): the engine compares `owner` to what stands at `lease`
// in the same step as it acts. Empty: everybody may.
struct Fence {
  std::string lease;
  std::string owner;
};

// Unread bytes a stream: 1 MiB, and less where there are so many streams that they came over 48 MiB together.
constexpr std::uint64_t stream_budget(std::size_t streams) {
  constexpr std::uint64_t kOne = std::uint64_t{1} << 20, kAll = 48 * kOne;
  return std::max<std::uint64_t>(std::min(kOne, kAll / std::max<std::size_t>(streams, 1)),
                                 64 << 10);
}

class Bus {
 public:
  virtual ~Bus() = default;

  // Appends each item in order. outcomes[i] is that of items[i] where the call succeeds; where it fails, each may have
  // been appended or not.
  virtual Status publish(std::span<const Item> items, std::vector<Appended>& outcomes) = 0;
  // Up to `limit` messages of each cursor's stream, those of one stream in the order of the stream; waits up to
  // `wait_ms` for the first. Where the engine has forgotten what a cursor points behind (its streams began anew),
  // that cursor begins in front of all again. `messages` is cleared first.
  virtual Status read(std::span<Cursor> cursors, std::size_t limit, std::int64_t wait_ms,
                      std::vector<Message>& messages) = 0;
  // Drops every message of each stream up to that place, that included; where its fence is no longer true nothing, and its answer
  // is false. One round trip for all. Where the call fails, each may be trimmed or not.
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
