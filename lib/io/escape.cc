// SPDX-License-Identifier: Apache-2.0
#include "io/escape.h"

#include <bit>

#include "base/bytes16.h"

namespace spinneret {
namespace {

// Returns the letter after the backslash, or 0 if the byte stands for itself.
constexpr char letter_of(char c) {
  switch (c) {
    case '\t': return 't';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\\': return '\\';
    case '\0': return '0';
    default: return 0;
  }
}

char* escape_tail(char* out, const char* at, const char* end) {
  for (; at != end; ++at) {
    const char letter = letter_of(*at);
    if (letter == 0) {
      *out++ = *at;
    } else {
      *out++ = '\\';
      *out++ = letter;
    }
  }
  return out;
}

// Returns the byte that a letter after a backslash stands for, or -1.
constexpr int byte_of(char letter) {
  switch (letter) {
    case 't': return '\t';
    case 'n': return '\n';
    case 'r': return '\r';
    case '\\': return '\\';
    case '0': return '\0';
    default: return -1;
  }
}

}  // namespace

std::size_t escape_to(char* out, std::string_view value) {
  char* const start = out;
  const char* at = value.data();
  const char* const end = at + value.size();
#ifdef SPINNERET_BYTES16
  while (end - at >= 16) {
    const Bytes16 bytes = Bytes16::load(at);
    const Bytes16 blank = (bytes == '\t') | (bytes == '\n');
    const Bytes16 rare = (bytes == '\r') | (bytes == '\\') | (bytes == '\0');
    const unsigned special = (blank | rare).mask();
    // All 16 bytes are stored; those after the special byte are then overwritten at their right
    // place.
    bytes.store(out);
    if (special == 0) {
      at += 16;
      out += 16;
      continue;
    }
    const int before = std::countr_zero(special);
    at += before;
    out += before;
    *out++ = '\\';
    *out++ = letter_of(*at++);
  }
#endif
  return static_cast<std::size_t>(escape_tail(out, at, end) - start);
}

std::size_t unescape_to(char* out, std::string_view raw) {
  char* const start = out;
  const char* at = raw.data();
  const char* const end = at + raw.size();
  while (at != end) {
#ifdef SPINNERET_BYTES16
    while (end - at >= 16) {
      const Bytes16 bytes = Bytes16::load(at);
      const unsigned special = (bytes == '\\').mask();
      bytes.store(out);
      const int plain = special == 0 ? 16 : std::countr_zero(special);
      at += plain;
      out += plain;
      if (special != 0) break;
    }
#endif
    while (at != end && *at != '\\') *out++ = *at++;
    if (at == end) break;
    const int byte = at + 1 == end ? -1 : byte_of(at[1]);
    if (byte >= 0) {
      *out++ = static_cast<char>(byte);
      at += 2;
      continue;
    }
    // Copies both bytes at once, since the second must not be read as the start of an escape.
    *out++ = *at++;
    if (at != end) *out++ = *at++;
  }
  return static_cast<std::size_t>(out - start);
}

void write_escaped(Sink& sink, std::string_view value) {
  // One eighth of the buffer at a time: an early flush by reserve() then leaves at most a quarter
  // of it unused.
  const std::size_t step = sink.capacity() / 8;
  while (!value.empty()) {
    const std::string_view piece = value.substr(0, step);
    sink.advance(escape_to(sink.reserve(escaped_room(piece.size())), piece));
    value.remove_prefix(piece.size());
  }
}

}  // namespace spinneret
