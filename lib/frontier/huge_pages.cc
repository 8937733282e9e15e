// SPDX-License-Identifier: Apache-2.0
#include "frontier/huge_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>

namespace spinneret::frontier {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

class HugePages : public std::pmr::memory_resource {
  static std::align_val_t alignment_of(std::size_t bytes, std::size_t alignment) {
    return std::align_val_t{bytes < kHugePage ? alignment : std::max(alignment, kHugePage)};
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const memory = ::operator new(bytes, alignment_of(bytes, alignment));
    // If the system refuses, it is memory like any other.
    if (bytes >= kHugePage) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    ::operator delete(memory, alignment_of(bytes, alignment));
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

}  // namespace

std::pmr::memory_resource* huge_pages() {
  static HugePages pages;
  return &pages;
}

}  // namespace spinneret::frontier
