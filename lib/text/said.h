// SPDX-License-Identifier: Apache-2.0
// What a page says explicitly about itself: meta elements, JSON-LD, and spans that its markup
// names.
#ifndef SPINNERET_TEXT_SAID_H_
#define SPINNERET_TEXT_SAID_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "text/page.h"

namespace spinneret::text {

struct Fact {
  std::string value;
  // One of "json-ld", "meta", "h1", "h2", "title", "byline", "time", "url", "text"; empty without a
  // value.
  std::string_view source;
};

// Returns the text without white space at its ends, with one blank for each run of white space
// inside, and without characters that only mark where a line may break (soft hyphens, zero width
// spaces).
std::string folded(std::string_view text);

// Returns the first meta element of that name that is not blank, or nullptr.
const MetaFact* find_meta(const Page& page, std::string_view name);
// Returns the folded content of the first of these names that the page has.
Fact meta_fact(const Page& page, std::initializer_list<std::string_view> names);

// Returns the parts of a span's text in separate blocks, folded, at most `most` of them.
std::vector<std::string> parts_of(const Page& page, const Span& span, std::size_t most);
std::string text_of(const Page& page, const Span& span);  // the first six parts, joined by blanks
// Returns the index of the block that contains `at`, or of the next one.
std::size_t block_at(const Page& page, std::uint32_t at);

// Returns the words in lower case, separated by anything but ASCII letters and digits; non-ASCII
// bytes count as letters.
std::vector<std::string> words_of(std::string_view text);

// Returns the string at `key` in JSON, which may be broken: the value of the first such key or, if
// that is an object or list, of the "name" in it.
std::string json_string(std::string_view json, std::string_view key);
// Returns the string that begins behind the quote at `at`, at most `most` bytes.
std::string json_text(std::string_view json, std::size_t at, std::size_t most = 4096);
// From the first script that has the key, folded.
Fact json_fact(const Page& page, std::string_view key);

// Returns where a key about the page itself ("author", "datePublished") stands in JSON: the first
// one whose object is not a review, a comment, or a work that the page is about. npos if there is
// none.
std::size_t own_key(std::string_view json, std::string_view key);

// Returns the texts of articles and posts in JSON-LD, one on each line. Pages that are filled by
// scripts have no other text.
std::string json_body(const Page& page);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_SAID_H_
