// SPDX-License-Identifier: Apache-2.0
// Files that people write, rules and lists: editors put a byte order mark in front, or write UTF-16.
#ifndef SPINNERET_BASE_TEXT_FILE_H_
#define SPINNERET_BASE_TEXT_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spinneret {

// In front of UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Whether text begins so that it is in UTF-16: its byte order mark and an ASCII character. O(1).
bool is_utf16(std::string_view bytes);

// "rules.txt is in UTF-16: " and what helps.
std::string utf16_message(const std::string& name);

// As read_file(), without a byte order mark. Of UTF-16 an Error that says so.
Result<std::string> read_text_file(const std::string& path,
                                   std::size_t max_bytes = std::size_t{1} << 30);

}  // namespace spinneret

#endif  // SPINNERET_BASE_TEXT_FILE_H_
