// SPDX-License-Identifier: Apache-2.0
// Links of sitemaps (sitemaps.org 0.9 with the image, news, video and xhtml extensions, text form too), of RSS
// 0.9x, 1.0 and 2.0, of Atom (RFC 4287), and of OPML 2.0.
//
//   FeedPage page;
//   if (read_feed(document, page) != FeedType::kNone) for (const FeedLink& link : page.links) use(link);
//
// `document` is UTF-8. Lenient as its XML scanner is; whatever the bytes, there is a result. Linear. Reuse
// the page: no allocation once warm. Memory: what its links hold, with a taker that of kFeedBatch.
#ifndef SPINNERET_FEED_FEED_H_
#define SPINNERET_FEED_FEED_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::feed {

enum class FeedType : std::uint8_t {
  kNone,
  kSitemap,
  kSitemapIndex,
  kRss,
  kAtom,
  kOpml,
  kHtml,
  kSvg,
  kXml
};

// kContent is no link: the value is HTML (an Atom content or summary of that type, an RSS description or
// content:encoded, at most 1 MiB of each), and who wants links reads it.
enum class FeedLinkKind : std::uint8_t { kPage, kResource, kMeta, kFeed, kSitemap, kContent };

struct FeedLink {
  std::string value;
  std::string tag;  // where it stood: "url@loc", "item@link", "link@href"
  FeedLinkKind kind = FeedLinkKind::kPage;
  std::string rel;
  std::string type;
  std::string hreflang;
  std::string text;     // an item's title
  std::string lastmod;  // as written: lastmod, pubDate, updated
  std::string changefreq;
  std::string priority;
  std::string base;        // xml:base that holds, or empty
  std::size_t offset = 0;  // of the tag, or of the line where there are none
};

struct FeedPage {
  FeedType type = FeedType::kNone;
  std::string title;
  std::vector<FeedLink> links;
};

// Links, and bytes of content, that are held before a taker gets them; an entry that has more of them loses its title and dates.
constexpr std::size_t kFeedBatch = 4096;
constexpr std::size_t kFeedBatchContent = std::size_t{1} << 20;

// By the root element; kHtml for XHTML, kSvg for a picture, kXml for any other XML (its xml-stylesheet is a link all the same),
// kNone for what is no XML.
FeedType feed_type(std::string_view document);

// Takes the links of a page as they come: some thousands of them, then the next.
class FeedTaker {
 public:
  virtual ~FeedTaker() = default;
  virtual void take(const FeedPage& page) = 0;
};

// With a taker all links go there, and the page is left with none. `url` is the document's, which a relative
// xml:base is resolved against; without it such a base stays as it is.
FeedType read_feed(std::string_view document, FeedPage& page, FeedTaker* taker = nullptr,
                   std::string_view url = {});

// The text form: one URL a line.
void read_text_sitemap(std::string_view document, FeedPage& page, FeedTaker* taker = nullptr);

// The Sitemap lines of a robots.txt.
void read_robots_sitemaps(std::string_view document, FeedPage& page, FeedTaker* taker = nullptr);

}  // namespace spinneret::feed

#endif  // SPINNERET_FEED_FEED_H_
