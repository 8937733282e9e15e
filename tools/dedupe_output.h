// SPDX-License-Identifier: Apache-2.0
// Writes a batch of judged lines for dedupe(1).
#ifndef SPINNERET_TOOLS_DEDUPE_OUTPUT_H_
#define SPINNERET_TOOLS_DEDUPE_OUTPUT_H_

#include <string_view>
#include <vector>

#include "cli/tool.h"
#include "dedupe/line_batch.h"
#include "dedupe/line_judge.h"
#include "io/record.h"

namespace spinneret::dedupe_tool {

class Output {
 public:
  explicit Output(cli::Tool& tool);
  // Writes the lines that are wanted, and marks repeats.
  void write(const dedupe::LineBatch& batch, const std::vector<dedupe::LineVerdict>& verdicts);
  // Whether a repeat is passed on with a mark instead of being dropped.
  bool marks(std::string_view line) const;
  void mark(std::string_view line, const dedupe::LineVerdict& verdict);

 private:
  void write_same(std::string_view line, double similarity);
  void set_similarity(double similarity);
  bool wanted(const dedupe::LineBatch::Line& line, dedupe::LineVerdict::Kind kind) const;

  cli::Tool& tool_;
  bool mark_;
  bool judges_settled_;  // settled records are judged, and must not be dropped
  bool repeats_;         // repeats are what is printed
  bool similarity_;      // similarity is shown
  Record record_;
};

}  // namespace spinneret::dedupe_tool

#endif  // SPINNERET_TOOLS_DEDUPE_OUTPUT_H_
