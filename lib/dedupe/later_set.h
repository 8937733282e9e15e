// SPDX-License-Identifier: Apache-2.0
// Which of many keys came first, told once all have been given: for more keys than memory holds, with sequential reads and
// writes alone, whatever their number.
//
//   LaterSet set(options);
//   set.add_batch(keys);  ...                 // all keys, in batches
//   set.close();
//   set.next(count, fresh);  ...              // the verdicts in the same order, in batches of any size
//
// Exact but for fingerprints that are equal, as every set. Not thread-safe. later_set.cc tells how.
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
  // An Error (of a disk) from any of these: stop.
  virtual Status add_batch(std::span<const std::string_view> keys) = 0;
  virtual Status close() = 0;
  // fresh[i]: the key is the first of its kind. At most as many in all as were added.
  virtual Status next(std::size_t count, bool* fresh) = 0;
};

// `bits` of a fingerprint: 64 or 128. `memory` in bytes: 8M at least; unnamed files in `folder`.
std::unique_ptr<LaterSet> make_later_set(unsigned bits, std::uint64_t memory, std::string folder,
                                         KeyHash hash = hash128);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_LATER_SET_H_
