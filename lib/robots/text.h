// SPDX-License-Identifier: Apache-2.0
// The bytes of a robots.txt as text: byte order marks, UTF-16, the size limit.
//
// Robots files are UTF-8 (RFC 9309, section 2.3). What comes as UTF-16, with a byte order mark or
// plainly in its pattern of NULs, is bridged to UTF-8. Bytes that are no UTF-8 stay: they are
// matched as octets.
#ifndef SPINNERET_ROBOTS_TEXT_H_
#define SPINNERET_ROBOTS_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "base/robots_limit.h"

namespace spinneret::robots {

// What every crawler has to read (RFC 9309, section 2.5).
inline constexpr std::size_t kRobotsSizeFloor = std::size_t{500} << 10;

struct RobotsTextFacts {
  bool has_bom = false;
  bool was_utf16 = false;
  bool was_cut = false;     // longer than the limit
  bool looks_html = false;  // begins like a HTML or XML document
};

// The text of `bytes`, at most `limit` of them; a last line that the limit cuts is left out, for
// half a rule is another rule. A view into `bytes`, or, where it was UTF-16, into `storage`. O(n).
std::string_view robots_text(std::string_view bytes, std::size_t limit, std::string& storage,
                             RobotsTextFacts* facts = nullptr);

// `bytes` without the incomplete line at their end, if there is one: of a robots.txt that whoever carried it
// has cut somewhere. In UTF-16 a line end is looked for at even offsets. O(n).
std::string_view whole_lines(std::string_view bytes);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_TEXT_H_
