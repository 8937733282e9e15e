// SPDX-License-Identifier: Apache-2.0
#include "url/percent.h"

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

}  // namespace spinneret
