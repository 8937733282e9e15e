// SPDX-License-Identifier: Apache-2.0
// A multimap from 64-bit keys to the numbers 0, 1, 2 ... in the order in which they are added: one
// band of a NearIndex.
//
// Numbers are kept in chains, the newest first. Keys are not stored: a look-up also gives numbers
// of other keys in the same chain, and the caller must compare. There are as many chains as
// numbers, by linear hashing (Litwin 1980): each new number splits one chain in two, so that growth
// never pauses. To split a chain, add() asks `key_of` for the keys of the numbers in it.
//
//   chains   [ split | not yet split | made by splitting ]
//              0 .. n-m | n-m .. m   | m .. n               m: the largest power of two up to n
//
// Memory: 8 bytes a number.
#ifndef SPINNERET_DEDUPE_BAND_TABLE_H_
#define SPINNERET_DEDUPE_BAND_TABLE_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "dedupe/chunked_vector.h"

namespace spinneret::dedupe {

class BandTable {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // Adds the next number, which is the count of numbers added before.
  template <typename KeyOf>
  void add(std::uint64_t key, const KeyOf& key_of) {
    split(key_of);
    const auto number = static_cast<std::uint32_t>(next_.size());
    std::uint32_t& head = heads_[chain(mix(key))];
    next_.push_back(head);
    head = number;
  }

  // Returns the newest number that may have the key; following() returns older ones, and kNone at
  // the end.
  std::uint32_t first(std::uint64_t key) const {
    return heads_.size() == 0 ? kNone : heads_[chain(mix(key))];
  }
  std::uint32_t following(std::uint32_t number) const { return next_[number]; }

  std::uint64_t bytes() const { return heads_.bytes() + next_.bytes(); }

 private:
  // Spreads a key over all bits. Keys are parts of hashes, but all except a few high bits of a part
  // may be zero.
  static std::uint64_t mix(std::uint64_t key) {
    key = (key ^ key >> 32) * 0x9E3779B97F4A7C15;
    return key ^ key >> 32;
  }
  std::size_t chain(std::uint64_t hash) const {
    const std::size_t count = heads_.size();
    const std::size_t place = hash & (std::bit_ceil(count) - 1);
    return place < count ? place : place - std::bit_ceil(count) / 2;
  }

  // Adds a chain, and moves the numbers that now hash to it out of the chain that it splits. Both
  // chains keep their order.
  template <typename KeyOf>
  void split(const KeyOf& key_of) {
    const std::size_t fresh = heads_.size();
    heads_.push_back(kNone);
    if (fresh == 0) return;
    const std::size_t old = fresh - std::bit_floor(fresh);
    std::uint32_t number = heads_[old];
    std::uint32_t* ends[2] = {&heads_[old], &heads_[fresh]};
    while (number != kNone) {
      const bool moves = chain(mix(key_of(number))) == fresh;
      *ends[moves] = number;
      ends[moves] = &next_[number];
      number = next_[number];
    }
    *ends[0] = *ends[1] = kNone;
  }

  ChunkedVector<std::uint32_t> heads_;
  ChunkedVector<std::uint32_t> next_;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_BAND_TABLE_H_
