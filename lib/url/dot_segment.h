// SPDX-License-Identifier: Apache-2.0
// Single-dot and double-dot URL path segments (URL Standard, section 4.1).
#ifndef SPINNERET_URL_DOT_SEGMENT_H_
#define SPINNERET_URL_DOT_SEGMENT_H_

#include <cstddef>
#include <string_view>

namespace spinneret {

// Returns the length of a dot, plain or escaped, at the start of `text`; 0 where there is none.
constexpr std::size_t dot_length(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == '.') return 1;
  const bool escaped =
      text.size() >= 3 && text[0] == '%' && text[1] == '2' && (text[2] == 'e' || text[2] == 'E');
  return escaped ? 3 : 0;
}

// Returns 1 for a single-dot segment, 2 for a double-dot segment, 0 for any other.
constexpr int dots_of_segment(std::string_view segment) {
  const std::size_t first = dot_length(segment);
  if (first == 0) return 0;
  segment.remove_prefix(first);
  if (segment.empty()) return 1;
  const std::size_t second = dot_length(segment);
  return second != 0 && second == segment.size() ? 2 : 0;
}

}  // namespace spinneret

#endif  // SPINNERET_URL_DOT_SEGMENT_H_
