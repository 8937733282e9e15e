// SPDX-License-Identifier: Apache-2.0
// A window over a tool's input: takes as many lines as are at hand, so that what they need can be
// fetched at one time.
#ifndef SPINNERET_TOOLS_LINE_WINDOW_H_
#define SPINNERET_TOOLS_LINE_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tool.h"

namespace spinneret {

// A line with its place in the input, past which the tool has read.
struct InputLine {
  std::string_view text;
  std::string_view file;
  std::uint64_t number = 0;

  void refuse(cli::Tool& tool, std::string_view reason, std::string_view bytes) const {
    if (text.empty()) return;  // as Tool::refuse_record does
    if (tool.table() != nullptr) return tool.refuse_record(reason, text);
    tool.refuse_at(file, number, reason, bytes);
  }
};

// Returns the line that the tool has read last, with its place.
InputLine line_of(cli::Tool& tool, std::string_view line);

class LineWindow {
 public:
  explicit LineWindow(cli::Tool& tool);
  // Takes the lines that are at hand, at most kMaxLines; waits for the first. Returns false at the
  // end.
  bool fill();
  // Valid until the next fill().
  const std::vector<InputLine>& lines() const { return lines_; }

  static constexpr std::size_t kMaxLines = 4096;
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;

 private:
  struct Kept {
    std::string text;
    std::string file;
    std::uint64_t number;
  };
  void wait();

  cli::Tool& tool_;
  std::vector<Kept> kept_;
  std::vector<InputLine> lines_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_LINE_WINDOW_H_
