// SPDX-License-Identifier: Apache-2.0
// A multimap from 64-bit keys to numbers 0, 1, 2 ... that come in that order: one band of a NearIndex.
//
// Chains over an array of heads. Keys are not kept: what shares a head is offered too, and the caller
// compares. 8 bytes a number. The heads double as numbers come in; `key_of` then tells a number's key.
#ifndef SPINNERET_DEDUPE_BAND_TABLE_H_
#define SPINNERET_DEDUPE_BAND_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spinneret {

class BandTable {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  BandTable() : heads_(kFirstHeads, kNone) {}

  // The number is how many were added before.
  template <typename KeyOf>
  void add(std::uint64_t key, const KeyOf& key_of) {
    if (next_.size() == heads_.size()) {
      heads_.assign(heads_.size() * 2, kNone);
      for (std::uint32_t i = 0; i < next_.size(); ++i) link(i, key_of(i));
    }
    next_.push_back(kNone);
    link(static_cast<std::uint32_t>(next_.size() - 1), key);
  }

  // The newest number that may have the key, then older ones; kNone at the end.
  std::uint32_t first(std::uint64_t key) const { return heads_[place(key)]; }
  std::uint32_t following(std::uint32_t number) const { return next_[number]; }

  std::uint64_t bytes() const { return (heads_.capacity() + next_.capacity()) * sizeof(kNone); }

 private:
  static constexpr std::size_t kFirstHeads = 1024;
  std::size_t place(std::uint64_t key) const {
    key = (key ^ key >> 32) * 0x9E3779B97F4A7C15;
    return static_cast<std::size_t>(key >> 32) & (heads_.size() - 1);
  }
  void link(std::uint32_t number, std::uint64_t key) {
    std::uint32_t& head = heads_[place(key)];
    next_[number] = head;
    head = number;
  }

  std::vector<std::uint32_t> heads_;  // a power of two
  std::vector<std::uint32_t> next_;
};

}  // namespace spinneret

#endif  // SPINNERET_DEDUPE_BAND_TABLE_H_
