// SPDX-License-Identifier: Apache-2.0
// A set of fingerprints: one interface for sets in memory, on disk, and approximate ones.
//
// A batch is judged as if its keys came one by one. Not thread-safe.
#ifndef SPINNERET_DEDUPE_FINGERPRINT_SET_H_
#define SPINNERET_DEDUPE_FINGERPRINT_SET_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "dedupe/fingerprint.h"
#include "dedupe/seen_log.h"

namespace spinneret::dedupe {

template <typename F>
class FingerprintSet {
 public:
  virtual ~FingerprintSet() = default;
  // Sets fresh[i] where keys[i] was neither in the set nor in keys[0..i). After an Error (of a
  // disk) it is unknown which keys of the batch were inserted, and the caller must stop.
  virtual Status insert_batch(std::span<const F> keys, bool* fresh) = 0;
  // Sets fresh[i] where keys[i] is not in the set.
  virtual Status find_batch(std::span<const F> keys, bool* fresh) = 0;
  // Sets the time of the next batches, in seconds since 1970, for sets that forget by age.
  virtual void set_time(std::uint64_t /*now*/) {}
  // Inserts keys that a store remembers, as of the time that was set.
  virtual Status recall_batch(std::span<const F> keys, bool* fresh) {
    return insert_batch(keys, fresh);
  }
  // Tells the set that all keys inserted and recalled so far are in the store's log, up to this
  // mark.
  virtual void logged(const LogMark& /*mark*/) {}
  // Once this returns, everything that makes the next opening of the store fast is on disk.
  virtual Status close() { return {}; }
  // What the user should be told at the end, or an empty string.
  virtual std::string report() const { return {}; }
  // The number of distinct keys. For a store it is the number of log entries, which counts a key
  // twice if it was forgotten by age and came again.
  virtual std::uint64_t size() const = 0;
  // Memory in bytes.
  virtual std::uint64_t bytes() const = 0;
};

// A set in memory, with space for `expected` keys from the beginning.
template <typename F>
std::unique_ptr<FingerprintSet<F>> make_table_set(std::uint64_t expected = 0);

// A set in memory, of 25 to 31 bytes a key. A key that came more than `max_age` seconds ago is
// fresh again; a repeat does not renew it.
template <typename F>
std::unique_ptr<FingerprintSet<F>> make_aging_set(std::uint64_t max_age,
                                                  std::uint64_t expected = 0);

// An exact set that takes at most `memory` bytes. Keys beyond that are in sorted runs in unnamed
// files in `folder`.
//
// The newest keys are in a table. Each run has a filter, so that only repeats of old keys, and few
// others, read a page of a run; the reads of a batch go to the disk together. Keys are divided into
// 64 parts by their first bits, and parts spill and merge one at a time, so that no call takes
// long. Disk: 16 bytes for a 128-bit key, and a 64th more while runs merge. See spilling_set.cc.
template <typename F>
std::unique_ptr<FingerprintSet<F>> make_spilling_set(std::uint64_t memory, std::string folder);

// A set that takes `memory` bytes (whole cache lines), and forgets keys that were not asked for
// lately, which are then fresh again. It never takes a fresh key for seen. size() is the number of
// keys that it remembers.
//
// A key can be in one of two cache lines, which also hold the time of its last use. With 7 keys of
// 64 bits a line, or 3 of 128, a key that repeats within half the capacity is hardly ever missed. A
// key is forgotten only when both lines of a new one are full. A 64-bit key costs 9.1 bytes and two
// cache misses.
template <typename F>
std::unique_ptr<FingerprintSet<F>> make_recent_set(std::uint64_t memory);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_FINGERPRINT_SET_H_
