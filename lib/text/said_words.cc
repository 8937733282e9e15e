// SPDX-License-Identifier: Apache-2.0
#include "text/said_words.h"

#include "base/ascii.h"

namespace spinneret::text {
namespace {

constexpr unsigned kBits = 18;
constexpr std::size_t kMostSaid = std::size_t{1} << 16;

// Calls f(hash) with each pair of words that stand side by side in a text, without case.
template <class F>
void each_pair(std::string_view text, F f) {
  std::uint32_t word = 0, before = 0;
  bool in_word = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (is_alnum(c) || static_cast<unsigned char>(c) >= 0x80) {
      word = (word ^ static_cast<unsigned char>(c | 0x20)) * 0x9E3779B1u;
      in_word = true;
      continue;
    }
    if (!in_word) continue;
    in_word = false;
    if (before != 0) f((before * 31 + word) * 0x85EBCA6Bu >> (32 - kBits));
    before = word | 1;
    word = 0;
  }
}

}  // namespace

void SaidWords::add(Source source, std::string_view text) {
  std::vector<std::uint64_t>& bits = bits_[source];
  if (bits.empty()) bits.resize((std::size_t{1} << kBits) / 64);
  each_pair(text.substr(0, kMostSaid),
            [&bits](std::uint32_t at) { bits[at / 64] |= std::uint64_t{1} << at % 64; });
}

std::array<float, SaidWords::kSources> SaidWords::shares_of(std::string_view text) const {
  static constexpr std::array<std::uint64_t, (std::size_t{1} << kBits) / 64> kNothing{};
  std::array<const std::uint64_t*, kSources> bits;
  for (std::size_t i = 0; i < kSources; ++i)
    bits[i] = bits_[i].empty() ? kNothing.data() : bits_[i].data();
  std::uint64_t all = 0;
  std::array<std::uint64_t, kSources> said{};
  each_pair(text, [&](std::uint32_t at) {
    ++all;
    for (std::size_t i = 0; i < kSources; ++i) said[i] += bits[i][at / 64] >> at % 64 & 1;
  });
  std::array<float, kSources> shares;
  for (std::size_t i = 0; i < kSources; ++i) {
    const float share = all == 0 ? 0.f : static_cast<float>(said[i]) / static_cast<float>(all);
    shares[i] = bits_[i].empty() ? -1.f : share;
  }
  return shares;
}

}  // namespace spinneret::text
