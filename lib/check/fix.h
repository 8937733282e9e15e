// SPDX-License-Identifier: Apache-2.0
// Turns links that have moved permanently into a patch for the files that contain them.
//
//   std::vector<Edit> edits;
//   const std::vector<std::size_t> lines = line_begins(bytes);
//   if (auto edit = fix_of(finding, bytes, lines)) edits.push_back(*edit);
//   append_diff(out, "public/a.html", bytes, edits);      // for patch -p1
//
// Only URLs that are written in the file exactly as the URL that was judged are replaced: the value of an attribute,
// or a Markdown destination. Anything written differently (relative, with escapes, in a style sheet or a list of
// candidates) is left to people. So is a new URL that could not stand there, and one that gives up https. All other
// bytes stay.
#ifndef SPINNERET_CHECK_FIX_H_
#define SPINNERET_CHECK_FIX_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/book.h"

namespace spinneret::check {

struct Edit {
  std::size_t offset = 0;
  std::size_t size = 0;
  std::string text;  // in its place
};

// The edit for a finding, in the bytes of its file; nullopt: the target has not moved, or is not written as its URL.
std::optional<Edit> fix_of(const Finding& finding, std::string_view bytes,
                           const std::vector<std::size_t>& line_begins);

// Where the lines begin, for columns to count from; the first line begins behind a byte order mark.
std::vector<std::size_t> line_begins(std::string_view bytes);

// Appends a unified diff with three lines of context and names prefixed by a/ and b/; nothing where there are no
// edits.
void append_diff(std::string& out, std::string_view path, std::string_view bytes,
                 std::vector<Edit> edits);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_FIX_H_
