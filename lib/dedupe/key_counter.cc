// SPDX-License-Identifier: Apache-2.0
#include "dedupe/key_counter.h"

#include <algorithm>
#include <array>

namespace spinneret::dedupe {

template <typename Visit>
void KeyCounter::in_pieces(std::span<const std::string_view> keys, const Visit& visit) const {
  std::array<ValuedFingerprint, kPiece> hashes;
  for (std::size_t first = 0; first < keys.size(); first += kPiece) {
    const std::size_t count = std::min(kPiece, keys.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = fingerprint_of<ValuedFingerprint>(hash128(keys[first + i], seed_));
      table_.prefetch(hashes[i]);
    }
    for (std::size_t i = 0; i < count; ++i) visit(first + i, hashes[i]);
  }
}

void KeyCounter::count_batch(std::span<const std::string_view> keys,
                             std::vector<std::uint64_t>& counts) {
  counts.resize(keys.size());
  in_pieces(keys, [&](std::size_t i, const ValuedFingerprint& key) {
    bool fresh = false;
    counts[i] = ++table_.find_or_insert(key, fresh).value;
  });
}

void KeyCounter::find_batch(std::span<const std::string_view> keys,
                            std::vector<std::uint64_t>& counts) const {
  counts.resize(keys.size());
  in_pieces(keys, [&](std::size_t i, const ValuedFingerprint& key) {
    const ValuedFingerprint* const held = table_.find(key);
    counts[i] = held == nullptr ? 0 : held->value;
  });
}

}  // namespace spinneret::dedupe
