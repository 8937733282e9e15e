// SPDX-License-Identifier: Apache-2.0
// Tells which of many keys came first, after all have been given. It serves for more keys than
// memory holds, and reads and writes files only sequentially, whatever their size.
//
//   LaterSet set(options);
//   set.add_batch(keys);  ...        // all keys, in batches
//   set.close();
//   set.next(count, fresh);  ...     // the verdicts in the same order, in batches of any size
//
// Exact, except for keys with equal fingerprints, as in every set. Not thread-safe. later_set.cc
// explains how it works.
#ifndef SPINNERET_DEDUPE_LATER_SET_H_
#define SPINNERET_DEDUPE_LATER_SET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"
#include "dedupe/seen_set.h"

namespace spinneret::dedupe {

class LaterSet {
 public:
  virtual ~LaterSet() = default;
  // After an Error (of a disk) from any of these the caller must stop.
  virtual Status add_batch(std::span<const std::string_view> keys) = 0;
  virtual Status close() = 0;
  // fresh[i] says whether the key is the first of its kind. The counts must not add up to more than
  // the number of keys added.
  virtual Status next(std::size_t count, bool* fresh) = 0;
};

// `bits` is the size of a fingerprint: 64 or 128. `memory` is in bytes, at least 8M. Unnamed files
// are made in `folder`.
std::unique_ptr<LaterSet> make_later_set(unsigned bits, std::uint64_t memory, std::string folder,
                                         KeyHash hash = hash128);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_LATER_SET_H_
