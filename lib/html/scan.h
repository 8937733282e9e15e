// SPDX-License-Identifier: Apache-2.0
// Searches over bytes for the hot loops of the tokenizer. Tags stand some 60 bytes apart on real pages, so
// the start of a search counts more than its width: 16 bytes at a time inline (base/bytes16.h) beat a call
// to memchr. Wider ones that are chosen at run time are in tag_run.h. With SPINNERET_PORTABLE, or elsewhere, 8
// bytes at a time in a plain word. No read goes past `end`.
#ifndef SPINNERET_HTML_SCAN_H_
#define SPINNERET_HTML_SCAN_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes16.h"

namespace spinneret::html {

// The slow twin of what follows: the first byte in [at, end) that is `a` or `b`, or `end`.
inline const char* find_either_slow(const char* at, const char* end, char a, char b) {
  while (at != end && *at != a && *at != b) ++at;
  return at;
}

#if defined(SPINNERET_BYTES16)

template <bool kTwo>
inline const char* find_vector(const char* at, const char* end, char a, char b) {
  for (; end - at >= 16; at += 16) {
    const Bytes16 block = Bytes16::load(at);
    Bytes16 hits = block == a;
    if constexpr (kTwo) hits = hits | (block == b);
    if (const unsigned mask = hits.mask(); mask != 0) return at + std::countr_zero(mask);
  }
  return find_either_slow(at, end, a, b);
}

#else

template <bool kTwo>
inline const char* find_vector(const char* at, const char* end, char a, char b) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  constexpr std::uint64_t kHigh = 0x8080808080808080u;
  const auto zero_byte = [](std::uint64_t word) { return (word - kOnes) & ~word & kHigh; };
  const std::uint64_t pattern_a = kOnes * static_cast<unsigned char>(a);
  const std::uint64_t pattern_b = kOnes * static_cast<unsigned char>(b);
  for (; end - at >= 8; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    std::uint64_t hits = zero_byte(word ^ pattern_a);
    if constexpr (kTwo) hits |= zero_byte(word ^ pattern_b);
    if (hits != 0) break;
  }
  return find_either_slow(at, end, a, b);
}

#endif

// What ends a name in a tag: white space, '/', '>', and for attributes '='.
inline bool ends_name(char c, bool at_equals) {
  return c == '>' || c == '/' || (at_equals && c == '=') || c == ' ' || c == '\n' || c == '\t' ||
         c == '\r' || c == '\f';
}

inline const char* find_name_end_slow(const char* at, const char* end, bool at_equals) {
  while (at != end && !ends_name(*at, at_equals)) ++at;
  return at;
}

// The end of the name that begins at `at`.
template <bool kAtEquals>
inline const char* find_name_end(const char* at, const char* end) {
#if defined(SPINNERET_BYTES16)
  for (; end - at >= 16; at += 16) {
    const Bytes16 block = Bytes16::load(at);
    // Up to 0x20: white space, and controls that belong to the name and are sorted out below.
    Bytes16 hits = (block <= 0x20) | (block == '>') | (block == '/');
    if constexpr (kAtEquals) hits = hits | (block == '=');
    for (unsigned mask = hits.mask(); mask != 0; mask &= mask - 1) {
      const char* const hit = at + std::countr_zero(mask);
      if (ends_name(*hit, kAtEquals)) return hit;
    }
  }
#endif
  return find_name_end_slow(at, end, kAtEquals);
}

// The same for an attribute's name that ends within 15 bytes behind its first one, where two more are readable;
// nullptr: it may be another. A byte that ends no name may be taken for one that does: what stands there tells.
inline const char* find_short_name_end(const char* at, const char* end) {
#if defined(SPINNERET_BYTES16)
  if (end - at < 18) return nullptr;
  const Bytes16 block = Bytes16::load(at);
  const Bytes16 hits = (block <= 0x20) | (block == '>') | (block == '/') | (block == '=');
  const unsigned mask = hits.mask() & ~1u;
  return mask == 0 ? nullptr : at + std::countr_zero(mask);
#else
  static_cast<void>(at);
  static_cast<void>(end);
  return nullptr;
#endif
}

// The attribute names that somebody wants, by their last three letters: a sieve that few others pass. The third keeps
// "id" apart from "itemid": with two, everything of 400 pages of today took 1.09 of the time.
class NameSieve {
 public:
  void add(std::string_view name) {
    // Before a name of one letter stands any blank, before one of two letters a blank or a quote.
    if (name.size() < 3) return add_all();
    const std::size_t row = name.back() & 31;
    rows_[row] |= bit(name[name.size() - 2]);
    thirds_[row] |= bit(name[name.size() - 3]);
  }
  void add_all() {
    rows_.fill(~0u);
    thirds_.fill(~0u);
  }
  // The name ends before `end`; before it stand a blank and the tag's name.
  bool passes(const char* end) const {
    return (rows_[end[-1] & 31] & bit(end[-2])) != 0 && (thirds_[end[-1] & 31] & bit(end[-3])) != 0;
  }

 private:
  static std::uint32_t bit(char c) { return std::uint32_t{1} << (c & 31); }
  std::array<std::uint32_t, 32> rows_{};
  std::array<std::uint32_t, 32> thirds_{};
};

// The first '<' in [at, end) behind which stands what may begin markup, or any '<' near the end, or `end`: for
// texts that are full of '<'.
inline const char* find_markup(const char* at, const char* end) {
#if defined(SPINNERET_BYTES16)
  for (; end - at > 16; at += 16) {
    const Bytes16 next = Bytes16::load(at + 1);
    const Bytes16 letter = (next | Bytes16::all(0x20)) - 'a';
    const Bytes16 starts = (letter <= 'z' - 'a') | (next == '/') | (next == '!') | (next == '?');
    const unsigned mask = (starts & (Bytes16::load(at) == '<')).mask();
    if (mask != 0) return at + std::countr_zero(mask);
  }
#endif
  return find_vector<false>(at, end, '<', '<');
}

// Whether a text is more than its bytes, once references are decoded and white space is folded.
struct TextLook {
  bool odd = false;   // perhaps: '&', a control, white space other than single spaces
  bool high = false;  // bytes above 0x7F
};

// The slow twin of look_at_text.
inline TextLook look_at_text_slow(const char* at, const char* end, bool blank_before) {
  TextLook out;
  for (; at != end; ++at) {
    const bool blank = *at == ' ';
    out.odd =
        out.odd || *at == '&' || static_cast<unsigned char>(*at) < ' ' || (blank && blank_before);
    out.high = out.high || (*at & 0x80) != 0;
    blank_before = blank;
  }
  return out;
}

// `blank_before`: a space at the start would be the second one. 15 bytes behind `end` are readable.
inline TextLook look_at_text(const char* at, const char* end, bool blank_before) {
#if defined(SPINNERET_BYTES16)
  unsigned odd = 0;
  unsigned high = 0;
  unsigned before = blank_before ? 1 : 0;
  for (; at < end; at += 16) {
    const Bytes16 block = Bytes16::load(at);
    const unsigned spaces = (block == ' ').mask();
    const unsigned lows = (block <= 0x20).mask();
    const unsigned references = (block == '&').mask();
    const unsigned inside = end - at >= 16 ? 0xFFFFu : (1u << (end - at)) - 1;
    odd |= ((lows ^ spaces) | references | (spaces & (spaces << 1 | before))) & inside;
    high |= block.high_mask() & inside;
    before = spaces >> 15 & 1;
  }
  return {odd != 0, high != 0};
#else
  return look_at_text_slow(at, end, blank_before);
#endif
}

// The first byte in [at, end) that is one of `stops`, or `end`.
template <typename... Stops>
inline const char* find_any(const char* at, const char* end, Stops... stops) {
#if defined(SPINNERET_BYTES16)
  for (; end - at >= 16; at += 16) {
    const Bytes16 block = Bytes16::load(at);
    if (const unsigned mask = (... | (block == stops)).mask(); mask != 0)
      return at + std::countr_zero(mask);
  }
#endif
  while (at != end && (... && (*at != stops))) ++at;
  return at;
}

// The first `wanted` in [at, end), or `end`.
inline const char* find_byte(const char* at, const char* end, char wanted) {
  return find_vector<false>(at, end, wanted, wanted);
}

// The first `a` or `b` in [at, end), or `end`.
inline const char* find_either(const char* at, const char* end, char a, char b) {
  return find_vector<true>(at, end, a, b);
}

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_SCAN_H_
