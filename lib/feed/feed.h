// SPDX-License-Identifier: Apache-2.0
// Finds the links of sitemaps (sitemaps.org 0.9 with the image, news, video and xhtml extensions,
// and the text form), of RSS 0.9x, 1.0 and 2.0, of Atom (RFC 4287), and of OPML 2.0.
//
//   FeedPage page;
//   if (read_feed(document, page) != FeedType::kNone)
//     for (const FeedLink& link : page.links) use(link);
//
// `document` is UTF-8. The reader is as lenient as its XML scanner: any bytes give a result, in
// linear time. Reuse the page: once warm nothing is allocated. Memory is what the links hold, with
// a taker at most what kFeedBatch links hold.
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

// kContent is not a link: its value is HTML (an Atom content or summary of that type, or an RSS
// description or content:encoded, at most 1 MiB of each), in which the caller may look for links.
enum class FeedLinkKind : std::uint8_t { kPage, kResource, kMeta, kFeed, kSitemap, kContent };

struct FeedLink {
  std::string value;
  std::string tag;  // its place: "url@loc", "item@link", "link@href"
  FeedLinkKind kind = FeedLinkKind::kPage;
  std::string rel;
  std::string type;
  std::string hreflang;
  std::string text;     // an item's title
  std::string lastmod;  // as written: lastmod, pubDate, updated
  std::string changefreq;
  std::string priority;
  std::string base;        // the xml:base that applies, or empty
  std::size_t offset = 0;  // of the tag, or of the line in a format without tags
};

struct FeedPage {
  FeedType type = FeedType::kNone;
  std::string title;
  std::vector<FeedLink> links;
};

// Numbers of links, and of bytes of content, that are held before a taker gets them. An entry with
// more loses its title and dates.
constexpr std::size_t kFeedBatch = 4096;
constexpr std::size_t kFeedBatchContent = std::size_t{1} << 20;

// Returns the type by the root element: kHtml for XHTML, kSvg for a picture, kXml for any other XML
// (whose xml-stylesheet is still a link), kNone for what is not XML.
FeedType feed_type(std::string_view document);
// Does the same for a document that was requested as a sitemap. In its first 64 KiB, warnings of
// the program that wrote it may stand in front of the root, as text or as HTML.
FeedType sitemap_type(std::string_view document);

// Receives the links of a page some thousands at a time.
class FeedTaker {
 public:
  virtual ~FeedTaker() = default;
  virtual void take(const FeedPage& page) = 0;
};

// Reads a document. With a taker all links go to it, and the page has none in the end. `url` is the
// document's; a relative xml:base is resolved against it, and stays relative without it. `sitemap`
// says that the document was requested as a sitemap.
FeedType read_feed(std::string_view document, FeedPage& page, FeedTaker* taker = nullptr,
                   std::string_view url = {}, bool sitemap = false);

// Reads the text form, one URL a line. Returns false if no line is a URL.
bool read_text_sitemap(std::string_view document, FeedPage& page, FeedTaker* taker = nullptr);

// Reads the Sitemap lines of a robots.txt.
void read_robots_sitemaps(std::string_view document, FeedPage& page, FeedTaker* taker = nullptr);

}  // namespace spinneret::feed

#endif  // SPINNERET_FEED_FEED_H_
