// SPDX-License-Identifier: Apache-2.0
// The frontier's durable tables as an ordered key-value store with atomic batches. RocksDB stands behind it
// (rocks_store.h), and for tests a twin in memory (memory_store.h).
//
//   store.put(Table::kUrls, key, row);      // staged: reads do not see it yet
//   store.put(Table::kQueue, key2, entry);
//   if (const Status done = store.commit(); !done.ok()) return done;   // all of it, or nothing
//
// What commit() has returned from survives the death of the process, kill -9 too. It survives a power cut
// once sync() has returned after it. Keys sort as unsigned bytes.
//
// Not thread-safe. Reads that fail set status(), which stays: ask it once a turn.
#ifndef SPINNERET_FRONTIER_STORE_H_
#define SPINNERET_FRONTIER_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spinneret::frontier {

enum class Table : std::uint8_t {
  kMeta,   // counters and settings
  kHosts,  // origin -> HostRow
  kUrls,   // host id, fingerprint -> UrlRow; and a few of vias.h
  kQueue,  // host id, priority, arrival -> QueueEntry: what waits to be sent
  kLater,  // kind, time, host id, rest -> nothing: what will wait again at that time
  // Of a partition of a crawl only (RocksOptions::partition), in the same batches; cluster/channel.h has their rows.
  kOutbox,  // links for other partitions, until those keep them
  kInbox,   // what was taken of other partitions' links
};
inline constexpr std::size_t kTableCount = 7;
inline constexpr std::size_t kOwnTableCount = 5;  // without those of a partition

// A walk over a table as it was when the cursor was made; up to, but without, an
// `end` where one was given. Seek first.
class Cursor {
 public:
  virtual ~Cursor() = default;
  // To the first key >= `key`.
  virtual void seek(std::string_view key) = 0;
  virtual void next() = 0;
  virtual bool valid() const = 0;
  // Of the present entry; views live until the cursor moves.
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  // A state that is no partition's may lack kOutbox and kInbox, which are not to be asked for then.
  virtual bool has(Table) const { return true; }
  virtual bool get(Table table, std::string_view key, std::string& value) = 0;
  // Looks `keys` up, which are sorted and differ. values[i] is set where found[i] becomes 1.
  virtual void multi_get(Table table, std::span<const std::string_view> keys,
                         std::vector<std::string>& values, std::vector<char>& found) = 0;
  virtual std::unique_ptr<Cursor> scan(Table table, std::string_view end = {}) = 0;

  virtual void put(Table table, std::string_view key, std::string_view value) = 0;
  virtual void erase(Table table, std::string_view key) = 0;
  // Cheaper, for a key that was put exactly once since it was last absent.
  virtual void erase_single(Table table, std::string_view key) = 0;
  // Operations staged since the last commit.
  virtual std::size_t staged() const = 0;
  virtual Status commit() = 0;
  // Everything committed is on disk, not just with the kernel.
  virtual Status sync() = 0;

  // A copy as of the last commit in the folder `path`, which must not exist: hard links where possible.
  virtual Status checkpoint(const std::string& path) = 0;
  // Reads everything and checks what the store itself can check (block checksums).
  virtual Status verify() = 0;
  virtual std::uint64_t bytes_on_disk() = 0;
  // Waits until background work is done: for measurements.
  virtual void settle_down() {}

  const Status& status() const { return status_; }

 protected:
  Status status_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_STORE_H_
