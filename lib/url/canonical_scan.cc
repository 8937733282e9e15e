// SPDX-License-Identifier: Apache-2.0
#include "url/canonical_scan.h"

#include <algorithm>

#include "url/canonical_scan_impl.h"
#include "url/steps.h"

namespace spinneret {
namespace scan_internal {

const char* scan_line(const ScanRules& rules, const char* at, const char* end) {
  if (end - at < 9) return nullptr;
  const std::size_t prefix = prefix_length(at);
  if (prefix == 0) return nullptr;
  const char* const host = at + prefix;
  const char* const slash = std::find_if_not(host, end, is_host_byte);
  if (slash == end || *slash != '/' || slash == host) return nullptr;
  // A last label that begins with a digit may be an address.
  const char* label = slash;
  while (label != host && label[-1] != '.') --label;
  if (label == slash || !is_lower(*label)) return nullptr;
  for (const char* p = slash; p != end; ++p) {
    if (rules.stops[static_cast<unsigned char>(*p)]) return line_end(rules, p, end);
    if (*p == '/' && p + 1 != end && (p[1] == '.' || p[1] == '%')) {
      // May be a dot segment; an escape at the start of a segment may be a dot, where escapes pass as
      // they are.
      if (p[1] == '.' || rules.escapes == ScanRules::Escapes::kAny) return nullptr;
    }
    if (*p == '%' && rules.escapes == ScanRules::Escapes::kNormal && !is_normal_escape(p, end)) {
      return nullptr;
    }
  }
  return nullptr;
}

std::size_t scan_portable(const ScanRules& rules, std::string_view run, std::uint64_t& lines) {
  const char* at = run.data();
  const char* const end = at + run.size();
  while (const char* const next = scan_line(rules, at, end)) {
    at = next;
    ++lines;
  }
  return static_cast<std::size_t>(at - run.data());
}

}  // namespace scan_internal

namespace {

struct Variants {
  std::array<ScanVariant, 3> list{{{"portable", scan_internal::scan_portable}, {}, {}}};
  std::size_t count = 1;
  Variants() {
#ifdef SPINNERET_SCAN_X86
    if (__builtin_cpu_supports("avx2")) list[count++] = {"avx2", scan_internal::scan_avx2};
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi")) {
      list[count++] = {"avx512", scan_internal::scan_avx512};
    }
#endif
  }
};

// Steps after which a URL of the form that the scan knows, with no stop byte, may be another.
constexpr std::uint32_t kHopeless = kStepIndex | kStepSlashes | kStepTrailingSlash | kStepWww |
                                    kStepHttp | kStepHttps | kStepLowerPath | kStepPort | kStepSurt;
constexpr std::uint32_t kQuerySteps = kStepQuery | kStepEmptyQuery | kStepParams | kStepTracking |
                                      kStepSession | kStepSortQuery;
constexpr std::uint32_t kEscapeSteps = kStepHexCase | kStepUnreserved | kStepStrayPercent;

// Bytes that neither a path nor a query escapes, nor anything else looks at.
constexpr bool is_plain(char c) {
  return is_alnum(c) || std::string_view("-._~!$&()*+,;=:@/?%[]|").find(c) != std::string_view::npos;
}

}  // namespace

std::span<const ScanVariant> scan_variants() {
  static const Variants variants;
  return std::span(variants.list).first(variants.count);
}

CanonicalScan::CanonicalScan(std::uint32_t steps, char terminator)
    : function_(scan_variants().back().function), useful_((steps & kHopeless) == 0) {
  rules_.terminator = terminator;
  if ((steps & kEscapeSteps) != 0) rules_.escapes = ScanRules::Escapes::kNormal;
  for (std::size_t c = 0; c < 256; ++c) rules_.stops[c] = !is_plain(static_cast<char>(c));
  if ((steps & kQuerySteps) != 0) rules_.stops['?'] = true;
  if ((steps & kStepSession) != 0) rules_.stops[';'] = rules_.stops['('] = true;
  if ((steps & kStepDecode) != 0) rules_.stops['%'] = true;
  for (std::size_t c = 0; c < 128; ++c) {
    if (!rules_.stops[c]) continue;
    auto& row = rules_.stop_rows[c & 15];
    row = static_cast<std::uint8_t>(row | 1U << (c >> 4));
  }
}

}  // namespace spinneret
