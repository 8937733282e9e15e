// SPDX-License-Identifier: Apache-2.0
// What a record says of its page beside the body: hop, link, refresh, content-location, x-robots-tag.
#ifndef SPINNERET_PAGE_HEADERS_H_
#define SPINNERET_PAGE_HEADERS_H_

#include <string>

#include "html/selection.h"
#include "io/record.h"
#include "page/link.h"

namespace spinneret::page {

// The URL whose answer the record has, which what the page says is relative to: where the last redirect that was followed
// led, or the record's own.
std::string answered_url(const Record& record);

// Whether the record has any of the fields.
bool has_link_headers(const Record& record);

// Reads X-Robots-Tag, which decides about the links in the other fields and in the body.
void read_header_directives(const Record& record, robots::PageDirectives& directives);
// Takes a redirect's target whatever the selection wants: a crawl for images alone follows images that have moved.
void take_redirect(const Record& record, const Url& page, const html::LinkSelection& selection,
                   PageTaker& taker);
// Call it after the body, since a <meta> may say nofollow for these links, too (`follows` says that none does). Their
// canonical URL is used where the body has none. With `requisites` what the page shows is marked by its purpose.
void take_header_links(const Record& record, const html::LinkSelection& selection, bool follows,
                       bool requisites, PageFacts& facts, PageTaker& taker);

// Keeps a canonical URL if it is not the page's own.
void note_canonical(std::string_view value, const Url& base, const QueryEncoder* encoder,
                    PageFacts& facts);

}  // namespace spinneret::page

#endif  // SPINNERET_PAGE_HEADERS_H_
