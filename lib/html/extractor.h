// SPDX-License-Identifier: Apache-2.0
// Takes a document, and gives its links and what the document says of itself.
//
//   LinkExtractor extractor(options);
//   const Page& page = extractor.extract(bytes, "utf-8");
//   for (const Link& link : page.links) resolve(link.value, base, url);
//
// The Page, and all views in it, live until the next extract() or as long as `bytes`. Reuse the
// extractor: once warm it allocates little. It never fails, whatever the bytes are. Not
// thread-safe.
//
// Cost: where memchr for '<' takes 1 (6.0 GB/s, tests/bench/html.cc), a[href] takes 3.3 on real
// pages, 4.0 with text, and everything with text 5.1. The time is linear on every input.
//
// Memory: the page, what its links hold, and at most 10 MiB. A page in an encoding that does not
// contain ASCII (UTF-16, ISO-2022-JP) is held a second time, in UTF-8, and so is a srcdoc with
// references, for each document around it (at most four). With a taker no more than a batch of
// links is held. What a page says of itself may stand behind its links (a late base, robots or
// charset; a frameset that replaces the body). A page with more than a batch of links before its
// end is therefore first read for the facts alone.
//
// Each reading of a page passes through these parts:
//
//   bytes -> DocumentWalk (Tokenizer, PageTree, Skimmer) or XmlWalk
//         -> LinkCollector, EmbeddedLinks -> LinkList -> taker
//                         `-> PageFacts
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

  // Reads HTML. `http_charset` is the charset parameter of the Content-Type header, or empty. With
  // a taker all links go to it, in document order, and the returned Page has none.
  const Page& extract(std::string_view document, std::string_view http_charset,
                      LinkTaker* taker = nullptr);
  // Reads XHTML or an SVG document: by the rules of XML if it is well-formed, otherwise (or if it
  // is neither) by those of HTML. Costs two readings.
  const Page& extract_xml(std::string_view document, std::string_view http_charset,
                          LinkTaker* taker = nullptr);
  // Reads a style sheet (links css@url and css@import) or plain text (text).
  const Page& extract_css(std::string_view sheet, std::string_view http_charset,
                          LinkTaker* taker = nullptr);
  const Page& extract_text(std::string_view text, std::string_view http_charset,
                           LinkTaker* taker = nullptr);
  // What to look for: strings of a script (script@string) or of JSON (json@string) that look like
  // URLs, or the addresses in JSON-LD.
  enum class Strings : std::uint8_t { kScript, kJson, kJsonLd };
  const Page& extract_strings(std::string_view source, std::string_view http_charset, Strings what,
                              LinkTaker* taker = nullptr);

  // The ids of elements, and the names of a elements, of the document that extract() has read last,
  // in document order, each followed by a NUL (no name contains one). Names in a template are left
  // out, because its content is not part of the document.
  std::string_view ids() const;

 private:
  friend class EmbeddedLinks;
  class Engine;

  // An extractor for a document that is nested in `depth` others.
  LinkExtractor(ExtractOptions options, int depth);

  std::unique_ptr<Engine> engine_;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_EXTRACTOR_H_
