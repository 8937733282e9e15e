// SPDX-License-Identifier: Apache-2.0
// Text files that people write, such as rules and lists. Editors put a byte order mark in front of
// some, and write others in UTF-16.
#ifndef SPINNERET_BASE_TEXT_FILE_H_
#define SPINNERET_BASE_TEXT_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spinneret {

// The byte order mark that may stand in front of UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Whether the bytes begin as UTF-16 does: with its byte order mark and an ASCII character. O(1).
bool is_utf16(std::string_view bytes);

// Returns the error for such a file: "rules.txt is in UTF-16: " and how to convert it.
std::string utf16_message(const std::string& name);

// Reads a file as read_file() does, without its byte order mark. Text in UTF-16 gives
// utf16_message() as an Error.
Result<std::string> read_text_file(const std::string& path,
                                   std::size_t max_bytes = std::size_t{1} << 30);

// Returns the number of line ends in a regular file, whose position stays; 0 for any other file.
// The count ends where reading fails. Cost: one pass over the file.
std::size_t count_line_ends(int fd);

}  // namespace spinneret

#endif  // SPINNERET_BASE_TEXT_FILE_H_
