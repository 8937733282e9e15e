// SPDX-License-Identifier: Apache-2.0
// The fast path of canonicalisation, for lines that need no parser: "http[s]://NAME/...". The
// canonical scan (canonical_scan.h) finds them; scheme, host and the end of the path are changed
// while the line is copied.
//
//   const PlainSteps steps(normalizer.rules(), '\n');
//   // 0: the line is left to the parser
//   if (const std::size_t size = steps.append(run, out)) run.remove_prefix(size);
//
// The result is what the Normalizer writes; tests compare the two. Immutable, thread-safe.
#ifndef SPINNERET_URL_PLAIN_STEPS_H_
#define SPINNERET_URL_PLAIN_STEPS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "url/canonical_scan.h"
#include "url/step_writer.h"

namespace spinneret {

class PlainSteps {
 public:
  // `rules` are those of a Normalizer, and must outlive this object.
  PlainSteps(const NormalizeRules& rules, char terminator);

  // Returns whether the fast path can do anything: some steps change lines that the scan would
  // pass, and the fast path implements all steps that are on.
  bool useful() const { return useful_; }
  // Appends the canonical form of the line at the start of `run`, and its terminator. Returns the
  // size of the line with its terminator, or 0 where the line has columns or must go through the
  // Normalizer.
  std::size_t append(std::string_view run, std::string& out) const {
    return append(run, out, scan_variants().back().find);
  }
  std::size_t append(std::string_view run, std::string& out, FindFunction find) const;

 private:
  bool on(std::uint32_t step) const { return (rules_.steps & step) != 0; }

  const NormalizeRules& rules_;
  ScanRules scan_;
  bool useful_;
};

}  // namespace spinneret

#endif  // SPINNERET_URL_PLAIN_STEPS_H_
