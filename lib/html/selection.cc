// SPDX-License-Identifier: Apache-2.0
#include "html/selection.h"

#include <algorithm>

#include "base/ascii.h"

namespace spinneret::html {
namespace {

constexpr std::uint8_t bit_of(LinkKind kind) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind));
}
constexpr std::uint8_t kAllKinds = 0xFF;
constexpr std::uint8_t kDefaultKinds = bit_of(LinkKind::kPage);

// Returns the bits for the name of a kind, or 0 if it is not one.
std::uint8_t kinds_named(std::string_view name) {
  if (name == "all") return kAllKinds;
  for (const LinkKind kind : {LinkKind::kPage, LinkKind::kResource, LinkKind::kMetadata,
                              LinkKind::kFeed, LinkKind::kGuess}) {
    if (to_string(kind) == name) return bit_of(kind);
  }
  return 0;
}

bool is_name(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_alnum(c) || c == '-' || c == ':' || c == '_' || c == '.';
  });
}

// The kinds that the links of a source may turn out to have.
std::uint8_t kinds_of(const Source& source) {
  switch (source.form) {
    case ValueForm::kLinkHref:
    case ValueForm::kFormAction:
    case ValueForm::kMetaContent:
    case ValueForm::kSrcdoc: return kAllKinds;
    default: return bit_of(source.kind);
  }
}

}  // namespace

LinkSelection LinkSelection::nothing() {
  LinkSelection out;
  out.only_.push_back({.kinds = 0, .element = {}, .attribute = {}, .rel = {}});
  return out;
}

bool LinkSelection::is_nothing() const { return only_.size() == 1 && only_.front().kinds == 0; }

bool LinkSelection::add(std::vector<Selector>& selectors, std::string_view text) {
  Selector selector;
  if (text.starts_with("rel=")) {
    selector.rel = text.substr(4);
    if (selector.rel.empty()) return false;
  } else if (const std::uint8_t kinds = kinds_named(text); kinds != 0) {
    selector.kinds = kinds;
  } else {
    const std::size_t at = text.find('@');
    selector.element = to_lower_copy(text.substr(0, at));
    if (at != std::string_view::npos) selector.attribute = to_lower_copy(text.substr(at + 1));
    if (text.empty() || text == "@" || !is_name(selector.element) || !is_name(selector.attribute)) {
      return false;
    }
  }
  selectors.push_back(std::move(selector));
  return true;
}

bool LinkSelection::matches(const Selector& selector, const Link& link) {
  return (selector.kinds & bit_of(link.kind)) != 0 &&
         (selector.element.empty() || selector.element == link.element) &&
         (selector.attribute.empty() || selector.attribute == link.attribute) &&
         (selector.rel.empty() || has_rel_token(link.rel, selector.rel));
}

bool LinkSelection::wants(const Link& link) const {
  const auto matching = [&link](const Selector& selector) { return matches(selector, link); };
  const bool chosen = only_.empty() ? (kDefaultKinds & bit_of(link.kind)) != 0
                                    : std::any_of(only_.begin(), only_.end(), matching);
  return chosen && !excepts(link);
}

bool LinkSelection::excepts(const Link& link) const {
  return std::any_of(except_.begin(), except_.end(),
                     [&link](const Selector& selector) { return matches(selector, link); });
}

bool LinkSelection::asks_for_rel() const {
  const auto asks = [](const Selector& selector) { return !selector.rel.empty(); };
  return std::any_of(only_.begin(), only_.end(), asks) ||
         std::any_of(except_.begin(), except_.end(), asks);
}

bool LinkSelection::wants_kind(LinkKind kind) const {
  if (only_.empty()) return (kDefaultKinds & bit_of(kind)) != 0;
  return std::any_of(only_.begin(), only_.end(), [kind](const Selector& selector) {
    return (selector.kinds & bit_of(kind)) != 0;
  });
}

bool LinkSelection::may_want(std::string_view element, std::string_view attribute,
                             std::uint8_t kinds) const {
  if (only_.empty()) return (kDefaultKinds & kinds) != 0;
  return std::any_of(only_.begin(), only_.end(), [&](const Selector& selector) {
    return (selector.kinds & kinds) != 0 &&
           (selector.element.empty() || element.empty() || selector.element == element) &&
           (selector.attribute.empty() || selector.attribute == attribute);
  });
}

bool LinkSelection::may_want(const Source& source) const {
  if (source.form == ValueForm::kSrcdoc)
    return !is_nothing();  // the nested document may hold any link
  return may_want(element_name(source.element), source.attribute, kinds_of(source));
}

std::vector<Element> LinkSelection::svg_elements() const {
  std::vector<Element> out;
  for (const Selector& selector : only_) {
    const bool by_name = !selector.element.empty() || !selector.attribute.empty();
    const bool href = selector.attribute.empty() || selector.attribute == "href" ||
                      selector.attribute == "xlink:href";
    if (by_name && href) out.push_back(find_element(selector.element));
  }
  return out;
}

bool LinkSelection::may_want(std::string_view element, std::string_view attribute,
                             LinkKind kind) const {
  return may_want(element, attribute, bit_of(kind));
}

}  // namespace spinneret::html
