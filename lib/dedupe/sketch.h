// SPDX-License-Identifier: Apache-2.0
// Sketches of a text: small numbers that are alike where the texts are. Features are shingles, runs of
// kShingleWords words as page_text() writes them; a shorter text is one shingle.
//
//   simhash   64 bits, each the majority of that bit over the shingles' hashes: near texts differ in few
//             bits (Charikar 2002; Manku, Jain and Das Sarma 2007). 8 bytes a text.
//   minhash   for each of 128 bins the least hash that falls into it, 8 bits kept: the share of equal bins
//             estimates the shingles' Jaccard similarity, to +-0.03 (one permutation: Li, Owen and Zhang
//             2012; empty bins filled as by Shrivastava 2017). 128 bytes a text.
//
// Pure functions of the text: the same in every run. Cost: 10 to 20 ns a word.
#ifndef SPINNERET_DEDUPE_SKETCH_H_
#define SPINNERET_DEDUPE_SKETCH_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace spinneret {

constexpr unsigned kShingleWords = 3;
constexpr unsigned kMinhashBins = 128;

using Minhash = std::array<std::uint8_t, kMinhashBins>;

std::uint64_t simhash(std::string_view text);
Minhash minhash(std::string_view text);

// Bits that differ, 0 to 64.
unsigned simhash_distance(std::uint64_t a, std::uint64_t b);
// Estimate of the Jaccard similarity, 0 to 1.
double minhash_similarity(const Minhash& a, const Minhash& b);

}  // namespace spinneret

#endif  // SPINNERET_DEDUPE_SKETCH_H_
