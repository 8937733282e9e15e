// SPDX-License-Identifier: Apache-2.0
#include "feed/feed_links.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/number.h"
#include "url/parse.h"

namespace spinneret::feed {
namespace {

constexpr std::size_t kMaxValue = std::size_t{64} << 10;  // for the characters of one element
constexpr std::size_t kMaxContent = kFeedBatchContent;    // for an element that is HTML
constexpr std::size_t kMaxBases = 64;
constexpr std::size_t kMaxTitle = 256;
// Bounds for what is copied into every link of an entry, or below an element: otherwise a few
// kilobytes, written once, would take memory many thousand times.
constexpr std::size_t kMaxNote = 64;  // a date, a frequency, a priority
constexpr std::size_t kMaxBase = 2048;

void assign_folded(std::string& out, std::string_view text) {
  out.clear();
  for (const char c : trim(text)) {
    if (out.size() >= kMaxTitle) return;
    if (!is_space(c)) {
      out += c;
    } else if (out.back() != ' ') {
      out += ' ';
    }
  }
}

void assign_note(std::string& out, std::string_view value) { out = value.substr(0, kMaxNote); }

// Keeps a number from 0 to 1, always with a point, by which a scheduler tells it from the whole
// numbers of its user.
void assign_share(std::string& out, std::string_view value) {
  const std::optional<double> share = parse_decimal(value);
  if (!share || !(*share >= 0 && *share <= 1)) return out.clear();
  assign_note(out, value);
  if (value.find('.') == std::string_view::npos) out += ".0";
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void FeedReader::read() {
  while (xml_.next() != XmlEvent::kEnd) {
    if (content_depth_ != 0 && content_begin_ == 0) content_begin_ = xml_.offset();
    switch (xml_.event()) {
      case XmlEvent::kOpen: open(); break;
      case XmlEvent::kClose: close(); break;
      case XmlEvent::kText:
        xml_.text(scratch_);
        value_.append(scratch_, 0, max_value() - std::min(max_value(), value_.size()));
        break;
      case XmlEvent::kInstruction:
        opened_ = xml_.offset();
        if (xml_.name() == "xml-stylesheet") add_attribute("href", FeedLinkKind::kResource);
        break;
      default: break;
    }
  }
  end_entry();
}

// --- xml:base ---

// A base inside another is resolved against that, and the outermost one against the document's URL.
void FeedReader::push_base() {
  if (bases_.size() >= kMaxBases || !xml_.attribute("xml:base", scratch_)) return;
  Url outer;
  Url inner;
  const bool known = parse(bases_.empty() ? url_ : std::string_view(bases_.back().url), outer);
  if (known && resolve(scratch_, outer, inner)) scratch_ = inner.href();
  if (scratch_.size() > kMaxBase) return;
  bases_.push_back({depth_, scratch_});
}

std::string_view FeedReader::base() const {
  return bases_.empty() ? std::string_view() : std::string_view(bases_.back().url);
}

// --- elements ---

bool FeedReader::is_own() const { return xml_.prefix() == own_prefix_; }

bool FeedReader::is_entry(std::string_view name) const {
  switch (page_.type) {
    case FeedType::kSitemap: return name == "url";
    case FeedType::kSitemapIndex: return name == "sitemap";
    case FeedType::kRss:
      return name == "item" || name == "channel" || (name == "image" && entry_ != "item");
    case FeedType::kAtom: return name == "entry" || name == "feed";
    default: return false;
  }
}

void FeedReader::begin_entry() {
  end_entry();
  entry_ = xml_.local_name();
}

// Gives the entry's title and date to its links.
void FeedReader::end_entry() {
  for (std::size_t i = entry_links_; i < page_.links.size(); ++i) {
    FeedLink& link = page_.links[i];
    if (page_.type == FeedType::kOpml) break;  // each outline has its own text
    if (link.kind != FeedLinkKind::kPage && link.kind != FeedLinkKind::kFeed &&
        link.kind != FeedLinkKind::kSitemap) {
      continue;
    }
    link.text = title_;
    link.lastmod = lastmod_;
    link.changefreq = changefreq_;
    link.priority = priority_;
  }
  item_image_depth_ = 0;
  if (page_.links.size() >= kFeedBatch || content_bytes_ >= kFeedBatchContent) give_links();
  entry_links_ = page_.links.size();
  entry_ = {};
  title_.clear();
  lastmod_.clear();
  changefreq_.clear();
  priority_.clear();
}

void FeedReader::give_links() {
  if (taker_ == nullptr) return;
  taker_->take(page_);
  page_.links.clear();
  entry_links_ = content_bytes_ = 0;
}

// --- content that is HTML ---

void FeedReader::open_content(std::string_view name) {
  if (content_depth_ != 0) return;
  bool markup = false;
  if (page_.type == FeedType::kAtom && (name == "content" || name == "summary")) {
    if (!xml_.attribute("type", scratch_)) return;
    markup = scratch_ == "xhtml";
    if (!markup && scratch_ != "html" && scratch_ != "text/html") return;
  } else if (page_.type != FeedType::kRss || entry_ != "item" ||
             !(name == "description" || (name == "encoded" && xml_.prefix() == "content"))) {
    return;
  }
  content_depth_ = depth_;
  content_opened_ = opened_;
  content_is_markup_ = markup;
  content_begin_ = 0;
}

void FeedReader::close_content() {
  if (content_depth_ == 0 || depth_ > content_depth_) return;
  std::string_view content = value_;
  if (content_is_markup_) {
    content =
        document_.substr(std::min(content_begin_, xml_.offset()), xml_.offset() - content_begin_);
  }
  content_depth_ = 0;
  opened_ = content_opened_;
  content = content.substr(0, kMaxContent);
  // Text without a tag has no link.
  if (content.find('<') == std::string_view::npos) return;
  content_bytes_ += content.size();
  add(content, xml_.name(), "content", FeedLinkKind::kContent);
}

void FeedReader::open() {
  ++depth_;
  opened_ = xml_.offset();
  push_base();
  value_.clear();
  if (content_depth_ != 0) return;  // inner markup: it is read as HTML at its end
  const std::string_view name = xml_.local_name();
  // The entries of rdf:RDF are elements of RSS, which has no prefix there.
  if (depth_ == 1 && name != "RDF") own_prefix_ = xml_.prefix();
  if (is_own() && is_entry(name)) begin_entry();
  switch (page_.type) {
    case FeedType::kSitemap:
    case FeedType::kSitemapIndex: return open_sitemap(name);
    case FeedType::kRss: return open_rss(name);
    case FeedType::kAtom: return open_atom(name);
    case FeedType::kOpml: return open_outline(name);
    default: return;
  }
}

std::size_t FeedReader::max_value() const { return content_depth_ != 0 ? kMaxContent : kMaxValue; }

void FeedReader::open_sitemap(std::string_view name) {
  // <xhtml:link rel="alternate" hreflang="de" href="...">
  if (name == "link") add_atom_link();
  // <video:restriction> and the like hold no URL; thumbnail_loc and others of its kind are read at
  // their end.
}

// OPML 2.0: a subscription names its feed and the page of that; another outline names a page, or an
// OPML file to be included.
void FeedReader::open_outline(std::string_view name) {
  if (name != "outline") return;
  // No link of this outline is given before it has its text.
  if (page_.links.size() + 3 > 2 * kFeedBatch) give_links();
  const std::size_t before = page_.links.size();
  add_attribute("xmlUrl", FeedLinkKind::kFeed);
  add_attribute("htmlUrl", FeedLinkKind::kPage);
  const bool include = xml_.attribute("type", scratch_) && scratch_ == "include";
  add_attribute("url", include ? FeedLinkKind::kFeed : FeedLinkKind::kPage);
  if (before >= page_.links.size()) return;
  if (!xml_.attribute("text", scratch_)) xml_.attribute("title", scratch_);
  for (std::size_t i = before; i < page_.links.size(); ++i)
    assign_folded(page_.links[i].text, scratch_);
}

// Adds the subject of a description, and what it refers to. These are not links of a page, but
// addresses all the same.
void FeedReader::add_rdf(std::string_view name) {
  if (depth_ == 1) rdf_ = name == "RDF";
  if (!rdf_) return;
  add_attribute("rdf:about", FeedLinkKind::kMeta);
  add_attribute("rdf:resource", FeedLinkKind::kMeta);
}

void FeedReader::open_rss(std::string_view name) {
  add_rdf(name);
  if (name == "guid") permalink_ = !xml_.attribute("isPermaLink", scratch_) || scratch_ != "false";
  if (name == "enclosure" || name == "content" || name == "thumbnail" || name == "player") {
    add_attribute("url", FeedLinkKind::kResource);
  }
  if (name == "source") add_attribute("url", FeedLinkKind::kFeed);
  if (name == "link" && xml_.prefix() != "") add_atom_link();  // atom:link
  if (name == "image" && xml_.prefix() == "itunes") add_attribute("href", FeedLinkKind::kResource);
  if (name == "image" && is_own() && entry_ == "item") item_image_depth_ = depth_;
  open_content(name);
}

void FeedReader::open_atom(std::string_view name) {
  if (name == "link") add_atom_link();
  if (name == "content") add_attribute("src", FeedLinkKind::kPage);
  open_content(name);
}

void FeedReader::close() {
  const std::string_view name = xml_.local_name();
  close_content();
  if (depth_ == item_image_depth_) item_image_depth_ = 0;
  if (content_depth_ == 0) add_value(name);
  if (is_own() && name == entry_) end_entry();
  value_.clear();
  while (!bases_.empty() && bases_.back().depth >= depth_) bases_.pop_back();
  if (depth_ > 0) --depth_;
}

// --- links ---

void FeedReader::add(std::string_view value, std::string_view element, std::string_view attribute,
                     FeedLinkKind kind) {
  value = trim(value);
  if (value.empty()) return;
  if (page_.links.size() >= 2 * kFeedBatch || content_bytes_ >= 4 * kFeedBatchContent) give_links();
  FeedLink& link = page_.links.emplace_back();
  link.value = value;
  link.tag = element;
  link.tag += '@';
  link.tag += attribute;
  link.kind = kind;
  link.base = base();
  link.offset = opened_;
}

void FeedReader::add_attribute(std::string_view attribute, FeedLinkKind kind) {
  std::string value;
  if (xml_.attribute(attribute, value)) add(value, xml_.name(), attribute, kind);
}

void FeedReader::add_atom_link() {
  std::string href;
  if (!xml_.attribute("href", href)) return;
  std::string rel;
  xml_.attribute("rel", rel);
  std::string type;
  xml_.attribute("type", type);
  FeedLinkKind kind = FeedLinkKind::kPage;
  if (rel == "enclosure" || rel == "icon" || rel == "stylesheet") {
    kind = FeedLinkKind::kResource;
  } else if (is_one_of(rel, {"self", "next", "previous", "first", "last", "prev-archive",
                             "next-archive", "current", "replies"})) {
    kind = FeedLinkKind::kFeed;
  } else if (is_one_of(rel, {"hub", "edit", "edit-media", "license", "search", "payment"})) {
    kind = FeedLinkKind::kMeta;
  } else if (type.find("rss") != std::string::npos || type.find("atom") != std::string::npos) {
    kind = FeedLinkKind::kFeed;
  }
  const std::size_t before = page_.links.size();
  add(href, xml_.name(), "href", kind);
  if (page_.links.size() == before) return;
  FeedLink& link = page_.links.back();
  link.rel = rel;
  link.type = type;
  xml_.attribute("hreflang", link.hreflang);
}

// Handles the end of an element whose characters have a meaning.
void FeedReader::add_value(std::string_view name) {
  const std::string_view value = trim(value_);
  if (item_image_depth_ != 0) {  // its title and link are not the item's
    if (name == "url") add(value, "image", name, FeedLinkKind::kResource);
    return;
  }
  const bool sitemap = page_.type == FeedType::kSitemap || page_.type == FeedType::kSitemapIndex;
  if (sitemap && name == "lastmod") assign_note(lastmod_, value);
  if (sitemap && name == "changefreq") assign_note(changefreq_, value);
  if (sitemap && name == "priority") assign_share(priority_, value);
  if (!sitemap && (name == "pubDate" || name == "updated" || name == "date"))
    assign_note(lastmod_, value);
  if (name == "title" && is_own() && !sitemap) {
    assign_folded(title_, value_);
    if (page_.title.empty()) page_.title = title_;
  }
  if (value.empty()) return;
  if (sitemap) {
    if (name == "loc" && is_own()) {
      const bool index = page_.type == FeedType::kSitemapIndex;
      add(value, entry_.empty() ? "url" : entry_, "loc",
          index ? FeedLinkKind::kSitemap : FeedLinkKind::kPage);
    } else if (name == "loc" || name.ends_with("_loc")) {
      add(value, xml_.prefix(), name, FeedLinkKind::kResource);
    }
    return;
  }
  const std::string_view owner = entry_.empty() ? std::string_view("feed") : entry_;
  if (page_.type == FeedType::kRss && is_own()) {
    if (name == "link" || name == "comments") add(value, owner, name, FeedLinkKind::kPage);
    if (name == "guid" && permalink_ && value.find("://") != std::string_view::npos) {
      add(value, owner, name, FeedLinkKind::kPage);
    }
    if (name == "url" && owner == "image") add(value, owner, name, FeedLinkKind::kResource);
  }
  if (page_.type == FeedType::kAtom && (name == "icon" || name == "logo")) {
    add(value, owner, name, FeedLinkKind::kResource);
  }
  if (page_.type == FeedType::kAtom && name == "uri")
    add(value, "author", name, FeedLinkKind::kPage);
}

}  // namespace spinneret::feed
