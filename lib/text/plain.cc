// SPDX-License-Identifier: Apache-2.0
#include "text/plain.h"

#include <algorithm>

namespace spinneret::text {

std::string_view plain_document(std::string_view text, std::string& document) {
  document = "<pre>";
  while (!text.empty()) {
    const std::size_t plain = std::min(text.size(), text.find_first_of("<&"));
    document += text.substr(0, plain);
    if (plain == text.size()) break;
    document += text[plain] == '<' ? "&lt;" : "&amp;";
    text.remove_prefix(plain + 1);
  }
  return document;
}

}  // namespace spinneret::text
