// SPDX-License-Identifier: Apache-2.0
// Guesses the encoding of a document that declares none and is not UTF-8: the one in which its
// bytes are the least surprising as text of some language. Only encodings that have been used on
// the Web are considered.
//
//   if (const Encoding* const encoding = guess_encoding(document)) ...  // nullptr: windows-1252
//
// The guess looks at the first kGuessedBytes bytes that are 0x80 or above, wherever they stand, and
// at the language that the document's first kilobyte names (lang="pl"), but never at how the
// document was received. UTF-8 is guessed where hardly any sequence is broken; UTF-16 and
// x-user-defined are never guessed. A guess takes some 0.5 ms a document.
#ifndef SPINNERET_HTML_CHARSET_GUESS_H_
#define SPINNERET_HTML_CHARSET_GUESS_H_

#include <cstddef>
#include <string_view>

#include "html/encoding.h"

namespace spinneret::html {

constexpr std::size_t kGuessedBytes = 8192;

const Encoding* guess_encoding(std::string_view document);

// Guesses ISO-2022-JP, whose bytes are ASCII and thus valid UTF-8. Returns nullptr if the document
// is not in it.
const Encoding* guess_escaped(std::string_view document);

// How surprising a character of one class is after one of another, in one language: 6 times the
// negative logarithm of the probability, plus 35, as one byte for each pair. The classes:
//
//   0      ASCII that is not a letter
//   1      the apostrophe
//   2      typographic signs
//   3      anything else
//   4...   letters: of Latin scripts a to z, one class each, and then `letters`;
//          of other scripts all ASCII letters as one class, and then `letters`
struct LanguageModel {
  char name[4];
  bool latin;
  const char16_t* letters;  // beyond ASCII, each in lower case and in upper case
  const char* costs;        // one row for each class of the preceding character
};
extern const LanguageModel kLanguageModels[];
extern const std::size_t kLanguageModelCount;

// The characters that make up most of a language's texts, and how surprising each is.
struct FrequentCharacters {
  char name[4];
  const char16_t* characters;
  const char* costs;
};
extern const FrequentCharacters kFrequentCharacters[];
extern const std::size_t kFrequentCharactersCount;

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_CHARSET_GUESS_H_
