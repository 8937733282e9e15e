// SPDX-License-Identifier: Apache-2.0
#include "html/embedded_links.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "html/css.h"
#include "html/extractor.h"
#include "html/guess.h"
#include "html/link_header.h"
#include "html/source.h"
#include "html/srcset.h"

namespace spinneret::html {
namespace {

bool is_type(std::string_view type, std::string_view wanted) {
  return equals_ignore_case(trim(type.substr(0, type.find(';'))), wanted);
}

}  // namespace

EmbeddedLinks::EmbeddedLinks(const ExtractOptions& options, Page& page, Values& values,
                             PageFacts& facts, LinkList& list, int depth)
    : options_(options), page_(page), values_(values), facts_(facts), list_(list), depth_(depth) {}

EmbeddedLinks::~EmbeddedLinks() = default;

// --- values with several URLs ---

void EmbeddedLinks::add_list(Link& link, std::string_view separators) {
  std::string_view rest = link.value;
  const TextArena::Mark mark = values_.arena().mark();
  while (!rest.empty() && list_.make_room(mark)) {
    const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
    link.value = trim(rest.substr(0, end));
    if (!link.value.empty()) list_.push(link);
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
}

void EmbeddedLinks::add_srcset(Link& link) {
  std::string_view rest = link.value;
  std::string_view descriptor;
  const TextArena::Mark mark = values_.arena().mark();
  while (list_.make_room(mark) && next_srcset_candidate(rest, link.value, descriptor))
    list_.push(link);
}

void EmbeddedLinks::add_link_header(Link link, std::string_view content) {
  HeaderLink found;
  const TextArena::Mark mark = values_.arena().mark();
  while (list_.make_room(mark) && next_header_link(content, found)) {
    link.value = values_.keep(found.target);
    link.rel = values_.keep(found.rel);
    link.type = values_.keep(found.type);
    link.hreflang = values_.keep(found.hreflang);
    link.kind = link_kind(link.rel, link.type);
    list_.push(link);
  }
}

// --- texts that are read as they stand ---

void EmbeddedLinks::begin_raw_text(const Token& token, const Placement& place, bool in_template) {
  raw_text_ = raw_text_of(token, place.element);
  if (reads_title() && (facts_.has_title() || in_template)) end_raw_text();
}

EmbeddedLinks::RawText EmbeddedLinks::raw_text_of(const Token& token, Element element) {
  const LinkSelection& selection = options_.selection;
  if (element == Element::kTitle) return RawText::kTitle;
  if (element == Element::kStyle) {
    const bool wanted = selection.may_want("style", "url", LinkKind::kResource) ||
                        selection.may_want("style", "import", LinkKind::kResource);
    return wanted ? RawText::kStyle : RawText::kNone;
  }
  if (element != Element::kScript) return RawText::kNone;
  const Attribute* const attribute = token.find("type");
  const std::string_view type = attribute == nullptr ? std::string_view() : attribute->value;
  return script_strings(type) ? RawText::kStrings : RawText::kNone;
}

// Whether a script of this type is wanted, and how its strings are searched.
bool EmbeddedLinks::script_strings(std::string_view type) {
  const LinkSelection& selection = options_.selection;
  if (is_type(type, "application/ld+json")) {
    strings_ = Strings::kJsonLd;
    return selection.may_want("script", "json-ld", LinkKind::kMetadata);
  }
  if (is_type(type, "importmap")) {
    strings_ = Strings::kImportMap;
    return selection.may_want("script", "importmap", LinkKind::kResource);
  }
  if (is_type(type, "speculationrules")) {
    strings_ = Strings::kSpeculation;
    return selection.may_want("script", "speculationrules", LinkKind::kPage);
  }
  strings_ = Strings::kScript;
  return options_.scripts;
}

void EmbeddedLinks::read_raw_text(std::string_view text, const Link& at) {
  if (reads_title()) return facts_.set_title(text);
  Link link = at;
  link.element = raw_text_ == RawText::kStyle ? "style" : "script";
  raw_text_ == RawText::kStyle ? add_sheet(link, text) : add_strings(link, text, strings_);
}

// --- style sheets ---

// Returns where `inner` begins in the page. If it is text that had to be decoded, that is where the
// text around it begins.
std::size_t EmbeddedLinks::offset_of(std::string_view inner, std::size_t around) const {
  const std::less_equal<const char*> before;
  const std::string_view source = page_.source;
  const bool within =
      before(source.data(), inner.data()) && before(inner.data(), source.data() + source.size());
  return within ? static_cast<std::size_t>(inner.data() - source.data()) : around;
}

void EmbeddedLinks::add_sheet(const Link& link, std::string_view sheet) {
  add_css(link, sheet, false);
}

void EmbeddedLinks::add_declarations(const Link& link, std::string_view declarations) {
  add_css(link, declarations, true);
}

void EmbeddedLinks::add_css(Link link, std::string_view sheet, bool is_attribute) {
  CssUrls urls(sheet);
  std::string url;
  CssUrls::Kind kind = CssUrls::Kind::kUrl;
  link.kind = LinkKind::kResource;
  const std::size_t around = link.offset;
  const TextArena::Mark mark = values_.arena().mark();
  // CSS Values 4, 4.5.1: a fragment alone means the document that the sheet styles, which is
  // unknown where the sheet is a document by itself.
  const bool has_document = link.element != "css";
  while (list_.make_room(mark) && urls.next(url, kind)) {
    if (!has_document && url.starts_with('#')) continue;
    link.value = values_.keep(url);
    if (!is_attribute) {
      link.attribute = kind == CssUrls::Kind::kImport ? "import" : "url";
      link.offset = offset_of(sheet.substr(urls.offset()), around);
    }
    list_.push(link);
  }
}

// --- JSON of a known shape, or a script ---

void EmbeddedLinks::add_handler(const Link& link, std::string_view script) {
  add_strings(link, script, Strings::kScript);
}

// Whether a string is a link; sets the link's kind and attribute.
bool EmbeddedLinks::is_wanted(Link& link, std::string_view key, std::string_view text,
                              Strings what) const {
  switch (what) {
    case Strings::kJsonLd:
      link.kind = LinkKind::kMetadata;
      link.attribute = "json-ld";
      return is_json_ld_url(key, text);
    case Strings::kImportMap:
      link.kind = LinkKind::kResource;
      link.attribute = "importmap";
      return is_import_address(text);
    case Strings::kSpeculation:
      link.kind = LinkKind::kPage;
      link.attribute = "speculationrules";
      return key == "urls";
    default: link.kind = LinkKind::kGuess; return looks_like_url(text);
  }
}

void EmbeddedLinks::add_strings(Link link, std::string_view source, Strings what) {
  if (link.attribute.empty()) link.attribute = "string";  // otherwise it is a handler, and named
  QuotedStrings strings(source, what == Strings::kScript ? QuotedStrings::Language::kScript
                                                         : QuotedStrings::Language::kJson);
  std::string text;
  std::string key;
  const TextArena::Mark mark = values_.arena().mark();
  while (list_.make_room(mark) && strings.next(text, key)) {
    if (!is_wanted(link, key, text, what)) continue;
    link.value = values_.keep(text);
    list_.push(link);
  }
}

void EmbeddedLinks::add_text_urls(std::size_t offset, std::string_view text, LinkContext context) {
  Link link;
  link.element = "text";
  link.kind = LinkKind::kGuess;
  link.context = context;
  std::string_view url;
  const TextArena::Mark mark = values_.arena().mark();
  while (list_.make_room(mark) && next_text_url(text, url)) {
    link.offset = offset_of(url, offset);
    link.value = url.starts_with("www.") ? values_.keep("http://" + std::string(url)) : url;
    list_.push(link);
  }
}

// --- nested documents ---

// Receives the links of a nested document, and adds them as links of the document around it.
class EmbeddedLinks::NestedTaker : public LinkTaker {
 public:
  NestedTaker(EmbeddedLinks& outer, std::size_t offset, LinkContext context)
      : outer_(outer), offset_(offset), context_(context), mark_(outer.values_.arena().mark()) {}
  void take(const Page& page) override {
    for (Link inner : page.links) {
      if (!outer_.list_.make_room(mark_)) return;
      for (std::string_view Link::*const field : kLinkTexts)
        inner.*field = outer_.values_.keep(inner.*field);
      inner.offset = offset_;
      inner.context = context_;
      outer_.list_.push_surely(inner);
    }
  }

 private:
  EmbeddedLinks& outer_;
  std::size_t offset_;
  LinkContext context_;
  TextArena::Mark mark_;
};

// Reads the content of <iframe srcdoc>; its links have the same base.
void EmbeddedLinks::add_srcdoc(const Link& link) {
  add_nested(link.value, "utf-8", link.offset, LinkContext::kSrcdoc);
}

void EmbeddedLinks::add_stylesheet_instruction(const Token& token) {
  const std::size_t at = token.text.find("href=");
  if (at == std::string_view::npos || at + 6 > token.text.size()) return;
  const std::string_view rest = token.text.substr(at + 5);
  if (rest.front() != '"' && rest.front() != '\'') return;
  Link link;
  link.element = "xml-stylesheet";
  link.attribute = "href";
  link.value = values_.attribute(rest.substr(1, rest.find(rest.front(), 1) - 1));
  link.offset = token.begin;
  link.kind = LinkKind::kResource;
  list_.push(link);
}

void EmbeddedLinks::on_comment(const Token& token) {
  if (token.text.starts_with("?xml-stylesheet")) add_stylesheet_instruction(token);
  if (!options_.comments) return;
  const std::string_view text = trim(token.text);
  if (!starts_with_ignore_case(text, "[if")) return;
  const std::size_t begin = text.find("]>");
  if (begin == std::string_view::npos) return;
  const std::string_view content = text.substr(begin + 2);
  add_nested(content.substr(0, content.rfind("<![")), page_.charset.encoding->name(), token.begin,
             LinkContext::kComment);
}

void EmbeddedLinks::add_nested(std::string_view document, std::string_view charset,
                               std::size_t offset, LinkContext context) {
  if (depth_ >= kMaxSrcdocDepth || document.empty()) return;
  if (!nested_) {
    ExtractOptions options = options_;
    options.ids = false;  // no fragment of this document reaches into the nested one
    nested_.reset(new LinkExtractor(std::move(options), depth_ + 1));
  }
  NestedTaker taker(*this, offset, context);
  nested_->extract(document, charset, &taker);
}

}  // namespace spinneret::html
