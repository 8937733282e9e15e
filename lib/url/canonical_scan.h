// SPDX-License-Identifier: Apache-2.0
// Finds runs of lines whose URL is canonical already, with vector instructions, so that a filter can copy
// them whole: 95 of 100 real URLs are. What it passes over is canonical for certain; where it stops, the
// line may be too, and is for the parser to judge.
//
//   const CanonicalScan scan(steps, '\n');
//   std::uint64_t lines = 0;
//   const std::size_t size = scan.prefix(run, lines);   // copy these bytes; the line behind them: parse
//
// Knows lines of the form http[s]://NAME/..., with a host of lower-case letters, digits, '-', '.', '_',
// whose path and query hold no byte that needs a look. Columns behind a tab are not looked at.
// The choice among the portable code, SSSE3 and AVX2 is made at run time, NEON's at build time; all give the same
// answer. (AVX-512 was tried: 0.58 of the line copier where AVX2 has 0.67, for every load of 64 bytes straddles two
// cache lines.) Immutable, thread-safe.
#ifndef SPINNERET_URL_CANONICAL_SCAN_H_
#define SPINNERET_URL_CANONICAL_SCAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "url/params.h"

namespace spinneret {

// What the scanning functions go by.
struct ScanRules {
  // What an escape needs to pass: nothing, or upper-case digits and a byte that must stay escaped.
  enum class Escapes : std::uint8_t { kAny, kNormal };
  char terminator = '\n';
  Escapes escapes = Escapes::kAny;
  // What each byte is. Stops end a URL, or need a look.
  enum Class : std::uint8_t { kStop = 1, kSlash = 2, kPercent = 4, kNoHost = 8, kQueryStop = 16 };
  std::array<std::uint8_t, 256> classes{};
  // Stops again, for vector look-up: bit h of stop_rows[l] is set where byte h << 4 | l stops (h < 8; all
  // bytes from 0x80 on do).
  alignas(16) std::array<std::uint8_t, 16> stop_rows{};
  // All bits, where a slash behind another one needs a look.
  std::uint64_t double_slashes = 0;
  // A '?' stops, but steps that drop and sort parameters leave what stands behind it alone where these checks pass.
  bool checks_query = false, no_empty_query = false;
  ParamChecks params{};
};

// Bytes of whole lines at the start of `run` that are canonical; adds their number to `lines`.
using ScanFunction = std::size_t (*)(const ScanRules& rules, std::string_view run,
                                     std::uint64_t& lines);

// Of a line: where its host, its path and the byte that stops its path stand.
struct PlainSpan {
  std::size_t host = 0, path = 0, stop = 0;
};
// The line that `run` begins with. False: it needs a look.
using FindFunction = bool (*)(const ScanRules& rules, std::string_view run, PlainSpan& span);

struct ScanVariant {
  std::string_view name;
  ScanFunction function;
  FindFunction find;
};
// Those that this machine can run, the portable one first, the fastest last.
std::span<const ScanVariant> scan_variants();

// What lines need a look under these steps (of enum Step). `rewrites`: where only what cannot be told from the bytes does
// (plain_steps.h).
ScanRules scan_rules(std::uint32_t steps, char terminator, bool rewrites);

// The end of the query that begins at `at`, a '?', where it is as the steps would leave it; or nullptr.
const char* settled_query_end(const ScanRules& rules, const char* at, const char* end);

class CanonicalScan {
 public:
  // `steps`: of enum Step (steps.h). For some of them no line passes: then useful() is false.
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
