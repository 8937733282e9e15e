// SPDX-License-Identifier: Apache-2.0
#include "html/anchor.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/bytes16.h"

namespace spinneret::html {
namespace {

constexpr auto kBlank = [] {
  std::array<bool, 256> table{};
  for (const char c : {' ', '\t', '\n', '\r', '\f'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

bool is_blank(char c) { return kBlank[static_cast<unsigned char>(c)]; }

// Copies those of the first 16 bytes of `text` that folding leaves unchanged, and perhaps more
// bytes behind them. Returns how many these are. `space` says that a space stands before them, and
// then whether the last of them is one.
std::size_t copy_plain(char* out, std::string_view text, bool& space) {
#if defined(SPINNERET_BYTES16)
  if (text.size() < 16) return 0;
  const Bytes16 block = Bytes16::load(text.data());
  const unsigned spaces = (block == ' ').mask();
  const unsigned odd =
      ((block <= 0x20).mask() ^ spaces) | (spaces & (spaces << 1 | (space ? 1u : 0u)));
  const auto plain = static_cast<std::size_t>(std::countr_zero(odd | 1u << 16));
  if (plain == 0) return 0;
  block.store(out);
  space = (spaces >> (plain - 1) & 1) != 0;
  return plain;
#else
  static_cast<void>(out);
  static_cast<void>(text);
  static_cast<void>(space);
  return 0;
#endif
}

// Appends `text` with every run of white space as one space, and no space at the start. With
// `drop_nul`, NULs are left out.
void append_folded(std::string& out, std::string_view text, std::size_t limit, bool drop_nul) {
  char buffer[AnchorText::kMax + 16];
  const std::size_t room = std::min(limit - std::min(limit, out.size()), AnchorText::kMax);
  std::size_t used = 0;
  bool space = out.empty() || out.back() == ' ';
  for (std::size_t at = 0; at < text.size() && used < room;) {
    const std::size_t plain = copy_plain(buffer + used, text.substr(at), space);
    at += plain;
    used += plain;
    if (at == text.size() || used >= room) break;
    const char c = text[at++];
    if (c == '\0' && drop_nul) continue;
    const bool blank = is_blank(c);
    buffer[used] = blank ? ' ' : c;
    used += !(blank && space);
    space = blank;
    while (space && at < text.size() && is_blank(text[at])) ++at;
  }
  out.append(buffer, std::min(used, room));
}

// Removes a code point that the limit cut in two, and the space at the end.
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

bool AnchorText::trim(std::string& text) {
  trim_text(text, kMax);
  return !text.empty();
}

void AnchorText::append_folded(std::string& out, std::string_view text) {
  html::append_folded(out, text, kMax, false);
  trim(out);
}

void AnchorText::add(std::string_view text) { html::append_folded(words_, text, kMax, true); }

void AnchorText::add_image(std::string_view alt, std::string_view title) {
  if (!alt_.empty()) html::append_folded(alt_, " ", kMax, true);
  html::append_folded(alt_, alt, kMax, true);
  if (title_.empty()) title_ = title;
}

bool AnchorText::set(std::string_view text) {
  words_.clear();
  html::append_folded(words_, text, kMax, true);
  return trim(words_);
}

}  // namespace spinneret::html
