// SPDX-License-Identifier: Apache-2.0
// What a page says of itself: title, author, dates. From JSON-LD, meta elements, and the words around the headline.
#ifndef SPINNERET_TEXT_FACTS_H_
#define SPINNERET_TEXT_FACTS_H_

#include <string>
#include <string_view>

#include "text/page.h"

namespace spinneret::text {

struct Fact {
  std::string value;
  std::string_view
      source;  // "json-ld", "meta", "h1", "title", "byline", "time", "url", "text"; empty: none
};

struct Facts {
  Fact title;
  Fact description;
  Fact author;
  Fact published;  // YYYY-MM-DD, with the time where the page has it in ISO 8601
  Fact modified;
  Fact site_name;
};

Facts find_facts(const Page& page, std::string_view url);

// The string at `key` in JSON, broken or not: the first such key's own string, or that of the "name" in the object or
// list that it holds.
std::string json_string(std::string_view json, std::string_view key);

// The texts of articles and posts in JSON-LD, a line each: all that a page has which scripts would fill.
std::string json_body(const Page& page);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_FACTS_H_
