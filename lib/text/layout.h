// SPDX-License-Identifier: Apache-2.0
// How elements lay out text, where no style sheet says more.
#ifndef SPINNERET_TEXT_LAYOUT_H_
#define SPINNERET_TEXT_LAYOUT_H_

#include <string_view>

#include "html/element.h"
#include "html/tree.h"

namespace spinneret::text {

// In a line with the text around it. `token`: its start tag, or null.
bool is_inline(html::Element element, const html::Token* token);

// Whose text is not the page's: code, alternatives, controls.
bool is_silent(html::Element element, html::Namespace name_space);

// A style attribute with "display:none", with white space anywhere.
bool hides(std::string_view style);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_LAYOUT_H_
