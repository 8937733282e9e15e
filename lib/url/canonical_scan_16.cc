// SPDX-License-Identifier: Apache-2.0
// The scan by vectors of 16 bytes: SSSE3 or NEON, which differ only in their look-up in a table of
// 16.
#include "url/canonical_scan_impl.h"

#ifdef SPINNERET_BYTES16

#include <bit>

#ifdef SPINNERET_SCAN_X86
#include <tmmintrin.h>
#define SPINNERET_SCAN_TARGET __attribute__((target("ssse3")))
#else
#define SPINNERET_SCAN_TARGET
#endif
#define SPINNERET_SCAN_NAME(what) what##_16

namespace spinneret::scan_internal {
namespace {

// The low four bits of each byte select the rows of its set, and the high four bits its row.
struct Tables {
  Bytes16 stops;
  Bytes16 hosts;
  Bytes16 rows;
};

SPINNERET_SCAN_TARGET inline Tables make_tables(const ScanRules& rules) {
  return {Bytes16::load(rules.stop_rows.data()), Bytes16::load(kHostRows.data()),
          Bytes16::load(kRowBits.data())};
}

#ifdef SPINNERET_SCAN_X86
// A byte above 0x7F gives 0 (pshufb).
SPINNERET_SCAN_TARGET inline Bytes16 low_lookup(Bytes16 table, Bytes16 bytes) {
  return {_mm_shuffle_epi8(table.v, bytes.v)};
}
SPINNERET_SCAN_TARGET inline Bytes16 high_lookup(Bytes16 table, Bytes16 bytes) {
  return low_lookup(table, {_mm_and_si128(_mm_srli_epi16(bytes.v, 4), _mm_set1_epi8(15))});
}
#else
inline Bytes16 low_lookup(Bytes16 table, Bytes16 bytes) {
  return {vqtbl1q_u8(table.v, (bytes & Bytes16::all(15)).v)};
}
inline Bytes16 high_lookup(Bytes16 table, Bytes16 bytes) {
  return {vqtbl1q_u8(table.v, vshrq_n_u8(bytes.v, 4))};
}
#endif

[[gnu::always_inline]] SPINNERET_SCAN_TARGET inline Masks masks(const Tables& tables,
                                                                const char* at) {
  Bytes16 pass[4], no_host[4], slash[4], dot[4], percent[4];
  for (int i = 0; i < 4; ++i) {
    const Bytes16 v = Bytes16::load(at + 16 * i);
    // Is 0 for a byte above 0x7F, which has no row.
    const Bytes16 row = high_lookup(tables.rows, v);
    pass[i] = ((low_lookup(tables.stops, v) & row) == 0) & (v <= 0x7F);
    no_host[i] = (low_lookup(tables.hosts, v) & row) == 0;
    slash[i] = v == '/';
    dot[i] = v == '.';
    percent[i] = v == '%';
  }
  return {~mask64(pass), mask64(no_host), mask64(slash), mask64(dot), mask64(percent)};
}

}  // namespace

#include "url/canonical_scan_64.h"

}  // namespace spinneret::scan_internal

#endif  // SPINNERET_BYTES16
