// SPDX-License-Identifier: Apache-2.0
// How elements lay out text where no style sheet says otherwise, by their names and attributes.
#ifndef SPINNERET_TEXT_LAYOUT_H_
#define SPINNERET_TEXT_LAYOUT_H_

#include <string_view>

#include "html/element.h"
#include "html/tree.h"
#include "text/cues.h"

namespace spinneret::text {

// Whether it is laid out in a line with the text around it. `token` is its start tag, or null.
bool is_inline(html::Element element, const html::Token* token);

// Whether its text is not part of the page's text: code, alternatives, controls.
bool is_silent(html::NameCode name, html::Namespace name_space);

// The attributes of an element that matter here: the first of each name, but all names of classes.
struct Attributes {
  const html::Attribute *href = nullptr, *src = nullptr, *alt = nullptr, *datetime = nullptr,
                        *rel = nullptr, *itemprop = nullptr, *content = nullptr, *classes = nullptr;
  Cues cues = 0;
  bool hidden = false;
  bool shadow_root = false;  // of a template that is shown (declarative shadow DOM)

  void look_at(const html::Attribute& attribute, CueCache& cache);
};

inline std::string_view value_of(const html::Attribute* attribute) {
  return attribute == nullptr ? std::string_view() : attribute->value;
}

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_LAYOUT_H_
