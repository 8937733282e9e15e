// SPDX-License-Identifier: Apache-2.0
#include "url/stripped_input.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace spinneret {
namespace {

constexpr bool is_c0_or_space(char c) { return static_cast<unsigned char>(c) <= ' '; }
constexpr bool is_dropped(char c) { return c == '\t' || c == '\n' || c == '\r'; }

// Tests eight bytes at a time whether any is below 0x0E; only then is each byte examined.
bool has_dropped(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::size_t i = 0;
  std::uint64_t low = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + i, 8);
    low |= (bytes - kOnes * 0x0E) & ~bytes & (kOnes * 0x80);
  }
  if (low != 0) i = 0;
  while (i < text.size() && !is_dropped(text[i])) ++i;
  return i != text.size();
}

}  // namespace

StrippedInput::StrippedInput(std::string_view input) : input_(input), text_(input) {
  while (!text_.empty() && is_c0_or_space(text_.front())) text_.remove_prefix(1);
  while (!text_.empty() && is_c0_or_space(text_.back())) text_.remove_suffix(1);
  begin_ = static_cast<std::size_t>(text_.data() - input.data());
  if (!has_dropped(text_)) return;
  std::copy_if(text_.begin(), text_.end(), std::back_inserter(kept_),
               [](char c) { return !is_dropped(c); });
  text_ = kept_;
}

std::size_t StrippedInput::original_offset(std::size_t offset) const {
  std::size_t at = begin_;
  if (kept_.empty()) return std::min(at + offset, input_.size());
  for (; at < input_.size(); ++at) {
    if (is_dropped(input_[at])) continue;
    if (offset-- == 0) break;
  }
  return at;
}

}  // namespace spinneret
