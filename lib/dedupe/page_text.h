// SPDX-License-Identifier: Apache-2.0
// The words of a page, so that two copies which differ in markup, counters or dates have the same.
//
// This is no HTML tokenizer: it needs not know what an element means, only what is not text. Left out are
// tags, comments, the content of script and style, words with a digit in them (numbers, dates, times,
// identifiers) and the English names of months and days. Character references separate words, as do ASCII
// punctuation, no-break spaces and the general punctuation of Unicode. Of Chinese and Japanese text each
// character is a word. ASCII is put in lower case.
//
// Cost: one pass, about 1.5 ns a byte.
#ifndef SPINNERET_DEDUPE_PAGE_TEXT_H_
#define SPINNERET_DEDUPE_PAGE_TEXT_H_

#include <string>
#include <string_view>

namespace spinneret::dedupe {

// Replaces `out` by the words, each followed by a space. Without `markup`, < and & are punctuation.
void page_text(std::string_view page, bool markup, std::string& out);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_PAGE_TEXT_H_
