// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

#include <random>

namespace spinneret {
namespace {

// Digests are stored (bodies, seen-sets), and so must never change. The values are those of
// xxh128sum and xxhsum -H3 0.8.1.
TEST(Hash, MatchesThePublishedValues) {
  EXPECT_EQ(to_hex(hash128("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hash64(""), 0x2d06800538d394c2U);
}

TEST(Hash, HexIsHighHalfFirst) {
  EXPECT_EQ(to_hex({0x0123456789abcdefU, 0xfedcba9876543210U}), "fedcba98765432100123456789abcdef");
  EXPECT_EQ(to_hex({1, 0}), "00000000000000000000000000000001");
}

TEST(Hash, SeedChangesAll) {
  EXPECT_NE(hash64("a", 1), hash64("a", 2));
  EXPECT_NE(hash128("a", 1), hash128("a", 2));
  EXPECT_EQ(hash64("a", 1), hash64("a", 1));
}

TEST(Hasher128, PiecesGiveTheHashOfTheWhole) {
  std::mt19937 random(2);
  Hasher128 hasher;
  for (std::size_t size = 0; size < 2000; size += 1 + size / 16) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(random());
    hasher.reset();
    for (std::size_t at = 0; at < size;) {
      const std::size_t piece = std::min<std::size_t>(random() % 64, size - at);
      hasher.update(std::string_view(text).substr(at, piece));
      at += piece;
    }
    ASSERT_EQ(hasher.digest(), hash128(text)) << size;
    ASSERT_EQ(hasher.digest(), hash128(text)) << "digest may be asked twice";
  }
}

// Long input has a loop of its own, where the machine has AVX2. It is hashed at once, and in pieces
// that are long and short in turn.
TEST(Hasher128, LongPiecesGiveTheHashOfShortOnes) {
  std::mt19937 random(3);
  for (std::size_t size = 1000; size < 100'000; size += size / 3) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(random());
    const std::string_view all = text;
    Hasher128 by_short;
    Hasher128 mixed;
    for (std::size_t at = 0; at < size; at += 500) by_short.update(all.substr(at, 500));
    for (std::size_t at = 0, piece = 0; at < size; at += piece) {
      piece = random() % 5000;
      mixed.update(all.substr(at, piece));
    }
    EXPECT_EQ(by_short.digest(), hash128(text)) << size;
    EXPECT_EQ(by_short.digest(), mixed.digest()) << size;
  }
}

TEST(Hasher128, Moves) {
  Hasher128 first;
  first.update("ab");
  Hasher128 second = std::move(first);
  second.update("c");
  EXPECT_EQ(second.digest(), hash128("abc"));
}

TEST(RandomSeed, IsAnotherEachTime) { EXPECT_NE(random_seed(), random_seed()); }

}  // namespace
}  // namespace spinneret
