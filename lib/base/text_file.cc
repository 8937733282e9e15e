// SPDX-License-Identifier: Apache-2.0
#include "base/text_file.h"

#include "base/file.h"

namespace spinneret {

bool is_utf16(std::string_view bytes) {
  return bytes.size() >= 4 && ((bytes.starts_with("\xFF\xFE") && bytes[2] != 0 && bytes[3] == 0) ||
                               (bytes.starts_with("\xFE\xFF") && bytes[2] == 0 && bytes[3] != 0));
}

std::string utf16_message(const std::string& name) {
  return name + " is in UTF-16: make it UTF-8 first (iconv -f UTF-16 -t UTF-8)";
}

Result<std::string> read_text_file(const std::string& path, std::size_t max_bytes) {
  Result<std::string> text = read_file(path, max_bytes);
  if (!text.ok()) return text;
  if (is_utf16(*text)) return Error{utf16_message(path)};
  if (text->starts_with(kByteOrderMark)) text->erase(0, kByteOrderMark.size());
  return text;
}

}  // namespace spinneret
