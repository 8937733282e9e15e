// SPDX-License-Identifier: Apache-2.0
// Links in what is no markup of the document itself: styles, scripts, comments, documents within, plain text.
#include <algorithm>
#include <functional>

#include "base/ascii.h"
#include "html/css.h"
#include "html/entity.h"
#include "html/extractor.h"
#include "html/guess.h"

namespace spinneret::html {
namespace {

bool is_type(std::string_view type, std::string_view wanted) {
  return equals_ignore_case(trim(type.substr(0, type.find(';'))), wanted);
}

}  // namespace

// The links of a document within, as links of the one around it.
class NestedTaker : public LinkTaker {
 public:
  NestedTaker(LinkExtractor& outer, std::size_t offset, LinkContext context)
      : outer_(outer), offset_(offset), context_(context), mark_(outer.arena_.mark()) {}
  void take(const Page& page) override {
    for (Link inner : page.links) {
      if (!outer_.make_room(mark_)) return;
      for (std::string_view Link::*const field : kLinkTexts)
        inner.*field = outer_.arena_.keep(inner.*field);
      inner.offset = offset_;
      inner.context = context_;
      outer_.page_.links.push_back(inner);
    }
  }

 private:
  LinkExtractor& outer_;
  std::size_t offset_;
  LinkContext context_;
  TextArena::Mark mark_;
};

void LinkExtractor::begin_raw_text(const Token& token, const Placement& place) {
  raw_text_ = RawText::kNone;
  const LinkSelection& selection = options_.selection;
  if (place.element == Element::kTitle) {
    if (page_.title.empty() && !tree_.in_template()) raw_text_ = RawText::kTitle;
  } else if (place.element == Element::kStyle) {
    if (selection.may_want("style", "url", LinkKind::kResource) ||
        selection.may_want("style", "import", LinkKind::kResource)) {
      raw_text_ = RawText::kStyle;
    }
  } else if (place.element == Element::kScript) {
    const Attribute* const attribute = token.find("type");
    const std::string_view type = attribute == nullptr ? std::string_view() : attribute->value;
    if (is_type(type, "application/ld+json")) {
      if (selection.may_want("script", "json-ld", LinkKind::kMetadata))
        raw_text_ = RawText::kJsonLd;
    } else if (is_type(type, "importmap")) {
      if (selection.may_want("script", "importmap", LinkKind::kResource))
        raw_text_ = RawText::kImportMap;
    } else if (is_type(type, "speculationrules")) {
      if (selection.may_want("script", "speculationrules", LinkKind::kPage)) {
        raw_text_ = RawText::kSpeculation;
      }
    } else if (options_.scripts) {
      raw_text_ = RawText::kScript;
    }
  }
}

void LinkExtractor::on_raw_text(const Token& token) {
  const bool title = raw_text_ == RawText::kTitle;
  read_raw_text(title ? decoded_text(token.text) : decoded_high(token.text), token.begin);
}

void LinkExtractor::read_raw_text(std::string_view text, std::size_t offset) {
  if (raw_text_ == RawText::kTitle) {
    std::string title;
    AnchorText::append_folded(title, text);
    page_.title = arena_.keep(title);
    return;
  }
  Link link;
  link.offset = offset;
  link.context = present_context();
  if (raw_text_ == RawText::kStyle) {
    link.element = "style";
    add_css(link, text, false);
  } else {
    link.element = "script";
    add_strings(link, text);
  }
}

// Where `inner` begins in the page: of what had to be decoded, where the text around it does.
std::size_t LinkExtractor::offset_of(std::string_view inner, std::size_t around) const {
  const std::less_equal<const char*> before;
  const std::string_view source = page_.source;
  const bool within =
      before(source.data(), inner.data()) && before(inner.data(), source.data() + source.size());
  return within ? static_cast<std::size_t>(inner.data() - source.data()) : around;
}

void LinkExtractor::add_css(Link link, std::string_view sheet, bool is_attribute) {
  CssUrls urls(sheet);
  std::string url;
  CssUrls::Kind kind = CssUrls::Kind::kUrl;
  link.kind = LinkKind::kResource;
  const std::size_t around = link.offset;
  const TextArena::Mark mark = arena_.mark();
  while (make_room(mark) && urls.next(url, kind)) {
    link.value = arena_.keep(url);
    if (!is_attribute) {
      link.attribute = kind == CssUrls::Kind::kImport ? "import" : "url";
      link.offset = offset_of(sheet.substr(urls.offset()), around);
    }
    push(link);
  }
}

// JSON of a known shape, or a script.
void LinkExtractor::add_strings(Link link, std::string_view source) {
  const bool script = raw_text_ == RawText::kScript;
  const bool handler = !link.attribute.empty();  // which names itself
  QuotedStrings strings(source,
                        script ? QuotedStrings::Language::kScript : QuotedStrings::Language::kJson);
  std::string text;
  std::string key;
  const TextArena::Mark mark = arena_.mark();
  while (make_room(mark) && strings.next(text, key)) {
    bool wanted = false;
    switch (raw_text_) {
      case RawText::kJsonLd:
        wanted = is_json_ld_url(key, text);
        link.kind = LinkKind::kMetadata;
        link.attribute = "json-ld";
        break;
      case RawText::kImportMap:
        wanted = is_import_address(text);
        link.kind = LinkKind::kResource;
        link.attribute = "importmap";
        break;
      case RawText::kSpeculation:
        wanted = key == "urls";
        link.kind = LinkKind::kPage;
        link.attribute = "speculationrules";
        break;
      default:
        wanted = looks_like_url(text);
        link.kind = LinkKind::kGuess;
        if (!handler) link.attribute = "string";
        break;
    }
    if (!wanted) continue;
    link.value = arena_.keep(text);
    push(link);
  }
}

void LinkExtractor::add_text_urls(std::size_t offset, std::string_view text) {
  Link link;
  link.element = "text";
  link.kind = LinkKind::kGuess;
  link.context = present_context();
  std::string_view url;
  const TextArena::Mark mark = arena_.mark();
  while (make_room(mark) && next_text_url(text, url)) {
    link.offset = offset_of(url, offset);
    link.value = url.starts_with("www.") ? arena_.keep("http://" + std::string(url)) : url;
    push(link);
  }
}

// --- documents within ---

// The content of <iframe srcdoc>, against the same base.
void LinkExtractor::add_srcdoc(const Link& link) {
  add_nested(link.value, "utf-8", link.offset, LinkContext::kSrcdoc);
}

// <?xml-stylesheet href="..."?>, which HTML takes for a comment and XHTML does not.
void LinkExtractor::add_stylesheet_instruction(const Token& token) {
  const std::size_t at = token.text.find("href=");
  if (at == std::string_view::npos || at + 6 > token.text.size()) return;
  const std::string_view rest = token.text.substr(at + 5);
  if (rest.front() != '"' && rest.front() != '\'') return;
  Link link;
  link.element = "xml-stylesheet";
  link.attribute = "href";
  link.value = decoded(rest.substr(1, rest.find(rest.front(), 1) - 1));
  link.offset = token.begin;
  link.kind = LinkKind::kResource;
  push(link);
}

// <!--[if IE]> ... <![endif]-->
void LinkExtractor::on_comment(const Token& token) {
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

void LinkExtractor::add_nested(std::string_view document, std::string_view charset,
                               std::size_t offset, LinkContext context) {
  if (depth_ >= kMaxSrcdocDepth || document.empty()) return;
  if (!nested_) {
    ExtractOptions options = options_;
    options.ids = false;  // no fragment of this document reaches into that one
    nested_.reset(new LinkExtractor(std::move(options), depth_ + 1));
  }
  NestedTaker taker(*this, offset, context);
  nested_->extract(document, charset, &taker);
}

// --- what is no HTML at all ---

const Page& LinkExtractor::extract_css(std::string_view sheet, std::string_view http_charset,
                                       LinkTaker* taker) {
  begin(taker);
  begin_page();
  // CSS Syntax, 3.2: a byte order mark, HTTP, an @charset at the very start, where UTF-16 means UTF-8.
  std::string_view label = http_charset;
  constexpr std::string_view kCharset = "@charset \"";
  if (find_encoding(label) == nullptr && sheet.starts_with(kCharset)) {
    label = sheet.substr(kCharset.size(), sheet.find('"', kCharset.size()) - kCharset.size());
    if (starts_with_ignore_case(trim(label), "utf-16")) label = "utf-8";
  }
  page_.charset = find_charset(sheet, label);
  sheet.remove_prefix(page_.charset.bom);
  if (!page_.charset.encoding->is_utf8()) sheet = transcoded(sheet);
  page_.charset.encoding = &utf8_encoding();  // what queries of a style sheet are encoded in
  page_.source = sheet;
  facts_known_ = true;  // it has none
  Link link;
  link.element = "css";
  add_css(link, sheet, false);
  return finish();
}

const Page& LinkExtractor::extract_strings(std::string_view source, std::string_view http_charset,
                                           Strings what, LinkTaker* taker) {
  begin(taker);
  begin_page();
  page_.charset = find_charset(source, http_charset);
  source.remove_prefix(page_.charset.bom);
  if (!page_.charset.encoding->is_utf8()) source = transcoded(source);
  page_.charset.encoding = &utf8_encoding();
  page_.source = source;
  facts_known_ = true;
  raw_text_ = what == Strings::kScript ? RawText::kScript
              : what == Strings::kJson ? RawText::kJson
                                       : RawText::kJsonLd;
  Link link;
  link.element = what == Strings::kScript ? "script" : "json";
  add_strings(link, source);
  return finish();
}

const Page& LinkExtractor::extract_text(std::string_view text, std::string_view http_charset,
                                        LinkTaker* taker) {
  begin(taker);
  begin_page();
  page_.charset = find_charset(text, http_charset);
  text.remove_prefix(page_.charset.bom);
  std::string_view utf8 = text;
  if (!page_.charset.encoding->is_utf8()) utf8 = transcoded(text);
  page_.charset.encoding = &utf8_encoding();
  page_.source = utf8;
  facts_known_ = true;
  add_text_urls(0, utf8);
  return finish();
}

}  // namespace spinneret::html
