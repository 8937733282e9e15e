// SPDX-License-Identifier: Apache-2.0
// A row of very many things that grows at its end, by number, whose references stay valid.
//
//   blocks_   o  o  o  o                     8 bytes for 256 things: for a million of them they stay in the cache
//             |  |  |  '-> [768 769 770 ......]
//             |  |  '----> [512 ...       767]
//
// std::deque has blocks of 512 bytes, some four hosts each: who looked for one of a million missed the cache twice, once for its
// block, which was a fifth of the opening of a state. A block is made with its first thing, and no thing before it is asked for.
//
// Not thread-safe, not copied. Cost: O(1).
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
  // To `size`, where there are fewer.
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
