// SPDX-License-Identifier: Apache-2.0
// The set of keys that were seen, by their bytes.
//
//   Result<std::unique_ptr<SeenSet>> seen = make_seen_set({.bits = 128});
//   (*seen)->insert_batch(keys, fresh);   // fresh[i]: keys[i] was not there, nor among keys[0..i)
//
// A batch is judged as if its keys came one by one. Large batches are faster: cache misses overlap, and a
// stored set writes (and syncs) once a batch. Not thread-safe.
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
  // An Error (of a disk) means that the set knows nothing of this batch for sure: stop, and pass none of
  // the batch on. Once it returns well, a stored set holds the batch in its file: on disk, where it was
  // opened to sync; safe from the end of this process, where not.
  virtual Status insert_batch(std::span<const std::string_view> keys, bool* fresh) = 0;
  // The same, but nothing is inserted.
  virtual Status find_batch(std::span<const std::string_view> keys, bool* fresh) = 0;
  // A store's next opening is fast once this returns; nothing is lost without it.
  virtual Status close() { return {}; }
  // Distinct keys; of an approximate set, those that it took for distinct; of a store, the entries of its log, where a key
  // that was forgotten by age stands twice.
  virtual std::uint64_t size() const = 0;
  // Memory in bytes.
  virtual std::uint64_t bytes() const = 0;
  // What a user should hear at the end, after close(), or an empty string.
  virtual std::string report() const { return {}; }
};

using KeyHash = Hash128 (*)(std::string_view key, std::uint64_t seed);

struct SeenSetOptions {
  unsigned bits = 128;          // of a fingerprint: 64 or 128
  bool exact = false;           // compares the keys themselves too, and keeps them in memory
  double approximate = 0;       // above 0: a filter of `memory` bytes that is to keep this rate
  std::uint64_t memory = 0;     // 0: without bound; else spills to unnamed files in $TMPDIR ...
  bool recent = false;          // ... or forgets what was not asked for lately
  std::string store;            // remembers in this file
  std::string like;             // a new store takes seed and bits from this one
  std::string key_description;  // what a key is; a store of other keys is refused
  bool sync = false;            // every batch is on disk before insert_batch returns
  bool read_only = false;       // of the store: neither locked nor changed
  std::uint64_t max_age =
      0;  // seconds; what the store saw before counts as unseen; 0: nothing does
  std::function<std::int64_t()> now = [] { return static_cast<std::int64_t>(std::time(nullptr)); };
  KeyHash hash = hash128;      // tests put in worse ones
  std::function<int()> fault;  // tests fail the writing of a store's index
};

// `notice` gets what a user should hear now (a torn tail that was dropped), or stays empty.
Result<std::unique_ptr<SeenSet>> make_seen_set(const SeenSetOptions& options,
                                               std::string* notice = nullptr);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_SEEN_SET_H_
