// SPDX-License-Identifier: Apache-2.0
// What the attributes of a start tag say: links, by the sources' table, and facts of the page.
#include <algorithm>
#include <bit>
#include <utility>

#include "base/ascii.h"
#include "html/extractor.h"
#include "html/link_header.h"
#include "html/srcset.h"

namespace spinneret::html {
namespace {

const std::size_t kAlt = find_source_attribute("alt");
const std::size_t kAriaLabel = find_source_attribute("aria-label");
const std::size_t kCharset = find_source_attribute("charset");
const std::size_t kContent = find_source_attribute("content");
const std::size_t kFormMethod = find_source_attribute("formmethod");
const std::size_t kHref = find_source_attribute("href");
const std::size_t kHreflang = find_source_attribute("hreflang");
const std::size_t kHttpEquiv = find_source_attribute("http-equiv");
const std::size_t kItemprop = find_source_attribute("itemprop");
const std::size_t kLang = find_source_attribute("lang");
const std::size_t kMethod = find_source_attribute("method");
const std::size_t kName = find_source_attribute("name");
const std::size_t kProperty = find_source_attribute("property");
const std::size_t kRel = find_source_attribute("rel");
const std::size_t kStyle = find_source_attribute("style");
const std::size_t kTitle = find_source_attribute("title");
const std::size_t kType = find_source_attribute("type");
const std::size_t kXlinkHref = find_source_attribute("xlink:href");

bool is_url_property(std::string_view name) {
  // Views, not literals: whose lengths would be counted anew for every meta element.
  constexpr std::string_view kPrefixes[] = {"og:image", "og:video", "og:audio", "twitter:image"};
  constexpr std::string_view kNames[] = {"og:url",
                                         "og:see_also",
                                         "twitter:url",
                                         "twitter:player",
                                         "twitter:player:stream",
                                         "al:web:url",
                                         "article:author",
                                         "article:publisher",
                                         "msapplication-tileimage",
                                         "msapplication-starturl",
                                         "thumbnail",
                                         "thumbnailurl",
                                         "contenturl",
                                         "embedurl"};
  for (const std::string_view prefix : kPrefixes) {
    if (!starts_with_ignore_case(name, prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    return rest.empty() || equals_ignore_case(rest, ":url") || equals_ignore_case(rest, ":src") ||
           equals_ignore_case(rest, ":secure_url") || (rest.size() == 1 && is_digit(rest[0]));
  }
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [name](std::string_view known) { return equals_ignore_case(name, known); });
}

}  // namespace

std::string_view LinkExtractor::value_of(std::size_t attribute) {
  return has_attribute(attribute) ? decoded(attribute_[attribute]->value) : std::string_view();
}

void LinkExtractor::note_attributes(const Token& token) {
  present_ = 0;
  for (const Attribute& attribute : token.attributes) {
    const std::size_t index = find_source_attribute(attribute.name, tokenizer_.input_end());
    if (index == 0 || has_attribute(index)) continue;  // the first of them counts
    present_ |= std::uint64_t{1} << index;
    attribute_[index] = &attribute;
  }
}

// HTML, 7.4.6.3, "find a potential indicated element": an element of that ID, or an a element of that name.
void LinkExtractor::note_id(const Token& token, const Placement& place) {
  if (tree_.in_template()) return;
  const bool is_anchor = place.element == Element::kA && place.name_space == Namespace::kHtml;
  bool seen[2] = {};
  for (const Attribute& attribute : token.attributes) {
    const bool is_id = equals_ignore_case(attribute.name, "id");
    if (!is_id && !(is_anchor && equals_ignore_case(attribute.name, "name"))) continue;
    if (std::exchange(seen[is_id ? 0 : 1], true)) continue;  // the first of them counts
    const std::string_view value = decoded(attribute.value);
    if (!value.empty()) ids_.append(value).push_back('\0');
  }
}

// Attributes of a second <html> or <body> count where the first had none of that name.
bool LinkExtractor::is_new_on_root(Element element, std::string_view attribute) {
  const std::pair<Element, std::string> key{element, to_lower_copy(attribute)};
  if (std::find(root_attributes_.begin(), root_attributes_.end(), key) != root_attributes_.end()) {
    return false;
  }
  root_attributes_.push_back(key);
  return true;
}

void LinkExtractor::visit(const Token& token, const Placement& place) {
  if (token.attributes.empty()) return;
  if (options_.ids) note_id(token, place);
  note_attributes(token);
  if (!options_.attributes.empty()) visit_custom(token);
  if (options_.scripts) visit_handlers(token);
  if (place.name_space == Namespace::kSvg) return visit_svg(token, place);
  if (place.name_space != Namespace::kHtml) return;
  if (place.element == Element::kBase) visit_base(place);
  if (place.element == Element::kMeta) visit_meta(token);
  if (place.element == Element::kHtml && page_.lang.empty()) page_.lang = value_of(kLang);
  const bool root = place.element == Element::kHtml || place.element == Element::kBody;
  for (std::uint64_t rest = present_; rest != 0; rest &= rest - 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(rest));
    for (const Wanted& wanted : by_attribute_[index]) {
      if (wanted.element != Element::kUnknown && wanted.element != place.element) continue;
      if (root && !is_new_on_root(place.element, attribute_[index]->name)) break;
      add(token, *attribute_[index], index, wanted);
      break;
    }
  }
}

// --- texts of anchors ---

void LinkExtractor::begin_text() {
  if (!options_.text) return;
  const auto raw = [this](std::size_t index) {
    return has_attribute(index) ? attribute_[index]->value : std::string_view();
  };
  anchor_.begin(page_.links.size() - 1, raw(kAriaLabel), raw(kTitle));
}

void LinkExtractor::end_text() {
  if (!anchor_.open()) return;
  Link& link = page_.links[anchor_.link()];
  link.text = arena_.keep(
      anchor_.finish(link.text_from, [this](std::string_view raw) { return decoded(raw); }));
  anchor_.close();
}

// An image within an anchor that has no words so far.
void LinkExtractor::note_image(const Token& token) {
  const Attribute* alt = token.find("alt");
  if (alt == nullptr || alt->value.empty()) alt = token.find("aria-label");
  const Attribute* const title = token.find("title");
  anchor_.add_image(alt == nullptr ? std::string_view() : decoded(alt->value),
                    title == nullptr ? std::string_view() : title->value);
}

// An area is an image link itself.
void LinkExtractor::set_area_text(Link& link) {
  AnchorText text;
  text.begin(0, value_of(kAriaLabel), value_of(kTitle));
  text.add_image(value_of(kAlt), {});
  link.text =
      arena_.keep(text.finish(link.text_from, [](std::string_view value) { return value; }));
}

LinkContext LinkExtractor::present_context() const {
  if (tree_.in_template()) return LinkContext::kTemplate;
  if (tree_.in_noscript()) return LinkContext::kNoscript;
  if (tree_.in_foreign_subtree()) return LinkContext::kForeign;
  return depth_ > 0 ? LinkContext::kSrcdoc : LinkContext::kNone;
}

void LinkExtractor::add(const Token& token, const Attribute& attribute, std::size_t index,
                        const Wanted& wanted) {
  Link link;
  link.element = element_name(token.element == Element::kImage ? Element::kImg : token.element);
  if (link.element.empty()) link.element = arena_.keep(to_lower_copy(token.name));
  link.attribute = source_attribute_name(index);
  link.value = decoded(attribute.value);
  link.offset = token.begin;
  link.kind = wanted.kind;
  link.context = present_context();
  switch (wanted.form) {
    case ValueForm::kMetaContent: return;  // visit_meta has it
    case ValueForm::kName:
      if (link.value.empty() || link.value.front() == '[' || link.value.starts_with("_:")) return;
      break;
    case ValueForm::kSpaceList: return add_list(link, " \t\n\r\f");
    case ValueForm::kCommaList: return add_list(link, ",");
    case ValueForm::kSrcset: return add_srcset(link);
    case ValueForm::kSrcdoc: return add_srcdoc(link);
    case ValueForm::kCss: return add_css(link, link.value, true);
    case ValueForm::kFormAction:
      link.method = value_of(attribute.name.size() > 6 ? kFormMethod : kMethod);
      if (equals_ignore_case(link.method, "post") || equals_ignore_case(link.method, "dialog")) {
        link.kind = LinkKind::kMetadata;
      } else {
        link.method = {};
      }
      break;
    case ValueForm::kLinkHref:
      link.rel = value_of(kRel);
      link.type = value_of(kType);
      link.hreflang = value_of(kHreflang);
      link.kind = link_kind(link.rel, link.type);
      if (!page_.has_canonical && has_rel_token(link.rel, "canonical") && !tree_.in_template()) {
        page_.has_canonical = true;
        page_.canonical = link.value;
      }
      break;
    default:
      if (token.element == Element::kA || token.element == Element::kArea) {
        link.rel = value_of(kRel);
        link.type = value_of(kType);
        link.hreflang = value_of(kHreflang);
        if (token.element == Element::kArea && options_.text) set_area_text(link);
      }
      break;
  }
  const std::size_t before = page_.links.size();
  if (wanted.surely) {
    page_.links.push_back(link);
  } else {
    push(link);
  }
  if (token.element != Element::kA || index != kHref) return;
  end_text();
  if (page_.links.size() > before) begin_text();
}

// href and xlink:href of SVG: "a" leads to a page, the others are part of this one.
void LinkExtractor::visit_svg(const Token& token, const Placement& place) {
  for (const std::size_t index : {kHref, kXlinkHref}) {
    if (!has_attribute(index)) continue;
    Link link;
    link.element = place.element == Element::kUnknown ? arena_.keep(to_lower_copy(token.name))
                                                      : element_name(place.element);
    link.attribute = source_attribute_name(index);
    link.value = value_of(index);
    link.offset = token.begin;
    link.kind = place.element == Element::kA ? LinkKind::kPage : LinkKind::kResource;
    link.context = present_context();
    end_text();
    const std::size_t before = page_.links.size();
    push(link);
    if (place.element == Element::kA && page_.links.size() > before) begin_text();
  }
  if (has_attribute(kStyle)) {
    for (const Wanted& wanted : by_attribute_[kStyle])
      add(token, *attribute_[kStyle], kStyle, wanted);
  }
}

void LinkExtractor::visit_custom(const Token& token) {
  for (const ExtractOptions::OwnAttribute& own : options_.attributes) {
    if (!own.element.empty() && !equals_ignore_case(token.name, own.element)) continue;
    const Attribute* const found = token.find(own.name);
    if (found == nullptr) continue;
    Link link;
    link.element = arena_.keep(to_lower_copy(token.name));
    link.attribute = own.name;
    link.value = decoded(found->value);
    link.offset = token.begin;
    link.context = present_context();
    // Who names an attribute wants it, be it to be shown alone.
    const bool wanted = options_.selection.wants(link);
    link.kind = own.kind;
    if (wanted || options_.selection.wants(link)) page_.links.push_back(link);
  }
}

// onclick="location='/x'"
void LinkExtractor::visit_handlers(const Token& token) {
  for (const Attribute& attribute : token.attributes) {
    if (attribute.name.size() < 4 || !starts_with_ignore_case(attribute.name, "on")) continue;
    Link link;
    link.element = arena_.keep(to_lower_copy(token.name));
    link.attribute = arena_.keep(to_lower_copy(attribute.name));
    link.offset = token.begin;
    link.context = present_context();
    const RawText around = raw_text_;
    raw_text_ = RawText::kScript;
    add_strings(link, decoded(attribute.value));
    raw_text_ = around;
  }
}

void LinkExtractor::visit_base(const Placement& place) {
  const bool counts = place.name_space == Namespace::kHtml && !tree_.in_template();
  if (!counts || page_.has_base || !has_attribute(kHref)) return;
  page_.has_base = true;
  page_.base = value_of(kHref);
}

// A declaration beyond what the prescan looks at: one real page in eight has it there.
void LinkExtractor::visit_declaration() {
  const Encoding* const declared =
      declared_encoding(value_of(kCharset), value_of(kHttpEquiv), value_of(kContent));
  if (declared == nullptr) return;
  restart_ =
      declared != page_.charset.encoding && (saw_high_bytes_ || !declared->ascii_compatible());
  page_.charset.encoding = declared;
  page_.charset.source = Charset::Source::kMeta;
}

void LinkExtractor::visit_meta(const Token& token) {
  if (page_.charset.is_guess() && !xml_) visit_declaration();
  if (!has_attribute(kContent)) return;
  const std::string_view content = value_of(kContent);
  const bool live = !tree_.in_template();
  std::string_view name = value_of(kName);
  if (!name.empty() && live && !facts_known_ && page_.metas.size() < kMaxMetas) {
    page_.metas.push_back({name, content});
  }
  if (name.empty()) name = value_of(kProperty);
  if (name.empty()) name = value_of(kItemprop);
  Link link;
  link.element = "meta";
  link.attribute = "content";
  link.offset = token.begin;
  link.context = present_context();
  const std::string_view header = value_of(kHttpEquiv);
  if (equals_ignore_case(header, "link")) return add_link_header(content, token.begin);
  if (equals_ignore_case(header, "x-robots-tag")) {
    if (live && !facts_known_ && page_.metas.size() < kMaxMetas)
      page_.metas.push_back({header, content, true});
    return;
  }
  if (equals_ignore_case(header, "refresh")) {
    if (!parse_refresh(content, link.value) || link.value.empty()) return;
    link.rel = "refresh";
  } else if (is_url_property(name)) {
    link.value = content;
    link.rel = name;
    link.kind = LinkKind::kMetadata;
  } else {
    return;
  }
  push(link);
}

// <meta http-equiv="Link">, which stands for the header field.
void LinkExtractor::add_link_header(std::string_view content, std::size_t offset) {
  HeaderLink found;
  const TextArena::Mark mark = arena_.mark();
  while (make_room(mark) && next_header_link(content, found)) {
    Link link;
    link.element = "meta";
    link.attribute = "link";
    link.value = arena_.keep(found.target);
    link.rel = arena_.keep(found.rel);
    link.type = arena_.keep(found.type);
    link.hreflang = arena_.keep(found.hreflang);
    link.offset = offset;
    link.context = present_context();
    link.kind = link_kind(link.rel, link.type);
    push(link);
  }
}

// --- values with several URLs ---

void LinkExtractor::add_list(Link& link, std::string_view separators) {
  std::string_view rest = link.value;
  const TextArena::Mark mark = arena_.mark();
  while (!rest.empty() && make_room(mark)) {
    const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
    link.value = trim(rest.substr(0, end));
    if (!link.value.empty()) push(link);
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
}

void LinkExtractor::add_srcset(Link& link) {
  std::string_view rest = link.value;
  std::string_view descriptor;
  const TextArena::Mark mark = arena_.mark();
  while (make_room(mark) && next_srcset_candidate(rest, link.value, descriptor)) push(link);
}

void LinkExtractor::push(const Link& link) {
  if (options_.selection.wants(link)) page_.links.push_back(link);
}

}  // namespace spinneret::html
