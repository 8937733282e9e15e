// SPDX-License-Identifier: Apache-2.0
// What a page gives: its links, one at a time, and what it says of itself.
#ifndef SPINNERET_PAGE_LINK_H_
#define SPINNERET_PAGE_LINK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "html/charset.h"
#include "html/link.h"
#include "robots/page_directives.h"
#include "url/parse.h"

namespace spinneret::page {

// The value of purpose= for what a page shows: it is fetched whatever the scope, and not followed.
inline constexpr std::string_view kRequisite = "requisite";
// The values for URLs that are only checked: whether they exist, and which ids they have. Such
// pages are never read for links.
inline constexpr std::string_view kCheck = "check";
inline constexpr std::string_view kIds = "ids";
inline bool is_checked(std::string_view purpose) { return purpose == kCheck || purpose == kIds; }

// Whether a link can be checked. Hints to open a connection are not links. A form's target is not
// checked, since a GET tells nothing about it, and a redirect is reported by its own record.
bool is_checkable(std::string_view element, std::string_view rel, std::string_view method);

// A link of a page of any type. The views live as long as the call that gives it. A member is empty
// if the page does not say it.
struct PageLink {
  std::string_view value;    // to be resolved against the base that comes with it
  std::string_view element;  // "a", "location", "header", "robots", ...
  std::string_view attribute;
  std::string_view rel;
  std::string_view hreflang;
  std::string_view type;  // the type that the page gives for the target
  std::string_view method;
  std::string_view text;
  std::string_view text_from;  // what replaces an anchor's words: "alt", "aria-label", "title"
  std::string_view context;
  std::string_view lastmod;
  std::string_view changefreq;
  std::string_view priority;
  std::string_view purpose;
  // For a sitemap: number of indexes and robots.txt that led here, or 0 for a guess; empty means
  // one.
  std::string_view nested;
  std::string_view redirects;  // number of successive redirects that led here; empty: none
  std::string_view anchor;     // in a Link header: where the link starts, if not at the page
  std::size_t offset = 0;      // in the document that the taker was given
  bool has_offset = false;
};

// The link in the form that a LinkSelection takes.
html::Link link_of(const PageLink& link, html::LinkKind kind);

class PageTaker {
 public:
  virtual ~PageTaker() = default;
  // Gives the text in which the offsets of the following links count: the document without the
  // `skipped` bytes of its mark. It is the body itself, or its decompressed or converted text.
  virtual void document(std::string_view bytes, std::size_t skipped) = 0;
  // Takes one link. `encoder` encodes queries, as the page's encoding demands; nullptr means UTF-8.
  virtual void take(const PageLink& link, const Url& base, const QueryEncoder* encoder) = 0;
  // Reports that the page was read only in part.
  virtual void trouble(std::string_view reason) = 0;
};

// What the page asks of crawlers and says of itself.
struct PageFacts {
  explicit PageFacts(std::string_view agent) : directives(agent) {}

  Url url;
  robots::PageDirectives directives;
  std::string canonical;  // a canonical URL other than the page's own, or empty
  std::string title;      // like the next two, only if asked for
  std::string lang;
  std::string description;
  html::Charset charset;  // of an HTML page
  std::string unread;     // why nothing of the body was read ("type not read"), or empty
  bool has_ids = false;   // ids were asked for, and the page, being HTML or SVG, may have some
  std::string_view ids;   // as LinkExtractor::ids() gives them
};

// Returns the ids as the value of a record's `ids`, separated by spaces; bytes other than printable
// ASCII, '%' and '\\' are written as %XX.
std::string id_list(std::string_view ids);
// Takes the first id off a list, decoded into `out` (which is replaced). Returns false at the end.
bool next_id(std::string_view& list, std::string& out);

}  // namespace spinneret::page

#endif  // SPINNERET_PAGE_LINK_H_
