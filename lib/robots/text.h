// SPDX-License-Identifier: Apache-2.0
// The bytes of a robots.txt as text: byte order marks, UTF-16, the size limit.
//
// Robots files are UTF-8 (RFC 9309, section 2.3). UTF-16, which is recognised by a byte order mark
// or a clear pattern of NULs, is converted to UTF-8. Invalid UTF-8 stays, since paths are matched
// as octets.
#ifndef SPINNERET_ROBOTS_TEXT_H_
#define SPINNERET_ROBOTS_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "base/robots_limit.h"

namespace spinneret::robots {

// The number of bytes that every crawler must read at least (RFC 9309, section 2.5).
inline constexpr std::size_t kRobotsSizeFloor = std::size_t{500} << 10;

struct RobotsTextFacts {
  bool has_bom = false;
  bool was_utf16 = false;
  bool was_cut = false;     // longer than the limit
  bool looks_html = false;  // begins like an HTML or XML document
};

// Returns the text of `bytes`, of which at most `limit` are read. A last line that the limit cuts
// is left out, since half a rule is a different rule. The result is a view into `bytes` or, for
// UTF-16, into `storage`. O(n).
std::string_view robots_text(std::string_view bytes, std::size_t limit, std::string& storage,
                             RobotsTextFacts* facts = nullptr);

// Returns `bytes` without an incomplete line at their end: for a robots.txt that was cut in
// transit. In UTF-16, line ends are searched for at even offsets. O(n).
std::string_view whole_lines(std::string_view bytes);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_TEXT_H_
