// SPDX-License-Identifier: Apache-2.0
#include "dedupe/sketch.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/hash.h"

namespace spinneret {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93;
  return x ^ x >> 32;
}

// Calls visit(hash) for every shingle of a text of words with a space behind each.
template <typename Visit>
void for_each_shingle(std::string_view text, const Visit& visit) {
  std::uint64_t before[kShingleWords - 1] = {};
  std::uint64_t words = 0;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find(' '), text.size() - 1);
    const std::uint64_t word = hash64(text.substr(0, size));
    text.remove_prefix(size + 1);
    const std::uint64_t shingle = mix(std::rotl(before[0], 17) ^ std::rotl(before[1], 41) ^ word);
    before[0] = before[1];
    before[1] = word;
    // Of a text that is too short for one whole shingle, what there is.
    if (++words >= kShingleWords || text.empty()) visit(shingle);
  }
}

// Counts how often each of 64 bits is set. Eight counters of a byte share a word; before one can overflow
// they are added to wide ones. 8 additions a hash.
class BitCounts {
 public:
  void add(std::uint64_t hash) {
    for (std::size_t i = 0; i < 8; ++i) narrow_[i] += kSpread[hash >> (8 * i) & 255];
    if (++pending_ == 255) carry();
    ++total_;
  }
  std::uint64_t majority() {
    carry();
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      out |= static_cast<std::uint64_t>(wide_[i] * 2 > total_) << i;
    }
    return out;
  }

 private:
  // kSpread[b]: byte j is bit j of b.
  static constexpr std::array<std::uint64_t, 256> kSpread = [] {
    std::array<std::uint64_t, 256> spread{};
    for (std::uint64_t b = 0; b < 256; ++b) {
      for (unsigned j = 0; j < 8; ++j) spread[b] |= (b >> j & 1) << (8 * j);
    }
    return spread;
  }();

  void carry() {
    for (std::size_t i = 0; i < 64; ++i) {
      wide_[i] += narrow_[i / 8] >> (8 * (i % 8)) & 255;
    }
    narrow_ = {};
    pending_ = 0;
  }

  std::array<std::uint64_t, 8> narrow_{};
  std::array<std::uint64_t, 64> wide_{};
  unsigned pending_ = 0;
  std::uint64_t total_ = 0;
};

// No value of a bin: borrowed() would look for one forever in a page that was made to have this one alone.
constexpr std::uint32_t kEmptyBin = UINT32_MAX;

// An empty bin takes the value of another that is not: which one depends on the bin alone, so that two
// texts with the same content fill it alike.
std::uint32_t borrowed(const std::array<std::uint32_t, kMinhashBins>& bins, std::uint64_t bin) {
  for (std::uint64_t attempt = 1;; ++attempt) {
    const std::uint32_t other = bins[mix(bin << 32 | attempt) % kMinhashBins];
    if (other != kEmptyBin) return other;
  }
}

}  // namespace

std::uint64_t simhash(std::string_view text) {
  BitCounts counts;
  for_each_shingle(text, [&](std::uint64_t shingle) { counts.add(shingle); });
  return counts.majority();
}

Minhash minhash(std::string_view text) {
  std::array<std::uint32_t, kMinhashBins> bins;
  bins.fill(kEmptyBin);
  for_each_shingle(text, [&](std::uint64_t shingle) {
    std::uint32_t& bin = bins[shingle >> 57];
    bin = std::min({bin, static_cast<std::uint32_t>(shingle >> 8), kEmptyBin - 1});
  });
  Minhash out{};
  if (text.empty()) return out;
  for (std::size_t i = 0; i < kMinhashBins; ++i) {
    const std::uint32_t value = bins[i] != kEmptyBin ? bins[i] : borrowed(bins, i);
    // The least of many values is small: its low bits are the ones that tell.
    out[i] = static_cast<std::uint8_t>(mix(value));
  }
  return out;
}

unsigned simhash_distance(std::uint64_t a, std::uint64_t b) {
  return static_cast<unsigned>(std::popcount(a ^ b));
}

double minhash_similarity(const Minhash& a, const Minhash& b) {
  unsigned equal = 0;
  for (std::size_t i = 0; i < kMinhashBins; ++i) equal += a[i] == b[i];
  // One in 256 bins is equal by chance.
  const double share = static_cast<double>(equal) / kMinhashBins;
  return std::max(0.0, (share - 1.0 / 256) / (1 - 1.0 / 256));
}

}  // namespace spinneret
