// SPDX-License-Identifier: Apache-2.0
// The short way of canonicalisation for lines that need no parser: "http[s]://NAME/...", found by the canonical scan
// (canonical_scan.h), whose scheme, host and path end are changed while they are copied.
//
//   const PlainSteps steps(normalizer.rules(), '\n');
//   if (const std::size_t size = steps.append(run, out)) run.remove_prefix(size);   // else: the parser's
//
// What it writes is what the Normalizer does; tests compare the two. Immutable, thread-safe.
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
  // The rules of a Normalizer, which live as long as this.
  PlainSteps(const NormalizeRules& rules, char terminator);

  // Whether it has anything to do: steps that change what the scan would pass, and none that it does not know.
  bool useful() const { return useful_; }
  // Appends the canonical form of the line that `run` begins with, and its terminator. Returns the line's size with its
  // own, or 0: it has columns, or is for the Normalizer.
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
