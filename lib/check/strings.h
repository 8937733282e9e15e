// SPDX-License-Identifier: Apache-2.0
// Numbers strings. Each string is kept once, and numbers count from 0 in the order of first
// appearance.
//
//   StringTable table;
//   table.intern("a");  // 0
//   table.view(0);      // "a", as long as the table lives
//
// Memory for a string: its bytes and 4 for its size, 4 for its place, and 7 to 14 for the hash
// table. There are at most 65,536 blocks: 4 GiB of short strings, or as many strings of more than
// 16 KiB. Not thread-safe.
#ifndef SPINNERET_CHECK_STRINGS_H_
#define SPINNERET_CHECK_STRINGS_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace spinneret::check {

class StringTable {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t intern(std::string_view text) { return intern(text, hash64(text)); }
  // `hash` is hash64(text).
  std::uint32_t intern(std::string_view text, std::uint64_t hash) {
    Recent& recent = recent_[hash % kRecent];
    if (recent.hash == hash && recent.number != kNone && view(recent.number) == text)
      return recent.number;
    if (places_.size() * 4 >= slots_.size() * 3) grow();
    const std::size_t slot = find_slot(text, hash);
    if (tags_[slot] == 0) {
      tags_[slot] = tag_of(hash);
      slots_[slot] = static_cast<std::uint32_t>(places_.size());
      places_.push_back(keep(text));
    }
    recent = {hash, slots_[slot]};
    return slots_[slot];
  }
  // Returns the number of a string, or kNone if it is not in the table.
  std::uint32_t find(std::string_view text) const {
    if (slots_.empty()) return kNone;
    const std::size_t slot = find_slot(text, hash64(text));
    return tags_[slot] == 0 ? kNone : slots_[slot];
  }
  std::string_view view(std::uint32_t number) const {
    const std::uint32_t place = places_[number];
    const char* const at = blocks_[place / kBlock].get() + place % kBlock;
    std::uint32_t size = 0;
    std::memcpy(&size, at, sizeof size);
    return {at + sizeof size, size};
  }
  std::size_t size() const { return places_.size(); }

 private:
  static constexpr std::size_t kBlock = std::size_t{64} << 10;
  static constexpr std::size_t kMaxBlocks = std::size_t{64} << 10;

  // Takes bits of the hash that do not choose the slot; 0 marks a free slot.
  static std::uint8_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint8_t>(hash >> 56 | 1);
  }
  // Most wrong strings in a slot have another tag, so their bytes, a cache miss away, need not be
  // compared.
  std::size_t find_slot(std::string_view text, std::uint64_t hash) const {
    std::size_t slot = hash & (slots_.size() - 1);
    const std::uint8_t tag = tag_of(hash);
    while (tags_[slot] != 0 && (tags_[slot] != tag || view(slots_[slot]) != text))
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  void grow() {
    const std::size_t size = slots_.empty() ? 64 : slots_.size() * 2;
    std::vector<std::uint32_t>().swap(slots_);  // freed first, so that there are never two tables
    slots_.resize(size);
    tags_.assign(size, 0);
    for (std::uint32_t i = 0; i != places_.size(); ++i) {
      const std::uint64_t hash = hash64(view(i));
      std::size_t slot = hash & (size - 1);
      while (tags_[slot] != 0) slot = (slot + 1) & (size - 1);
      tags_[slot] = tag_of(hash);
      slots_[slot] = i;
    }
  }
  // Copies a string. Returns its place: number of the block * kBlock + offset in it.
  std::uint32_t keep(std::string_view text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    const std::size_t need = sizeof size + size;
    if (need > left_) {
      if (blocks_.size() == kMaxBlocks) throw std::bad_alloc();
      left_ = need > kBlock / 4 ? need : kBlock;
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
      at_ = blocks_.back().get();
    }
    char* const to = at_;
    std::memcpy(to, &size, sizeof size);
    if (size != 0) std::memcpy(to + sizeof size, text.data(), size);
    at_ += need;
    left_ -= need;
    const auto offset = static_cast<std::size_t>(to - blocks_.back().get());
    return static_cast<std::uint32_t>((blocks_.size() - 1) * kBlock + offset);
  }

  // Pages of a site link to the same few targets again and again: their numbers are cached here.
  static constexpr std::size_t kRecent = 1024;
  struct Recent {
    std::uint64_t hash = 0;
    std::uint32_t number = kNone;
  };
  std::array<Recent, kRecent> recent_{};
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
  std::deque<std::uint32_t> places_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint8_t> tags_;  // tag_of() each slot; 0: free
};

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_STRINGS_H_
