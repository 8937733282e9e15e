// SPDX-License-Identifier: Apache-2.0
// What a record says of its page in fields other than the body: hop, link, refresh,
// content-location, x-robots-tag.
#ifndef SPINNERET_PAGE_HEADERS_H_
#define SPINNERET_PAGE_HEADERS_H_

#include <string>

#include "html/selection.h"
#include "io/record.h"
#include "page/link.h"

namespace spinneret::page {

// Returns the URL whose answer the record has, and to which the page's own relative URLs refer: the
// target of the last redirect that was followed, or the record's own URL.
std::string answered_url(const Record& record);

// Whether the record has any of the fields, `hop` aside.
bool has_link_headers(const Record& record);

// Reads X-Robots-Tag, which decides about the links in the other fields and in the body.
void read_header_directives(const Record& record, robots::PageDirectives& directives);
// Takes the target of a redirect whatever the selection wants: a crawl for images alone follows
// images that have moved.
void take_redirect(const Record& record, const Url& page, const html::LinkSelection& selection,
                   PageTaker& taker);
// Takes the links of the header fields. It must be called after the body is read, since a <meta>
// may say nofollow for these links, too (`follows` says that none does). Their canonical URL is
// used if the body has none. With `requisites` the links to what the page shows get that purpose.
void take_header_links(const Record& record, const html::LinkSelection& selection, bool follows,
                       bool requisites, PageFacts& facts, PageTaker& taker);

// Keeps a canonical URL if it is not the page's own.
void note_canonical(std::string_view value, const Url& base, const QueryEncoder* encoder,
                    PageFacts& facts);

}  // namespace spinneret::page

#endif  // SPINNERET_PAGE_HEADERS_H_
