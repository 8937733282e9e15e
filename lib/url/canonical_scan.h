// SPDX-License-Identifier: Apache-2.0
// Finds runs of lines whose URL is canonical already, with vector instructions, so that a filter can copy them whole;
// 95 of 100 real URLs are. A line that it passes is certainly canonical. A line at which it stops may be canonical,
// too: the parser must judge it.
//
//   const CanonicalScan scan(steps, '\n');
//   std::uint64_t lines = 0;
//   const std::size_t size = scan.prefix(run, lines);   // copy these bytes; the line behind them: parse
//
// It knows lines of the form http[s]://NAME/... with a host of lower-case letters, digits, '-', '.' and '_', whose
// path and query hold no byte that needs a look. Columns behind a tab are ignored. The portable code, SSSE3 or AVX2
// is chosen at run time, NEON at build time; all give the same answer. (AVX-512 was tried: it reached 0.58 of the
// line copier's speed where AVX2 reaches 0.67, since every load of 64 bytes straddles two cache lines.) Immutable,
// thread-safe.
#ifndef SPINNERET_URL_CANONICAL_SCAN_H_
#define SPINNERET_URL_CANONICAL_SCAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "url/params.h"

namespace spinneret {

// What the scanning functions need to know of the steps.
struct ScanRules {
  // When an escape may pass: always, or only with upper-case digits and for a byte that must stay escaped.
  enum class Escapes : std::uint8_t { kAny, kNormal };
  char terminator = '\n';
  Escapes escapes = Escapes::kAny;
  // The class of each byte. A stop byte ends the URL, or means that the line needs a look.
  enum Class : std::uint8_t { kStop = 1, kSlash = 2, kPercent = 4, kNoHost = 8, kQueryStop = 16 };
  std::array<std::uint8_t, 256> classes{};
  // The stop bytes again, as rows for vector look-up: bit h of stop_rows[l] is set where byte h << 4 | l stops (h <
  // 8; all bytes from 0x80 on stop).
  alignas(16) std::array<std::uint8_t, 16> stop_rows{};
  // All bits are set where a slash behind another one needs a look.
  std::uint64_t double_slashes = 0;
  // A '?' stops the scan. Yet a query that passes these checks is one that the steps which drop and sort parameters
  // would leave as it is.
  bool checks_query = false, no_empty_query = false;
  ParamChecks params{};
};

// Returns how many bytes at the start of `run` are whole canonical lines, and adds their number to `lines`.
using ScanFunction = std::size_t (*)(const ScanRules& rules, std::string_view run,
                                     std::uint64_t& lines);

// Where in a line its host, its path, and the byte that stops its path stand.
struct PlainSpan {
  std::size_t host = 0, path = 0, stop = 0;
};
// Takes the line that `run` begins with apart. Returns false where it needs a look.
using FindFunction = bool (*)(const ScanRules& rules, std::string_view run, PlainSpan& span);

struct ScanVariant {
  std::string_view name;
  ScanFunction function;
  FindFunction find;
};
// The variants that this machine can run: the portable one first, the fastest last.
std::span<const ScanVariant> scan_variants();

// The rules for these steps (of enum Step). With `rewrites`, only lines whose canonical form cannot be told from
// their bytes need a look (plain_steps.h).
ScanRules scan_rules(std::uint32_t steps, char terminator, bool rewrites);

// The end of the query that begins at `at`, a '?', if the steps would leave that query as it is; otherwise nullptr.
const char* settled_query_end(const ScanRules& rules, const char* at, const char* end);

class CanonicalScan {
 public:
  // `steps` are of enum Step (steps.h). Some steps let no line pass: useful() is false then.
  CanonicalScan(std::uint32_t steps, char terminator);

  bool useful() const { return useful_; }
  // A last line without terminator never passes.
  std::size_t prefix(std::string_view run, std::uint64_t& lines) const {
    return useful_ ? function_(rules_, run, lines) : 0;
  }
  const ScanRules& rules() const { return rules_; }

 private:
  ScanRules rules_;
  ScanFunction function_;
  bool useful_;
};

}  // namespace spinneret

#endif  // SPINNERET_URL_CANONICAL_SCAN_H_
