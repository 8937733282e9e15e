// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace spinneret {
namespace {

// Whether `c` is a code point and no surrogate.
constexpr bool is_scalar(char32_t c) { return c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF); }

}  // namespace

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (!is_scalar(c)) c = 0xFFFD;
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 63));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 63));
    put(0x80 | (c >> 6 & 63));
  }
  put(0x80 | (c & 63));
}

std::size_t utf8_sequence(std::string_view text, char32_t* code_point) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  std::size_t length = 0;
  char32_t value = 0;
  if (lead < 0x80) {
    length = 1;
    value = lead;
  } else if (lead >= 0xC2 && lead < 0xE0) {
    length = 2;
    value = lead & 0x1F;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    length = 3;
    value = lead & 0x0F;
  } else if (lead >= 0xF0 && lead < 0xF5) {
    length = 4;
    value = lead & 0x07;
  }
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    value = (value << 6) | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || !is_scalar(value)) return 0;
  if (code_point != nullptr) *code_point = value;
  return length;
}

bool is_valid_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    if (bytes.size() >= 32) {
      std::uint64_t words[4];
      std::memcpy(words, bytes.data(), 32);
      word = words[0] | words[1] | words[2] | words[3];
      if ((word & 0x8080808080808080u) == 0) {
        bytes.remove_prefix(32);
        continue;
      }
    }
    // Checks up to 32 bytes one by one, and the whole of a character that begins in them.
    const std::size_t limit = std::min<std::size_t>(bytes.size(), 32);
    std::size_t at = 0;
    while (at < limit) {
      if (static_cast<unsigned char>(bytes[at]) < 0x80) {
        ++at;
        continue;
      }
      const std::size_t size = utf8_sequence(bytes.substr(at));
      if (size == 0) return false;
      at += size;
    }
    bytes.remove_prefix(at);
  }
  return true;
}

}  // namespace spinneret
