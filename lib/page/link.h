// SPDX-License-Identifier: Apache-2.0
// What a page gives: its links, one by one, and what it says of itself.
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

// purpose= of what a page shows: fetched whatever the scope, and not followed.
inline constexpr std::string_view kRequisite = "requisite";
// And of what is only to be asked for: whether it is there, and which ids it has. Never read for links.
inline constexpr std::string_view kCheck = "check";
inline constexpr std::string_view kIds = "ids";
inline bool is_checked(std::string_view purpose) { return purpose == kCheck || purpose == kIds; }

// A connection to be opened is no link; nor is where a form is sent to, which a GET does not ask about. A redirect is told
// by its own record.
bool is_checkable(std::string_view element, std::string_view rel, std::string_view method);

// A link of a page of any type. The views live as long as the call that gives it. Empty: the page says nothing.
struct PageLink {
  std::string_view value;    // to be resolved against the base that comes with it
  std::string_view element;  // "a", "location", "header", "robots", ...
  std::string_view attribute;
  std::string_view rel;
  std::string_view hreflang;
  std::string_view type;  // what it says the target is
  std::string_view method;
  std::string_view text;
  std::string_view text_from;  // what stands for an anchor's words: "alt", "aria-label", "title"
  std::string_view context;
  std::string_view lastmod;
  std::string_view changefreq;
  std::string_view priority;
  std::string_view purpose;
  std::string_view redirects;  // in a row that led here, a number; empty: none
  std::string_view anchor;  // of a Link header: what the link is from, where that is not the page
  std::size_t offset = 0;   // in the document that the taker was told of
  bool has_offset = false;
};

// As a LinkSelection sees it.
html::Link link_of(const PageLink& link, html::LinkKind kind);

class PageTaker {
 public:
  virtual ~PageTaker() = default;
  // What the offsets of the links that follow count in: the document behind the `skipped` bytes of its mark. It is
  // the body itself, or what it was before it was packed or in another encoding.
  virtual void document(std::string_view bytes, std::size_t skipped) = 0;
  // `encoder`: of queries, as the page's encoding asks; nullptr: UTF-8.
  virtual void take(const PageLink& link, const Url& base, const QueryEncoder* encoder) = 0;
  // The page is read as far as it goes.
  virtual void trouble(std::string_view reason) = 0;
};

// What the page asks of crawlers and says of itself.
struct PageFacts {
  explicit PageFacts(std::string_view agent) : directives(agent) {}

  Url url;
  robots::PageDirectives directives;
  std::string canonical;  // elsewhere, or empty
  std::string title;      // these three where they were asked for
  std::string lang;
  std::string description;
  html::Charset charset;  // of HTML
  std::string unread;     // why nothing of the body was read, or empty: "type not read"
  bool has_ids = false;   // they were asked for, and the page can have some: it is HTML
  std::string_view ids;   // as LinkExtractor::ids() gives them
};

// The ids as one value of a record, `ids`: a space between two; in them %XX for what is no printable ASCII, and for '%'.
std::string id_list(std::string_view ids);
// The first of a list, decoded into `out` (replaced), and taken from the list; false at its end.
bool next_id(std::string_view& list, std::string& out);

// The lines of a document, counted as the offsets grow; one that goes back counts from the start.
class LineCounter {
 public:
  // `skipped`: bytes before the document, which offsets in what it was read from count.
  void begin(std::string_view document, std::size_t skipped) {
    document_ = document;
    skipped_ = skipped;
    at_ = line_begin_ = 0;
    line_ = 1;
  }
  void move_to(std::size_t offset);

  std::uint64_t line() const { return line_; }  // from 1, as are columns, in bytes
  std::uint64_t column() const { return at_ - line_begin_ + 1; }
  std::size_t skipped() const { return skipped_; }

 private:
  std::string_view document_;
  std::size_t skipped_ = 0;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  std::uint64_t line_ = 1;
};

}  // namespace spinneret::page

#endif  // SPINNERET_PAGE_LINK_H_
