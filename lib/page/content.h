// SPDX-License-Identifier: Apache-2.0
// Decides what a body is, by its media type and its content, and against what its relative URLs are
// resolved. All readers of pages, for links, text or items, use the same functions.
#ifndef SPINNERET_PAGE_CONTENT_H_
#define SPINNERET_PAGE_CONTENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "html/xml_tokens.h"
#include "url/parse.h"

namespace spinneret::page {

enum class Content : std::uint8_t {
  kNone,  // nothing that can be read: an image, a film, ...
  kHtml,
  kSvg,  // a picture that is also a document
  kCss,
  kScript,
  kJson,
  kXml,  // sitemaps, feeds, OPML, and other XML
  kText,
};

// Returns what the body is. `type` and `charset` are as HTTP gives them, or empty. `sitemap` says
// that the body was requested as a sitemap, so that text is a list of URLs. text/html is XML if it
// has the root of a sitemap or feed.
Content content_of(std::string_view type, std::string_view charset, bool sitemap,
                   std::string_view body);

// Whether content_of() is other than kNone for some body of this type. Nobody needs to read a
// gigabyte to know a film.
bool may_be_read(std::string_view type, bool sitemap);

// Whether a page of this type is read by the rules of XML: XHTML that is served as such.
bool is_xml_type(std::string_view type);

// How a page of this type is read.
inline html::Syntax syntax_of(std::string_view type) {
  return is_xml_type(type) ? html::Syntax::kXml : html::Syntax::kHtml;
}

// Returns the media type for a name's extension, for use where HTTP gives none. Only types that
// would otherwise be read as HTML are known. Empty means that the content decides.
std::string_view type_of_name(std::string_view path);

// Decompresses gzip bodies (sitemap.xml.gz). Use one object for many pages: the buffer is kept, but
// not at the largest page's size.
class BodyUnpacker {
 public:
  // sitemaps.org allows 50 MiB. The ten megabytes that fetch lets through can become ten gigabytes:
  // with a limit of 1 GiB such a page took 8 s and 2 GB of memory.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;

  // Returns what is to be read: `body`, or what was compressed in it. Valid until the next call.
  // `broken` says that it ends early.
  std::string_view open(std::string_view body, bool& broken);

 private:
  std::string bytes_;
};

// Finds the base URL of a document at `page` that declares `declared` (if `has_declared`). A base
// that is not a URL, or whose scheme cannot be a base, is ignored in favour of the document's own
// URL. So is one over 2 KiB, which could make gigabytes of links out of kilobytes.
void find_base(const Url& page, bool has_declared, std::string_view declared, Url& base);

}  // namespace spinneret::page

#endif  // SPINNERET_PAGE_CONTENT_H_
