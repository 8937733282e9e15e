// SPDX-License-Identifier: Apache-2.0
// Sitemaps, feeds and WARC records. Beyond "no crash":
//   - what the scanner reports, written as strict XML, is reported again, event by event;
//   - links written as a sitemap come back; so do text lines;
//   - no link costs more than its own bytes and a bounded share of its entry's;
//   - a WARC record cut short is the same record, incomplete.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "feed/feed.h"
#include "feed/warc_record.h"
#include "feed/xml.h"

namespace {

using namespace spinneret;
using namespace spinneret::feed;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Event {
  XmlEvent kind;
  std::string text;  // the name, or the characters
  friend bool operator==(const Event&, const Event&) = default;
};

std::vector<Event> events_of(std::string_view document) {
  std::vector<Event> out;
  std::string text;
  std::size_t total = 0;
  XmlScanner xml(document);
  while (xml.next() != XmlEvent::kEnd) {
    require(xml.offset() <= document.size());
    if (xml.event() != XmlEvent::kText) {
      out.push_back({xml.event(), std::string(xml.name())});
      continue;
    }
    xml.text(text);
    total += text.size();
    if (!text.empty()) out.push_back({XmlEvent::kText, text});
  }
  require(total <= document.size());
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&#34;"; break;
      default: out += c;
    }
  }
  return out;
}

// The scanner is lenient about names. Only those that a writer may write are written again.
bool is_plain_name(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == ':'; });
}

void check_rewritten(const std::vector<Event>& events) {
  std::string document;
  for (const Event& event : events) {
    if (event.kind == XmlEvent::kText) {
      document += escaped(event.text);
    } else if (!is_plain_name(event.text)) {
      return;
    } else {
      const bool instruction = event.kind == XmlEvent::kInstruction;
      document += event.kind == XmlEvent::kClose ? "</" : instruction ? "<?" : "<";
      document += event.text;
      document += instruction ? "?>" : ">";
    }
  }
  // Neighbours (a text and a CDATA section) become one text; a byte order mark at the start of the
  // document would be lost.
  std::vector<Event> joined;
  for (const Event& event : events) {
    const bool text = event.kind == XmlEvent::kText;
    if (text && !joined.empty() && joined.back().kind == XmlEvent::kText) {
      joined.back().text += event.text;
    } else {
      joined.push_back(event);
    }
  }
  if (document.starts_with("\xEF\xBB\xBF")) return;
  require(events_of(document) == joined);
}

void check_sizes(const FeedPage& page, std::size_t size) {
  std::size_t own = 0;
  for (const FeedLink& link : page.links) {
    own += link.value.size() + link.tag.size() + link.rel.size() + link.type.size() +
           link.hreflang.size();
    require(link.text.size() <= 256 && link.base.size() <= 2048);
    require(link.lastmod.size() + link.changefreq.size() + link.priority.size() <= 192);
    require(link.offset <= size && !link.value.empty());
  }
  require(own <= 4 * size + 16 * page.links.size());
}

void check_sitemap(const FeedPage& page) {
  std::string document = "<urlset>";
  for (const FeedLink& link : page.links)
    document += "<url><loc>" + escaped(link.value) + "</loc></url>";
  document += "</urlset>";
  FeedPage again;
  require(read_feed(document, again) == FeedType::kSitemap);
  require(again.links.size() == page.links.size());
  for (std::size_t i = 0; i < page.links.size(); ++i) {
    require(again.links[i].value == page.links[i].value && again.links[i].tag == "url@loc");
  }
}

void check_lines(const FeedPage& page) {
  std::string text;
  for (const FeedLink& link : page.links) text += link.value + "\r\n";
  FeedPage again;
  read_text_sitemap(text, again);
  require(again.links.size() == page.links.size());
  for (std::size_t i = 0; i < page.links.size(); ++i)
    require(again.links[i].value == page.links[i].value);
}

void check_warc(std::string_view input) {
  WarcRecord record;
  if (!parse_warc_record(input, record)) return;
  require(record.block.size() <= input.size() && record.payload.size() <= record.block.size());
  const auto size = warc_record_size(input);
  require(size.has_value());
  if (!record.complete || record.block.empty()) return;
  require(*size <= input.size());
  WarcRecord cut;
  require(parse_warc_record(input.substr(0, *size - 1), cut) && !cut.complete);
  require(cut.type == record.type && cut.block == record.block.substr(0, record.block.size() - 1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  check_rewritten(events_of(input));
  FeedPage page;
  read_feed(input, page);
  check_sizes(page, size);
  check_sitemap(page);
  read_text_sitemap(input, page);
  check_sizes(page, size);
  check_lines(page);
  read_robots_sitemaps(input, page);
  check_sizes(page, size);
  check_warc(input);
  return 0;
}
