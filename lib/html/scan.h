// SPDX-License-Identifier: Apache-2.0
// Searches over bytes, for the hot loops of the tokenizer. On real pages tags are some 60 bytes
// apart, so a quick start of the search counts more than its width: 16 bytes at a time, inline
// (base/bytes16.h), beat a call to memchr. Wider scans, chosen at run time, are in tag_run.h. With
// SPINNERET_PORTABLE, and on other machines, plain words of 8 bytes are used. Nothing is read
// beyond `end`.
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

// The slow twin of find_either(): returns the first byte in [at, end) that is `a` or `b`, or `end`.
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

// Whether a byte ends a name in a tag: white space, '/', '>', and for attributes '='.
inline bool ends_name(char c, bool at_equals) {
  return c == '>' || c == '/' || (at_equals && c == '=') || c == ' ' || c == '\n' || c == '\t' ||
         c == '\r' || c == '\f';
}

inline const char* find_name_end_slow(const char* at, const char* end, bool at_equals) {
  while (at != end && !ends_name(*at, at_equals)) ++at;
  return at;
}

// Returns the end of the name that begins at `at`.
template <bool kAtEquals>
inline const char* find_name_end(const char* at, const char* end) {
#if defined(SPINNERET_BYTES16)
  for (; end - at >= 16; at += 16) {
    const Bytes16 block = Bytes16::load(at);
    // Bytes up to 0x20 are white space, or controls, which belong to the name and are told apart
    // below.
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

// Does the same for an attribute whose name ends within 15 bytes behind its first one; returns
// nullptr otherwise, or if fewer than two more bytes are readable. It may stop at a byte that does
// not end a name: the caller must look at the byte.
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

// A sieve for the attribute names that somebody wants, by their last three letters; few other names
// pass it. The third letter keeps "id" and "itemid" apart: with two letters, extracting everything
// from 400 pages of today took 1.09 times as long.
class NameSieve {
 public:
  void add(std::string_view name) {
    // In front of a name of one letter any blank may stand, of two letters a blank or a quote.
    if (name.size() < 3) return add_all();
    const std::size_t row = name.back() & 31;
    rows_[row] |= bit(name[name.size() - 2]);
    thirds_[row] |= bit(name[name.size() - 3]);
  }
  void add_all() {
    rows_.fill(~0u);
    thirds_.fill(~0u);
  }
  // Whether the name that ends before `end` passes. A blank and the tag's name must stand in front
  // of it.
  bool passes(const char* end) const {
    return (rows_[end[-1] & 31] & bit(end[-2])) != 0 && (thirds_[end[-1] & 31] & bit(end[-3])) != 0;
  }

 private:
  static std::uint32_t bit(char c) { return std::uint32_t{1} << (c & 31); }
  std::array<std::uint32_t, 32> rows_{};
  std::array<std::uint32_t, 32> thirds_{};
};

// For texts that are full of '<': returns the first '<' in [at, end) that is followed by what may
// begin markup, or any '<' near the end, or `end`.
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

// Whether a text differs from its bytes once references are decoded and white space is folded.
struct TextLook {
  bool odd = false;   // it may: there is '&', a control, or white space other than single spaces
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

// Looks at the text in [at, end). `blank_before` says that a space at the start would follow
// another space. 15 bytes behind `end` must be readable.
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

// Returns the first byte in [at, end) that is one of `stops`, or `end`.
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

// Returns the first `wanted` in [at, end), or `end`.
inline const char* find_byte(const char* at, const char* end, char wanted) {
  return find_vector<false>(at, end, wanted, wanted);
}

// Returns the first `a` or `b` in [at, end), or `end`.
inline const char* find_either(const char* at, const char* end, char a, char b) {
  return find_vector<true>(at, end, a, b);
}

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_SCAN_H_
