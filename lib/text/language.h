// SPDX-License-Identifier: Apache-2.0
// Guesses a text's language: by its script and, within Latin, Cyrillic and Arabic, by its most
// frequent words. The guess knows 36 languages, and is reliable from some 20 words on. Debian's
// guessers are larger than this whole library and no better on pages.
#ifndef SPINNERET_TEXT_LANGUAGE_H_
#define SPINNERET_TEXT_LANGUAGE_H_

#include <string_view>

namespace spinneret::text {

// Returns a BCP 47 tag ("en", "zh"), or an empty string. Looks at the first 64 KiB.
std::string_view guess_language(std::string_view utf8);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_LANGUAGE_H_
