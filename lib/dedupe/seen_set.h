// SPDX-License-Identifier: Apache-2.0
// The set of keys that were seen. Keys are any bytes.
//
//   Result<std::unique_ptr<SeenSet>> seen = make_seen_set({.bits = 128});
//   (*seen)->insert_batch(keys, fresh);   // fresh[i]: keys[i] was not there, nor among keys[0..i)
//
// A batch is judged as if its keys came one by one. Large batches are faster: cache misses overlap,
// and a set with a store writes (and syncs) once a batch. Not thread-safe.
#ifndef SPINNERET_DEDUPE_SEEN_SET_H_
#define SPINNERET_DEDUPE_SEEN_SET_H_

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"

namespace spinneret::dedupe {

class SeenSet {
 public:
  virtual ~SeenSet() = default;
  // After an Error (of a disk) it is unknown which keys of the batch are in the set: the caller
  // must stop, and pass none of them on. After success a set with a store has the batch in its
  // file: on disk if it was opened to sync, and otherwise safe from the end of this process.
  virtual Status insert_batch(std::span<const std::string_view> keys, bool* fresh) = 0;
  // Does the same as insert_batch, without inserting anything.
  virtual Status find_batch(std::span<const std::string_view> keys, bool* fresh) = 0;
  // Makes a store's next opening fast. Nothing is lost without it.
  virtual Status close() { return {}; }
  // The number of distinct keys. An approximate set counts those that it took for distinct. A store
  // counts log entries, so that a key counts twice if it was forgotten by age and came again.
  virtual std::uint64_t size() const = 0;
  // Memory in bytes.
  virtual std::uint64_t bytes() const = 0;
  // Returns what to tell the user at the end, after close(), or an empty string.
  virtual std::string report() const { return {}; }
};

using KeyHash = Hash128 (*)(std::string_view key, std::uint64_t seed);

struct SeenSetOptions {
  unsigned bits = 128;          // of a fingerprint: 64 or 128
  bool exact = false;           // compares the keys themselves too, and keeps them in memory
  double approximate = 0;       // above 0: use a filter of `memory` bytes that keeps to this rate
  std::uint64_t memory = 0;     // 0: without bound; else spills to unnamed files in $TMPDIR ...
  bool recent = false;          // ... or forgets what was not asked for lately
  std::string store;            // file that remembers the keys
  std::string like;             // a new store takes seed and bits from this one
  std::string key_description;  // what a key is; a store with other keys is refused
  bool sync = false;            // every batch is on disk before insert_batch returns
  bool read_only = false;       // do not lock or change the store
  // Keys that the store saw more than so many seconds ago count as unseen; 0: none do.
  std::uint64_t max_age = 0;
  std::function<std::int64_t()> now = [] { return static_cast<std::int64_t>(std::time(nullptr)); };
  KeyHash hash = hash128;      // tests put in worse ones
  std::function<int()> fault;  // tests fail the writing of a store's index
};

// `notice` gets what to tell the user now (a torn tail was dropped), if anything.
Result<std::unique_ptr<SeenSet>> make_seen_set(const SeenSetOptions& options,
                                               std::string* notice = nullptr);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_SEEN_SET_H_
