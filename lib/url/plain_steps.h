// SPDX-License-Identifier: Apache-2.0
// The short way of canonicalisation, for lines that need no parser: "http[s]://NAME/...". The canonical scan
// (canonical_scan.h) finds them; scheme, host and the end of the path are changed while the line is copied.
//
//   const PlainSteps steps(normalizer.rules(), '\n');
//   if (const std::size_t size = steps.append(run, out)) run.remove_prefix(size);   // else: the parser's
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
  // The rules are a Normalizer's, and must outlive this object.
  PlainSteps(const NormalizeRules& rules, char terminator);

  // Whether it can do anything: there are steps that change lines which the scan would pass, and all steps are known
  // to it.
  bool useful() const { return useful_; }
  // Appends the canonical form of the line that `run` begins with, and its terminator. Returns the size of the line
  // with its terminator, or 0 where the line has columns or must go through the Normalizer.
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
