// SPDX-License-Identifier: Apache-2.0
// How elements lay out text if no style sheet says otherwise, by their names and attributes.
#ifndef SPINNERET_TEXT_LAYOUT_H_
#define SPINNERET_TEXT_LAYOUT_H_

#include <string_view>

#include "html/element.h"
#include "html/tree.h"
#include "text/cues.h"

namespace spinneret::text {

// Whether the element is laid out in a line with the text around it. `token` is its start tag, or
// null.
bool is_inline(html::Element element, const html::Token* token);

// Whether the element's text is not part of the page's text: code, alternatives, controls.
bool is_silent(html::NameCode name, html::Namespace name_space);

// The attributes of an element that matter to layout and spans: the first of each name.
struct Attributes {
  const html::Attribute *href = nullptr, *src = nullptr, *alt = nullptr, *datetime = nullptr,
                        *rel = nullptr, *itemprop = nullptr, *content = nullptr, *classes = nullptr;
  Cues cues = 0;
  bool hidden = false;
  bool shadow_root = false;  // the template is shown (declarative shadow DOM)

  // Notes the attribute if it is one of these, and the cues in its value.
  void look_at(const html::Attribute& attribute, CueCache& cache);
};

inline std::string_view value_of(const html::Attribute* attribute) {
  return attribute == nullptr ? std::string_view() : attribute->value;
}

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_LAYOUT_H_
