// SPDX-License-Identifier: Apache-2.0
// Strings by number: each one is kept once, and its number is that of its first coming, from 0.
//
//   StringTable table;
//   table.intern("a");  // 0
//   table.view(0);      // "a", as long as the table lives
//
// Memory: the bytes and 4, 4 for their place, 5 to 11 for finding them. At most 65,536 blocks: 4 GiB of short strings, or
// as many of more than 16 KiB. Not thread-safe.
#ifndef SPINNERET_CHECK_STRINGS_H_
#define SPINNERET_CHECK_STRINGS_H_

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace spinneret::links {

class StringTable {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t intern(std::string_view text) {
    if (places_.size() * 4 >= slots_.size() * 3) grow();
    const std::size_t slot = find_slot(text);
    if (slots_[slot] == kNone) {
      slots_[slot] = static_cast<std::uint32_t>(places_.size());
      places_.push_back(keep(text));
    }
    return slots_[slot];
  }
  // kNone: there is no such string.
  std::uint32_t find(std::string_view text) const {
    return slots_.empty() ? kNone : slots_[find_slot(text)];
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

  std::size_t find_slot(std::string_view text) const {
    std::size_t slot = hash64(text) & (slots_.size() - 1);
    while (slots_[slot] != kNone && view(slots_[slot]) != text)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, kNone);
    for (std::uint32_t i = 0; i != places_.size(); ++i) slots_[find_slot(view(i))] = i;
  }
  // The number of the block, and where in it.
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

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
  std::deque<std::uint32_t> places_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace spinneret::links

#endif  // SPINNERET_CHECK_STRINGS_H_
