// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "base/ascii.h"
#include "base/bytes16.h"
#include "base/excerpt.h"
#include "base/utf8.h"

namespace spinneret {
namespace {

// Appends a \u escape. All characters that need one are below U+10000.
void append_unicode_escape(std::string& out, char32_t c) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHexLower[(c >> shift) & 15];
}

// Whether a character that JSON allows unescaped is not fit for a terminal.
bool needs_escape(char32_t c) {
  return (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

void append_json_ascii(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (is_control(c)) {
    append_unicode_escape(out, static_cast<unsigned char>(c));
  } else {
    out += c;
  }
}

// Parses an escape such as "u00fc".
std::optional<char32_t> read_unit(std::string_view text) {
  if (text.size() < 5 || text.front() != 'u') return std::nullopt;
  char32_t unit = 0;
  for (const char c : text.substr(1, 4)) {
    if (!is_hex(c)) return std::nullopt;
    unit = unit * 16 + static_cast<char32_t>(hex_value(c));
  }
  return unit;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t plain = plain_prefix(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    char32_t c = 0;
    const std::size_t length = utf8_sequence(text, &c);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (length == 1) {
      append_json_ascii(out, text.front());
    } else if (needs_escape(c)) {
      append_unicode_escape(out, c);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out += '"';
}

std::size_t append_json_escape(std::string& out, std::string_view rest) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kBytes = "\"\\/\b\f\n\r\t";
  if (rest.empty()) return 0;
  if (const std::size_t known = kNames.find(rest.front()); known != std::string_view::npos) {
    out += kBytes[known];
    return 1;
  }
  const std::optional<char32_t> unit = read_unit(rest);
  if (!unit) return 0;
  if (*unit >= 0xD800 && *unit < 0xDC00 && rest.substr(5).starts_with('\\')) {
    const std::optional<char32_t> low = read_unit(rest.substr(6));
    if (low && *low >= 0xDC00 && *low < 0xE000) {
      append_utf8(out, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
      return 11;
    }
  }
  append_utf8(out, *unit);  // U+FFFD for a surrogate
  return 5;
}

// Takes 16 bytes at a step, as most of a JSON text is strings.
std::size_t json_string_stop(std::string_view text, std::size_t at) {
#ifdef SPINNERET_BYTES16
  for (; text.size() - at >= 16; at += 16) {
    const Bytes16 bytes = Bytes16::load(text.data() + at);
    const unsigned found = ((bytes == '"') | (bytes == '\\')).mask();
    if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found));
  }
#endif
  while (at < text.size() && text[at] != '"' && text[at] != '\\') ++at;
  return at;
}

}  // namespace spinneret
