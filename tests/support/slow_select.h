// SPDX-License-Identifier: Apache-2.0
// The slow twin of lib/select: a DOM of pointers. Every element is tested with every selector by
// the words of the standard, with recursion and without memory, so that no cost is linear.
#ifndef SPINNERET_TESTS_SUPPORT_SLOW_SELECT_H_
#define SPINNERET_TESTS_SUPPORT_SLOW_SELECT_H_

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "html/entity.h"
#include "select/nodes.h"
#include "select/program.h"
#include "select/selector.h"

namespace spinneret::select::slow {

struct Element {
  NodeId id = 0;
  std::string name;
  bool html = true;
  bool text_inside = false;
  std::map<std::string, std::string> attributes;
  Element* parent = nullptr;
  std::vector<Element*> children;
};

class Dom {
 public:
  Dom(PageNodes& page, bool quirks) : quirks_(quirks) { root_ = make(page, 0); }
  // Returns the elements that the list selects, in document order.
  std::vector<NodeId> select(const SelectorList& list) {
    std::vector<NodeId> out;
    for (const auto& element : all_) {
      if (element->id != 0 && matches(*element, list, nullptr)) out.push_back(element->id);
    }
    return out;
  }

 private:
  Element* make(PageNodes& page, NodeId id) {
    all_.push_back(std::make_unique<Element>());
    Element* const out = all_.back().get();
    out->id = id;
    if (id != 0) {
      out->html = page[id].name_space == html::Namespace::kHtml;
      if (page[id].name < html::kElementCount)
        out->name = html::element_name(static_cast<html::Element>(page[id].name));
      for (const html::Attribute& attribute : page.attributes(id)) {
        std::string value;
        html::append_decoded(value, attribute.value, html::EntityRules::kAttribute);
        out->attributes.emplace(to_lower_copy(attribute.name), value);
      }
      if (out->name.empty()) out->name = to_lower_copy(page.tag_name(id));
    }
    if (!page.descends(id)) return out;
    for (NodeId child = page[id].first; child != 0; child = page[child].next) {
      if (!page[child].is_element()) {
        out->text_inside = true;
        continue;
      }
      Element* const made = make(page, child);
      made->parent = out;
      out->children.push_back(made);
    }
    return out;
  }

  static std::size_t place(const Element& of, const std::vector<Element*>& among) {
    return static_cast<std::size_t>(std::find(among.begin(), among.end(), &of) - among.begin());
  }

  bool matches(const Element& element, const SelectorList& list, const Element* anchor) {
    return std::any_of(list.begin(), list.end(), [&](const Complex& complex) {
      return complex_matches(element, complex, complex.compounds.size() - 1, anchor);
    });
  }

  // `anchor`: for a relative selector the element from which its first combinator starts.
  bool complex_matches(const Element& element, const Complex& complex, std::size_t at,
                       const Element* anchor) {
    const Compound& compound = complex.compounds[at];
    for (const Simple& simple : compound.simples) {
      if (!simple_matches(element, simple)) return false;
    }
    if (at == 0 && anchor == nullptr) return true;
    const Combinator before =
        at == 0 && compound.before == Combinator::kNone ? Combinator::kDescendant : compound.before;
    const auto holds = [&](const Element& other) {
      return at == 0 ? &other == anchor : complex_matches(other, complex, at - 1, anchor);
    };
    if (before == Combinator::kDescendant || before == Combinator::kChild) {
      for (const Element* up = element.parent; up != nullptr && up->id != 0; up = up->parent) {
        if (holds(*up)) return true;
        if (before == Combinator::kChild) break;
      }
      return false;
    }
    if (element.parent == nullptr) return false;
    const std::vector<Element*>& siblings = element.parent->children;
    for (std::size_t i = place(element, siblings); i-- > 0;) {
      if (holds(*siblings[i])) return true;
      if (before == Combinator::kNext) break;
    }
    return false;
  }

  bool same(const std::string& a, const std::string& b, bool fold) const {
    return fold ? to_lower_copy(a) == to_lower_copy(b) : a == b;
  }

  bool attribute_matches(const Element& element, const Simple& simple) const {
    const std::string name = to_lower_copy(simple.name);
    auto found = element.attributes.find(name);
    // Within SVG these three prefixes are namespaces, and so is xmlns.
    const auto is_spaced = [&](const std::string& attribute) {
      return !element.html && std::find(std::begin(kSpacedAttributes), std::end(kSpacedAttributes),
                                        attribute) != std::end(kSpacedAttributes);
    };
    if (found != element.attributes.end() && is_spaced(name) && !simple.any_space)
      found = element.attributes.end();
    for (auto other = element.attributes.begin();
         simple.any_space && found == element.attributes.end() && other != element.attributes.end();
         ++other) {
      if (is_spaced(other->first) && local_name(other->first) == name) found = other;
    }
    if (found == element.attributes.end()) return false;
    std::string value = found->second;
    std::string wanted = simple.value;
    if (simple.case_flag == 'i' ||
        (simple.case_flag == 0 && to_lower_copy(simple.name) == "type")) {
      value = to_lower_copy(value);
      wanted = to_lower_copy(wanted);
    }
    switch (simple.test) {
      case AttributeTest::kPresent: return true;
      case AttributeTest::kEquals: return value == wanted;
      case AttributeTest::kIncludes: {
        const auto words = words_of(value);
        return std::find(words.begin(), words.end(), wanted) != words.end();
      }
      case AttributeTest::kDash: return value == wanted || value.starts_with(wanted + "-");
      case AttributeTest::kPrefix: return !wanted.empty() && value.starts_with(wanted);
      case AttributeTest::kSuffix: return !wanted.empty() && value.ends_with(wanted);
      case AttributeTest::kSubstring:
        return !wanted.empty() && value.find(wanted) != std::string::npos;
    }
    return false;
  }

  static std::vector<std::string> words_of(const std::string& value) {
    std::vector<std::string> out(1);
    for (const char c : value) {
      if (is_space(c)) {
        out.emplace_back();
      } else {
        out.back() += c;
      }
    }
    out.erase(std::remove(out.begin(), out.end(), ""), out.end());
    return out;
  }

  bool nth_matches(const Element& element, const Simple& simple) {
    std::vector<Element*> among = element.parent->children;
    among.erase(
        std::remove_if(among.begin(), among.end(),
                       [&](const Element* other) {
                         if (simple.nth.of_type)
                           return other->name != element.name || other->html != element.html;
                         return !simple.list.empty() && !matches(*other, simple.list, nullptr);
                       }),
        among.end());
    if (simple.nth.from_end) std::reverse(among.begin(), among.end());
    const std::size_t at = place(element, among);
    if (at == among.size()) return false;
    for (int n = 0; n <= static_cast<int>(among.size()) + 64; ++n) {
      if (static_cast<long>(simple.nth.step) * n + simple.nth.offset == static_cast<long>(at) + 1)
        return true;
    }
    return false;
  }

  bool has(const Element& anchor, const Complex& complex) {
    return std::any_of(all_.begin(), all_.end(), [&](const std::unique_ptr<Element>& other) {
      return other->id != 0 &&
             complex_matches(*other, complex, complex.compounds.size() - 1, &anchor);
    });
  }

  bool simple_matches(const Element& element, const Simple& simple) {
    const auto value = [&](const char* name) {
      const auto found = element.attributes.find(name);
      return found == element.attributes.end() ? std::string() : found->second;
    };
    switch (simple.kind) {
      case SimpleKind::kType: return element.name == to_lower_copy(simple.name);
      case SimpleKind::kId:
        return element.attributes.count("id") != 0 && same(value("id"), simple.name, quirks_);
      case SimpleKind::kClass: {
        const auto words = words_of(value("class"));
        return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
          return same(word, simple.name, quirks_);
        });
      }
      case SimpleKind::kAttribute: return attribute_matches(element, simple);
      case SimpleKind::kLink:
        return element.html && (element.name == "a" || element.name == "area") &&
               element.attributes.count("href") != 0;
      case SimpleKind::kEmpty: return element.children.empty() && !element.text_inside;
      case SimpleKind::kRoot:
      case SimpleKind::kScope: return element.parent != nullptr && element.parent->id == 0;
      case SimpleKind::kNth: return nth_matches(element, simple);
      case SimpleKind::kIs: return matches(element, simple.list, nullptr);
      case SimpleKind::kNot: return !matches(element, simple.list, nullptr);
      case SimpleKind::kHas:
        return std::any_of(simple.list.begin(), simple.list.end(),
                           [&](const Complex& complex) { return has(element, complex); });
    }
    return false;
  }

  bool quirks_;
  std::vector<std::unique_ptr<Element>> all_;
  Element* root_ = nullptr;
};

}  // namespace spinneret::select::slow

#endif  // SPINNERET_TESTS_SUPPORT_SLOW_SELECT_H_
