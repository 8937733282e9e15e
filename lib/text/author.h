// SPDX-License-Identifier: Apache-2.0
// Who wrote a page.
#ifndef SPINNERET_TEXT_AUTHOR_H_
#define SPINNERET_TEXT_AUTHOR_H_

#include "text/said.h"

namespace spinneret::text {

// From JSON-LD, meta elements, what its markup calls an author or a byline, and "By" before a name. `site` is the site's
// name: where it stands for the author, a name beside the headline comes before it.
Fact find_author(const Page& page, std::string_view site);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_AUTHOR_H_
