// SPDX-License-Identifier: Apache-2.0
// Shared by the variants of the canonical scan: decisions about the bytes that the masks point at.
#ifndef SPINNERET_URL_CANONICAL_SCAN_IMPL_H_
#define SPINNERET_URL_CANONICAL_SCAN_IMPL_H_

#include <cstddef>
#include <cstring>

#include "base/ascii.h"
#include "base/bytes16.h"
#include "url/canonical_scan.h"
#include "url/host.h"
#include "url/percent.h"

namespace spinneret::scan_internal {

// Returns the length of "http://" or "https://" at `at`, or 0. At least 8 bytes must be readable.
inline std::size_t prefix_length(const char* at) {
  if (std::memcmp(at, "https://", 8) == 0) return 8;
  return std::memcmp(at, "http://", 7) == 0 ? 7 : 0;
}

// Returns whether canonicalisation leaves the escape at `at` (before `end`) alone: it has
// upper-case digits and does not stand for an unreserved byte.
inline bool is_normal_escape(const char* at, const char* end) {
  if (end - at < 3) return false;
  const auto digit = [](char c) {
    return is_digit(c) ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  const int high = digit(at[1]);
  const int low = digit(at[2]);
  if (high < 0 || low < 0) return false;
  return !is_unreserved(static_cast<char>(high * 16 + low));
}

// Called where the URL, or its path, ends at the stop byte at `at`. Returns the start of the next
// line, or nullptr where this line needs a closer look or has no terminator.
inline const char* line_end(const ScanRules& rules, const char* at, const char* end) {
  if (*at == '?' && rules.checks_query) {
    at = settled_query_end(rules, at, end);
    if (at == nullptr) return nullptr;
  }
  if (*at == rules.terminator) return at + 1;
  if (*at != '\t') return nullptr;
  const auto* const found = static_cast<const char*>(
      std::memchr(at, rules.terminator, static_cast<std::size_t>(end - at)));
  if (found == nullptr) return nullptr;
  // A CR before the LF is to be dropped, so the line is not canonical.
  if (rules.terminator == '\n' && found[-1] == '\r') return nullptr;
  return found + 1;
}

// The portable variant. It is the slow twin of the vector variants, and scans the last bytes of a
// run for them.
std::size_t scan_portable(const ScanRules& rules, std::string_view run, std::uint64_t& lines);
bool find_portable(const ScanRules& rules, std::string_view run, PlainSpan& span);

// The bytes of plain host names as rows, in the form of ScanRules::stop_rows, and the bit of each
// row.
constexpr std::array<std::uint8_t, 16> make_host_rows() {
  std::array<std::uint8_t, 16> rows{};
  for (std::size_t c = 0; c < 128; ++c) {
    if (!is_plain_host_byte(static_cast<char>(c))) continue;
    rows[c & 15] = static_cast<std::uint8_t>(rows[c & 15] | 1U << (c >> 4));
  }
  return rows;
}
alignas(16) inline constexpr std::array<std::uint8_t, 16> kHostRows = make_host_rows();
alignas(16) inline constexpr std::array<std::uint8_t, 16> kRowBits = {1, 2, 4, 8, 16, 32, 64, 128};

// The classes of 64 bytes: bit i stands for byte i.
struct Masks {
  std::uint64_t stop, no_host, slash, dot, percent;
};

#ifdef SPINNERET_BYTES16
#ifdef __x86_64__
#define SPINNERET_SCAN_X86 1
std::size_t scan_avx2(const ScanRules& rules, std::string_view run, std::uint64_t& lines);
bool find_avx2(const ScanRules& rules, std::string_view run, PlainSpan& span);
#endif
std::size_t scan_16(const ScanRules& rules, std::string_view run, std::uint64_t& lines);
bool find_16(const ScanRules& rules, std::string_view run, PlainSpan& span);
#endif

}  // namespace spinneret::scan_internal

#endif  // SPINNERET_URL_CANONICAL_SCAN_IMPL_H_
