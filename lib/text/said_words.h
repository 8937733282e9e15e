// SPDX-License-Identifier: Apache-2.0
// Pairs of words that a page says of itself, in its title, its description or its structured data. A block that
// repeats them is what the page is about.
//
//   SaidWords said;
//   said.add(SaidWords::kTitle, "A light oil for the beard");
//   said.shares_of("The light oil")[SaidWords::kTitle];        // 0.5: "light oil" is there, "the light" is not
#ifndef SPINNERET_TEXT_SAID_WORDS_H_
#define SPINNERET_TEXT_SAID_WORDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spinneret::text {

// Pairs are kept as hashes, in 32 KiB for each source: with 10,000 pairs one in 25 others is taken for one of them.
class SaidWords {
 public:
  enum Source : std::uint8_t { kTitle, kDescription, kData, kSources };

  // Adds a text, of which at most 64 KiB are used.
  void add(Source source, std::string_view text);
  // The share of the text's pairs that each source has; -1: the source has none at all.
  std::array<float, kSources> shares_of(std::string_view text) const;

 private:
  std::array<std::vector<std::uint64_t>, kSources> bits_;
};

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_SAID_WORDS_H_
