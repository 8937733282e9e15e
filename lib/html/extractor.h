// SPDX-License-Identifier: Apache-2.0
// A document in, its links and what it says of itself out.
//
//   LinkExtractor extractor(options);
//   const Page& page = extractor.extract(bytes, "utf-8");
//   for (const Link& link : page.links) resolve(link.value, base, url);
//
// The Page, and all views in it, live until the next extract() or the end of `bytes`. Reuse the extractor:
// it allocates little once warm. Never fails: whatever the bytes, there is a page. Not thread-safe.
//
// Cost: on real pages, where memchr of '<' is 1 (6.0 GB/s, tests/bench/html.cc), a[href] takes 3.3, with text 4.0,
// everything with text 5.1; linear on every input. Memory: the page's, what its links hold, and 10 MiB at most; a page
// in an encoding that ASCII is no part of (UTF-16, ISO-2022-JP) is held once more, in UTF-8, and so is a srcdoc that has
// references, for each document around it (four at most). With a taker no more than a batch of links is held. What a page says of itself may stand
// behind its links (a late base, robots, charset; a frameset that throws the body away): where a page has
// more links than that, it is read once for the facts alone before the first of them are given.
//
// Within, each reading of a page is made of these, in a row:
//
//   bytes -> DocumentWalk (Tokenizer, PageTree, Skimmer) or XmlWalk -> LinkCollector, EmbeddedLinks -> LinkList -> taker
//                                                                         `-> PageFacts
#ifndef SPINNERET_HTML_EXTRACTOR_H_
#define SPINNERET_HTML_EXTRACTOR_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "html/extract_options.h"
#include "html/link.h"

namespace spinneret::html {

class LinkExtractor {
 public:
  explicit LinkExtractor(ExtractOptions options);
  LinkExtractor(LinkExtractor&& other) noexcept;
  LinkExtractor& operator=(LinkExtractor&& other) noexcept;
  ~LinkExtractor();
  const ExtractOptions& options() const;

  // `http_charset`: the charset parameter of the Content-Type header, or empty.
  // With a taker all links go there, in document order, and the Page that comes back has none.
  const Page& extract(std::string_view document, std::string_view http_charset,
                      LinkTaker* taker = nullptr);
  // XHTML or an SVG document, by XML's rules where it is well-formed, and by those of HTML where it is not (or is neither).
  // Costs two readings.
  const Page& extract_xml(std::string_view document, std::string_view http_charset,
                          LinkTaker* taker = nullptr);
  // The same for a style sheet (links css@url and css@import) and for plain text (text).
  const Page& extract_css(std::string_view sheet, std::string_view http_charset,
                          LinkTaker* taker = nullptr);
  const Page& extract_text(std::string_view text, std::string_view http_charset,
                           LinkTaker* taker = nullptr);
  // The strings of a script (script@string) or of JSON (json@string) that look like URLs, or the addresses of JSON-LD.
  enum class Strings : std::uint8_t { kScript, kJson, kJsonLd };
  const Page& extract_strings(std::string_view source, std::string_view http_charset, Strings what,
                              LinkTaker* taker = nullptr);

  // The ids of elements and the names of a elements in the document that extract() has read last, in document order, each with a
  // NUL behind it (none holds one). What a template holds is in no document, and is left out.
  std::string_view ids() const;

 private:
  friend class EmbeddedLinks;
  class Engine;

  // An extractor for a document that stands within `depth` others.
  LinkExtractor(ExtractOptions options, int depth);

  std::unique_ptr<Engine> engine_;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_EXTRACTOR_H_
