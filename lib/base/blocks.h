// SPDX-License-Identifier: Apache-2.0
// An array of very many things that only grows, at its end; references to its elements stay valid.
//
//   blocks_   o  o  o  o                       one pointer of 8 bytes for 256 elements: for a
//             |  |  |  '-> [768 769 770 ......]    million elements they stay in the cache
//             |  |  |  '-> [768 769 770 ......]
//             |  |  '----> [512 ...       767]
//
// std::deque has blocks of 512 bytes, some four hosts each. A look-up of one host among a million
// missed the cache twice, once for the block's pointer, and that was a fifth of the time that
// opening a state takes. A block is allocated with its first element; an element exists only after
// emplace_back() or grow().
//
// Not thread-safe, not copyable. Every access costs O(1).
#ifndef SPINNERET_BASE_BLOCKS_H_
#define SPINNERET_BASE_BLOCKS_H_

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace spinneret {

template <typename Thing>
class Blocks {
 public:
  Blocks() = default;
  Blocks(Blocks&& other) noexcept
      : blocks_(std::move(other.blocks_)), size_(std::exchange(other.size_, 0)) {}
  Blocks& operator=(Blocks&& other) noexcept {
    std::swap(blocks_, other.blocks_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Blocks() { clear(); }

  Thing& operator[](std::size_t at) { return *place(at); }
  const Thing& operator[](std::size_t at) const { return *place(at); }
  std::size_t size() const { return size_; }

  Thing& emplace_back() {
    if (size_ == blocks_.size() * kBlock)
      blocks_.push_back(std::make_unique_for_overwrite<Block>());
    Thing* const made = std::construct_at(place(size_));
    ++size_;
    return *made;
  }
  // Appends elements until there are `size`; does nothing if there are as many already.
  void grow(std::size_t size) {
    while (size_ < size) emplace_back();
  }
  void clear() {
    for (; size_ != 0; --size_) std::destroy_at(place(size_ - 1));
    blocks_.clear();
  }

 private:
  static constexpr std::size_t kBlock = 256;
  struct Block {
    alignas(Thing) std::byte bytes[kBlock * sizeof(Thing)];
  };
  Thing* place(std::size_t at) const {
    return reinterpret_cast<Thing*>(blocks_[at / kBlock]->bytes) + at % kBlock;
  }

  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace spinneret

#endif  // SPINNERET_BASE_BLOCKS_H_
