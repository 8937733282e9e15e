// SPDX-License-Identifier: Apache-2.0
// What a page says of itself in so many words: meta elements, JSON-LD, and the spans that its markup names.
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
  std::string_view
      source;  // "json-ld", "meta", "h1", "h2", "title", "byline", "time", "url", "text"; empty: none
};

// Without white space at the ends, one blank for each run of it, and nothing for what only marks where a line may break (soft
// hyphens, zero width spaces).
std::string folded(std::string_view text);

const MetaFact* find_meta(const Page& page,
                          std::string_view name);  // nullptr: none that says anything
// The content of the first of these names that the page has, folded.
Fact meta_fact(const Page& page, std::initializer_list<std::string_view> names);

// The parts of a span's text that stand in a block each, folded, at most `most` of them.
std::vector<std::string> parts_of(const Page& page, const Span& span, std::size_t most);
std::string text_of(const Page& page, const Span& span);  // six of them, by blanks
// The block that `at` stands in or before.
std::size_t block_at(const Page& page, std::uint32_t at);

// In lower case, by anything but letters and digits of ASCII; whatever is no ASCII is a letter.
std::vector<std::string> words_of(std::string_view text);

// The string at `key` in JSON, broken or not: the first such key's own string, or that of the "name" in the object or
// list that it holds.
std::string json_string(std::string_view json, std::string_view key);
// The string that begins behind the quote at `at`, at most `most` bytes of it.
std::string json_text(std::string_view json, std::size_t at, std::size_t most = 4096);
Fact json_fact(const Page& page, std::string_view key);  // of the first script that has it, folded

// Where in JSON a key of the page's own is, "author" or "datePublished": the first whose object is no review, no comment and no
// work that the page is about. npos: nowhere.
std::size_t own_key(std::string_view json, std::string_view key);

// The texts of articles and posts in JSON-LD, a line each: all that a page has which scripts would fill.
std::string json_body(const Page& page);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_SAID_H_
