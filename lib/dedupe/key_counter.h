// SPDX-License-Identifier: Apache-2.0
// Counts how often each key came. Takes 31 bytes a key, by 128-bit fingerprints.
#ifndef SPINNERET_DEDUPE_KEY_COUNTER_H_
#define SPINNERET_DEDUPE_KEY_COUNTER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "dedupe/fingerprint_table.h"

namespace spinneret::dedupe {

class KeyCounter {
 public:
  explicit KeyCounter(std::uint64_t seed = random_seed()) : seed_(seed) {}
  // Counts each key. counts[i] becomes how often keys[i] has come so far, this time included.
  void count_batch(std::span<const std::string_view> keys, std::vector<std::uint64_t>& counts);
  // Looks up how often each key has come; 0 for one that never did.
  void find_batch(std::span<const std::string_view> keys, std::vector<std::uint64_t>& counts) const;

  std::uint64_t size() const { return table_.size(); }
  std::uint64_t bytes() const { return table_.bytes(); }

 private:
  static constexpr std::size_t kPiece = 256;
  template <typename Visit>
  void in_pieces(std::span<const std::string_view> keys, const Visit& visit) const;

  std::uint64_t seed_;
  FingerprintTable<ValuedFingerprint> table_;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_KEY_COUNTER_H_
