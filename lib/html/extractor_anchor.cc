// SPDX-License-Identifier: Apache-2.0
// The text of anchors: folded, cut at its bound, kept with the link.
#include <algorithm>
#include <array>

#include "html/extractor.h"

namespace spinneret::html {
namespace {

constexpr auto kBlank = [] {
  std::array<bool, 256> table{};
  for (const char c : {' ', '\t', '\n', '\r', '\f'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

// Appends `text` with every run of white space as one space, and none at the start.
void append_folded(std::string& out, std::string_view text, std::size_t limit) {
  char buffer[LinkExtractor::kMaxText];
  const std::size_t room = std::min(limit - std::min(limit, out.size()), sizeof buffer);
  std::size_t used = 0;
  bool space = out.empty() || out.back() == ' ';
  for (std::size_t at = 0; at < text.size() && used < room; ++at) {
    const char c = text[at];
    const bool blank = kBlank[static_cast<unsigned char>(c)];
    buffer[used] = blank ? ' ' : c;
    used += !(blank && space);
    space = blank;
  }
  out.append(buffer, used);
}

// Without a code point that the limit cut in two, and without the space at its end.
void trim_text(std::string& text, std::size_t limit) {
  if (text.size() > limit) text.resize(limit);
  if (text.size() == limit) {
    std::size_t lead = text.size();
    while (lead > 0 && text.size() - lead < 4 &&
           (static_cast<unsigned char>(text[lead - 1]) & 0xC0) == 0x80) {
      --lead;
    }
    if (lead > 0 && static_cast<unsigned char>(text[lead - 1]) >= 0xC0) {
      const auto byte = static_cast<unsigned char>(text[lead - 1]);
      const std::size_t need = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
      if (text.size() - (lead - 1) < need) text.resize(lead - 1);
    }
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
}

}  // namespace

void LinkExtractor::append_folded_text(std::string& out, std::string_view text) {
  append_folded(out, text, kMaxText);
  trim_text(out, kMaxText);
}

void LinkExtractor::add_to_text(std::string_view raw) {
  append_folded(text_, decoded_text(raw), kMaxText);
}

void LinkExtractor::begin_text() {
  if (!options_.text) return;
  text_link_ = page_.links.size() - 1;
  text_.clear();
}

void LinkExtractor::end_text() {
  if (text_link_ == kNoLink) return;
  trim_text(text_, kMaxText);
  page_.links[text_link_].text = arena_.keep(text_);
  text_link_ = kNoLink;
}

}  // namespace spinneret::html
