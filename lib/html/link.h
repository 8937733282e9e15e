// SPDX-License-Identifier: Apache-2.0
// What is found in a document: links and facts, as views into the document and the extractor's
// arena.
#ifndef SPINNERET_HTML_LINK_H_
#define SPINNERET_HTML_LINK_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "html/charset.h"

namespace spinneret::html {

// What a link is for.
enum class LinkKind : std::uint8_t {
  kPage,      // leads to another document: a, area, frames, GET forms, canonical, next, refresh
  kResource,  // is part of this document: images, scripts, styles, media
  kMetadata,  // says something about it: Open Graph, JSON-LD, cite, POST forms, hints
  kFeed,      // leads to a feed or a sitemap
  kGuess,     // looks like a URL: script strings, plain text
};

enum class LinkContext : std::uint8_t { kNone, kNoscript, kTemplate, kForeign, kSrcdoc, kComment };
// "", "noscript", "template", "svg", "srcdoc", "comment"
constexpr std::string_view to_string(LinkContext context) {
  constexpr std::string_view kNames[] = {"", "noscript", "template", "svg", "srcdoc", "comment"};
  return kNames[static_cast<std::size_t>(context)];
}
// "page", "resource", "meta", "feed", "guess"
constexpr std::string_view to_string(LinkKind kind) {
  constexpr std::string_view kNames[] = {"page", "resource", "meta", "feed", "guess"};
  return kNames[static_cast<std::size_t>(kind)];
}

// Where a link's text comes from.
enum class TextFrom : std::uint8_t { kContent, kAlt, kLabel, kTitle };
// "" (the element's own words), "alt", "aria-label", "title"
constexpr std::string_view to_string(TextFrom from) {
  constexpr std::string_view kNames[] = {"", "alt", "aria-label", "title"};
  return kNames[static_cast<std::size_t>(from)];
}

// One link. All views are UTF-8 (but invalid bytes of the document stay) and live as long as the
// Page.
struct Link {
  std::string_view value;      // references decoded; neither trimmed nor resolved
  std::string_view element;    // lower case
  std::string_view attribute;  // lower case
  std::string_view rel;        // as written
  // text of an a element, white space folded, at most 256 bytes (anchor.h)
  std::string_view text;
  std::string_view hreflang;
  std::string_view type;
  std::string_view method;  // of a form: "post" or "dialog"; empty: get
  std::size_t offset = 0;   // of the start tag's '<' in the document
  LinkKind kind = LinkKind::kPage;
  LinkContext context = LinkContext::kNone;
  TextFrom text_from = TextFrom::kContent;
};

// All members of Link that are views of text.
inline constexpr std::string_view Link::*kLinkTexts[] = {
    &Link::value, &Link::element,  &Link::attribute, &Link::rel,
    &Link::text,  &Link::hreflang, &Link::type,      &Link::method};

struct Meta {
  std::string_view name;  // not converted to lower case
  std::string_view content;
  bool is_header = false;  // the name comes from http-equiv: x-robots-tag
};

struct Page {
  Charset charset;
  // The text in which offsets count: the document without its byte order mark, converted to UTF-8
  // if its encoding is not compatible with ASCII.
  std::string_view source;
  bool has_base = false;
  std::string_view base;  // href of the first base that counts
  bool has_canonical = false;
  std::string_view canonical;  // href of the first <link rel=canonical>
  std::string_view title;
  std::string_view lang;    // of the html element
  std::vector<Meta> metas;  // meta elements with name and content, and http-equiv=x-robots-tag
  std::vector<Link> links;  // in document order
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_LINK_H_
