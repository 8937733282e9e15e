// SPDX-License-Identifier: Apache-2.0
// The links of a page of whatever type, HTML and XHTML, SVG, style sheet, sitemap, feed (XML or JSON), OPML, manifest,
// and where guesses are asked for script, JSON and plain text, robots.txt, with those of its
// header fields, and what the page asks of crawlers: the rules that make the parts one page.
//
//   struct Printer : PageTaker { ... } printer;
//   PageReader reader({});                                // links to pages; follows what <meta> and headers say
//   Record record;
//   record.parse(line);                                   // a settled record, as fetch writes it
//   const PageFacts& facts = reader.read(record, url, body, printer);
//   if (facts.directives.noindex(now)) ...
//
// What the facts forbid is kept: of a page that says nofollow no link is given, but for where it has moved to.
// Cost: that of lib/html and lib/feed. Memory: bounded whatever the page, links are given in batches. Reuse a reader:
// no allocation once warm. Not thread-safe.
#ifndef SPINNERET_PAGE_READER_H_
#define SPINNERET_PAGE_READER_H_

#include <optional>
#include <string>
#include <string_view>

#include "feed/feed.h"
#include "html/extractor.h"
#include "io/record.h"
#include "page/content.h"
#include "page/link.h"

namespace spinneret::page {

struct PageOptions {
  html::ExtractOptions extract = {};
  std::string agent = {};        // whose meta robots count beside those for all
  bool ignore_nofollow = false;  // links of nofollow pages too
  bool requisites = false;       // name what the page shows by its purpose: kRequisite
  bool about = false;            // collect title, lang and description
  // Where this is set, links that it does not want, and those of nofollow pages, are given too, with the purpose kCheck.
  std::optional<html::LinkSelection> followed = {};
};

class PageReader : private html::LinkTaker, private feed::FeedTaker {
 public:
  explicit PageReader(PageOptions options)
      : options_(std::move(options)), facts_(options_.agent), extractor_(options_.extract) {}

  const PageOptions& options() const { return options_; }

  // A settled record, its URL, and its body (BodyReader): `location` first, then the body, then the other headers.
  // The facts live until the next call.
  const PageFacts& read(const Record& record, const Url& url, std::string_view body,
                        PageTaker& taker);
  // A document without a record: `type` and `charset` as HTTP says them, or empty; `sitemap`: a text is a list of URLs.
  const PageFacts& read_document(const Url& url, std::string_view body, std::string_view type,
                                 std::string_view charset, bool sitemap, PageTaker& taker);

 private:
  void begin(const Url& url, PageTaker& taker);
  void read_body(std::string_view body, std::string_view type, std::string_view charset,
                 bool sitemap);
  void read_feed(std::string_view body, std::string_view charset);
  void read_text(std::string_view body, std::string_view charset, bool sitemap);
  void read_strings(std::string_view body, std::string_view charset,
                    html::LinkExtractor::Strings what);
  void read_json(std::string_view body, std::string_view type, std::string_view charset);
  std::string_view recoded(std::string_view body, const html::Charset& charset);
  void take(const html::Page& page) override;
  void take(const feed::FeedPage& page) override;
  void take_facts(const html::Page& page);
  void add_about(const html::Page& page);
  void give(const html::Link& link, const QueryEncoder* encoder);
  void give(const feed::FeedLink& link);
  static bool wants(const html::LinkSelection& selection, const feed::FeedLink& link,
                    const PageLink& out);
  bool leaves_out(PageLink& link, bool wanted) const;
  bool gives() const { return !ids_alone_ && (options_.followed || follows()); }
  bool follows() const { return options_.ignore_nofollow || !facts_.directives.nofollow(); }
  void read_content(const feed::FeedLink& content);
  void set_base(const feed::FeedLink& link);

  PageOptions options_;
  PageFacts facts_;
  html::LinkExtractor extractor_;
  PageTaker* taker_ = nullptr;  // of the page under way
  feed::FeedPage feed_;
  bool ids_alone_ = false;                   // of this page no link is given
  bool facts_taken_ = false;                 // of the present document, or it has none
  const feed::FeedLink* content_ = nullptr;  // of a feed's entry, being read
  Url base_;
  BodyUnpacker unpacker_;
  std::string transcoded_;
};

// Whether the outcome is that of a record that holds a page to be read. A duplicate is read where its content was seen
// first, wherever its body is kept: dedupe takes only an inline one away.
bool holds_page(std::string_view outcome);

}  // namespace spinneret::page

#endif  // SPINNERET_PAGE_READER_H_
