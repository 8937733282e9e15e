// SPDX-License-Identifier: Apache-2.0
#include "check/fragment.h"

#include <string>

#include "base/ascii.h"
#include "url/percent.h"

namespace spinneret::check {
namespace {

// Whether the text is a place in source code, as code hosts link to them: L10, L10-L20,
// L10C3-L12C8.
bool is_line_of_code(std::string_view text) {
  const auto digits = [&text] {
    std::size_t count = 0;
    while (count != text.size() && is_digit(text[count])) ++count;
    text.remove_prefix(count);
    return count != 0;
  };
  const auto take = [&text](char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
  };
  if (!take('L') || !digits() || (take('C') && !digits())) return false;
  if (!take('-')) return text.empty();
  take('L');
  return digits() && (!take('C') || digits()) && text.empty();
}

}  // namespace

Indicated indicated_part(std::string_view fragment,
                         const std::function<bool(std::string_view)>& has_id) {
  fragment = fragment.substr(0, fragment.find(":~:"));
  if (fragment.empty()) return Indicated::kTop;
  if (has_id(fragment)) return Indicated::kElement;
  std::string decoded;
  append_percent_decoded(decoded, fragment);
  if (has_id(decoded)) return Indicated::kElement;
  if (equals_ignore_case(decoded, "top")) return Indicated::kTop;
  // A view is not an element (SVG 2, 16.3). xywh is a region of an image (Media Fragments URI 1.0,
  // 4.2.2).
  if (decoded.starts_with("svgView(") || decoded.starts_with("xywh=")) return Indicated::kTop;
  // Code hosts put this prefix before ids that users write; their scripts find the element without
  // it.
  if (has_id("user-content-" + decoded)) return Indicated::kElement;
  const bool is_route = fragment.front() == '/' || fragment.front() == '!';
  return is_route || is_line_of_code(fragment) ? Indicated::kUnknown : Indicated::kNothing;
}

}  // namespace spinneret::check
