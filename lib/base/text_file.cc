// SPDX-License-Identifier: Apache-2.0
#include "base/text_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

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

std::size_t count_line_ends(int fd) {
  std::size_t lines = 0;
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  char block[65536];
  ssize_t size = 0;
  for (off_t at = 0; (size = pread(fd, block, sizeof block, at)) > 0; at += size)
    lines += static_cast<std::size_t>(std::count(block, block + size, '\n'));
  return lines;
}

}  // namespace spinneret
