// SPDX-License-Identifier: Apache-2.0
// Sitemaps, feeds and WARC records: nothing is read past the end, everything ends, and no more comes out than
// went in.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "feed/feed.h"
#include "feed/warc_record.h"
#include "feed/xml.h"

using namespace spinneret::feed;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  FeedPage page;
  read_feed(input, page);
  for (const FeedLink& link : page.links) {
    if (link.value.size() > 3 * input.size()) std::abort();
  }
  read_text_sitemap(input, page);
  read_robots_sitemaps(input, page);
  std::string text;
  std::size_t total = 0;
  XmlScanner xml(input);
  while (xml.next() != XmlEvent::kEnd) {
    if (xml.event() != XmlEvent::kText) continue;
    xml.text(text);
    total += text.size();
  }
  if (total > input.size()) std::abort();
  WarcRecord record;
  if (parse_warc_record(input, record) && record.payload.size() > input.size()) std::abort();
  return 0;
}
