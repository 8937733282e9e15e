// SPDX-License-Identifier: Apache-2.0
// Finds the links of a page of any type: HTML and XHTML, SVG, style sheets, sitemaps, feeds (XML or
// JSON), OPML, manifests and, where guesses are asked for, scripts, JSON, plain text and
// robots.txt. It adds the links of the header fields, and what the page asks of crawlers.
//
//   struct Printer : PageTaker { ... } printer;
//   PageReader reader({});                     // links to pages, as <meta> and headers allow
//   Record record;
//   record.parse(line);                        // a settled record, as fetch writes it
//   const PageFacts& facts = reader.read(record, url, body, printer);
//   if (facts.directives.noindex(now)) ...
//
// What the facts forbid is obeyed: a page that says nofollow gives no link but the one to where it
// has moved. Cost: that of lib/html and lib/feed. Memory is bounded, whatever the page; links are
// given in batches. Reuse a reader: once warm it allocates nothing. Not thread-safe.
#ifndef SPINNERET_PAGE_READER_H_
#define SPINNERET_PAGE_READER_H_

#include <cstdint>
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
  std::string agent = {};        // the crawler whose own robots metas count, beside those for all
  bool ignore_nofollow = false;  // give the links of nofollow pages, too
  bool requisites = false;       // mark what the page shows with the purpose kRequisite
  bool about = false;            // collect title, lang and description
  // If set, links that it does not want, and those of nofollow pages, are also given, with the
  // purpose kCheck.
  std::optional<html::LinkSelection> followed = {};
};

class PageReader : private html::LinkTaker, private feed::FeedTaker {
 public:
  explicit PageReader(PageOptions options)
      : options_(std::move(options)), facts_(options_.agent), extractor_(options_.extract) {}

  const PageOptions& options() const { return options_; }

  // Reads a settled record with its URL and body (BodyReader): first `location`, then the body,
  // then the other headers. The facts live until the next call.
  const PageFacts& read(const Record& record, const Url& url, std::string_view body,
                        PageTaker& taker);
  // Reads a document without a record. `type` and `charset` are as HTTP gives them, or empty;
  // `sitemap` says that text is a list of URLs.
  const PageFacts& read_document(const Url& url, std::string_view body, std::string_view type,
                                 std::string_view charset, bool sitemap, PageTaker& taker);

 private:
  void begin(const Url& url, PageTaker& taker);
  void read_body(std::string_view body, std::string_view type, std::string_view charset,
                 bool sitemap);
  void read_feed(std::string_view body, std::string_view charset, bool sitemap);
  void read_text(std::string_view body, std::string_view charset, bool sitemap);
  void read_strings(std::string_view body, std::string_view charset,
                    html::LinkExtractor::Strings what);
  void read_robots(std::string_view body);
  void take_ids();
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
  bool leaves_out(PageLink& link, bool wanted, const QueryEncoder* encoder) const;
  bool is_shown(const html::Link& link) const;
  bool is_own_sheet(const PageLink& link, const QueryEncoder* encoder) const;
  bool gives() const { return !ids_alone_ && (options_.followed || follows()); }
  bool follows() const { return options_.ignore_nofollow || !facts_.directives.nofollow(); }
  void read_content(const feed::FeedLink& content);
  void set_base(const feed::FeedLink& link);

  PageOptions options_;
  PageFacts facts_;
  html::LinkExtractor extractor_;
  PageTaker* taker_ = nullptr;  // of the page being read
  feed::FeedPage feed_;
  bool ids_alone_ = false;  // give no links of this page
  // the present document's facts are taken, or it has none
  bool facts_taken_ = false;
  bool is_list_ = false;  // the present document is a sitemap or feed
  bool is_page_ = false;  // the present document is HTML
  // Number of robots.txt and indexes that led to the present sitemap, or of pages and sheets that
  // led to the present requisite.
  std::uint64_t nested_ = 0;
  const feed::FeedLink* content_ = nullptr;  // of a feed's entry; set while it is read
  Url base_;
  BodyUnpacker unpacker_;
  std::string transcoded_;
};

// Whether a record with this outcome has a page to be read. A duplicate is read where its content
// was seen first, wherever its body is kept, since dedupe removes only an inline body.
bool holds_page(std::string_view outcome);

}  // namespace spinneret::page

#endif  // SPINNERET_PAGE_READER_H_
