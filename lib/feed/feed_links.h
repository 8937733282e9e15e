// SPDX-License-Identifier: Apache-2.0
// The reader behind read_feed: what the elements of each format mean.
#ifndef SPINNERET_FEED_FEED_LINKS_H_
#define SPINNERET_FEED_FEED_LINKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "feed/feed.h"
#include "feed/xml.h"

namespace spinneret::feed {

// One pass over the document. An entry is a url, sitemap, item or entry element; its links are added as they
// come, and its date and title given to them when it closes.
class FeedReader {
 public:
  FeedReader(std::string_view document, FeedPage& page) : xml_(document), page_(page) {}
  void read();

 private:
  void open();
  void close();
  void open_sitemap(std::string_view name);
  void open_rss(std::string_view name);
  void open_atom(std::string_view name);
  void add_attribute(std::string_view attribute, FeedLinkKind kind);
  void add_atom_link();
  void add_value(std::string_view name);
  void add(std::string_view value, std::string_view element, std::string_view attribute, FeedLinkKind kind);
  bool is_entry(std::string_view name) const;
  void begin_entry();
  void end_entry();
  void push_base();
  std::string_view base() const;

  XmlScanner xml_;
  FeedPage& page_;
  std::string_view entry_;      // the element whose children are being read: "url", "item", "channel"
  std::size_t entry_links_ = 0; // links before it
  std::string title_;
  std::string lastmod_;
  std::string changefreq_;
  std::string priority_;
  std::string value_;           // characters of the present element
  std::string scratch_;
  bool permalink_ = true;       // of guid
  std::size_t depth_ = 0;
  struct Base {
    std::size_t depth;
    std::string url;
  };
  std::vector<Base> bases_;
};

}  // namespace spinneret::feed

#endif  // SPINNERET_FEED_FEED_LINKS_H_
