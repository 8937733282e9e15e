// SPDX-License-Identifier: Apache-2.0
// The set of keys that were seen: one interface over sets in memory, approximate ones, ones that spill to
// disk and ones that are remembered in a file.
//
//   const auto seen = make_memory_set(128, random_seed());
//   seen->insert_batch(keys, fresh);      // fresh[i]: keys[i] was not there, nor among keys[0..i)
//
// A batch is judged as if its keys came one by one. Large batches are faster: cache misses overlap.
// Not thread-safe.
#ifndef SPINNERET_DEDUPE_SEEN_SET_H_
#define SPINNERET_DEDUPE_SEEN_SET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "dedupe/fingerprint.h"

namespace spinneret {

// Keys of one call; more are better cut in pieces, whose hashes stay in the first-level cache.
constexpr std::size_t kSeenBatch = 512;

class SeenSet {
 public:
  virtual ~SeenSet() = default;
  // An Error (of a disk) means that the set knows nothing of this batch for sure: stop.
  virtual Status insert_batch(std::span<const std::string_view> keys, bool* fresh) = 0;
  // The same, but nothing is inserted; a key is fresh each time.
  virtual Status find_batch(std::span<const std::string_view> keys, bool* fresh) = 0;
  // Distinct keys; of an approximate set, an estimate.
  virtual std::uint64_t size() const = 0;
  // Memory in bytes.
  virtual std::uint64_t bytes() const = 0;
};

// Fingerprints of 64 or 128 bits in memory. `expected` keys are given room at once.
std::unique_ptr<SeenSet> make_memory_set(unsigned bits, std::uint64_t seed,
                                         std::uint64_t expected = 0);

}  // namespace spinneret

#endif  // SPINNERET_DEDUPE_SEEN_SET_H_
