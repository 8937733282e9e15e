// SPDX-License-Identifier: Apache-2.0
#include "text/blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/ascii.h"
#include "base/bytes16.h"
#include "text/page.h"

namespace spinneret::text {
namespace {

// Text behind so many blocks is added to the last one.
constexpr std::size_t kMaxBlocks = std::size_t{1} << 20;
constexpr std::string_view kNoBreak = "\xC2\xA0";

// How a byte is treated. 0xC2 may begin U+00A0, a no-break space.
enum ByteKind : std::uint8_t { kLetter, kMark, kBlank, kLookCloser };
constexpr auto kByteKinds = [] {
  std::array<ByteKind, 256> kinds{};
  for (std::size_t i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    kinds[i] = i >= 0x80 || c == '_' || is_alnum(c) ? kLetter : is_space(c) ? kBlank : kMark;
  }
  kinds[0] = kinds[0xC2] = kLookCloser;
  return kinds;
}();
ByteKind kind_of(char c) { return kByteKinds[static_cast<unsigned char>(c)]; }

// The first byte always belongs to the run.
PlainRun first_of_run(char c, bool& within) {
  const bool letter = kind_of(c) != kMark && c != ' ';
  const PlainRun run{1, letter && !within};
  within = letter;
  return run;
}

}  // namespace

PlainRun plain_run_slow(std::string_view text, bool& within) {
  PlainRun run = first_of_run(text[0], within);
  while (run.size < text.size()) {
    const char c = text[run.size];
    const bool one_blank =
        c == ' ' && run.size + 1 < text.size() && kind_of(text[run.size + 1]) <= kMark;
    if (kind_of(c) > kMark && !one_blank) break;
    const bool letter = kind_of(c) == kLetter;
    run.words += letter && !within;
    within = letter;
    ++run.size;
  }
  return run;
}

#ifdef SPINNERET_BYTES16

// Takes sixteen bytes at a time: 2 instructions a byte instead of 9.
PlainRun plain_run(std::string_view text, bool& within) {
  PlainRun run = first_of_run(text[0], within);
  while (run.size < text.size()) {
    const char* at = text.data() + run.size;
    const std::size_t left = text.size() - run.size;
    char tail[16];
    if (left < 16) {
      std::memset(tail, 0, sizeof tail);  // a NUL ends the run
      std::memcpy(tail, at, left);
      at = tail;
    }
    const Bytes16 block = Bytes16::load(at);
    const unsigned letters =
        (((block | Bytes16::all(0x20)) - 'a' <= 25) | (block - '0' <= 9) | (block == '_')).mask() |
        block.high_mask();
    const unsigned blanks = (block == ' ').mask();
    // This includes '\v', with which the next run begins.
    const unsigned ends = ((block == '\0') | (block == '\xC2') | (block - '\t' <= 4)).mask();
    unsigned stops = ends | (blanks & ((blanks | ends) >> 1));
    // Only the next bytes show whether the blank at the end is one of two.
    const bool more = (stops & 0xFFFF) == 0 && (blanks >> 15 & 1) != 0 && left > 16;
    if (left == 16) stops |= blanks & 0x8000u;
    const unsigned size = more ? 15 : static_cast<unsigned>(std::countr_zero(stops | 0x10000u));
    if (size == 0) break;
    const unsigned mine = letters & ((1u << size) - 1);
    run.words += static_cast<std::uint32_t>(std::popcount(mine & ~(mine << 1 | unsigned{within})));
    within = (mine >> (size - 1) & 1) != 0;
    run.size += size;
    if (size < 15 || (size == 15 && !more)) break;
  }
  return run;
}

#else

PlainRun plain_run(std::string_view text, bool& within) { return plain_run_slow(text, within); }

#endif

void BlockWriter::clear() {
  block_ = {};
  open_ = space_ = in_word_ = false;
}

void BlockWriter::add(std::string_view text, const Place& place) {
  std::string& out = page_.text;
  if (out.size() + text.size() > UINT32_MAX - 16) return;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const bool raw = place.preformatted && open_;
    if (kind_of(c) == kBlank) {
      in_word_ = false;
      space_ = !raw;
      do {
        if (raw) out += text[i];
      } while (++i < text.size() && kind_of(text[i]) == kBlank);
      continue;
    }
    if (c == kNoBreak[0] && text.substr(i, 2) == kNoBreak) {
      in_word_ = false;
      space_ = true;
      i += 2;
      continue;
    }
    if (c == '\0') {
      ++i;
      continue;
    }
    if (!open_) {
      open_ = true;
      block_ = {};
      block_.node = place.node;
      block_.begin = static_cast<std::uint32_t>(out.size());
      block_.hidden = place.hidden;
      in_word_ = false;
    } else if (space_ && out.back() != '\n') {
      out += ' ';
    }
    space_ = false;
    const PlainRun run = plain_run(text.substr(i), in_word_);
    block_.words += run.words;
    block_.link_words += place.link ? run.words : 0;
    if (place.emphasis) block_.emphasis_words = (block_.emphasis_words + run.words) & 0x7FFFFFFF;
    out.append(text.substr(i, run.size));
    block_.end = static_cast<std::uint32_t>(out.size());
    i += run.size;
  }
}

void BlockWriter::break_line() {
  if (!open_) return;
  if (page_.text.size() > block_.begin) page_.text += '\n';
  space_ = in_word_ = false;
}

void BlockWriter::end(bool last) {
  space_ = in_word_ = false;
  if (!open_) return;
  if (page_.blocks.size() + 1 >= kMaxBlocks && !last) {
    if (page_.text.back() != '\n') page_.text += '\n';
    return;
  }
  open_ = false;
  page_.text.resize(block_.end);  // without trailing white space
  page_.blocks.push_back(block_);
}

}  // namespace spinneret::text
