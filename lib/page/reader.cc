// SPDX-License-Identifier: Apache-2.0
#include "page/reader.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/number.h"
#include "page/headers.h"
#include "page/json_links.h"
#include "robots/text.h"

namespace spinneret::page {
namespace {

// A buffer is kept for the next page, but not at the size of the largest.
constexpr std::size_t kKeepAtMost = std::size_t{4} << 20;
constexpr std::string_view kNotRead = "type not read";

html::LinkKind kind_of(feed::FeedLinkKind kind) {
  switch (kind) {
    case feed::FeedLinkKind::kResource: return html::LinkKind::kResource;
    case feed::FeedLinkKind::kMeta: return html::LinkKind::kMetadata;
    case feed::FeedLinkKind::kPage: return html::LinkKind::kPage;
    default: return html::LinkKind::kFeed;
  }
}

// Fills in the members that links of documents and of feeds have in common.
template <typename Found>
PageLink out_link(const Found& link, std::string_view element, std::string_view attribute) {
  PageLink out;
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

PageLink out_link(const feed::FeedLink& link) {
  std::string_view attribute = link.tag;
  const std::string_view element = cut(attribute, '@');
  return out_link(link, element, attribute);
}

// sitemaps.org allows an index in robots.txt, but no index in an index. Two more levels are
// tolerated; without a bound, an index that names a new one each time would never end.
constexpr std::uint64_t kMostNested = 4;

// Browsers have no bound for sheets that import sheets; a server that names a new one each time
// would never end.
constexpr std::uint64_t kMostNestedParts = 8;

// The kinds of a page's requisites, by what is read of them.
enum class Part : std::uint8_t {
  kNone,   // no requisite, or one that is HTML: a page like others, even if embedded
  kSheet,  // a style sheet: what it names is also shown by the page
  kOther,  // an image or script, whose links are not followed
};

Part part_of(const Record& record, const Url& url) {
  if (record.raw("purpose") != kRequisite) return Part::kNone;
  const std::string type =
      to_lower_copy(record.has("type") ? record.raw("type") : type_of_name(url.path()));
  if (type.starts_with("text/html") || type.starts_with("application/xhtml")) return Part::kNone;
  return type.starts_with("text/css") ? Part::kSheet : Part::kOther;
}

// Whether the link leads to a style sheet, whose own links are part of the page.
bool leads_to_sheet(const PageLink& link) {
  return link.attribute == "import" ||
         (link.element == "link" && html::has_rel_token(link.rel, "stylesheet"));
}

}  // namespace

// --- HTML, CSS, text ---

void PageReader::give(const html::Link& link, const QueryEncoder* encoder) {
  PageLink out = out_link(link, link.element, link.attribute);
  out.method = link.method;
  out.text_from = html::to_string(link.text_from);
  out.context = content_ != nullptr ? std::string_view("content") : html::to_string(link.context);
  if (content_ != nullptr) out.offset = content_->offset;
  if (options_.requisites && is_shown(link)) out.purpose = kRequisite;
  if (options_.followed && leaves_out(out, options_.followed->wants(link), encoder)) return;
  const bool is_part = out.purpose == kRequisite;
  // A requisite that shows nothing more ends the chain by itself.
  if (is_part && nested_ >= kMostNestedParts && out.attribute != "url") return;
  const std::string nested = is_part && nested_ != 0 ? std::to_string(nested_ + 1) : std::string();
  out.nested = nested;
  taker_->take(out, base_, encoder);
}

// Where links are checked, a style sheet of the page's own host is read, because what it names may
// be dead, too.
bool PageReader::is_own_sheet(const PageLink& link, const QueryEncoder* encoder) const {
  Url found;
  return follows() && leads_to_sheet(link) && resolve(link.value, base_, found, nullptr, encoder) &&
         found.is_http() && found.host() == facts_.url.host();
}

// A frame is part of what the page shows, like an image. Where links are checked it is a page of
// its own site instead: a page is not responsible for the links in its frames.
bool PageReader::is_shown(const html::Link& link) const {
  if (link.kind == html::LinkKind::kResource) return true;
  return !options_.followed && link.kind == html::LinkKind::kPage &&
         (link.element == "iframe" || link.element == "frame" || link.element == "fencedframe");
}

// A link that is not followed is checked, or left out.
bool PageReader::leaves_out(PageLink& link, bool wanted, const QueryEncoder* encoder) const {
  if (wanted && follows()) return false;
  link.purpose = is_own_sheet(link, encoder) ? kRequisite : kCheck;
  return !is_checkable(link.element, link.rel, link.method);
}

void PageReader::take(const html::Page& page) {
  // Facts in an entry's content are not about the feed.
  if (!facts_taken_ && content_ == nullptr) take_facts(page);
  if (!gives()) return;
  const QueryEncoder* const encoder = page.charset.encoding->query_encoder();
  for (const html::Link& link : page.links) give(link, encoder);
}

void PageReader::take_facts(const html::Page& page) {
  facts_taken_ = true;
  facts_.charset = page.charset;
  for (const html::Meta& meta : page.metas) {
    if (meta.is_header) {
      facts_.directives.add_header(meta.content);
    } else {
      facts_.directives.add_meta(meta.name, meta.content);
    }
  }
  find_base(facts_.url, page.has_base, page.base, base_);
  if (page.has_canonical) {
    note_canonical(page.canonical, base_, page.charset.encoding->query_encoder(), facts_);
  }
  if (options_.about) add_about(page);
  taker_->document(page.source, page.charset.encoding->ascii_compatible() ? page.charset.bom : 0);
}

void PageReader::add_about(const html::Page& page) {
  facts_.title = page.title;
  facts_.lang = page.lang;
  for (const html::Meta& meta : page.metas) {
    if (!equals_ignore_case(meta.name, "description")) continue;
    facts_.description = meta.content;
    break;
  }
}

void PageReader::read_text(std::string_view body, std::string_view charset, bool sitemap) {
  if (sitemap) {
    is_list_ =
        feed::read_text_sitemap(recoded(body, html::find_xml_charset(body, charset)), feed_, this);
  } else if (options_.extract.plain_text) {
    extractor_.extract_text(body, charset, this);
  } else {
    facts_.unread = "type not read: --guess=text looks in it";
  }
}

// --- scripts, JSON ---

void PageReader::read_strings(std::string_view body, std::string_view charset,
                              html::LinkExtractor::Strings what) {
  const bool asked = what == html::LinkExtractor::Strings::kJsonLd || options_.extract.scripts;
  if (asked) {
    extractor_.extract_strings(body, charset, what, this);
  } else {
    facts_.unread = "type not read: --guess=scripts looks in it";
  }
}

void PageReader::read_json(std::string_view body, std::string_view type, std::string_view charset) {
  using enum html::LinkExtractor::Strings;
  const std::string known = to_lower_copy(trim(type.substr(0, type.find(';'))));
  const JsonShape shape = json_shape(known, facts_.url.path(), body);
  if (shape == JsonShape::kOther) {
    return read_strings(body, charset, known == "application/ld+json" ? kJsonLd : kJson);
  }
  body = recoded(body, html::find_xml_charset(body, charset));  // UTF-8 by default, as in XML
  is_list_ = true;
  page::read_json(body, shape, feed_, this);
  if (options_.about) facts_.title = feed_.title;
}

// --- feeds and sitemaps ---

// An index is read for the sake of its sitemaps; a robots.txt is not.
bool PageReader::wants(const html::LinkSelection& selection, const feed::FeedLink& link,
                       const PageLink& out) {
  html::Link known = link_of(out, kind_of(link.kind));
  if (selection.wants(known)) return true;
  if (link.kind != feed::FeedLinkKind::kSitemap || known.element == "robots") return false;
  known.kind = html::LinkKind::kPage;
  return selection.wants(known);
}

void PageReader::set_base(const feed::FeedLink& link) {
  if (link.base.empty() || !resolve(link.base, facts_.url, base_)) base_ = facts_.url;
}

void PageReader::read_content(const feed::FeedLink& content) {
  set_base(content);
  content_ = &content;
  extractor_.extract(content.value, "utf-8", this);
  content_ = nullptr;
}

void PageReader::give(const feed::FeedLink& link) {
  if (link.kind == feed::FeedLinkKind::kContent) return read_content(link);
  PageLink out = out_link(link);
  if (!wants(options_.extract.selection, link, out)) return;
  set_base(link);
  Url found;
  const bool index = link.kind == feed::FeedLinkKind::kSitemap;
  if (index && nested_ >= kMostNested) return;
  // An index that names itself would never end.
  if (index && resolve(link.value, base_, found) && found.href() == facts_.url.href()) return;
  out.lastmod = link.lastmod;
  out.changefreq = link.changefreq;
  out.priority = link.priority;
  if (index) out.purpose = "sitemap";
  const std::string nested = index && nested_ != 0 ? std::to_string(nested_ + 1) : std::string();
  out.nested = nested;
  if (options_.followed && leaves_out(out, wants(*options_.followed, link, out), nullptr)) return;
  taker_->take(out, base_, nullptr);
}

void PageReader::take(const feed::FeedPage& page) {
  if (!gives()) return;
  for (const feed::FeedLink& link : page.links) give(link);
}

// Returns the body in UTF-8, and gives it to the taker as the document.
std::string_view PageReader::recoded(std::string_view body, const html::Charset& charset) {
  if (transcoded_.capacity() > kKeepAtMost) std::string().swap(transcoded_);
  body.remove_prefix(charset.bom);
  if (charset.encoding->is_utf8()) {
    taker_->document(body, charset.bom);
    return body;
  }
  transcoded_.clear();
  charset.encoding->decode(body, transcoded_);
  taker_->document(transcoded_, 0);
  return transcoded_;
}

void PageReader::read_feed(std::string_view body, std::string_view label, bool sitemap) {
  body = recoded(body, html::find_xml_charset(body, label));
  const feed::FeedType type = feed::read_feed(body, feed_, this, facts_.url.href(), sitemap);
  is_list_ = type != feed::FeedType::kXml && type != feed::FeedType::kNone;
  if (!is_list_) facts_.unread = kNotRead;
  if (type == feed::FeedType::kSitemapIndex && nested_ >= kMostNested)
    taker_->trouble("a sitemap index within indexes: what it names is not read");
  if (options_.about) facts_.title = feed_.title;
}

// --- all ---

void PageReader::take_ids() {
  facts_.has_ids = options_.extract.ids;
  facts_.ids = extractor_.ids();
}

void PageReader::begin(const Url& url, PageTaker& taker) {
  taker_ = &taker;
  facts_.url = url;
  facts_.directives.clear();
  facts_.charset = {};
  facts_.has_ids = ids_alone_ = false;
  nested_ = 0;
  facts_.ids = {};
  for (std::string* const fact :
       {&facts_.canonical, &facts_.title, &facts_.lang, &facts_.description, &facts_.unread}) {
    fact->clear();
  }
}

void PageReader::read_body(std::string_view body, std::string_view type, std::string_view charset,
                           bool sitemap) {
  bool broken = false;
  body = unpacker_.open(body, broken);
  if (broken) taker_->trouble("gzip body is broken or over 64 MiB: read as far as it goes");
  base_ = facts_.url;
  facts_taken_ = is_list_ = is_page_ = false;
  if (type.empty()) type = type_of_name(facts_.url.path());
  switch (content_of(type, charset, sitemap, body)) {
    case Content::kHtml:
      is_page_ = true;
      is_xml_type(type) ? extractor_.extract_xml(body, charset, this)
                        : extractor_.extract(body, charset, this);
      take_ids();
      break;
    case Content::kSvg:
      extractor_.extract_xml(body, charset, this);
      take_ids();
      break;
    case Content::kScript:
      read_strings(body, charset, html::LinkExtractor::Strings::kScript);
      break;
    case Content::kJson: read_json(body, type, charset); break;
    case Content::kCss: extractor_.extract_css(body, charset, this); break;
    case Content::kXml: read_feed(body, charset, sitemap); break;
    case Content::kText: read_text(body, charset, sitemap); break;
    case Content::kNone: facts_.unread = kNotRead; break;
  }
}

const PageFacts& PageReader::read_document(const Url& url, std::string_view body,
                                           std::string_view type, std::string_view charset,
                                           bool sitemap, PageTaker& taker) {
  begin(url, taker);
  read_body(body, type, charset, sitemap);
  return facts_;
}

// Reads the sitemaps of a robots.txt, whose bytes are converted to text as for its rules.
void PageReader::read_robots(std::string_view body) {
  bool broken = false;
  body = unpacker_.open(body, broken);
  feed::read_robots_sitemaps(robots::robots_text(body, body.size(), transcoded_), feed_, this);
}

const PageFacts& PageReader::read(const Record& record, const Url& url, std::string_view body,
                                  PageTaker& taker) {
  begin(url, taker);
  // Header fields name other addresses of this page, and hints. Only links that are followed are
  // given.
  const html::LinkSelection& selection =
      options_.followed ? *options_.followed : options_.extract.selection;
  ids_alone_ = is_checked(record.raw("purpose"));
  const bool sitemap = record.raw("purpose") == "sitemap";
  if (sitemap || record.raw("purpose") == kRequisite)
    nested_ = std::max<std::uint64_t>(parse_unsigned(record.raw("nested")).value_or(1), 1);
  take_redirect(record, facts_.url, selection, taker);
  if (record.raw("purpose") == "robots") {
    read_robots(body);
    return facts_;
  }
  const Part part = part_of(record, url);
  if (!holds_page(record.raw("outcome")) || part == Part::kOther) return facts_;
  read_header_directives(record, facts_.directives);
  if (!body.empty()) {
    std::string type;
    std::string charset;
    append_unescaped(type, record.raw("type"));
    append_unescaped(charset, record.raw("charset"));
    read_body(body, type, charset, sitemap);
  }
  // If nobody named the sitemap, a page in its place most likely says that there is none.
  const bool told = !is_page_ || record.raw("nested") != "0";
  if (sitemap && (body.empty() ? record.raw("size") == "0" : !is_list_ && told)) {
    // A sitemap may hold the URLs of a whole site.
    taker.trouble(body.empty() ? "a sitemap without a byte"
                               : "asked for as a sitemap, but is not one: no page is listed there");
  }
  if (part == Part::kSheet) return facts_;
  const bool gives_them = follows() && !ids_alone_;
  take_header_links(record, selection, gives_them, options_.requisites, facts_, taker);
  return facts_;
}

bool holds_page(std::string_view outcome) {
  return outcome == "ok" || outcome == "noindex" || outcome == "non-canonical";
}

}  // namespace spinneret::page
