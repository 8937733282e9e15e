// SPDX-License-Identifier: Apache-2.0
#include "dedupe/region_pool.h"

#include <sys/mman.h>

#include <new>

namespace spinneret::dedupe {
namespace {

// 256 regions of 256 KiB: few mappings (the kernel allows 65,530), and little address space for a
// process that dedupes ten lines.
constexpr std::size_t kChunkBytes = std::size_t{64} << 20;

void* reserve(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            // cppcheck-suppress invalidFunctionArg  // it knows no MAP_ANONYMOUS
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  // Throws as operator new does: going on would lose keys, so main() ends with 2.
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // Huge pages would make every region weigh 2 MiB once touched.
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  return memory;
}

}  // namespace

void* RegionPool::take() {
  if (left_ < region_bytes_) {
    next_ = static_cast<char*>(reserve(kChunkBytes));
    left_ = kChunkBytes;
    chunks_.emplace_back(next_, kChunkBytes);
  }
  void* const region = next_;
  next_ += region_bytes_;
  left_ -= region_bytes_;
  return region;
}

void* RegionPool::take_large(std::size_t bytes) {
  void* const region = reserve(bytes);
  chunks_.emplace_back(region, bytes);
  return region;
}

void RegionPool::forget(void* begin, std::size_t bytes) {
  if (bytes != 0) madvise(begin, bytes, MADV_DONTNEED);
}

void RegionPool::release_all() {
  for (const auto& [memory, bytes] : chunks_) munmap(memory, bytes);
  chunks_.clear();
  next_ = nullptr;
  left_ = 0;
}

}  // namespace spinneret::dedupe
