// SPDX-License-Identifier: Apache-2.0
#include "html/wanted.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace spinneret::html {
namespace {

// Whether FlatBody has a rule for the element, so that a run does not pass over it.
constexpr bool is_unit(Element element) {
  return element == Element::kNoscript || element == Element::kSelect || element == Element::kForm;
}

}  // namespace

WantedSources::WantedSources(const ExtractOptions& options) : options_(options) {
  choose_sources();
  choose_anchor();
  choose_elements();
  choose_tags();
}

bool WantedSources::surely_wanted(const Source& source) const {
  if (source.form != ValueForm::kUrl || source.element == Element::kUnknown) return false;
  Link link;
  link.element = element_name(source.element);
  link.attribute = source.attribute;
  link.kind = source.kind;
  return !options_.selection.asks_for_rel() && options_.selection.wants(link);
}

// A row for one element hides the row for any element of its attribute, whether it is wanted or
// not.
bool WantedSources::hides_wanted(const Source& source) const {
  if (source.element == Element::kUnknown) return false;
  const auto sources = all_sources();
  return std::any_of(sources.begin(), sources.end(), [&](const Source& other) {
    return other.element == Element::kUnknown && other.attribute == source.attribute &&
           options_.selection.may_want(other);
  });
}

void WantedSources::choose_sources() {
  by_attribute_.assign(source_attribute_count(), {});
  for (const Source& source : all_sources()) {
    const bool needed = source.form == ValueForm::kBaseHref ||
                        source.form == ValueForm::kLinkHref ||
                        source.form == ValueForm::kMetaContent;
    if (!needed && !options_.selection.may_want(source) && !hides_wanted(source)) continue;
    by_attribute_[find_source_attribute(source.attribute)].push_back(
        {source.element, source.form, source.kind, surely_wanted(source)});
    elements_[index_of(source.element)] = true;
  }
}

void WantedSources::choose_anchor() {
  if (options_.ids || options_.scripts || !options_.attributes.empty()) return;
  const std::size_t href = find_source_attribute("href");
  for (std::size_t index = 1; index < by_attribute_.size(); ++index) {
    for (const Wanted& wanted : by_attribute_[index]) {
      if (wanted.element != Element::kA && wanted.element != Element::kUnknown) continue;
      if (index != href) anchor_has_others_ = true;
      if (index == href && wanted.element == Element::kA && wanted.surely) of_anchor_ = &wanted;
    }
  }
}

void WantedSources::choose_elements() {
  for (const ExtractOptions::OwnAttribute& own : options_.attributes)
    elements_[index_of(find_element(own.element))] = true;
  for (const Element element : options_.selection.svg_elements())
    elements_[index_of(element)] = true;
  // Any element may have one of these: a source of any element, a user's attribute of an element
  // with an unknown name, an event handler, an id.
  if (elements_[index_of(Element::kUnknown)] || options_.scripts || options_.ids)
    elements_.fill(true);
  // Elements that tree construction and the page's facts need.
  for (const Element element :
       {Element::kInput, Element::kFont, Element::kAnnotationXml, Element::kMeta, Element::kBase,
        Element::kHtml, Element::kLink, Element::kForm, Element::kScript}) {
    elements_[index_of(element)] = true;
  }
  if (elements_[index_of(Element::kImg)]) elements_[index_of(Element::kImage)] = true;
}

bool WantedSources::may_link(const Token& token) const {
  if (!element(token.element) || token.attributes.empty()) return false;
  if (options_.ids || options_.scripts || !options_.attributes.empty()) return true;
  switch (token.element) {
    case Element::kBase:
    case Element::kBody:
    case Element::kHtml:
    case Element::kImage:
    case Element::kLink:
    case Element::kMeta: return true;
    default: break;
  }
  const auto wants = [this, &token](const Attribute& attribute) {
    const std::vector<Wanted>& rows = by_attribute_[find_source_attribute(attribute.name)];
    return std::any_of(rows.begin(), rows.end(), [&](const Wanted& row) {
      const bool counts = row.element == Element::kUnknown || row.element == token.element;
      // A value without a function, an @import, or a reference that may stand for their characters
      // has no URL.
      const bool plain = row.form == ValueForm::kCss &&
                         attribute.value.find_first_of("(&@") == std::string_view::npos;
      return counts && !plain;
    });
  };
  return std::any_of(token.attributes.begin(), token.attributes.end(), wants);
}

void WantedSources::tell(Tokenizer& tokenizer) const {
  Tokenizer::Wanted with_attributes = elements_;
  if (options_.text) with_attributes[index_of(Element::kImg)] = true;  // in an anchor: its alt
  tokenizer.set_wanted(with_attributes);
  // In addition to the sources' attributes, those that tree construction or the user asks for.
  std::vector<std::string> names = {"color", "face", "size", "encoding"};
  if (options_.ids) names.push_back("id");
  for (const ExtractOptions::OwnAttribute& own : options_.attributes) names.push_back(own.name);
  tokenizer.keep_few_of_many(std::move(names));
}

// --- the skimmer's table ---

// Whether nearly every tag of that element has a link that is wanted.
bool WantedSources::takes(Element element) const {
  if (element != Element::kA && element != Element::kArea && element != Element::kImg) return false;
  const std::size_t index = find_source_attribute(element == Element::kImg ? "src" : "href");
  return std::any_of(by_attribute_[index].begin(), by_attribute_[index].end(),
                     [element](const Wanted& wanted) { return wanted.element == element; });
}

// Adds the names that are wanted. Returns whether one is wanted of any element.
bool WantedSources::fill_sieve() {
  bool any_element = options_.scripts || options_.ids;
  for (const ExtractOptions::OwnAttribute& own : options_.attributes) {
    tags_.sieve.add(own.name);
    any_element = any_element || find_element(own.element) == Element::kUnknown;
  }
  if (options_.scripts) tags_.sieve.add_all();
  if (options_.ids) {
    tags_.sieve.add("id");
    tags_.sieve.add("name");
  }
  for (std::size_t index = 1; index < by_attribute_.size(); ++index) {
    if (by_attribute_[index].empty()) continue;
    tags_.sieve.add(source_attribute_name(index));
    for (const Wanted& wanted : by_attribute_[index])
      any_element = any_element || wanted.element == Element::kUnknown;
  }
  return any_element;
}

// Whether a script or a style sheet in a flat body may be skipped as a whole, or must be read.
TagTable::Way WantedSources::raw_way(Element element, bool any_element) const {
  const LinkSelection& selection = options_.selection;
  const bool content = element == Element::kStyle
                           ? selection.may_want("style", "url", LinkKind::kResource) ||
                                 selection.may_want("style", "import", LinkKind::kResource)
                           : selection.may_want("script", "json-ld", LinkKind::kMetadata) ||
                                 selection.may_want("script", "importmap", LinkKind::kResource) ||
                                 selection.may_want("script", "speculationrules", LinkKind::kPage);
  if (content || any_element || has_source(element)) return TagTable::Way::kTake;
  return TagTable::Way::kRaw;
}

// Whether an attribute of this element is wanted.
bool WantedSources::has_source(Element element) const {
  const auto is_of = [element](const Wanted& wanted) { return wanted.element == element; };
  const auto has = [&is_of](const std::vector<Wanted>& rows) {
    return std::any_of(rows.begin(), rows.end(), is_of);
  };
  return std::any_of(by_attribute_.begin(), by_attribute_.end(), has) ||
         std::any_of(options_.attributes.begin(), options_.attributes.end(),
                     [element](const ExtractOptions::OwnAttribute& own) {
                       return find_element(own.element) == element;
                     });
}

void WantedSources::choose_tags() {
  using Way = TagTable::Way;
  const bool any_element = fill_sieve();
  tags_.passes_comments = !options_.comments;
  for (std::size_t i = 1; i < kElementCount; ++i) {
    const auto element = static_cast<Element>(i);
    const std::string_view name = element_name(element);
    if (name.size() > TagTable::kMaxName) continue;
    const Way way = !is_plain_element(element)    ? Way::kStop
                    : takes(element)              ? Way::kTake
                    : any_element || elements_[i] ? Way::kSift
                                                  : Way::kPass;
    const bool raw = element == Element::kScript || element == Element::kStyle;
    const Way flat = is_unit(element) ? Way::kStop : raw ? raw_way(element, any_element) : way;
    tags_.add(name, element, way, flat);
  }
  tags_.set_unknown(any_element ? Way::kSift : Way::kPass);
}

}  // namespace spinneret::html
