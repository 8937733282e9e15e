// SPDX-License-Identifier: Apache-2.0
#include "url/percent.h"

#include "base/excerpt.h"
#include "base/utf8.h"

namespace spinneret {

void append_percent_encoded(std::string& out, std::string_view text, EncodeSet set) {
  std::size_t run = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!in_set(text[i], set)) continue;
    out.append(text, run, i - run);
    append_escape(out, text[i]);
    run = i + 1;
  }
  out.append(text, run);
}

void append_percent_decoded(std::string& out, std::string_view text) {
  std::size_t run = 0;
  for (std::size_t i = text.find('%'); i != std::string_view::npos; i = text.find('%', i)) {
    if (!is_escape(text, i)) {
      ++i;
      continue;
    }
    out.append(text, run, i - run);
    out += escape_value(text, i);
    run = i += 3;
  }
  out.append(text, run);
}

void append_without_controls(std::string& out, std::string_view decoded) {
  constexpr std::string_view kEscapedByRecords("\t\n\r\0", 4);
  while (!decoded.empty()) {
    char32_t c = 0;
    const std::size_t length = utf8_sequence(decoded, &c);
    const std::string_view bytes = decoded.substr(0, length == 0 ? 1 : length);
    const bool kept = kEscapedByRecords.find(bytes.front()) != std::string_view::npos;
    if (kept || (length != 0 && !is_terminal_control(c))) {
      out += bytes;
    } else {
      for (const char byte : bytes) append_escape(out, byte);
    }
    decoded.remove_prefix(bytes.size());
  }
}

}  // namespace spinneret
