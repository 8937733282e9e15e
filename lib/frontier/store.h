// SPDX-License-Identifier: Apache-2.0
// The frontier's durable tables as an ordered key-value store with atomic batches. It is
// implemented by RocksDB (rocks_store.h) and, for tests, in memory (memory_store.h).
//
//   store.put(Table::kUrls, key, row);      // staged: reads do not see it yet
//   store.put(Table::kQueue, key2, entry);
//   if (const Status done = store.commit(); !done.ok()) return done;   // all of it, or nothing
//
// A batch survives the death of the process, even by kill -9, once commit() has returned. It
// survives a power cut once a later sync() has returned. Keys sort as unsigned bytes.
//
// Not thread-safe. A read that fails sets status(), which keeps the error: check it once a turn.
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
  kUrls,   // host id, fingerprint -> UrlRow; and the rows of vias.h
  kQueue,  // host id, priority, arrival -> QueueEntry: what waits to be sent
  kLater,  // kind, time, host id, rest -> nothing: what will wait again at that time
  // Only in a partition of a crawl (RocksOptions::partition), in the same batches.
  // cluster/channel.h has their rows.
  kOutbox,  // links for other partitions, until those have stored them
  kInbox,   // how far the links of other partitions were taken
};
inline constexpr std::size_t kTableCount = 7;
inline constexpr std::size_t kOwnTableCount = 5;  // number of tables without those of a partition

// A walk over a table as it was when the cursor was made, up to but excluding an `end` where one
// was given. Call seek() first.
class Cursor {
 public:
  virtual ~Cursor() = default;
  // Moves to the first key >= `key`.
  virtual void seek(std::string_view key) = 0;
  virtual void next() = 0;
  virtual bool valid() const = 0;
  // Key and value of the present entry. The views live until the cursor moves.
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  // Whether the state has a table. One that is no partition's may lack kOutbox and kInbox, which
  // then must not be used.
  virtual bool has(Table) const { return true; }
  virtual bool get(Table table, std::string_view key, std::string& value) = 0;
  // Looks up `keys`, which are sorted and distinct. Sets values[i] and found[i] = 1 for those that
  // exist.
  virtual void multi_get(Table table, std::span<const std::string_view> keys,
                         std::vector<std::string>& values, std::vector<char>& found) = 0;
  virtual std::unique_ptr<Cursor> scan(Table table, std::string_view end = {}) = 0;

  virtual void put(Table table, std::string_view key, std::string_view value) = 0;
  virtual void erase(Table table, std::string_view key) = 0;
  // Cheaper than erase(), for a key that was put exactly once since it was last absent.
  virtual void erase_single(Table table, std::string_view key) = 0;
  // Number of operations staged since the last commit.
  virtual std::size_t staged() const = 0;
  virtual Status commit() = 0;
  // Waits until everything committed is on disk, not just with the kernel.
  virtual Status sync() = 0;

  // Writes a copy as of the last commit to the folder `path`, which must not exist; by hard links
  // where possible.
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
