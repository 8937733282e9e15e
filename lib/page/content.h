// SPDX-License-Identifier: Apache-2.0
// What a body is, by its media type and its looks, and what relative URLs in it stand on: the same for whoever reads
// pages, be it for their links, their text or their items.
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
  kNone,  // nothing that is read: an image, a film, ...
  kHtml,
  kSvg,  // a picture that is a document
  kCss,
  kScript,
  kJson,
  kXml,  // sitemaps, feeds and OPML, and XML that is none of them
  kText,
};

// `type` and `charset` as HTTP says them, or empty; `sitemap`: it was asked for as one, so that text is a list of URLs.
Content content_of(std::string_view type, std::string_view charset, bool sitemap,
                   std::string_view body);

// Whether it is read by XML's rules: XHTML served as such.
bool is_xml_type(std::string_view type);

// How a page of that type is read.
inline html::Syntax syntax_of(std::string_view type) {
  return is_xml_type(type) ? html::Syntax::kXml : html::Syntax::kHtml;
}

// The media type that a name's extension stands for, where HTTP says none: of types that would be read as HTML
// otherwise. Empty: the body's looks decide.
std::string_view type_of_name(std::string_view path);

// Undoes the gzip of a body (sitemap.xml.gz). One for many pages: the buffer is kept, but not the size of the largest.
class BodyUnpacker {
 public:
  // sitemaps.org allows 50 MiB. Ten megabytes, as fetch lets through, can be ten gigabytes: at 1 GiB such a page took
  // 8 s and 2 GB of memory.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;

  // What is to be read: `body`, or what was packed in it, until the next call. `broken`: only so far.
  std::string_view open(std::string_view body, bool& broken);

 private:
  std::string bytes_;
};

// The base URL of a document at `page` that declares `declared` (has_declared: whether it does). A base that is no
// URL, or whose scheme cannot be one's, leaves the document's own. So does one over 2 KiB, that would make gigabytes
// of links out of kilobytes.
void find_base(const Url& page, bool has_declared, std::string_view declared, Url& base);

}  // namespace spinneret::page

#endif  // SPINNERET_PAGE_CONTENT_H_
