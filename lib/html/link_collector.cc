// SPDX-License-Identifier: Apache-2.0
#include "html/link_collector.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/ascii.h"
#include "html/charset.h"
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
  // Views instead of literals, whose lengths would be counted anew for every meta element.
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

bool is_anchor(Element element) { return element == Element::kA || element == Element::kArea; }

}  // namespace

void LinkCollector::visit(const Token& token, const Placement& place) {
  if (token.attributes.empty()) return;
  if (parts_.options.ids) note_id(token, place);
  // In XML the name of an attribute may be the literal "xlink:href", behind which no bytes are
  // readable.
  const std::string_view source = parts_.page.source;
  attributes_.note(token, parts_.facts.xml() ? nullptr : source.data() + source.size());
  if (!parts_.options.attributes.empty()) visit_own(token);
  if (parts_.options.scripts) visit_handlers(token);
  if (place.name_space == Namespace::kSvg) return visit_svg(token, place);
  if (place.name_space != Namespace::kHtml) return;
  if (place.element == Element::kBase) visit_base();
  if (place.element == Element::kMeta) visit_meta(token);
  if (place.element == Element::kHtml) parts_.facts.set_lang(value_of(kLang));
  visit_sources(token, place);
}

void LinkCollector::visit_sources(const Token& token, const Placement& place) {
  const bool root = place.element == Element::kHtml || place.element == Element::kBody;
  for (std::uint64_t rest = attributes_.present(); rest != 0; rest &= rest - 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(rest));
    for (const Wanted& wanted : parts_.wanted.of(index)) {
      if (wanted.element != Element::kUnknown && wanted.element != place.element) continue;
      if (root && !is_new_on_root(place.element, attributes_[index].name)) break;
      add(token, index, wanted);
      break;
    }
  }
}

// An attribute of a second <html> or <body> counts if the first had none with that name.
bool LinkCollector::is_new_on_root(Element element, std::string_view attribute) {
  const std::pair<Element, std::string> key{element, to_lower_copy(attribute)};
  if (std::find(root_attributes_.begin(), root_attributes_.end(), key) != root_attributes_.end()) {
    return false;
  }
  root_attributes_.push_back(key);
  return true;
}

// HTML, 7.4.6.3, "find a potential indicated element": an element of that ID, or an a element of
// that name.
void LinkCollector::note_id(const Token& token, const Placement& place) {
  if (parts_.tree.in_template()) return;
  const bool is_link = place.element == Element::kA && place.name_space == Namespace::kHtml;
  bool seen[2] = {};
  for (const Attribute& attribute : token.attributes) {
    const bool is_id = equals_ignore_case(attribute.name, "id");
    if (!is_id && !(is_link && equals_ignore_case(attribute.name, "name"))) continue;
    if (std::exchange(seen[is_id ? 0 : 1], true)) continue;  // the first one counts
    const std::string_view value = parts_.values.attribute(attribute.value);
    if (!value.empty()) ids_.append(value).push_back('\0');
  }
}

// --- links ---

// Returns a link of the tag, without its attribute and value.
Link LinkCollector::link_of(const Token& token, Element element) {
  Link link;
  link.element = element_name(element);
  if (link.element.empty()) link.element = parts_.values.keep(to_lower_copy(token.name));
  link.offset = token.begin;
  link.context = context();
  return link;
}

void LinkCollector::add(const Token& token, std::size_t index, const Wanted& wanted) {
  if (wanted.form == ValueForm::kMetaContent) return;  // visit_meta() handles it
  Link link = link_of(token, token.element == Element::kImage ? Element::kImg : token.element);
  link.attribute = source_attribute_name(index);
  link.value = value_of(index);
  link.kind = wanted.kind;
  switch (wanted.form) {
    case ValueForm::kName:
      if (link.value.empty() || link.value.front() == '[' || link.value.starts_with("_:")) return;
      break;
    case ValueForm::kSpaceList: return parts_.embedded.add_list(link, " \t\n\r\f");
    case ValueForm::kCommaList: return parts_.embedded.add_list(link, ",");
    case ValueForm::kSrcset: return parts_.embedded.add_srcset(link);
    case ValueForm::kSrcdoc: return parts_.embedded.add_srcdoc(link);
    case ValueForm::kCss: return parts_.embedded.add_declarations(link, link.value);
    default: break;
  }
  add_one(token, index, wanted, link);
}

// Adds a link that is the whole value of its attribute.
void LinkCollector::add_one(const Token& token, std::size_t index, const Wanted& wanted,
                            Link& link) {
  if (wanted.form == ValueForm::kFormAction) {
    link.method = value_of(attributes_[index].name.size() > 6 ? kFormMethod : kMethod);
    const bool sends =
        equals_ignore_case(link.method, "post") || equals_ignore_case(link.method, "dialog");
    if (sends) link.kind = LinkKind::kMetadata;
    if (!sends) link.method = {};
  } else if (wanted.form == ValueForm::kLinkHref) {
    add_rel(link);
    link.kind = link_kind(link.rel, link.type);
    if (has_rel_token(link.rel, "canonical") && !parts_.tree.in_template())
      parts_.facts.set_canonical(link.value);
  } else if (is_anchor(token.element)) {
    add_rel(link);
    if (token.element == Element::kArea && parts_.options.text) set_area_text(link);
  }
  const bool pushed = wanted.surely || parts_.options.selection.wants(link);
  if (pushed) parts_.list.push_surely(link);
  if (token.element != Element::kA || index != kHref) return;
  parts_.list.end_text();
  if (pushed) parts_.list.begin_text(attributes_.raw(kAriaLabel), attributes_.raw(kTitle));
}

void LinkCollector::visit_anchor(std::size_t offset, const AnchorAttributes& attributes,
                                 const Wanted& wanted) {
  using enum AnchorAttributes::Name;
  if (!attributes.has(kHref)) return;
  parts_.list.end_text();
  Values& values = parts_.values;
  Link& link = parts_.list.add_link();
  link.value = values.attribute(attributes[kHref]);
  link.element = "a";
  link.attribute = "href";
  if (attributes.has(kRel)) link.rel = values.attribute(attributes[kRel]);
  if (attributes.has(kHreflang)) link.hreflang = values.attribute(attributes[kHreflang]);
  if (attributes.has(kType)) link.type = values.attribute(attributes[kType]);
  link.offset = offset;
  link.kind = wanted.kind;
  link.context = context();
  parts_.list.begin_text(attributes[kLabel], attributes[kTitle]);
}

void LinkCollector::add_rel(Link& link) {
  link.rel = value_of(kRel);
  link.type = value_of(kType);
  link.hreflang = value_of(kHreflang);
}

// An area is itself an image link.
void LinkCollector::set_area_text(Link& link) {
  AnchorText text;
  text.begin(0, value_of(kAriaLabel), value_of(kTitle));
  text.add_image(value_of(kAlt), {});
  link.text =
      parts_.values.keep(text.finish(link.text_from, [](std::string_view value) { return value; }));
}

// Visits href and xlink:href of SVG: those of an "a" lead to a page, all others are part of this
// document.
void LinkCollector::visit_svg(const Token& token, const Placement& place) {
  for (const std::size_t index : {kHref, kXlinkHref}) {
    if (!attributes_.has(index)) continue;
    Link link = link_of(token, place.element);
    link.attribute = source_attribute_name(index);
    link.value = value_of(index);
    link.kind = place.element == Element::kA ? LinkKind::kPage : LinkKind::kResource;
    parts_.list.end_text();
    if (parts_.list.push(link) && place.element == Element::kA)
      parts_.list.begin_text(attributes_.raw(kAriaLabel), attributes_.raw(kTitle));
  }
  if (!attributes_.has(kStyle)) return;
  for (const Wanted& wanted : parts_.wanted.of(kStyle)) add(token, kStyle, wanted);
}

void LinkCollector::visit_own(const Token& token) {
  for (const ExtractOptions::OwnAttribute& own : parts_.options.attributes) {
    if (!own.element.empty() && !equals_ignore_case(token.name, own.element)) continue;
    const Attribute* const found = token.find(own.name);
    if (found == nullptr) continue;
    Link link = link_of(token, Element::kUnknown);
    link.attribute = own.name;
    link.value = parts_.values.attribute(found->value);
    // A user who names an attribute wants its links, even if only to see them.
    const LinkSelection& selection = parts_.options.selection;
    const bool wanted = selection.wants(link);
    link.kind = own.kind;
    if (wanted || selection.wants(link)) parts_.list.push_surely(link);
  }
}

// onclick="location='/x'"
void LinkCollector::visit_handlers(const Token& token) {
  for (const Attribute& attribute : token.attributes) {
    if (attribute.name.size() < 4 || !starts_with_ignore_case(attribute.name, "on")) continue;
    Link link = link_of(token, Element::kUnknown);
    link.attribute = parts_.values.keep(to_lower_copy(attribute.name));
    parts_.embedded.add_handler(link, parts_.values.attribute(attribute.value));
  }
}

// --- base and meta ---

void LinkCollector::visit_base() {
  if (!parts_.tree.in_template() && attributes_.has(kHref)) parts_.facts.set_base(value_of(kHref));
}

void LinkCollector::visit_meta(const Token& token) {
  if (parts_.facts.wants_charset()) {
    const Encoding* const declared =
        declared_encoding(value_of(kCharset), value_of(kHttpEquiv), value_of(kContent));
    if (declared != nullptr) parts_.facts.declare_charset(*declared);
  }
  if (!attributes_.has(kContent)) return;
  const std::string_view content = value_of(kContent);
  const bool live = !parts_.tree.in_template();
  std::string_view name = value_of(kName);
  if (!name.empty() && live) parts_.facts.add_meta(name, content, false);
  if (name.empty()) name = value_of(kProperty);
  if (name.empty()) name = value_of(kItemprop);
  Link link = link_of(token, Element::kMeta);
  link.attribute = "content";
  const std::string_view header = value_of(kHttpEquiv);
  if (equals_ignore_case(header, "x-robots-tag")) {
    if (live) parts_.facts.add_meta(header, content, true);
  } else if (equals_ignore_case(header, "link")) {
    link.attribute = "link";
    parts_.embedded.add_link_header(link, content);
  } else if (equals_ignore_case(header, "refresh")) {
    link.rel = "refresh";
    if (parse_refresh(content, link.value) && !link.value.empty()) parts_.list.push(link);
  } else if (is_url_property(name)) {
    link.value = content;
    link.rel = name;
    link.kind = LinkKind::kMetadata;
    parts_.list.push(link);
  }
}

}  // namespace spinneret::html
