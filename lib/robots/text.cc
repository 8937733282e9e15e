// SPDX-License-Identifier: Apache-2.0
#include "robots/text.h"

#include <algorithm>
#include <cstdint>

#include "base/ascii.h"
#include "base/utf8.h"

namespace spinneret::robots {
namespace {

enum class Encoding { kUtf8, kUtf16Le, kUtf16Be };

// Guesses the encoding where there is no byte order mark: UTF-16 if each second byte of the first
// 32 is NUL, and no other.
Encoding guess_utf16(std::string_view bytes) {
  if (bytes.size() < 4 || bytes.find('\0') == std::string_view::npos) return Encoding::kUtf8;
  const std::size_t size = std::min<std::size_t>(bytes.size() & ~std::size_t{1}, 32);
  std::size_t even = 0;
  std::size_t odd = 0;
  for (std::size_t i = 0; i < size; i += 2) {
    even += bytes[i] == '\0';
    odd += bytes[i + 1] == '\0';
  }
  if (even == 0 && odd == size / 2) return Encoding::kUtf16Le;
  if (odd == 0 && even == size / 2) return Encoding::kUtf16Be;
  return Encoding::kUtf8;
}

Encoding encoding_of(std::string_view& bytes, bool& has_bom) {
  has_bom = true;
  if (bytes.starts_with("\xEF\xBB\xBF")) {
    bytes.remove_prefix(3);
    return Encoding::kUtf8;
  }
  if (bytes.starts_with("\xFF\xFE")) {
    bytes.remove_prefix(2);
    return Encoding::kUtf16Le;
  }
  if (bytes.starts_with("\xFE\xFF")) {
    bytes.remove_prefix(2);
    return Encoding::kUtf16Be;
  }
  has_bom = false;
  return guess_utf16(bytes);
}

// Converts UTF-16. A lone surrogate becomes U+FFFD; an odd last byte is dropped.
void append_utf16(std::string& out, std::string_view bytes, bool little_endian) {
  const auto unit = [&](std::size_t i) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<std::uint32_t>(little_endian ? first | second << 8 : first << 8 | second);
  };
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t c = unit(i);
    if (c >= 0xD800 && c < 0xDC00 && i + 3 < bytes.size() && (unit(i + 2) & 0xFC00) == 0xDC00) {
      c = 0x10000 + ((c - 0xD800) << 10) + (unit(i + 2) - 0xDC00);
      i += 2;
    }
    append_utf8(out, c);
  }
}

bool looks_html(std::string_view text) {
  text = trim(text);
  for (const std::string_view start :
       {"<!doctype", "<html", "<head", "<body", "<?xml", "<!--", "<script"}) {
    if (starts_with_ignore_case(text, start)) return true;
  }
  return false;
}

}  // namespace

std::string_view whole_lines(std::string_view bytes) {
  std::string_view text = bytes;
  bool has_bom = false;
  const Encoding encoding = encoding_of(text, has_bom);
  if (encoding == Encoding::kUtf8) return bytes.substr(0, bytes.find_last_of("\r\n") + 1);
  const std::size_t low = encoding == Encoding::kUtf16Le ? 0 : 1;
  for (std::size_t size = text.size() & ~std::size_t{1}; size > 0; size -= 2) {
    const char c = text[size - 2 + low];
    if ((c == '\n' || c == '\r') && text[size - 1 - low] == '\0') {
      return bytes.substr(0, bytes.size() - text.size() + size);
    }
  }
  return {};
}

std::string_view robots_text(std::string_view bytes, std::size_t limit, std::string& storage,
                             RobotsTextFacts* facts) {
  RobotsTextFacts found;
  // A line end right after the limit means that no line was cut in two.
  found.was_cut = bytes.size() > limit;
  const bool cut_inside = found.was_cut && bytes[limit] != '\n' && bytes[limit] != '\r';
  std::string_view text = bytes.substr(0, limit);
  const Encoding encoding = encoding_of(text, found.has_bom);
  if (encoding != Encoding::kUtf8) {
    found.was_utf16 = true;
    storage.clear();
    append_utf16(storage, text, encoding == Encoding::kUtf16Le);
    text = storage;
  }
  if (cut_inside) text = text.substr(0, text.find_last_of("\r\n") + 1);
  found.looks_html = looks_html(text.substr(0, 512));
  if (facts != nullptr) *facts = found;
  return text;
}

}  // namespace spinneret::robots
