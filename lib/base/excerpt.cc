// SPDX-License-Identifier: Apache-2.0
#include "base/excerpt.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"

namespace spinneret {
namespace {

// C1 controls, line and paragraph separators, and everything that turns or hides text.
bool is_unsafe(char32_t c) {
  return (c >= 0x80 && c < 0xA0) || c == 0xAD || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF);
}

void append_hex(std::string& out, char byte) {
  const auto value = static_cast<unsigned char>(byte);
  out += "\\x";
  out += kHexUpper[value >> 4];
  out += kHexUpper[value & 15];
}

// `quotes`: whether a reader must be able to tell where the text ends.
void append_ascii(std::string& out, char c, bool quotes) {
  switch (c) {
    case '\t': out += "\\t"; return;
    case '\r': out += "\\r"; return;
    case '\n': out += "\\n"; return;
    default: break;
  }
  if (is_control(c)) return append_hex(out, c);
  if (quotes && (c == '"' || c == '\\')) out += '\\';
  out += c;
}

void append_safe(std::string& out, std::string_view bytes, bool quotes) {
  while (!bytes.empty()) {
    char32_t c = 0;
    std::size_t length = utf8_sequence(bytes, &c);
    if (length == 1) {
      append_ascii(out, bytes.front(), quotes);
    } else if (length > 1 && !is_unsafe(c)) {
      out += bytes.substr(0, length);
    } else {
      length = length == 0 ? 1 : length;
      for (const char byte : bytes.substr(0, length)) append_hex(out, byte);
    }
    bytes.remove_prefix(length);
  }
}

// Bytes of the bidi control that `text` ends with; 0: none.
std::size_t bidi_tail(std::string_view text) {
  const std::string_view two = text.substr(text.size() - std::min<std::size_t>(text.size(), 2));
  if (two == "\xD8\x9C") return 2;
  if (text.size() < 3) return 0;
  const std::string_view lead = text.substr(text.size() - 3, 2);
  const auto last = static_cast<unsigned char>(text.back());
  const bool mark =
      lead == "\xE2\x80" && (last == 0x8E || last == 0x8F || (last >= 0xAA && last <= 0xAE));
  const bool isolate = lead == "\xE2\x81" && last >= 0xA6 && last <= 0xA9;
  return mark || isolate ? 3 : 0;
}

// Whether `text` ends with U+0080 to U+009F, which some terminals take for ESC and a letter.
bool ends_with_c1(std::string_view text) {
  return text.size() >= 2 && text[text.size() - 2] == '\xC2' &&
         static_cast<unsigned char>(text.back()) < 0xA0 && (text.back() & 0x80) != 0;
}

// At most `limit`, and less where a character would be cut in two.
std::size_t whole_characters(std::string_view bytes, std::size_t limit) {
  const std::size_t back = limit < 4 ? 0 : limit - 4;
  for (std::size_t at = limit; at > back; --at) {
    const std::size_t length = utf8_sequence(bytes.substr(at - 1));
    if (length != 0) return at - 1 + length <= limit ? limit : at - 1;
  }
  return limit;
}

}  // namespace

void append_excerpt(std::string& out, std::string_view bytes, std::size_t max_bytes) {
  if (bytes.size() <= max_bytes) return append_safe(out, bytes, true);
  append_safe(out, bytes.substr(0, whole_characters(bytes, max_bytes)), true);
  out += "...";
}

void append_printable(std::string& out, std::string_view message) {
  append_safe(out, message, false);
}

bool is_terminal_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

// Looks at the end of what is kept, and not at what comes: bytes around one that goes may make another.
void clean_words(std::string& text, std::size_t from) {
  std::size_t end = from;
  for (std::size_t i = from; i < text.size(); ++i) {
    text[end++] = is_control(text[i]) ? ' ' : text[i];
    if ((text[i] & 0x80) == 0) continue;
    const std::string_view kept = std::string_view(text).substr(from, end - from);
    if (ends_with_c1(kept)) {
      text[--end - 1] = ' ';
    } else {
      end -= bidi_tail(kept);
    }
  }
  text.resize(end);
}

std::string without_controls(std::string_view text) {
  std::string out(text);
  clean_words(out);
  return out;
}

std::string excerpt(std::string_view bytes, std::size_t max_bytes) {
  std::string out = "\"";
  append_excerpt(out, bytes, max_bytes);
  out += '"';
  return out;
}

}  // namespace spinneret
