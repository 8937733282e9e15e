// SPDX-License-Identifier: Apache-2.0
#include "url/canonical_scan_impl.h"

#ifdef SPINNERET_SCAN_X86

#include <immintrin.h>

#include <bit>

#define SPINNERET_SCAN_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi,lzcnt")))
#define SPINNERET_SCAN_NAME scan_avx512

namespace spinneret::scan_internal {
namespace {

struct Masks {
  std::uint64_t stop, no_host, slash, dot, percent;
};

// What each ASCII byte is, as bits, in two registers that one instruction looks up.
enum Class : std::uint8_t { kStop = 1, kNoHost = 2, kSlash = 4, kDot = 8, kPercent = 16 };
struct Tables {
  __m512i low;
  __m512i high;
};

SPINNERET_SCAN_TARGET inline Tables make_tables(const ScanRules& rules) {
  alignas(64) std::array<std::uint8_t, 128> classes{};
  for (std::size_t i = 0; i < 128; ++i) {
    const char c = static_cast<char>(i);
    classes[i] = static_cast<std::uint8_t>(
        (rules.stops[i] ? kStop : 0) | (is_host_byte(c) ? 0 : kNoHost) | (c == '/' ? kSlash : 0) |
        (c == '.' ? kDot : 0) | (c == '%' ? kPercent : 0));
  }
  return {_mm512_load_si512(classes.data()), _mm512_load_si512(classes.data() + 64)};
}

SPINNERET_SCAN_TARGET inline Masks masks(const Tables& tables, const char* at) {
  const __m512i v = _mm512_loadu_si512(at);
  const __m512i c = _mm512_permutex2var_epi8(tables.low, v, tables.high);
  const std::uint64_t not_ascii = _mm512_movepi8_mask(v);
  const auto has = [&c](int bit) __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi,lzcnt"))) {
    return _mm512_test_epi8_mask(c, _mm512_set1_epi8(static_cast<char>(bit)));
  };
  return {has(kStop) | not_ascii, has(kNoHost) | not_ascii, has(kSlash), has(kDot), has(kPercent)};
}

}  // namespace

#include "url/canonical_scan_x86.inc"

}  // namespace spinneret::scan_internal

#endif  // SPINNERET_SCAN_X86
