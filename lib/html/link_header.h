// SPDX-License-Identifier: Apache-2.0
// Parses the Link header of HTTP (RFC 8288, section 3).
//
//   std::string_view rest = "</a,b>; rel=\"next\", <c>; rel=prev";
//   HeaderLink link;
//   while (next_header_link(rest, link)) use(link.target, link.rel);
#ifndef SPINNERET_HTML_LINK_HEADER_H_
#define SPINNERET_HTML_LINK_HEADER_H_

#include <string>
#include <string_view>

namespace spinneret::html {

struct HeaderLink {
  std::string_view target;  // between the angle brackets, including commas and semicolons
  std::string rel;          // the first rel parameter, unquoted
  std::string type;
  std::string hreflang;
  std::string anchor;  // where the link starts, if that is not this document (3.2)
  bool has_anchor = false;
};

// Takes the next link off `rest`. Returns false at the end. Skips text that is not a link up to the
// next comma.
bool next_header_link(std::string_view& rest, HeaderLink& link);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_LINK_HEADER_H_
