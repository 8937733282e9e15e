// SPDX-License-Identifier: Apache-2.0
// An array that only grows, in chunks: elements never move, growth copies nothing, and less than
// one chunk of memory is spare.
#ifndef SPINNERET_DEDUPE_CHUNKED_VECTOR_H_
#define SPINNERET_DEDUPE_CHUNKED_VECTOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace spinneret::dedupe {

template <typename T>
class ChunkedVector {
 public:
  void push_back(const T& value) {
    if (size_ % kChunk == 0) chunks_.push_back(std::make_unique_for_overwrite<T[]>(kChunk));
    chunks_.back()[size_++ % kChunk] = value;
  }
  T& operator[](std::size_t i) { return chunks_[i / kChunk][i % kChunk]; }
  const T& operator[](std::size_t i) const { return chunks_[i / kChunk][i % kChunk]; }
  const T& back() const { return (*this)[size_ - 1]; }
  std::size_t size() const { return size_; }
  std::uint64_t bytes() const { return chunks_.size() * (kChunk * sizeof(T) + sizeof(void*)); }

 private:
  static constexpr std::size_t kChunk = 4096;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_CHUNKED_VECTOR_H_
