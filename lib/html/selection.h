// SPDX-License-Identifier: Apache-2.0
// The links that are asked for: --only and --except of extract-links.
//
//   LinkSelection selection;          // by default, links that lead to pages
//   selection.add_only("img");
//   selection.add_only("a@href");
//   selection.add_except("rel=nofollow");
//
// A selector is a kind ("page", "resource", "meta", "feed", "guess", or "all"), an element ("img"),
// an attribute ("@src"), both ("img@src") or a rel token ("rel=next").
#ifndef SPINNERET_HTML_SELECTION_H_
#define SPINNERET_HTML_SELECTION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "html/link.h"
#include "html/source.h"

namespace spinneret::html {

class LinkSelection {
 public:
  // A selection that wants no link at all.
  static LinkSelection nothing();
  // Each returns false if `text` is not a selector.
  bool add_only(std::string_view text) { return add(only_, text); }
  bool add_except(std::string_view text) { return add(except_, text); }

  bool wants(const Link& link) const;
  bool excepts(const Link& link) const;
  // Whether two links of the same element, attribute and kind can be judged differently, by their
  // rel.
  bool asks_for_rel() const;
  bool wants_kind(LinkKind kind) const;
  // Whether any link of this source might be wanted. If not, the scanner skips the source.
  bool may_want(const Source& source) const;
  // SVG's elements are in no source. Returns those whose href or xlink:href may be wanted in
  // addition to the sources; Element::kUnknown means any element.
  std::vector<Element> svg_elements() const;
  // Does the same for sources that have only a name: "script", "json-ld".
  bool may_want(std::string_view element, std::string_view attribute, LinkKind kind) const;

 private:
  struct Selector {
    std::uint8_t kinds = 0xFF;  // bits by LinkKind
    std::string element;
    std::string attribute;
    std::string rel;
  };

  static bool add(std::vector<Selector>& selectors, std::string_view text);
  static bool matches(const Selector& selector, const Link& link);
  bool is_nothing() const;
  bool may_want(std::string_view element, std::string_view attribute, std::uint8_t kinds) const;

  std::vector<Selector> only_;
  std::vector<Selector> except_;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_SELECTION_H_
