// SPDX-License-Identifier: Apache-2.0
// Links and directives that stand in the header fields of a record: link, refresh, content-location, x-robots-tag.
#ifndef SPINNERET_PAGE_HEADERS_H_
#define SPINNERET_PAGE_HEADERS_H_

#include "html/selection.h"
#include "io/record.h"
#include "page/link.h"

namespace spinneret::page {

// Whether the record has any of the fields.
bool has_link_headers(const Record& record);

// X-Robots-Tag decides about the links of the others, and of the body.
void read_header_directives(const Record& record, robots::PageDirectives& directives);
// Whatever the selection wants: a crawl that wants images alone follows those that have moved.
void take_redirect(const Record& record, const Url& page, const html::LinkSelection& selection,
                   PageTaker& taker);
// Behind the body, for a <meta> may say nofollow of these links, too (`follows`: none says so). Their canonical URL
// stands where the body has none.
void take_header_links(const Record& record, const html::LinkSelection& selection, bool follows,
                       PageFacts& facts, PageTaker& taker);

// Keeps a canonical URL that is not the page's own.
void note_canonical(std::string_view value, const Url& base, const QueryEncoder* encoder,
                    PageFacts& facts);

}  // namespace spinneret::page

#endif  // SPINNERET_PAGE_HEADERS_H_
