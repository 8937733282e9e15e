// SPDX-License-Identifier: Apache-2.0
// Turns links that have moved permanently into a patch for the files that contain them.
//
//   std::vector<Edit> edits;
//   const std::vector<std::size_t> lines = line_begins(bytes);
//   if (auto edit = fix_of(finding, bytes, lines)) edits.push_back(*edit);
//   append_diff(out, "public/a.html", bytes, edits);      // for patch -p1
//
// A URL is replaced only where the file has it exactly as it was judged: as the value of an
// attribute, or as a Markdown destination. These are left to people:
//
// - a URL written in another way: relative, with escapes, in a style sheet or in a list of
//   candidates;
// - a new URL that could not stand in that place, or that gives up https.
//
// All other bytes stay.
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
  std::string text;  // the replacement
};

// Returns the edit for a finding in the bytes of its file; nullopt if the target has not moved,
// or is not written as its URL.
std::optional<Edit> fix_of(const Finding& finding, std::string_view bytes,
                           const std::vector<std::size_t>& line_begins);

// Returns where the lines begin, to count columns from. The first line begins after a byte order
// mark.
std::vector<std::size_t> line_begins(std::string_view bytes);

// Appends a unified diff with three lines of context and names prefixed by a/ and b/; nothing
// without edits.
void append_diff(std::string& out, std::string_view path, std::string_view bytes,
                 std::vector<Edit> edits);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_FIX_H_
