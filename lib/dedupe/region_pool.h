// SPDX-License-Identifier: Apache-2.0
// Zeroed memory in regions of one size, reserved from the kernel in large chunks. Untouched pages
// cost no memory.
#ifndef SPINNERET_DEDUPE_REGION_POOL_H_
#define SPINNERET_DEDUPE_REGION_POOL_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace spinneret::dedupe {

class RegionPool {
 public:
  // `region_bytes`: a multiple of the page size.
  explicit RegionPool(std::size_t region_bytes) : region_bytes_(region_bytes) {}
  ~RegionPool() { release_all(); }
  RegionPool(const RegionPool&) = delete;
  RegionPool& operator=(const RegionPool&) = delete;

  // Returns a region, page-aligned and all zero, that lives as long as the pool, or until
  // release_all().
  void* take();
  // Takes a region of another size (which is rare).
  void* take_large(std::size_t bytes);
  // Returns the pages of [begin, begin + bytes) to the kernel; they read as zero from then on.
  // `begin` must be page-aligned.
  static void forget(void* begin, std::size_t bytes);
  void release_all();

 private:
  std::size_t region_bytes_;
  std::vector<std::pair<void*, std::size_t>> chunks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_REGION_POOL_H_
