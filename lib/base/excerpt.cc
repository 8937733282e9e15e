// SPDX-License-Identifier: Apache-2.0
#include "base/excerpt.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/ascii.h"
#include "base/bytes16.h"
#include "base/utf8.h"

namespace spinneret {
namespace {

// C1 controls, line and paragraph separators, and all characters that reverse or hide text.
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

// `quotes` says whether the text is quoted, so that `"` and `\` in it must be escaped.
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
    // Most bytes of most texts stand for themselves.
    const std::size_t plain = plain_prefix(bytes);
    out += bytes.substr(0, plain);
    bytes.remove_prefix(plain);
    if (bytes.empty()) return;
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

bool is_bidi(char32_t c) {
  return c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

// U+0080 to U+009F, and the lone bytes 0x80 to 0x9F: some terminals take them for ESC and a letter.
constexpr bool is_c1(char32_t c) { return c >= 0x80 && c < 0xA0; }

// Returns `limit`, or less where a character would be cut in two.
std::size_t whole_characters(std::string_view bytes, std::size_t limit) {
  const std::size_t back = limit < 4 ? 0 : limit - 4;
  for (std::size_t at = limit; at > back; --at) {
    const std::size_t length = utf8_sequence(bytes.substr(at - 1));
    if (length != 0) return at - 1 + length <= limit ? limit : at - 1;
  }
  return limit;
}

template <bool kLines>
constexpr bool is_kept(char c) {
  return !is_control(c) || (kLines && (c == '\n' || c == '\t'));
}

// Returns how many bytes at the start are ASCII and are kept.
template <bool kLines>
std::size_t plain_run(std::string_view bytes) {
  std::size_t at = 0;
#ifdef SPINNERET_BYTES16
  for (; bytes.size() - at >= 16; at += 16) {
    const Bytes16 v = Bytes16::load(bytes.data() + at);
    unsigned other = ((v <= 0x1F) | (v == 0x7F)).mask() | v.high_mask();
    if (kLines && other != 0) other &= ~((v == '\n') | (v == '\t')).mask();
    if (other != 0) return at + static_cast<std::size_t>(std::countr_zero(other));
  }
#endif
  while (at < bytes.size() && (bytes[at] & 0x80) == 0 && is_kept<kLines>(bytes[at])) ++at;
  return at;
}

// Removing a bidi control cannot make the bytes around it into another one: each bidi control has a
// byte of 0x80 to 0x9F after its first byte, and a lone byte in that range has become a space.
template <bool kLines>
void clean(std::string& text, std::size_t from) {
  char* const data = text.data();
  std::size_t end = from;
  for (std::size_t i = from; i < text.size();) {
    if ((data[i] & 0x80) == 0) {
      const std::size_t plain = plain_run<kLines>(std::string_view(text).substr(i));
      if (end != i) std::memmove(data + end, data + i, plain);
      end += plain;
      i += plain;
      if (i == text.size() || (data[i] & 0x80) != 0) continue;
      data[end++] = is_kept<kLines>(data[i]) ? data[i] : ' ';
      ++i;
      continue;
    }
    char32_t c = 0;
    std::size_t length = 0;
    const auto lead = static_cast<unsigned char>(data[i]);
    if (lead >= 0xC3 && lead < 0xD8 && i + 1 < text.size() && (data[i + 1] & 0xC0) == 0x80) {
      // Most letters of most alphabets have two bytes, and no control has such a lead byte.
      length = 2;
      c = lead;
    } else {
      length = utf8_sequence(std::string_view(text).substr(i), &c);
    }
    if (length == 0) {
      c = static_cast<unsigned char>(data[i]);
      length = 1;
    }
    if (is_c1(c)) {
      data[end++] = ' ';
    } else if (!is_bidi(c)) {
      if (end != i) std::memmove(data + end, data + i, length);
      end += length;
    }
    i += length;
  }
  text.resize(end);
}

}  // namespace

std::size_t plain_prefix(std::string_view bytes) {
  std::size_t at = 0;
#ifdef SPINNERET_BYTES16
  const auto others = [&](std::size_t from) {
    const Bytes16 v = Bytes16::load(bytes.data() + from);
    return ((v <= 0x1F) | (v == 0x7F) | (v == '"') | (v == '\\')).mask() | v.high_mask();
  };
  for (; bytes.size() - at >= 16; at += 16) {
    if (const unsigned found = others(at); found != 0)
      return at + static_cast<std::size_t>(std::countr_zero(found));
  }
  if (at != 0) {
    // The last 16 bytes, some of which are known to be plain already.
    const unsigned found = others(bytes.size() - 16);
    return bytes.size() - 16 +
           (found == 0 ? 16 : static_cast<std::size_t>(std::countr_zero(found)));
  }
#endif
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; };
  while (at < bytes.size() && is_plain(bytes[at])) ++at;
  return at;
}

void append_excerpt(std::string& out, std::string_view bytes, std::size_t max_bytes) {
  if (bytes.size() <= max_bytes) return append_safe(out, bytes, true);
  append_safe(out, bytes.substr(0, whole_characters(bytes, max_bytes)), true);
  out += "...";
}

void append_printable(std::string& out, std::string_view message) {
  append_safe(out, message, false);
}

bool is_terminal_control(char32_t c) { return c < 0x20 || c == 0x7F || is_c1(c) || is_bidi(c); }

void clean_words(std::string& text, std::size_t from) { clean<false>(text, from); }

void clean_lines(std::string& text) { clean<true>(text, 0); }

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
