// SPDX-License-Identifier: Apache-2.0
#include "extract_content.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "body/reader.h"

namespace spinneret {
namespace {

// sitemaps.org allows 50 MiB. Ten megabytes, as fetch lets through, can be ten gigabytes: at 1 GiB such a page took
// 8 s and 2 GB of memory.
constexpr std::uint64_t kMaxUnpacked = std::uint64_t{64} << 20;
constexpr std::size_t kMaxBase = 2048;
// A buffer is kept for the next page, but not the size of the largest.
constexpr std::size_t kKeepAtMost = std::size_t{4} << 20;

void give_back(std::string& buffer) {
  if (buffer.capacity() > kKeepAtMost) std::string().swap(buffer);
}

enum class Content { kNone, kHtml, kCss, kXml, kText };

// What is XML in UTF-16 would say nothing, byte for byte.
feed::FeedType feed_type(std::string_view body, std::string_view charset_label) {
  constexpr std::size_t kHead = std::size_t{64} << 10;
  const html::Charset charset = html::find_xml_charset(body, charset_label);
  if (charset.encoding->ascii_compatible()) return feed::feed_type(body);
  std::string head;
  charset.encoding->decode(body.substr(charset.bom, kHead), head);
  return feed::feed_type(head);
}

// `sitemap`: it was asked for as one, so that text is a list of URLs.
Content content_of(std::string_view type, std::string_view charset, bool sitemap,
                   std::string_view body) {
  const std::string known = to_lower_copy(trim(type.substr(0, type.find(';'))));
  if (known == "text/html") return Content::kHtml;
  if (known == "text/css") return Content::kCss;
  const bool text = known == "text/plain";
  if (text && !sitemap) return Content::kText;
  const bool xml = known.find("xml") != std::string::npos;
  const bool unknown = known.empty() || known == "application/octet-stream" ||
                       known.find("gzip") != std::string::npos;
  if (!xml && !unknown && !text) return Content::kNone;
  switch (feed_type(body, charset)) {
    case feed::FeedType::kNone:
      return xml ? Content::kNone : sitemap ? Content::kText : Content::kHtml;
    case feed::FeedType::kHtml: return Content::kHtml;
    case feed::FeedType::kXml: return xml ? Content::kXml : Content::kHtml;
    default: return Content::kXml;
  }
}

html::LinkKind kind_of(feed::FeedLinkKind kind) {
  switch (kind) {
    case feed::FeedLinkKind::kResource: return html::LinkKind::kResource;
    case feed::FeedLinkKind::kMeta: return html::LinkKind::kMetadata;
    case feed::FeedLinkKind::kPage: return html::LinkKind::kPage;
    default: return html::LinkKind::kFeed;
  }
}

// What links of documents and of feeds have alike.
template <typename Found>
OutLink out_link(const Found& link, std::string_view element, std::string_view attribute) {
  OutLink out;
  out.value = link.value;
  out.element = element;
  out.attribute = attribute;
  out.rel = link.rel;
  out.hreflang = link.hreflang;
  out.type = link.type;
  out.text = link.text;
  out.offset = link.offset;
  out.has_offset = true;
  return out;
}

OutLink out_link(const feed::FeedLink& link) {
  std::string_view attribute = link.tag;
  const std::string_view element = cut(attribute, '@');
  return out_link(link, element, attribute);
}

}  // namespace

// --- HTML, CSS, text ---

void ContentReader::emit(const html::Link& link, const html::Charset& charset) {
  OutLink out = out_link(link, link.element, link.attribute);
  out.method = link.method;
  out.context = content_ != nullptr ? std::string_view("content") : html::to_string(link.context);
  if (content_ != nullptr) out.offset = content_->offset;
  writer_.write(out, base_, charset.encoding->query_encoder());
}

void ContentReader::take(const html::Page& page) {
  // What an entry's content says of itself says nothing of the feed.
  if (!facts_taken_ && content_ == nullptr) take_facts(page);
  if (!page_.follows()) return;
  for (const html::Link& link : page.links) emit(link, page.charset);
}

void ContentReader::take_facts(const html::Page& page) {
  facts_taken_ = true;
  for (const html::Meta& meta : page.metas) page_.directives.add_meta(meta.name, meta.content);
  // A base that is no URL, or whose scheme cannot be one's, leaves the document's own. So does one that would make
  // gigabytes of links out of kilobytes.
  if (!page.has_base || !resolve(page.base, page_.url, base_) || base_.scheme() == "data" ||
      base_.scheme() == "javascript" || base_.href().size() > kMaxBase) {
    base_ = page_.url;
  }
  if (page.has_canonical) {
    page_.note_canonical(page.canonical, base_, page.charset.encoding->query_encoder());
  }
  if (page_.settings.about) add_about(page);
  writer_.set_document(page.source,
                       page.charset.encoding->ascii_compatible() ? page.charset.bom : 0);
}

void ContentReader::add_about(const html::Page& page) {
  if (!page.title.empty()) page_.record.set("title", without_controls(page.title));
  if (!page.lang.empty()) page_.record.set("lang", without_controls(page.lang));
  for (const html::Meta& meta : page.metas) {
    if (!equals_ignore_case(meta.name, "description")) continue;
    page_.record.set("description", without_controls(meta.content));
    break;
  }
}

void ContentReader::read_html(std::string_view body, std::string_view charset) {
  extractor_.extract(body, charset, this);
}

void ContentReader::read_text(std::string_view body, std::string_view charset) {
  if (page_.record.raw("purpose") == "sitemap") {
    writer_.set_document(body, 0);
    feed::read_text_sitemap(body, feed_, this);
  } else if (page_.settings.extract.plain_text) {
    extractor_.extract_text(body, charset, this);
  }
}

// --- feeds and sitemaps ---

// The sitemaps of an index are what it is read for; a robots.txt is not read for its sitemaps.
bool ContentReader::wants(const feed::FeedLink& link, const OutLink& out) const {
  html::Link known = link_of(out, kind_of(link.kind));
  const html::LinkSelection& selection = page_.settings.extract.selection;
  if (selection.wants(known)) return true;
  if (link.kind != feed::FeedLinkKind::kSitemap || known.element == "robots") return false;
  known.kind = html::LinkKind::kPage;
  return selection.wants(known);
}

void ContentReader::set_base(const feed::FeedLink& link) {
  if (link.base.empty() || !resolve(link.base, page_.url, base_)) base_ = page_.url;
}

void ContentReader::read_content(const feed::FeedLink& content) {
  set_base(content);
  content_ = &content;
  extractor_.extract(content.value, "utf-8", this);
  content_ = nullptr;
}

void ContentReader::emit(const feed::FeedLink& link) {
  if (link.kind == feed::FeedLinkKind::kContent) return read_content(link);
  OutLink out = out_link(link);
  if (!wants(link, out)) return;
  set_base(link);
  Url found;
  const bool index = link.kind == feed::FeedLinkKind::kSitemap;
  // An index that names itself would never end.
  if (index && resolve(link.value, base_, found) && found.href() == page_.url.href()) return;
  out.lastmod = link.lastmod;
  out.changefreq = link.changefreq;
  out.priority = link.priority;
  if (index) out.purpose = "sitemap";
  writer_.write(out, base_, nullptr);
}

void ContentReader::take(const feed::FeedPage& page) {
  if (!page_.follows()) return;
  for (const feed::FeedLink& link : page.links) emit(link);
}

void ContentReader::read_feed(std::string_view body, std::string_view label) {
  const html::Charset charset = html::find_xml_charset(body, label);
  body.remove_prefix(charset.bom);
  if (charset.encoding->is_utf8()) {
    writer_.set_document(body, charset.bom);
  } else {
    transcoded_.clear();
    charset.encoding->decode(body, transcoded_);
    body = transcoded_;
    writer_.set_document(body, 0);
  }
  feed::read_feed(body, feed_, this, page_.url.href());
  if (page_.settings.about && !feed_.title.empty())
    page_.record.set("title", without_controls(feed_.title));
  give_back(transcoded_);
}

void ContentReader::read_robots(std::string_view body) {
  feed::read_robots_sitemaps(body, feed_, this);
}

// --- all ---

void ContentReader::read(std::string_view body, std::string_view type, std::string_view charset) {
  if (is_gzip(body)) {
    if (!gunzip(body, kMaxUnpacked, unpacked_)) {
      writer_.refuse("gzip body is broken or over 64 MiB: read as far as it goes",
                     page_.record.url());
    }
    body = unpacked_;
  }
  base_ = page_.url;
  facts_taken_ = false;
  const bool sitemap = page_.record.raw("purpose") == "sitemap";
  switch (content_of(type, charset, sitemap, body)) {
    case Content::kHtml: read_html(body, charset); break;
    case Content::kCss: extractor_.extract_css(body, charset, this); break;
    case Content::kXml: read_feed(body, charset); break;
    case Content::kText: read_text(body, charset); break;
    case Content::kNone: break;
  }
  give_back(unpacked_);
}

}  // namespace spinneret
