// SPDX-License-Identifier: Apache-2.0
#include "url/canonical_scan.h"

#include "url/canonical_scan_impl.h"
#include "url/steps.h"

namespace spinneret {
namespace scan_internal {

namespace {

// The '/' behind the host that begins at `host`, where that is a plain name; or nullptr.
const char* plain_host_end(const ScanRules& rules, const char* host, const char* end) {
  const char* label = host;
  for (const char* p = host; p != end; ++p) {
    if ((rules.classes[static_cast<unsigned char>(*p)] & ScanRules::kNoHost) != 0) {
      // A last label that begins with a digit may be an address.
      return *p == '/' && is_lower(*label) ? p : nullptr;
    }
    if (*p == '.') label = p + 1;
  }
  return nullptr;
}

// Whether the slash or escape at `at` needs a look.
bool needs_look(const ScanRules& rules, const char* at, const char* end) {
  const bool any_escape = rules.escapes == ScanRules::Escapes::kAny;
  if (*at == '%') return !any_escape && !is_normal_escape(at, end);
  // May be a dot segment; an escape at the start of a segment may be a dot, where escapes pass as they
  // are.
  return at + 1 != end && (at[1] == '.' || (at[1] == '%' && any_escape));
}

}  // namespace

const char* scan_line(const ScanRules& rules, const char* at, const char* end) {
  if (end - at < 9) return nullptr;
  const std::size_t prefix = prefix_length(at);
  if (prefix == 0) return nullptr;
  const char* p = plain_host_end(rules, at + prefix, end);
  if (p == nullptr) return nullptr;
  for (; p != end; ++p) {
    const int c = rules.classes[static_cast<unsigned char>(*p)];
    if ((c & (ScanRules::kStop | ScanRules::kSlash | ScanRules::kPercent)) == 0) continue;
    if ((c & ScanRules::kStop) != 0) return line_end(rules, p, end);
    if (needs_look(rules, p, end)) return nullptr;
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
    if (__builtin_cpu_supports("ssse3")) list[count++] = {"ssse3", scan_internal::scan_16};
    if (__builtin_cpu_supports("avx2")) list[count++] = {"avx2", scan_internal::scan_avx2};
#elif defined(SPINNERET_BYTES16)
    list[count++] = {"neon", scan_internal::scan_16};
#endif
  }
};

// Steps after which a URL of the form that the scan knows, with no stop byte, may be another.
constexpr std::uint32_t kHopeless = kStepIndex | kStepSlashes | kStepTrailingSlash | kStepWww |
                                    kStepHttp | kStepHttps | kStepLowerPath | kStepPort |
                                    kStepSurt | kStepCdx;
constexpr std::uint32_t kQuerySteps = kStepQuery | kStepEmptyQuery | kStepParams | kStepTracking |
                                      kStepSession | kStepSortQuery | kStepLowerQuery |
                                      kStepEmptyParams | kStepDedupeParams;
constexpr std::uint32_t kEscapeSteps = kStepHexCase | kStepUnreserved | kStepStrayPercent;

}  // namespace

std::span<const ScanVariant> scan_variants() {
  static const Variants variants;
  return std::span(variants.list).first(variants.count);
}

CanonicalScan::CanonicalScan(std::uint32_t steps, char terminator)
    : function_(scan_variants().back().function), useful_((steps & kHopeless) == 0) {
  rules_.terminator = terminator;
  if ((steps & kEscapeSteps) != 0) rules_.escapes = ScanRules::Escapes::kNormal;
  const auto stops = [steps](char c) {
    if (c == '?') return (steps & kQuerySteps) != 0;
    if (c == ';' || c == '(') return (steps & kStepSession) != 0;
    if (c == '%') return (steps & kStepDecode) != 0;
    return !is_plain_byte(c);
  };
  for (std::size_t i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    const bool stop = stops(c);
    rules_.classes[i] = static_cast<std::uint8_t>(
        (stop ? ScanRules::kStop : 0) | (c == '/' ? ScanRules::kSlash : 0) |
        (c == '%' ? ScanRules::kPercent : 0) | (is_plain_host_byte(c) ? 0 : ScanRules::kNoHost));
    if (!stop || i >= 128) continue;
    auto& row = rules_.stop_rows[i & 15];
    row = static_cast<std::uint8_t>(row | 1U << (i >> 4));
  }
}

}  // namespace spinneret
