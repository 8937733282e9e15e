// SPDX-License-Identifier: Apache-2.0
// Many texts in few allocations, each known by a number. Texts never move: views live as long as
// the arena.
#ifndef SPINNERET_DEDUPE_TEXT_ARENA_H_
#define SPINNERET_DEDUPE_TEXT_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace spinneret::dedupe {

class TextArena {
 public:
  // Copies the text, of at most 2^32 - 1 bytes, and returns its number for get().
  std::uint64_t add(std::string_view text) {
    const std::size_t size = sizeof(std::uint32_t) + text.size();
    if (size > kBlock - used_ || blocks_.empty()) {
      bytes_ += size > kBlock ? size : kBlock;
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(size > kBlock ? size : kBlock));
      used_ = 0;
    }
    char* const at = blocks_.back().get() + used_;
    const auto length = static_cast<std::uint32_t>(text.size());
    std::memcpy(at, &length, sizeof length);
    if (!text.empty()) std::memcpy(at + sizeof length, text.data(), text.size());
    const std::uint64_t number = (blocks_.size() - 1) * kBlock + used_;
    // A text longer than a block shares its memory with no other.
    used_ = size > kBlock ? kBlock : used_ + size;
    return number;
  }

  std::string_view get(std::uint64_t number) const {
    const char* const at = blocks_[number / kBlock].get() + number % kBlock;
    std::uint32_t length = 0;
    std::memcpy(&length, at, sizeof length);
    return {at + sizeof length, length};
  }

  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kBlock = std::size_t{64} << 10;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t used_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_TEXT_ARENA_H_
