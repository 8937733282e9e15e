// SPDX-License-Identifier: Apache-2.0
#include "line_window.h"

#include <poll.h>

#include "cli/signals.h"

namespace spinneret {

InputLine line_of(cli::Tool& tool, std::string_view line) {
  return {line, tool.inputs().name(), tool.inputs().line_number()};
}

LineWindow::LineWindow(cli::Tool& tool) : tool_(tool) { tool_.set_nonblocking_input(); }

void LineWindow::wait() {
  tool_.out().flush();
  pollfd ready[] = {{tool_.inputs().fd(), POLLIN, 0}, {cli::stop_fd(), POLLIN, 0}};
  ::poll(ready, 2, -1);  // after EINTR the next look finds nothing, and waits again
}

bool LineWindow::fill() {
  kept_.clear();
  lines_.clear();
  std::size_t bytes = 0;
  std::string_view line;
  while (kept_.size() < kMaxLines && bytes < kMaxBytes) {
    if (tool_.next(line)) {
      const InputLine at = line_of(tool_, line);
      kept_.push_back({std::string(at.text), std::string(at.file), at.number});
      bytes += line.size();
    } else if (tool_.stopped() || cli::stop_signal() != 0 || !tool_.inputs().starved() ||
               !kept_.empty()) {
      break;
    } else {
      wait();
    }
  }
  for (const Kept& kept : kept_) lines_.push_back({kept.text, kept.file, kept.number});
  return !kept_.empty();
}

}  // namespace spinneret
