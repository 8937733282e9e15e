// SPDX-License-Identifier: Apache-2.0
// What a page says of itself: title, author, dates. These are taken from JSON-LD, meta elements,
// and the words around the headline.
#ifndef SPINNERET_TEXT_FACTS_H_
#define SPINNERET_TEXT_FACTS_H_

#include <string>
#include <string_view>

#include "text/said.h"

namespace spinneret::text {

struct Facts {
  Fact title;
  Fact description;
  Fact author;
  Fact published;  // YYYY-MM-DD, with the time if the page gives it in ISO 8601
  Fact modified;
  Fact site_name;
};

// `url` may be empty.
Facts find_facts(const Page& page, std::string_view url);

// The page's language: as its html element says, or its meta elements, or `header`
// (Content-Language), or else as guessed from its text.
Fact find_language(const Page& page, std::string_view header);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_FACTS_H_
