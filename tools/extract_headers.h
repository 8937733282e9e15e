// SPDX-License-Identifier: Apache-2.0
// Links and directives that stand in the header fields of a record: link, refresh, content-location, x-robots-tag.
#ifndef SPINNERET_TOOLS_EXTRACT_HEADERS_H_
#define SPINNERET_TOOLS_EXTRACT_HEADERS_H_

#include "extract_output.h"
#include "extract_page.h"

namespace spinneret {

// Whether the record has any of the fields.
bool has_link_headers(const Record& record);

// X-Robots-Tag decides about the links of the others, and of the body.
void read_header_directives(ExtractedPage& page);
// Whatever --only chooses: a crawl that wants images alone follows those that have moved.
void write_redirect(ExtractedPage& page, LinkWriter& writer);
// Behind the body, for a <meta> may say nofollow of these links, too.
void write_header_links(ExtractedPage& page, LinkWriter& writer);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_EXTRACT_HEADERS_H_
