// SPDX-License-Identifier: Apache-2.0
#include "url/canonical_scan_impl.h"

#ifdef SPINNERET_SCAN_X86

#include <immintrin.h>

#include <bit>

#define SPINNERET_SCAN_TARGET __attribute__((target("ssse3")))
#define SPINNERET_SCAN_NAME scan_ssse3

namespace spinneret::scan_internal {
namespace {

// Each byte is looked up by its low four bits for the rows of its set, and by its high four for its row.
struct Tables {
  __m128i stops;
  __m128i hosts;
  __m128i rows;
};

SPINNERET_SCAN_TARGET inline __m128i load_table(const std::array<std::uint8_t, 16>& table) {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(table.data()));
}

SPINNERET_SCAN_TARGET inline Tables make_tables(const ScanRules& rules) {
  return {load_table(rules.stop_rows), load_table(kHostRows), load_table(kRowBits)};
}

SPINNERET_SCAN_TARGET inline std::uint64_t bits(__m128i bytes) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
}

SPINNERET_SCAN_TARGET inline std::uint64_t equal(__m128i bytes, char c) {
  return bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}

SPINNERET_SCAN_TARGET inline Masks quarter_masks(const Tables& tables, const char* at) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  // A byte above 0x7F gives no rows by its low half (pshufb), and no row by its high one.
  const __m128i high = _mm_and_si128(_mm_srli_epi16(v, 4), _mm_set1_epi8(15));
  const __m128i row = _mm_shuffle_epi8(tables.rows, high);
  const __m128i stop = _mm_and_si128(_mm_shuffle_epi8(tables.stops, v), row);
  const __m128i host = _mm_and_si128(_mm_shuffle_epi8(tables.hosts, v), row);
  const __m128i zero = _mm_setzero_si128();
  return {(bits(_mm_cmpeq_epi8(stop, zero)) ^ 0xFFFF) | bits(v), bits(_mm_cmpeq_epi8(host, zero)),
          equal(v, '/'), equal(v, '.'), equal(v, '%')};
}

SPINNERET_SCAN_TARGET inline Masks masks(const Tables& tables, const char* at) {
  Masks all{};
  for (int i = 0; i < 64; i += 16) {
    const Masks m = quarter_masks(tables, at + i);
    all.stop |= m.stop << i;
    all.no_host |= m.no_host << i;
    all.slash |= m.slash << i;
    all.dot |= m.dot << i;
    all.percent |= m.percent << i;
  }
  return all;
}

}  // namespace

#include "url/canonical_scan_x86.h"

}  // namespace spinneret::scan_internal

#endif  // SPINNERET_SCAN_X86
