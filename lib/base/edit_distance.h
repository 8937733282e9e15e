// SPDX-License-Identifier: Apache-2.0
// The distance between two words, and the word that a mistyped one was probably meant to be.
#ifndef SPINNERET_BASE_EDIT_DISTANCE_H_
#define SPINNERET_BASE_EDIT_DISTANCE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace spinneret {

// Returns how many letters must be inserted, removed, replaced or swapped with the next one
// (optimal string alignment) to turn `a` into `b`, ignoring ASCII case; `limit` where that takes as
// many or more. Costs a.size() * b.size() where the sizes differ by less than `limit`, and next to
// nothing otherwise, so that long words from strangers are cheap to compare with our short names.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// Returns the one of `words` that a mistyped word was probably meant to be, or an empty view. A
// word of up to five letters may have one wrong letter, a longer one two.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words);

// Returns the end of a message about an unknown word: ": did you mean WORD?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> words);

}  // namespace spinneret

#endif  // SPINNERET_BASE_EDIT_DISTANCE_H_
