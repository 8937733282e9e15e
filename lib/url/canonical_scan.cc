// SPDX-License-Identifier: Apache-2.0
#include "url/canonical_scan.h"

#include "url/canonical_scan_impl.h"
#include "url/steps.h"

namespace spinneret {
namespace scan_internal {

namespace {

// Returns the '/' after the host that begins at `host` if that is a plain name; otherwise nullptr.
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

// Returns whether the slash or escape at `at` needs a closer look.
bool needs_look(const ScanRules& rules, const char* at, const char* end) {
  const bool any_escape = rules.escapes == ScanRules::Escapes::kAny;
  if (*at == '%') return !any_escape && !is_normal_escape(at, end);
  // The next bytes may be a dot segment. Where all escapes pass, an escape at the start of a
  // segment may be a dot.
  return at + 1 != end && (at[1] == '.' || (at[1] == '%' && any_escape) ||
                           (at[1] == '/' && rules.double_slashes != 0));
}

}  // namespace

bool find_portable(const ScanRules& rules, std::string_view run, PlainSpan& span) {
  const char* const begin = run.data();
  const char* const end = begin + run.size();
  if (run.size() < 9) return false;
  span.host = prefix_length(begin);
  if (span.host == 0) return false;
  const char* p = plain_host_end(rules, begin + span.host, end);
  if (p == nullptr) return false;
  span.path = static_cast<std::size_t>(p - begin);
  for (; p != end; ++p) {
    const int c = rules.classes[static_cast<unsigned char>(*p)];
    if ((c & (ScanRules::kStop | ScanRules::kSlash | ScanRules::kPercent)) == 0) continue;
    if ((c & ScanRules::kStop) != 0) {
      span.stop = static_cast<std::size_t>(p - begin);
      return true;
    }
    if (needs_look(rules, p, end)) return false;
  }
  return false;
}

std::size_t scan_portable(const ScanRules& rules, std::string_view run, std::uint64_t& lines) {
  std::size_t done = 0;
  for (PlainSpan span; find_portable(rules, run.substr(done), span); ++lines) {
    const char* const next =
        line_end(rules, run.data() + done + span.stop, run.data() + run.size());
    if (next == nullptr) break;
    done = static_cast<std::size_t>(next - run.data());
  }
  return done;
}

}  // namespace scan_internal

namespace {

struct Variants {
  std::array<ScanVariant, 3> list{
      {{"portable", scan_internal::scan_portable, scan_internal::find_portable}, {}, {}}};
  std::size_t count = 1;
  Variants() {
#ifdef SPINNERET_SCAN_X86
    if (__builtin_cpu_supports("ssse3"))
      list[count++] = {"ssse3", scan_internal::scan_16, scan_internal::find_16};
    if (__builtin_cpu_supports("avx2"))
      list[count++] = {"avx2", scan_internal::scan_avx2, scan_internal::find_avx2};
#elif defined(SPINNERET_BYTES16)
    list[count++] = {"neon", scan_internal::scan_16, scan_internal::find_16};
#endif
  }
};

// Steps that may change a URL of the form that the scan knows, even if it has no stop byte.
constexpr std::uint32_t kHopeless = kStepIndex | kStepTrailingSlash | kStepWww | kStepHttp |
                                    kStepHttps | kStepLowerPath | kStepPort | kStepSurt | kStepCdx;
constexpr std::uint32_t kQuerySteps = kStepQuery | kStepEmptyQuery | kStepParams | kStepTracking |
                                      kStepSession | kStepSortQuery | kStepLowerQuery |
                                      kStepEmptyParams | kStepDedupeParams;
constexpr std::uint32_t kEscapeSteps = kStepHexCase | kStepUnreserved | kStepStrayPercent;

}  // namespace

std::span<const ScanVariant> scan_variants() {
  static const Variants variants;
  return std::span(variants.list).first(variants.count);
}

const char* settled_query_end(const ScanRules& rules, const char* at, const char* end) {
  const char* const begin = ++at;
  for (;; ++at) {
    if (at == end) return nullptr;
    const int c = rules.classes[static_cast<unsigned char>(*at)];
    if ((c & (ScanRules::kQueryStop | ScanRules::kPercent)) == 0) continue;
    if ((c & ScanRules::kQueryStop) != 0) break;
    if (rules.escapes == ScanRules::Escapes::kNormal && !scan_internal::is_normal_escape(at, end))
      return nullptr;
  }
  const std::string_view query(begin, static_cast<std::size_t>(at - begin));
  if (query.empty()) return rules.no_empty_query ? nullptr : at;
  return are_params_settled(query, rules.params) ? at : nullptr;
}

ScanRules scan_rules(std::uint32_t steps, char terminator, bool rewrites) {
  ScanRules rules;
  rules.terminator = terminator;
  const bool queries = (steps & kQuerySteps) != 0;
  // The parser must decide what any other step does to a query.
  rules.checks_query =
      (queries || rewrites) &&
      (steps & (kStepQuery | kStepParams | kStepLowerQuery | kStepDedupeParams)) == 0;
  rules.no_empty_query = (steps & (kStepEmptyQuery | kStepEmptyParams)) != 0;
  rules.params = {.tracking = (steps & kStepTracking) != 0,
                  .session = (steps & kStepSession) != 0,
                  .empty = (steps & kStepEmptyParams) != 0,
                  .order = (steps & kStepSortQuery) != 0};
  if ((steps & kEscapeSteps) != 0) rules.escapes = ScanRules::Escapes::kNormal;
  if ((steps & kStepSlashes) != 0) rules.double_slashes = ~std::uint64_t{0};
  const auto stops = [&](char c) {
    if (c == '?') return queries || rewrites;
    if (c == ';' || c == '(') return (steps & kStepSession) != 0;
    // The digits of an escape may be letters, but must not be lower-cased.
    if (c == '%') return (steps & (kStepDecode | kStepLowerPath)) != 0;
    return !is_plain_byte(c);
  };
  for (std::size_t i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    const bool stop = stops(c);
    const bool ends_query = !is_plain_byte(c) || (c == '%' && (steps & kStepDecode) != 0);
    rules.classes[i] = static_cast<std::uint8_t>(
        (stop ? ScanRules::kStop : 0) | (ends_query ? ScanRules::kQueryStop : 0) |
        (c == '/' ? ScanRules::kSlash : 0) | (c == '%' ? ScanRules::kPercent : 0) |
        (is_plain_host_byte(c) ? 0 : ScanRules::kNoHost));
    if (!stop || i >= 128) continue;
    auto& row = rules.stop_rows[i & 15];
    row = static_cast<std::uint8_t>(row | 1U << (i >> 4));
  }
  return rules;
}

CanonicalScan::CanonicalScan(std::uint32_t steps, char terminator)
    : rules_(scan_rules(steps, terminator, false)),
      function_(scan_variants().back().function),
      useful_((steps & kHopeless) == 0) {}

}  // namespace spinneret
