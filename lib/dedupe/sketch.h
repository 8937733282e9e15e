// SPDX-License-Identifier: Apache-2.0
// Sketches of a text: small numbers that are alike where the texts are. Features are shingles: runs of words, or of
// characters, as page_text() writes them; a shorter text is one shingle.
//
//   simhash   64 bits, each the majority of that bit over the shingles' hashes: near texts differ in few
//             bits (Charikar 2002; Manku, Jain and Das Sarma 2007). 8 bytes a text.
//   minhash   for each of many bins the least hash that falls into it (one permutation: Li, Owen and Zhang 2012). Two
//             texts have as many bins alike as they have shingles in common, by share. Of the least hashes are kept
//     parity  the parity, for each of 1008 bits, of how many of 2048 least hashes fall onto it (Mitzenmacher, Pagh and Pham
//             2014), and how many of the bins hold one at all: the bits in which two sketches differ tell how many bins
//             do. Made for what is alike: the standard error of the Jaccard similarity J is .011 at J .87 and less above,
//             but .03 at .75, and below .6 there is little to see any more.
//     codes   4 bits each of 256 (Li and König 2010): 0 to 14, and 15 for a bin into which nothing fell. Bins that are
//             empty in both texts are left out; one that is in one of them differs. +-.02 at any J: for less than .75.
//             Both in 128 bytes; in 256 twice as many, and .7 of the error (bench-dedupe_near --truth).
//
// Behind its sketch an entry of minhash has kBandBins bytes, of which an index makes its keys: a byte of the full value of
// coarser bins, of which an empty one takes that of another (Shrivastava 2017), so that short texts have keys, too.
//
//   entry = sketch[128 or 256] bands[128]            sketch of parity = bits[126 or 254] count and checksum[2]
//
// Pure functions of the text: the same in every run. Cost: 10 to 20 ns a word.
#ifndef SPINNERET_DEDUPE_SKETCH_H_
#define SPINNERET_DEDUPE_SKETCH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::dedupe {

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
struct MinhashForm {
  unsigned bytes = 128;  // of the sketch: 128 or 256
  bool parity = true;
  constexpr unsigned entry_bytes() const { return bytes + kBandBins; }
  friend bool operator==(const MinhashForm&, const MinhashForm&) = default;
};

// Replaces `entry`.
void minhash(std::string_view text, const Shingling& shingling, const MinhashForm& form,
             std::string& entry);
// Estimate of the Jaccard similarity, 0 to 1, from two sketches of one form; 1 where they are equal.
double minhash_similarity(const char* a, const char* b, const MinhashForm& form);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_SKETCH_H_
