// SPDX-License-Identifier: Apache-2.0
// URLs that were seen lately, each with the least number of links that leads to it. Most links of a
// page lead to what was seen a moment ago, and need not be looked up.
//
//   if (recent.knows(id, fingerprint, depth)) ...  // it is in the table, and this way no shorter
//   recent.add(id, fingerprint, depth);            // it is in the table, or will be by the commit
//
// A word of 8 bytes has 58 bits of a hash of host and fingerprint, and 6 of the depth; the eight
// words of a line are searched together. The table doubles while it is filled, up to the given
// bytes; then a new word replaces the next one in turn in its line. What is not known is looked up:
// only a URL that is taken for another is lost. With a full table of 64 MB that happens to a new
// URL with a probability of 8 * 2^-(58 - 20), 3 in 10^11, and so in 3 of a hundred crawls of a
// billion URLs. Not thread-safe.
#ifndef SPINNERET_FRONTIER_RECENT_URLS_H_
#define SPINNERET_FRONTIER_RECENT_URLS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "frontier/keys.h"

namespace spinneret::frontier {

class RecentUrls {
 public:
  // Deeper URLs are not kept.
  static constexpr std::uint32_t kMostDepth = 62;

  explicit RecentUrls(std::size_t most_bytes);

  bool knows(HostId host, std::uint64_t fingerprint, std::uint32_t depth) const {
    const std::uint64_t hash = hash_of(host, fingerprint);
    const Line& line = lines_[line_of(hash)];
    for (const std::uint64_t word : line.words) {
      if ((word ^ hash) >> kDepthBits == 0 && word != 0) return depth + 1 >= (word & kDepthMask);
    }
    return false;
  }
  // Prefetches what knows() reads.
  void expect(HostId host, std::uint64_t fingerprint) const {
    __builtin_prefetch(&lines_[line_of(hash_of(host, fingerprint))]);
  }
  void add(HostId host, std::uint64_t fingerprint, std::uint32_t depth);

  std::size_t bytes() const { return lines_.size() * sizeof(Line); }

 private:
  static constexpr int kDepthBits = 6;
  static constexpr std::uint64_t kDepthMask = (1 << kDepthBits) - 1;
  struct alignas(64) Line {
    std::array<std::uint64_t, 8> words{};  // depth + 1 in the low bits; 0: none
  };

  // Both are mixed: a fingerprint alone is the same on every host that has such a page.
  static std::uint64_t hash_of(HostId host, std::uint64_t fingerprint) {
    std::uint64_t z = fingerprint + host * 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
  }
  std::size_t line_of(std::uint64_t hash) const { return static_cast<std::size_t>(hash >> shift_); }
  void put(std::uint64_t word);
  void grow();

  std::pmr::vector<Line> lines_;  // a power of two
  int shift_ = 0;
  std::size_t most_lines_;
  std::size_t used_ = 0;  // number of words, while the table may grow
  std::uint32_t turn_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_RECENT_URLS_H_
