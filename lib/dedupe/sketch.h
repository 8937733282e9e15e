// SPDX-License-Identifier: Apache-2.0
// Sketches of a text: small numbers that are alike for similar texts. The features are shingles:
// runs of words, or of characters, in the form of page_text(). A text shorter than a shingle is one
// shingle.
//
//   simhash   64 bits, each the majority of that bit over the shingles' hashes: near texts differ
//             in few bits (Charikar 2002; Manku, Jain and Das Sarma 2007). 8 bytes a text.
//   minhash   for each of many bins the least hash that falls into it (one permutation: Li, Owen
//             and Zhang 2012). The share of bins in which two texts agree estimates the share of
//             shingles that they have in common. The least hashes are kept in one of two forms:
//     parity  1008 bits, each the parity of how many of 2048 least hashes fall onto it
//             (Mitzenmacher, Pagh and Pham 2014), and the number of bins that are not empty. The
//             number of bits in which two sketches differ gives the number of bins that differ.
//             Best for similar texts: the standard error of the Jaccard similarity J is .011 at
//             J .87, and less above, but .03 at .75, and below .6 it says little.
//     codes   4 bits for each of 256 bins (Li and König 2010): 0 to 14, and 15 for an empty bin. A
//             bin that is empty in both texts is left out; one that is empty in one of them
//             differs. Error +-.02 at any J: for J below .75.
//             Both take 128 bytes; 256 bytes hold twice as much, with .7 of the error
//             (bench-dedupe_near --truth).
//
// In an entry the sketch is followed by kBandBins bytes, from which an index makes its keys: each
// is a byte of the full least hash of a coarser bin. An empty bin takes the value of another
// (Shrivastava 2017), so that short texts have keys, too.
//
//   entry = sketch[128 or 256] bands[128]
//   sketch of parity = bits[126 or 254] count and checksum[2]
//
// Pure functions of the text, which give the same in every run. Cost: 10 to 20 ns a word.
#ifndef SPINNERET_DEDUPE_SKETCH_H_
#define SPINNERET_DEDUPE_SKETCH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::dedupe {

// What a shingle is: a run of so many words or characters.
struct Shingling {
  static constexpr unsigned kMostWords = 32;
  static constexpr unsigned kMostCharacters = 256;
  unsigned length = 3;
  bool characters = false;
  friend bool operator==(const Shingling&, const Shingling&) = default;
};

// Calls visit(hash, context) for every shingle of a text in which a space follows each word.
void for_each_shingle(std::string_view text, const Shingling& shingling,
                      void (*visit)(std::uint64_t hash, void* context), void* context);

std::uint64_t simhash(std::string_view text, const Shingling& shingling = {});
// Returns the number of bits that differ, 0 to 64.
unsigned simhash_distance(std::uint64_t a, std::uint64_t b);

constexpr unsigned kBandBins = 128;
struct MinhashForm {
  unsigned bytes = 128;  // bytes of the sketch: 128 or 256
  bool parity = true;
  constexpr unsigned entry_bytes() const { return bytes + kBandBins; }
  friend bool operator==(const MinhashForm&, const MinhashForm&) = default;
};

// Replaces `entry` by the sketch of the text, followed by its bands.
void minhash(std::string_view text, const Shingling& shingling, const MinhashForm& form,
             std::string& entry);
// Estimates the Jaccard similarity, 0 to 1, from two sketches of the same form; 1 where they are
// equal.
double minhash_similarity(const char* a, const char* b, const MinhashForm& form);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_SKETCH_H_
