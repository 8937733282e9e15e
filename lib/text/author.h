// SPDX-License-Identifier: Apache-2.0
// Finds who wrote a page.
#ifndef SPINNERET_TEXT_AUTHOR_H_
#define SPINNERET_TEXT_AUTHOR_H_

#include "text/said.h"

namespace spinneret::text {

// Looks at JSON-LD, meta elements, what the markup calls an author or a byline, and a name behind
// "By". `site` is the site's name: if that is given as the author, a name beside the headline is
// preferred.
Fact find_author(const Page& page, std::string_view site);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_AUTHOR_H_
