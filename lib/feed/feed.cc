// SPDX-License-Identifier: Apache-2.0
#include "feed/feed.h"

#include <algorithm>

#include "base/ascii.h"
#include "feed/feed_links.h"

namespace spinneret::feed {
namespace {

constexpr std::size_t kJunk = std::size_t{64} << 10;  // may stand in front of a sitemap's root

FeedType type_of_root(std::string_view local) {
  if (local == "urlset") return FeedType::kSitemap;
  if (local == "sitemapindex") return FeedType::kSitemapIndex;
  if (local == "rss" || local == "RDF") return FeedType::kRss;
  if (local == "feed") return FeedType::kAtom;
  if (local == "opml") return FeedType::kOpml;
  if (local == "svg") return FeedType::kSvg;
  return equals_ignore_case(local, "html") ? FeedType::kHtml : FeedType::kXml;
}

void reset(FeedPage& page, FeedType type) {
  page.type = type;
  page.title.clear();
  page.links.clear();
}

void give(FeedPage& page, FeedTaker* taker) {
  if (taker == nullptr) return;
  taker->take(page);
  page.links.clear();
}

void add_line(FeedPage& page, FeedTaker* taker, std::string_view url, std::string_view tag,
              FeedLinkKind kind, std::size_t offset) {
  if (page.links.size() >= kFeedBatch) give(page, taker);
  FeedLink& link = page.links.emplace_back();
  link.value = url;
  link.tag = tag;
  link.kind = kind;
  link.offset = offset;
}

// Calls `use(line, offset)` for each line.
template <typename Use>
void for_each_line(std::string_view document, Use use) {
  std::size_t at = document.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (at < document.size()) {
    const std::size_t end = std::min(document.find_first_of("\r\n", at), document.size());
    use(trim(document.substr(at, end - at)), at);
    at = end + 1;
  }
}

}  // namespace

FeedType feed_type(std::string_view document) {
  XmlScanner xml(document);
  while (true) {
    switch (xml.next()) {
      case XmlEvent::kOpen: return type_of_root(xml.local_name());
      case XmlEvent::kText:
        if (!trim(xml.raw_text()).empty()) return FeedType::kNone;
        break;
      case XmlEvent::kInstruction: break;
      case XmlEvent::kClose:
      case XmlEvent::kEnd: return FeedType::kNone;
    }
  }
}

FeedType sitemap_type(std::string_view document) {
  const FeedType type = feed_type(document);
  if (type != FeedType::kNone && type != FeedType::kHtml && type != FeedType::kXml) return type;
  XmlScanner xml(document.substr(0, kJunk));
  while (xml.next() != XmlEvent::kEnd) {
    if (xml.event() != XmlEvent::kOpen) continue;
    const FeedType root = type_of_root(xml.local_name());
    if (root == FeedType::kSitemap || root == FeedType::kSitemapIndex) return root;
  }
  return type;
}

FeedType read_feed(std::string_view document, FeedPage& page, FeedTaker* taker,
                   std::string_view url, bool sitemap) {
  reset(page, sitemap ? sitemap_type(document) : feed_type(document));
  if (page.type != FeedType::kNone) FeedReader(document, url, page, taker).read();
  give(page, taker);
  return page.type;
}

bool read_text_sitemap(std::string_view document, FeedPage& page, FeedTaker* taker) {
  reset(page, FeedType::kSitemap);
  bool some = false;
  for_each_line(document, [&](std::string_view line, std::size_t offset) {
    const bool url =
        starts_with_ignore_case(line, "http://") || starts_with_ignore_case(line, "https://");
    if (url) add_line(page, taker, line, "sitemap@line", FeedLinkKind::kPage, offset);
    some |= url;
  });
  give(page, taker);
  return some;
}

void read_robots_sitemaps(std::string_view document, FeedPage& page, FeedTaker* taker) {
  reset(page, FeedType::kNone);
  for_each_line(document, [&](std::string_view line, std::size_t offset) {
    line = trim(line.substr(0, line.find('#')));
    constexpr std::string_view kKey = "sitemap";
    if (!starts_with_ignore_case(line, kKey)) return;
    std::string_view value = trim(line.substr(kKey.size()));
    if (!value.starts_with(':')) return;
    value = trim(value.substr(1));
    if (!value.empty())
      add_line(page, taker, value, "robots@sitemap", FeedLinkKind::kSitemap, offset);
  });
  give(page, taker);
}

}  // namespace spinneret::feed
