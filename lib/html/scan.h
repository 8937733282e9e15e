// SPDX-License-Identifier: Apache-2.0
// Searches over bytes for the hot loops of the tokenizer. Tags stand some 60 bytes apart on real pages, so
// the start of a search counts more than its width: 16 bytes at a time inline (SSE2, which every x86-64
// has) beat a call to memchr; 32 (AVX2) brought nothing more. With SPINNERET_PORTABLE, or elsewhere, 8
// bytes at a time in a plain word. No read goes past `end`.
#ifndef SPINNERET_HTML_SCAN_H_
#define SPINNERET_HTML_SCAN_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__) && !defined(SPINNERET_PORTABLE)
#include <emmintrin.h>
#define SPINNERET_HTML_SSE2 1
#endif

namespace spinneret::html {

// The slow twin of what follows: the first byte in [at, end) that is `a` or `b`, or `end`.
inline const char* find_either_slow(const char* at, const char* end, char a, char b) {
  while (at != end && *at != a && *at != b) ++at;
  return at;
}

#if defined(SPINNERET_HTML_SSE2)

template <bool kTwo>
inline const char* find_vector(const char* at, const char* end, char a, char b) {
  const __m128i wanted_a = _mm_set1_epi8(a);
  const __m128i wanted_b = _mm_set1_epi8(b);
  for (; end - at >= 16; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    __m128i hits = _mm_cmpeq_epi8(block, wanted_a);
    if constexpr (kTwo) hits = _mm_or_si128(hits, _mm_cmpeq_epi8(block, wanted_b));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(hits));
    if (mask != 0) return at + std::countr_zero(mask);
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
  return c == '>' || c == '/' || (at_equals && c == '=') || c == ' ' || c == '\n' || c == '\t' || c == '\r' ||
         c == '\f';
}

inline const char* find_name_end_slow(const char* at, const char* end, bool at_equals) {
  while (at != end && !ends_name(*at, at_equals)) ++at;
  return at;
}

// The end of the name that begins at `at`.
template <bool kAtEquals>
inline const char* find_name_end(const char* at, const char* end) {
#if defined(SPINNERET_HTML_SSE2)
  for (; end - at >= 16; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // Up to 0x20: white space, and controls that belong to the name and are sorted out below.
    __m128i hits = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x20)), block);
    hits = _mm_or_si128(hits, _mm_cmpeq_epi8(block, _mm_set1_epi8('>')));
    hits = _mm_or_si128(hits, _mm_cmpeq_epi8(block, _mm_set1_epi8('/')));
    if constexpr (kAtEquals) hits = _mm_or_si128(hits, _mm_cmpeq_epi8(block, _mm_set1_epi8('=')));
    auto mask = static_cast<unsigned>(_mm_movemask_epi8(hits));
    for (; mask != 0; mask &= mask - 1) {
      const char* const hit = at + std::countr_zero(mask);
      if (ends_name(*hit, kAtEquals)) return hit;
    }
  }
#endif
  return find_name_end_slow(at, end, kAtEquals);
}

// The first of '>', '=', '"' and '\'' in [at, end), or `end`.
inline const char* find_attribute_mark(const char* at, const char* end) {
#if defined(SPINNERET_HTML_SSE2)
  for (; end - at >= 16; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    __m128i hits = _mm_cmpeq_epi8(block, _mm_set1_epi8('>'));
    hits = _mm_or_si128(hits, _mm_cmpeq_epi8(block, _mm_set1_epi8('=')));
    hits = _mm_or_si128(hits, _mm_cmpeq_epi8(block, _mm_set1_epi8('"')));
    hits = _mm_or_si128(hits, _mm_cmpeq_epi8(block, _mm_set1_epi8('\'')));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(hits));
    if (mask != 0) return at + std::countr_zero(mask);
  }
#endif
  while (at != end && *at != '>' && *at != '=' && *at != '"' && *at != '\'') ++at;
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
