// SPDX-License-Identifier: Apache-2.0
#include "dedupe/sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "base/hash.h"

namespace spinneret::dedupe {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93;
  return x ^ x >> 32;
}

// Calls visit(hash, last) for each word of a text that has a space behind each word.
template <typename Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t size = std::min(text.find(' '), text.size() - 1);
    const std::string_view word = text.substr(0, size);
    text.remove_prefix(size + 1);
    visit(hash64(word), text.empty());
  }
}

// For three words, the usual case: needs no ring.
template <typename Visit>
void for_each_triple(std::string_view text, const Visit& visit) {
  std::uint64_t before[2] = {};
  std::uint64_t words = 0;
  for_each_word(text, [&](std::uint64_t word, bool last) {
    const std::uint64_t shingle = mix(std::rotl(before[0], 17) ^ std::rotl(before[1], 41) ^ word);
    before[0] = before[1];
    before[1] = word;
    // A text too short for a whole shingle is one shingle.
    if (++words >= 3 || last) visit(shingle);
  });
}

// The hash of the last `length` values: a polynomial in them, from which the value that leaves is
// subtracted.
class RollingHash {
 public:
  explicit RollingHash(unsigned length) : length_(length) {
    for (unsigned i = 0; i < length; ++i) leaving_ *= kFactor;
  }
  std::uint64_t add(std::uint64_t value) {
    std::uint64_t& place = ring_[at_];
    at_ = at_ + 1 == length_ ? 0 : at_ + 1;
    sum_ = sum_ * kFactor + value - place * leaving_;
    place = value;
    ++count_;
    return mix(sum_);
  }
  bool full() const { return count_ >= length_; }

 private:
  static constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  unsigned length_;
  unsigned at_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t leaving_ = 1;
  std::array<std::uint64_t, Shingling::kMostCharacters> ring_{};
};

template <typename Visit>
void for_each_run_of_words(std::string_view text, unsigned length, const Visit& visit) {
  RollingHash rolling(length);
  for_each_word(text, [&](std::uint64_t word, bool last) {
    const std::uint64_t shingle = rolling.add(word);
    if (rolling.full() || last) visit(shingle);
  });
}

// Calls visit for each run of `length` UTF-8 characters. A byte that does not begin a character
// belongs to the one before it.
template <typename Visit>
void for_each_run_of_characters(std::string_view text, unsigned length, const Visit& visit) {
  RollingHash rolling(length);
  if (text.ends_with(' ')) text.remove_suffix(1);
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t character = static_cast<unsigned char>(text[at++]);
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) {
      character = character << 8 | static_cast<unsigned char>(text[at++]);
    }
    const std::uint64_t shingle = rolling.add(character + 1);
    if (rolling.full() || at == text.size()) visit(shingle);
  }
}

template <typename Visit>
void visit_shingles(std::string_view text, const Shingling& shingling, const Visit& visit) {
  if (shingling.characters) {
    for_each_run_of_characters(text, shingling.length, visit);
  } else if (shingling.length == 3) {
    for_each_triple(text, visit);
  } else {
    for_each_run_of_words(text, shingling.length, visit);
  }
}

// Counts how often each of 64 bits is set. Eight counters of a byte share a word; before one can
// overflow they are added to wide ones. A hash costs 8 additions.
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

// Never the value of a bin: otherwise borrowed() would search for ever in a page that was made to
// have no other values.
constexpr std::uint32_t kEmptyBin = UINT32_MAX;
constexpr unsigned kMostBins = 4096;
constexpr unsigned kEmptyCode = 15;

// Returns the value of another bin, which is not empty, for an empty one. Which other bin depends
// on the bin alone, so that two texts with the same content fill it alike.
std::uint32_t borrowed(const std::array<std::uint32_t, kBandBins>& bins, std::uint64_t bin) {
  for (std::uint64_t attempt = 1;; ++attempt) {
    const std::uint32_t other = bins[mix(bin << 32 | attempt) % kBandBins];
    if (other != kEmptyBin) return other;
  }
}

unsigned code_of(std::uint32_t value) {
  // The least of many values is small, so that only its low bits differ.
  return value == kEmptyBin ? kEmptyCode : static_cast<unsigned>(mix(value) % kEmptyCode);
}

// 16 counters, or masks, of a byte. gcc and clang compile these for any machine; they take half the
// time of words of 64 bits.
using Bytes = unsigned char __attribute__((vector_size(16)));

Bytes load(const char* from) {
  Bytes out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

// Returns the sum of the counters, each of which is at most 64.
unsigned sum_of(Bytes counters) {
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &counters, sizeof halves);
  constexpr std::uint64_t kEven = 0x00FF00FF00FF00FF;
  const std::uint64_t sum = halves[0] + halves[1];
  return static_cast<unsigned>(((sum & kEven) + (sum >> 8 & kEven)) * 0x0001000100010001 >> 48);
}

// Counts bins by what two sketches have in them.
struct BinCounts {
  Bytes equal{};
  Bytes empty_in_one{};
  Bytes empty_in_both{};

  // Compares the codes that `mask` leaves of each byte; an empty bin then equals the mask. A
  // comparison gives 255 where it holds.
  void add(Bytes x, Bytes y, unsigned char mask) {
    x &= mask;
    y &= mask;
    const auto empty_x = reinterpret_cast<Bytes>(x == mask);
    const auto empty_y = reinterpret_cast<Bytes>(y == mask);
    equal -= reinterpret_cast<Bytes>(x == y);
    empty_in_one -= empty_x ^ empty_y;
    empty_in_both -= empty_x & empty_y;
  }
};

// ---- parity

// Bins for each byte of a sketch: two for each bit, where the error at J .85 to .95 is least.
constexpr unsigned kBinsPerByte = 16;
// The tail is count | checksum << 12. The count of filled bins is never 0 and may be all, 2048 or
// 4096, so that count - 1 is kept.
constexpr unsigned kTailBytes = 2;
constexpr unsigned kCountBits = 12;
constexpr unsigned parity_bits(unsigned bytes) { return (bytes - kTailBytes) * 8; }

void make_parity(std::span<const std::uint32_t> bins, std::span<char> out) {
  const std::uint64_t bits = parity_bits(static_cast<unsigned>(out.size()));
  unsigned count = 0;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < bins.size(); ++i) {
    if (bins[i] == kEmptyBin) continue;
    const std::uint64_t hash = mix(i << 32 | bins[i]);
    const std::uint64_t bit = (hash >> 32) * bits >> 32;
    out[bit / 8] = static_cast<char>(out[bit / 8] ^ 1 << bit % 8);
    sum += hash;
    ++count;
  }
  const unsigned tail = (count - 1) | static_cast<unsigned>(sum & 15) << kCountBits;
  out[out.size() - 2] = static_cast<char>(tail & 255);
  out[out.size() - 1] = static_cast<char>(tail >> 8);
}

struct ParityTail {
  ParityTail(const char* sketch, unsigned bytes)
      : whole(static_cast<unsigned char>(sketch[bytes - 2]) |
              static_cast<unsigned>(static_cast<unsigned char>(sketch[bytes - 1])) << 8),
        // A forged sketch may claim more bins than there are.
        count(std::min((whole & ((1U << kCountBits) - 1)) + 1, bytes * kBinsPerByte)) {}
  unsigned whole;
  unsigned count;
};

// Estimates how many balls, thrown onto so many bits, leave `odd` bits odd.
class BallCounts {
 public:
  explicit BallCounts(unsigned bits) {
    for (unsigned odd = 0; odd < bits / 2; ++odd) {
      balls_.push_back(std::log1p(-2.0 * odd / bits) / std::log1p(-2.0 / bits));
    }
  }
  // Beyond the table the number cannot be estimated; it is so large that the sketches have nothing
  // in common.
  double of(unsigned odd) const { return odd < balls_.size() ? balls_[odd] : 1e9; }

 private:
  std::vector<double> balls_;
};

// For two sketches with `a` and `b` filled bins, `common` of them equal: returns the share of the
// equal bins among all bins filled in either. The share follows from the number of shingles, since
// n shingles leave bins * exp(-n / bins) empty.
double share_in_common(double a, double b, double common, double bins) {
  const auto shingles = [bins](double filled) {
    return filled < bins ? -bins * std::log1p(-filled / bins) : bins * 40;
  };
  const double both = shingles(a) + shingles(b);
  double share = common / std::max(a, b);
  for (int i = 0; i < 20; ++i) {
    const double either = std::clamp(bins * -std::expm1(-both / (1 + share) / bins), std::max(a, b),
                                     std::min(bins, a + b - common));
    const double next = common / either;
    const bool close = std::abs(next - share) < 1e-5;
    share = next;
    if (close) break;
  }
  return share;
}

unsigned bits_that_differ(const char* a, const char* b, unsigned bytes) {
  // Counts bits in sixteen bytes at once: sums of two, four and eight bits.
  unsigned differing = 0;
  for (unsigned at = 0; at < bytes; at += 128) {
    Bytes sums{};
    for (unsigned i = at; i < at + 128; i += sizeof(Bytes)) {
      Bytes x = load(a + i) ^ load(b + i);
      x -= x >> 1 & 0x55;
      x = (x & 0x33) + (x >> 2 & 0x33);
      sums += (x + (x >> 4)) & 0x0F;
    }
    differing += sum_of(sums);
  }
  return differing;
}

double parity_similarity(const char* a, const char* b, unsigned bytes) {
  static const BallCounts kSmall(parity_bits(128)), kLarge(parity_bits(256));
  const ParityTail one(a, bytes), other(b, bytes);
  std::uint64_t tails = 0;
  for (const char* const tail : {a + bytes - kTailBytes, b + bytes - kTailBytes}) {
    for (unsigned i = 0; i < kTailBytes; ++i) {
      tails = tails << 8 | static_cast<unsigned char>(tail[i]);
    }
  }
  const auto of_tails = static_cast<unsigned>(std::popcount((tails >> 16 ^ tails) & 0xFFFF));
  const unsigned odd = bits_that_differ(a, b, bytes) - of_tails;
  if (odd == 0 && of_tails == 0) return 1;
  double balls = (bytes == 128 ? kSmall : kLarge).of(odd);
  // Two values that differ fell onto one bit; only the checksum shows them.
  if (odd == 0 && one.count == other.count) balls = 2;
  const double common = (one.count + other.count - balls) / 2;
  if (common <= 0) return 0;
  return share_in_common(one.count, other.count,
                         std::min<double>(common, std::min(one.count, other.count)),
                         bytes * kBinsPerByte);
}

// ---- codes

double code_similarity(const char* a, const char* b, unsigned bytes) {
  BinCounts counts;
  for (std::size_t at = 0; at < bytes; at += sizeof(Bytes)) {
    const Bytes x = load(a + at);
    const Bytes y = load(b + at);
    counts.add(x, y, 0x0F);
    counts.add(x, y, 0xF0);
  }
  const double empty_in_both = sum_of(counts.empty_in_both);
  const double bins = static_cast<double>(bytes) * 2 - empty_in_both;
  if (bins == 0) return 1;
  // Among bins that differ, one in 15 is equal by chance. Whole numbers are used, so that equal
  // sketches give exactly 1.
  const double matches = sum_of(counts.equal) - empty_in_both;
  const double compared = bins - sum_of(counts.empty_in_one);
  return std::max(0.0, (kEmptyCode * matches - compared) / ((kEmptyCode - 1) * bins));
}

}  // namespace

void for_each_shingle(std::string_view text, const Shingling& shingling,
                      void (*visit)(std::uint64_t hash, void* context), void* context) {
  visit_shingles(text, shingling, [&](std::uint64_t shingle) { visit(shingle, context); });
}

std::uint64_t simhash(std::string_view text, const Shingling& shingling) {
  BitCounts counts;
  visit_shingles(text, shingling, [&](std::uint64_t shingle) { counts.add(shingle); });
  return counts.majority();
}

unsigned simhash_distance(std::uint64_t a, std::uint64_t b) {
  return static_cast<unsigned>(std::popcount(a ^ b));
}

void minhash(std::string_view text, const Shingling& shingling, const MinhashForm& form,
             std::string& entry) {
  std::array<std::uint32_t, kMostBins> room;
  const unsigned values = form.bytes * (form.parity ? kBinsPerByte : 2);
  const std::span bins(room.data(), values);
  std::fill(bins.begin(), bins.end(), kEmptyBin);
  const int shift = std::countl_zero(std::uint64_t{values}) + 1;
  visit_shingles(text, shingling, [&](std::uint64_t shingle) {
    std::uint32_t& bin = bins[shingle >> shift];
    bin = std::min({bin, static_cast<std::uint32_t>(shingle >> 8), kEmptyBin - 1});
  });
  entry.assign(form.entry_bytes(), '\0');
  if (text.empty()) return;
  if (form.parity) {
    make_parity(bins, {entry.data(), form.bytes});
  } else {
    for (unsigned i = 0; i < values; i += 2) {
      entry[i / 2] = static_cast<char>(code_of(bins[i]) | code_of(bins[i + 1]) << 4);
    }
  }
  // The least of neighbouring bins is the value of one bin that is as wide as all of them.
  std::array<std::uint32_t, kBandBins> coarse;
  const unsigned width = values / kBandBins;
  for (unsigned i = 0; i < kBandBins; ++i) {
    coarse[i] = *std::min_element(&bins[i * width], &bins[i * width] + width);
  }
  char* const bands = entry.data() + form.bytes;
  for (unsigned i = 0; i < kBandBins; ++i) {
    const std::uint32_t value = coarse[i] != kEmptyBin ? coarse[i] : borrowed(coarse, i);
    bands[i] = static_cast<char>(mix(value));
  }
}

double minhash_similarity(const char* a, const char* b, const MinhashForm& form) {
  return form.parity ? parity_similarity(a, b, form.bytes) : code_similarity(a, b, form.bytes);
}

}  // namespace spinneret::dedupe
