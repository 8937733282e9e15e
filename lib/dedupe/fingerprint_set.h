// SPDX-License-Identifier: Apache-2.0
// A set of fingerprints behind one interface: in memory, spilling to disk, or approximate.
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
  // fresh[i]: keys[i] was neither in the set nor in keys[0..i). An Error (of a disk) leaves it undecided
  // which of the batch went in: stop.
  virtual Status insert_batch(std::span<const F> keys, bool* fresh) = 0;
  // fresh[i]: keys[i] is not in the set.
  virtual Status find_batch(std::span<const F> keys, bool* fresh) = 0;
  // Seconds since 1970 that the next batches belong to: for sets that forget by age.
  virtual void set_time(std::uint64_t /*now*/) {}
  // Keys that a store remembers, of the time that was set.
  virtual Status recall_batch(std::span<const F> keys, bool* fresh) {
    return insert_batch(keys, fresh);
  }
  // All that was inserted and recalled until now is in the store's log, whose end this is.
  virtual void logged(const LogMark& /*mark*/) {}
  // What makes the store's next opening fast is on disk once this returns.
  virtual Status close() { return {}; }
  // What a user should hear at the end, or an empty string.
  virtual std::string report() const { return {}; }
  // Distinct keys; of a store, the entries of its log, where a key that was forgotten by age stands twice.
  virtual std::uint64_t size() const = 0;
  // Memory in bytes.
  virtual std::uint64_t bytes() const = 0;
};

// All in memory. Room for `expected` keys is laid out at once.
template <typename F>
std::unique_ptr<FingerprintSet<F>> make_table_set(std::uint64_t expected = 0);

// All in memory, 25 to 31 bytes a key. What came more than `max_age` seconds ago is fresh again; a repeat makes nothing
// younger.
template <typename F>
std::unique_ptr<FingerprintSet<F>> make_aging_set(std::uint64_t max_age,
                                                  std::uint64_t expected = 0);

// At most `memory` bytes; what is over that lies in sorted runs in unnamed files in `folder`. Exact.
//
// The newest keys are in a table. Each run has a filter, so that only repeats of old keys, and few others, read a page of
// a run; a batch's reads go to the disk together. Keys are in 64 parts by their first bits, which spill and merge one by
// one, so that no call works long. Disk: 16 bytes a 128-bit key, and a 64th more while runs merge.
// spilling_set.cc tells more.
template <typename F>
std::unique_ptr<FingerprintSet<F>> make_spilling_set(std::uint64_t memory, std::string folder);

// `memory` bytes, whole cache lines; what was not asked for lately is forgotten, and then is fresh again. Never the
// other way round. size() is what it remembers. A key has two cache lines to go to, with the time of each use beside it:
// what repeats within half the capacity (7 keys of 64 bits a line, 3 of 128) is hardly ever missed, and with room for
// all nothing is. 9.1 bytes a key of 64 bits, and two misses.
template <typename F>
std::unique_ptr<FingerprintSet<F>> make_recent_set(std::uint64_t memory);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_FINGERPRINT_SET_H_
