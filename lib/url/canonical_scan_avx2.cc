// SPDX-License-Identifier: Apache-2.0
#include "url/canonical_scan_impl.h"

#ifdef SPINNERET_SCAN_X86

#include <immintrin.h>

#include <bit>

#define SPINNERET_SCAN_TARGET __attribute__((target("avx2,bmi,lzcnt")))
#define SPINNERET_SCAN_NAME(what) what##_avx2

namespace spinneret::scan_internal {
namespace {

// The low four bits of each byte select the rows of its set, and the high four bits its row.
struct Tables {
  __m256i stops;
  __m256i hosts;
  __m256i rows;
};

SPINNERET_SCAN_TARGET inline __m256i load_table(const std::array<std::uint8_t, 16>& table) {
  return _mm256_broadcastsi128_si256(
      _mm_load_si128(reinterpret_cast<const __m128i*>(table.data())));
}

SPINNERET_SCAN_TARGET inline Tables make_tables(const ScanRules& rules) {
  return {load_table(rules.stop_rows), load_table(kHostRows), load_table(kRowBits)};
}

SPINNERET_SCAN_TARGET inline std::uint64_t bits(__m256i bytes) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

SPINNERET_SCAN_TARGET inline std::uint64_t equal(__m256i bytes, char c) {
  return bits(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c)));
}

[[gnu::always_inline]] SPINNERET_SCAN_TARGET inline Masks half_masks(const Tables& tables,
                                                                     const char* at) {
  const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  // A byte above 0x7F gives no rows by its low half (pshufb), and no row by its high half.
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15));
  const __m256i row = _mm256_shuffle_epi8(tables.rows, high);
  const __m256i stop = _mm256_and_si256(_mm256_shuffle_epi8(tables.stops, v), row);
  const __m256i host = _mm256_and_si256(_mm256_shuffle_epi8(tables.hosts, v), row);
  const __m256i zero = _mm256_setzero_si256();
  return {(bits(_mm256_cmpeq_epi8(stop, zero)) ^ 0xFFFFFFFF) | bits(v),
          bits(_mm256_cmpeq_epi8(host, zero)), equal(v, '/'), equal(v, '.'), equal(v, '%')};
}

[[gnu::always_inline]] SPINNERET_SCAN_TARGET inline Masks masks(const Tables& tables,
                                                                const char* at) {
  const Masks low = half_masks(tables, at);
  const Masks high = half_masks(tables, at + 32);
  return {low.stop | high.stop << 32, low.no_host | high.no_host << 32,
          low.slash | high.slash << 32, low.dot | high.dot << 32, low.percent | high.percent << 32};
}

}  // namespace

#include "url/canonical_scan_64.h"

}  // namespace spinneret::scan_internal

#endif  // SPINNERET_SCAN_X86
