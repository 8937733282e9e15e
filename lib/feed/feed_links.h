// SPDX-License-Identifier: Apache-2.0
// The implementation of read_feed(): what the elements of each format mean.
#ifndef SPINNERET_FEED_FEED_LINKS_H_
#define SPINNERET_FEED_FEED_LINKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "feed/feed.h"
#include "feed/xml.h"

namespace spinneret::feed {

// Reads a document in one pass. An entry is a url, sitemap, item or entry element. Its links are
// added as they come, and get its date and title when it closes.
class FeedReader {
 public:
  FeedReader(std::string_view document, std::string_view url, FeedPage& page, FeedTaker* taker)
      : document_(document), url_(url), xml_(document), page_(page), taker_(taker) {}
  void read();

 private:
  void open();
  void close();
  void open_sitemap(std::string_view name);
  void open_rss(std::string_view name);
  void open_atom(std::string_view name);
  void open_outline(std::string_view name);
  void add_rdf(std::string_view name);
  void add_attribute(std::string_view attribute, FeedLinkKind kind);
  void add_atom_link();
  void add_value(std::string_view name);
  void add(std::string_view value, std::string_view element, std::string_view attribute,
           FeedLinkKind kind);
  bool is_own() const;
  bool is_entry(std::string_view name) const;
  void begin_entry();
  void end_entry();
  void give_links();
  void open_content(std::string_view name);
  void close_content();
  std::size_t max_value() const;
  void push_base();
  std::string_view base() const;

  std::string_view document_;
  std::string_view url_;
  XmlScanner xml_;
  FeedPage& page_;
  FeedTaker* taker_;
  // Prefix of the root, which the elements of the document's own kind share.
  std::string_view own_prefix_;
  // The element whose children are being read: "url", "item", "channel".
  std::string_view entry_;
  std::size_t entry_links_ = 0;  // number of links before the entry
  std::string title_;
  std::string lastmod_;
  std::string changefreq_;
  std::string priority_;
  std::string value_;       // characters of the present element
  std::size_t opened_ = 0;  // offset of the present tag
  std::string scratch_;
  // The content that is being read: the depth of its element (0: none), the offset of its tag,
  // whether it is markup of the feed itself, and where it begins.
  std::size_t content_depth_ = 0;
  std::size_t content_opened_ = 0;
  bool content_is_markup_ = false;
  std::size_t content_begin_ = 0;
  std::size_t content_bytes_ = 0;  // bytes of content that are held in links
  bool permalink_ = true;          // the present guid is an address
  bool rdf_ = false;               // the root is rdf:RDF
  std::size_t depth_ = 0;
  std::size_t item_image_depth_ = 0;  // of an <image> within an item; 0: none is open
  struct Base {
    std::size_t depth;
    std::string url;
  };
  std::vector<Base> bases_;
};

}  // namespace spinneret::feed

#endif  // SPINNERET_FEED_FEED_LINKS_H_
