// SPDX-License-Identifier: Apache-2.0
// The encoding of a document that declares none and is not UTF-8, by its letters: what is least surprising as text of
// some language in some encoding that the Web has had.
//
//   if (const Encoding* const encoding = guess_encoding(document)) ...      // nullptr: windows-1252 will do
//
// Looks at the first bytes of 0x80 and above, kGuessedBytes of them, wherever they stand, and at the language that the
// document's first kilobyte names (lang="pl"); never at how the document came. UTF-8 is guessed where hardly a sequence
// is broken; UTF-16 and x-user-defined never are. Some 0.5 ms a document.
#ifndef SPINNERET_HTML_CHARSET_GUESS_H_
#define SPINNERET_HTML_CHARSET_GUESS_H_

#include <cstddef>
#include <string_view>

#include "html/encoding.h"

namespace spinneret::html {

constexpr std::size_t kGuessedBytes = 8192;

const Encoding* guess_encoding(std::string_view document);

// ISO-2022-JP is ASCII, byte for byte, and so valid UTF-8; nullptr: it is not.
const Encoding* guess_escaped(std::string_view document);

// How surprising each class of characters is behind each other, in a language: 6 times the negative logarithm of the
// probability, plus 35, a byte a pair. Classes: 0 all of ASCII that is no letter, 1 the apostrophe, 2 typographic
// signs, 3 all else, 4 and on the letters: of Latin scripts a to z each and then `letters`; of others all of ASCII as
// one and then `letters`.
struct LanguageModel {
  char name[4];
  bool latin;
  const char16_t* letters;  // beyond ASCII, each in lower case and in upper case
  const char* costs;        // rows: the class of the character before
};
extern const LanguageModel kLanguageModels[];
extern const std::size_t kLanguageModelCount;

// The characters that make most of a language's texts, and how surprising each is.
struct FrequentCharacters {
  char name[4];
  const char16_t* characters;
  const char* costs;
};
extern const FrequentCharacters kFrequentCharacters[];
extern const std::size_t kFrequentCharactersCount;

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_CHARSET_GUESS_H_
