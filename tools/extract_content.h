// SPDX-License-Identifier: Apache-2.0
// A page's body, of whatever type: HTML, style sheets, sitemaps and feeds, plain text, robots.txt. Its links go to
// the writer, what it says of itself to the page.
#ifndef SPINNERET_TOOLS_EXTRACT_CONTENT_H_
#define SPINNERET_TOOLS_EXTRACT_CONTENT_H_

#include <string>
#include <string_view>

#include "cli/tool.h"
#include "extract_output.h"
#include "extract_page.h"
#include "feed/feed.h"
#include "html/extractor.h"

namespace spinneret {

class ContentReader : private html::LinkTaker, private feed::FeedTaker {
 public:
  // All are borrowed.
  ContentReader(LinkWriter& writer, ExtractedPage& page)
      : writer_(writer), page_(page), extractor_(page.settings.extract) {}

  // `type` and `charset` as HTTP says them, or empty.
  void read(std::string_view body, std::string_view type, std::string_view charset);
  // The Sitemap lines of a robots.txt.
  void read_robots(std::string_view body);

 private:
  void read_html(std::string_view body, std::string_view charset);
  void read_feed(std::string_view body, std::string_view charset);
  void read_text(std::string_view body, std::string_view charset);
  void take(const html::Page& page) override;
  void take(const feed::FeedPage& page) override;
  void take_facts(const html::Page& page);
  void add_about(const html::Page& page);
  void emit(const html::Link& link, const html::Charset& charset);
  void emit(const feed::FeedLink& link);
  bool wants(const feed::FeedLink& link, const OutLink& out) const;
  void read_content(const feed::FeedLink& content);
  void set_base(const feed::FeedLink& link);

  LinkWriter& writer_;
  ExtractedPage& page_;
  html::LinkExtractor extractor_;
  feed::FeedPage feed_;
  bool facts_taken_ = false;                 // of the present document, or it has none
  const feed::FeedLink* content_ = nullptr;  // of a feed's entry, being read
  Url base_;
  std::string unpacked_;
  std::string transcoded_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_EXTRACT_CONTENT_H_
