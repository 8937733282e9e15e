// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/ascii.h"

namespace spinneret {
namespace {

using State = std::array<std::uint32_t, 8>;
constexpr std::size_t kBlock = 64;

// FIPS 180-4, section 4.2.2
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t out = 0;
  for (const char c : bytes.substr(0, 4)) out = out << 8 | static_cast<unsigned char>(c);
  return out;
}

// Section 6.2.2, for one block.
void add_block(State& state, std::string_view block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) w[i] = big_endian(block.substr(4 * i));
  for (std::size_t i = 16; i < w.size(); ++i) {
    const std::uint32_t early = w[i - 15];
    const std::uint32_t late = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3) + w[i - 7] +
           (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::uint32_t one =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t two = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + one;
    d = c, c = b, b = a, a = one + two;
  }
  const State added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) add_block(state, bytes.substr(0, kBlock));
  // Section 5.1.1: a one, zeros, and the length at the end of a block.
  std::string tail(bytes);
  tail += '\x80';
  tail.resize(tail.size() + 8 <= kBlock ? kBlock : 2 * kBlock);
  for (std::size_t i = 0; i < 8; ++i) tail[tail.size() - 1 - i] = static_cast<char>(bits >> (8 * i) & 255);
  for (std::size_t at = 0; at < tail.size(); at += kBlock) add_block(state, std::string_view(tail).substr(at, kBlock));
  std::string out;
  for (const std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) out += kHexLower[word >> shift & 15];
  }
  return out;
}

}  // namespace spinneret
