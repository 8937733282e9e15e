// SPDX-License-Identifier: Apache-2.0
// The pairs of words in which a page describes itself: in its title, its description or its
// structured data. A block that repeats them is likely to be what the page is about.
//
//   SaidWords said;
//   said.add(SaidWords::kTitle, "A light oil for the beard");
//   said.shares_of("The light oil")[SaidWords::kTitle];   // 0.5: has "light oil", not "the light"
#ifndef SPINNERET_TEXT_SAID_WORDS_H_
#define SPINNERET_TEXT_SAID_WORDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spinneret::text {

// Pairs are kept as hashes, in 32 KiB for each source: with 10,000 pairs, one in 25 other pairs is
// taken for one of them.
class SaidWords {
 public:
  enum Source : std::uint8_t { kTitle, kDescription, kData, kSources };

  // Adds a text, of which at most 64 KiB are used.
  void add(Source source, std::string_view text);
  // Returns the share of the text's pairs that each source has, or -1 for a source without any
  // text.
  std::array<float, kSources> shares_of(std::string_view text) const;

 private:
  std::array<std::vector<std::uint64_t>, kSources> bits_;
};

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_SAID_WORDS_H_
