// SPDX-License-Identifier: Apache-2.0
// Sketches of a text: small numbers that are alike where the texts are. Features are shingles: runs of words, or of
// characters, as page_text() writes them; a shorter text is one shingle.
//
//   simhash   64 bits, each the majority of that bit over the shingles' hashes: near texts differ in few
//             bits (Charikar 2002; Manku, Jain and Das Sarma 2007). 8 bytes a text.
//   minhash   for each of 256 bins the least hash that falls into it (one permutation: Li, Owen and Zhang 2012), of
//             which 4 bits are kept (Li and König 2010): codes 0 to 14, and 15 for a bin into which nothing fell. Bins
//             that are empty in both texts are left out; one that is in one of them differs. The share of equal bins
//             estimates the shingles' Jaccard similarity, to +-0.018 at 0.87; with 512 bins to +-0.012
//             (bench-dedupe_near --truth). 128 or 256 bytes.
//
// Behind its codes an entry of minhash has kBandBins bytes, of which an index makes its keys: a byte of the full value of
// coarser bins, of which an empty one takes that of another (Shrivastava 2017), so that short texts have keys, too.
//
//   entry = codes[values / 2] bands[128]
//
// Pure functions of the text: the same in every run. Cost: 10 to 20 ns a word.
#ifndef SPINNERET_DEDUPE_SKETCH_H_
#define SPINNERET_DEDUPE_SKETCH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret {

// What a shingle is: a run of so many words, or characters.
struct Shingling {
  static constexpr unsigned kMostWords = 32;
  static constexpr unsigned kMostCharacters = 256;
  unsigned length = 3;
  bool characters = false;
  friend bool operator==(const Shingling&, const Shingling&) = default;
};

// Calls visit(hash, context) for every shingle of a text of words with a space behind each.
void for_each_shingle(std::string_view text, const Shingling& shingling,
                      void (*visit)(std::uint64_t hash, void* context), void* context);

std::uint64_t simhash(std::string_view text, const Shingling& shingling = {});
// Bits that differ, 0 to 64.
unsigned simhash_distance(std::uint64_t a, std::uint64_t b);

constexpr unsigned kBandBins = 128;
// `values`: 256 or 512.
constexpr std::size_t minhash_code_bytes(unsigned values) { return values / 2; }
constexpr std::size_t minhash_entry_bytes(unsigned values) {
  return minhash_code_bytes(values) + kBandBins;
}

// Replaces `entry`.
void minhash(std::string_view text, const Shingling& shingling, unsigned values,
             std::string& entry);
// Estimate of the Jaccard similarity, 0 to 1, from `bytes` bytes of codes, a multiple of 16 up to 256.
double minhash_similarity(const char* a, const char* b, std::size_t bytes);

}  // namespace spinneret

#endif  // SPINNERET_DEDUPE_SKETCH_H_
