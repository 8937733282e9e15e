// SPDX-License-Identifier: Apache-2.0
// A Bloom filter in blocks of one cache line (512 bits), of which each key sets a few. The filter
// says either that a key was certainly not inserted, or that it may have been.
//
// The size is fixed; memory is taken as the filter fills. Not thread-safe.
#ifndef SPINNERET_DEDUPE_BLOCKED_FILTER_H_
#define SPINNERET_DEDUPE_BLOCKED_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "dedupe/region_pool.h"

namespace spinneret::dedupe {

// Calls visit(word, mask) for each probe until it returns false. The step changes with each probe,
// because plain double hashing has a pattern that shows in so few bits.
template <typename Visit>
inline void for_each_probe(std::uint64_t low, unsigned probes, const Visit& visit) {
  auto at = static_cast<std::uint32_t>(low);
  auto step = static_cast<std::uint32_t>(low >> 32) | 1;
  for (unsigned i = 0; i < probes; ++i) {
    // Only the top bits are used: the low bits of a sum of such steps have a short period.
    const std::uint32_t bit = at >> 23;
    if (!visit(bit / 64, std::uint64_t{1} << (bit % 64))) return;
    at += step;
    step = step * 0x9E3779B1U + 0x7F4A7C15U;
  }
}

class BlockedFilter {
 public:
  // All that is needed to ask the filter; keep a view where many filters are asked in turn. A view
  // is valid as long as its filter. An empty view says of every key that it may be there.
  class View {
   public:
    View() = default;
    View(const std::uint64_t* words, std::uint64_t blocks, unsigned probes)
        : words_(words), blocks_(blocks), probes_(probes) {}
    const std::uint64_t* block(std::uint64_t high) const {
      return words_ +
             static_cast<std::size_t>(static_cast<unsigned __int128>(high) * blocks_ >> 64) * 8;
    }
    bool may_contain(std::uint64_t high, std::uint64_t low) const {
      const std::uint64_t* const words = block(high);
      bool all = true;
      for_each_probe(low, probes_, [&](std::uint32_t word, std::uint64_t mask) {
        all = (words[word] & mask) != 0;
        return all;
      });
      return all;
    }

   private:
    const std::uint64_t* words_ = nullptr;
    std::uint64_t blocks_ = 0;
    unsigned probes_ = 0;
  };

  // `bytes` is rounded down to whole blocks, but to one at least. Each key sets `probes` bits, 1 to
  // 16.
  BlockedFilter(std::uint64_t bytes, unsigned probes);

  // Returns false where the key, or another with the same bits, was there. Both hashes must be
  // uniform and independent.
  bool insert(std::uint64_t high, std::uint64_t low);
  bool may_contain(std::uint64_t high, std::uint64_t low) const {
    return view().may_contain(high, low);
  }
  View view() const { return {words_, blocks_, probes_}; }
  [[gnu::always_inline]] void prefetch(std::uint64_t high) const {
    __builtin_prefetch(block(high));
  }

  std::uint64_t bytes() const { return blocks_ * kBlockBytes; }
  unsigned probes() const { return probes_; }
  // All words, to store the filter and load it into another of the same size and number of probes.
  std::span<std::uint64_t> words() {
    return {words_, blocks_ * kBlockBytes / sizeof(std::uint64_t)};
  }
  // Returns the probability that a key which was never inserted is now reported as seen, computed
  // from the bits as they are. Reads the whole filter.
  double false_rate() const;

 private:
  static constexpr std::uint64_t kBlockBytes = 64;
  std::uint64_t* block(std::uint64_t high) const {
    return words_ +
           static_cast<std::size_t>(static_cast<unsigned __int128>(high) * blocks_ >> 64) * 8;
  }

  RegionPool pool_;
  std::uint64_t blocks_;
  unsigned probes_;
  std::uint64_t* words_;
};

// How many keys fit into `bytes` before the rate of false positives exceeds `rate`, and the number
// of probes that allows the most keys.
struct FilterPlan {
  unsigned probes = 1;
  std::uint64_t capacity = 0;
};
FilterPlan plan_filter(std::uint64_t bytes, double rate);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_BLOCKED_FILTER_H_
