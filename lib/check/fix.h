// SPDX-License-Identifier: Apache-2.0
// Links that have moved for good, as a patch of the files that they stand in.
//
//   std::vector<Edit> edits;
//   const std::vector<std::size_t> lines = line_begins(bytes);
//   if (auto edit = fix_of(finding, bytes, lines)) edits.push_back(*edit);
//   append_diff(out, "public/a.html", bytes, edits);      // for patch -p1
//
// Only what is written in the file as exactly the URL that was judged is replaced: an attribute's value, a Markdown
// destination. What is written in another way (relative, with escapes, in a style sheet or a list of candidates) is left to
// people; so is a new URL that could not stand there, and one that gives up https. All other bytes stay.
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

// What a finding asks for in the bytes of its file; nullopt: it has not moved, or is not written as its URL.
std::optional<Edit> fix_of(const Finding& finding, std::string_view bytes,
                           const std::vector<std::size_t>& line_begins);

// Where columns count from: of the first line, behind a mark of the byte order.
std::vector<std::size_t> line_begins(std::string_view bytes);

// A unified diff with three lines around each change, names with a/ and b/ before them. Nothing where there are no edits.
void append_diff(std::string& out, std::string_view path, std::string_view bytes,
                 std::vector<Edit> edits);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_FIX_H_
