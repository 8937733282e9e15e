// SPDX-License-Identifier: Apache-2.0
// Memory for text that outlives the code that made it. Blocks never move; they are all released at
// once and reused. A text longer than a block is not copied but taken over: see adopt().
#ifndef SPINNERET_HTML_ARENA_H_
#define SPINNERET_HTML_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spinneret::html {

class TextArena {
 public:
  static constexpr std::size_t kBlock = std::size_t{64} << 10;

  // Copies the text; the copy lives until clear().
  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    if (block_ == blocks_.size() || text.size() > blocks_[block_].size - used_)
      next_block(text.size());
    char* const at = blocks_[block_].bytes.get() + used_;
    std::memcpy(at, text.data(), text.size());
    used_ += text.size();
    return {at, text.size()};
  }
  // Takes over the string itself. It must be longer than a block, since the bytes of a short string
  // would move with its object.
  std::string_view adopt(std::string text) { return adopted_.emplace_back(std::move(text)); }
  // What is kept at one moment; release() drops whatever was added later.
  struct Mark {
    std::size_t blocks;
    std::size_t used;
    std::size_t adopted;
  };
  Mark mark() const { return {blocks_.size(), used_, adopted_.size()}; }
  void release(const Mark& mark) {
    adopted_.resize(mark.adopted);
    if (mark.blocks == 0) return clear_blocks();
    blocks_.resize(mark.blocks);
    block_ = mark.blocks - 1;
    used_ = mark.used;
  }
  // Keeps the first block for reuse and frees the others, so that memory follows the page.
  void clear() {
    adopted_.clear();
    clear_blocks();
  }

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size;
  };

  void clear_blocks() {
    if (blocks_.size() > 1) blocks_.resize(1);
    block_ = used_ = 0;
  }
  void next_block(std::size_t size) {
    const std::size_t capacity = std::max(size, kBlock);
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(capacity), capacity});
    block_ = blocks_.size() - 1;
    used_ = 0;
  }

  std::vector<Block> blocks_;
  std::vector<std::string> adopted_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_ARENA_H_
