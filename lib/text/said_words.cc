// SPDX-License-Identifier: Apache-2.0
#include "text/said_words.h"

#include "base/ascii.h"

namespace spinneret::text {
namespace {

constexpr unsigned kBits = 18;
constexpr std::size_t kMostSaid = std::size_t{1} << 16;

// Calls f(hash) with each pair of words of a text that stand side by side, without case.
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

void SaidWords::add(std::string_view text) {
  if (bits_.empty()) bits_.resize((std::size_t{1} << kBits) / 64);
  each_pair(text.substr(0, kMostSaid),
            [this](std::uint32_t at) { bits_[at / 64] |= std::uint64_t{1} << at % 64; });
}

float SaidWords::share_of(std::string_view text) const {
  if (bits_.empty()) return -1;
  std::uint64_t all = 0, said = 0;
  each_pair(text, [&](std::uint32_t at) {
    ++all;
    said += bits_[at / 64] >> at % 64 & 1;
  });
  return all == 0 ? 0.f : static_cast<float>(said) / static_cast<float>(all);
}

}  // namespace spinneret::text
