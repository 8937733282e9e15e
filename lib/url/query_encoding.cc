// SPDX-License-Identifier: Apache-2.0
#include "url/query_encoding.h"

#include <algorithm>

#include "base/ascii.h"

namespace spinneret {
namespace {

// Returns false for shift and escape characters, too: they have a meaning in ISO-2022-JP, whose
// encoder must see them.
bool is_own_code(char c) {
  return static_cast<unsigned char>(c) < 0x80 && c != 0x0E && c != 0x0F && c != 0x1B;
}

// Returns the length of "&#N;" at the start of `text`, or 0.
std::size_t reference_length(std::string_view text) {
  if (!text.starts_with("&#")) return 0;
  std::size_t end = 2;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end > 2 && end < text.size() && text[end] == ';' ? end + 1 : 0;
}

}  // namespace

// Percent-encode after encoding. Only runs of non-ASCII characters go through the encoder, so that
// an "&#N;" in its output can only be a character that the encoding lacks. A stateful encoder gets
// the whole query, which contains no '#'; in its two-byte mode, whose bytes are ASCII, too, such a
// reference cannot occur either.
void append_query_encoded(std::string& out, std::string_view text, EncodeSet set,
                          const QueryEncoder& encoder) {
  std::string encoded;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = encoder.is_stateful() ? text.size() : i;
    while (end < text.size() && is_own_code(text[end]) == is_own_code(text[i])) ++end;
    const std::string_view run = text.substr(i, end - i);
    i = end;
    if (!encoder.is_stateful() && is_own_code(run.front())) {
      append_percent_encoded(out, run, set);
      continue;
    }
    encoded.clear();
    encoder.encode(run, encoded);
    bool two_byte = false;
    for (std::string_view rest = encoded; !rest.empty();) {
      if (rest.size() > 1 && rest[0] == '\x1B') two_byte = rest[1] == '$';
      const std::size_t length = two_byte ? 0 : reference_length(rest);
      if (length != 0) {
        out += "%26%23";
        out += rest.substr(2, length - 3);
        out += "%3B";
      } else {
        append_percent_encoded(out, rest.substr(0, 1), set);
      }
      rest.remove_prefix(std::max<std::size_t>(length, 1));
    }
  }
}

}  // namespace spinneret
