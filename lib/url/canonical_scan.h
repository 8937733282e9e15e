// SPDX-License-Identifier: Apache-2.0
// Finds runs of lines whose URL is canonical already, with vector instructions, so that a filter
// can copy them whole; 95 of 100 real URLs are canonical. A line that the scan passes is certainly
// canonical. A line at which it stops may still be canonical: the parser must decide.
//
//   const CanonicalScan scan(steps, '\n');
//   std::uint64_t lines = 0;
//   // Copy this many bytes; parse the line after them.
//   const std::size_t size = scan.prefix(run, lines);
//
// The scan knows lines of the form http[s]://NAME/... with a host of lower-case letters, digits,
// '-', '.' and '_', whose path and query contain no byte that needs a closer look. Columns after a
// tab are ignored. The portable code, SSSE3 or AVX2 is chosen at run time, NEON at build time; all
// give the same answer. (AVX-512 was tried: it reached 0.58 of the line copier's speed where AVX2
// reaches 0.67, since every load of 64 bytes straddles two cache lines.) The object is immutable
// and thread-safe.
#ifndef SPINNERET_URL_CANONICAL_SCAN_H_
#define SPINNERET_URL_CANONICAL_SCAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "url/params.h"

namespace spinneret {

// The steps, in the form that the scanning functions need.
struct ScanRules {
  // Which escapes pass: all, or only those with upper-case digits and for a byte that must stay
  // escaped.
  enum class Escapes : std::uint8_t { kAny, kNormal };
  char terminator = '\n';
  Escapes escapes = Escapes::kAny;
  // The class of each byte. A stop byte ends the URL, or means that the line needs a closer look.
  enum Class : std::uint8_t { kStop = 1, kSlash = 2, kPercent = 4, kNoHost = 8, kQueryStop = 16 };
  std::array<std::uint8_t, 256> classes{};
  // The stop bytes once more, as rows for vector look-up: bit h of stop_rows[l] is set where byte h
  // << 4 | l stops (h < 8; all bytes from 0x80 on stop).
  alignas(16) std::array<std::uint8_t, 16> stop_rows{};
  // All bits are set where a slash after another slash needs a closer look; otherwise none.
  std::uint64_t double_slashes = 0;
  // A '?' stops the scan. If `checks_query`, a query that passes these checks is still accepted,
  // since the steps that drop and sort parameters would leave it as it is.
  bool checks_query = false, no_empty_query = false;
  ParamChecks params{};
};

// Returns how many bytes at the start of `run` are whole canonical lines, and adds their number to
// `lines`.
using ScanFunction = std::size_t (*)(const ScanRules& rules, std::string_view run,
                                     std::uint64_t& lines);

// The offsets, within a line, of its host, of its path, and of the byte that stops its path.
struct PlainSpan {
  std::size_t host = 0, path = 0, stop = 0;
};
// Finds the offsets in the line at the start of `run`. Returns false where that line needs the
// parser.
using FindFunction = bool (*)(const ScanRules& rules, std::string_view run, PlainSpan& span);

struct ScanVariant {
  std::string_view name;
  ScanFunction function;
  FindFunction find;
};
// Returns the variants that this machine can run: the portable one first, the fastest last.
std::span<const ScanVariant> scan_variants();

// Returns the rules for these steps (of enum Step). With `rewrites`, the scan stops only at lines
// whose canonical form cannot be told from their bytes (plain_steps.h).
ScanRules scan_rules(std::uint32_t steps, char terminator, bool rewrites);

// Returns the end of the query that begins with the '?' at `at` if the steps would leave that query
// as it is; otherwise nullptr.
const char* settled_query_end(const ScanRules& rules, const char* at, const char* end);

class CanonicalScan {
 public:
  // `steps` are of enum Step (steps.h). With some steps no line can pass: useful() is false then.
  CanonicalScan(std::uint32_t steps, char terminator);

  bool useful() const { return useful_; }
  // Returns how many bytes at the start of `run` are whole canonical lines, and adds their number
  // to `lines`. A last line without a terminator never passes.
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
