// SPDX-License-Identifier: Apache-2.0
// The output of a running crawl: messages on standard error, for which the progress line makes way,
// and records of pages on standard output.
#ifndef SPINNERET_LOOP_VOICE_H_
#define SPINNERET_LOOP_VOICE_H_

#include <unistd.h>

#include <cstdint>
#include <string_view>

#include "base/paced_sync.h"
#include "base/result.h"
#include "cli/tool.h"
#include "loop/progress.h"

namespace spinneret::loop {

class Voice {
 public:
  // Arguments are borrowed. `shows_records` says that standard output is for records, not for the
  // pipeline.
  Voice(cli::Tool& tool, Progress& progress, bool shows_records)
      : tool_(tool), progress_(progress), shows_records_(shows_records) {
    if (shows_records_) tool_.out().begin_line(tool_.terminator());
  }

  void notice(std::string_view text) {
    progress_.clear();
    tool_.notice(text);
  }
  void trouble(std::string_view text) {
    progress_.clear();
    tool_.trouble(text);
  }
  // Reports a refused line; number 0 means that it has none.
  void refuse(std::string_view from, std::uint64_t line, std::string_view why,
              std::string_view bytes) {
    progress_.clear();
    tool_.refuse_at(from, line, why, bytes);
  }
  void show_record(std::string_view line) {
    if (!shows_records_) return;
    progress_.clear_for_record();
    tool_.writer().write_line(line);
  }
  // Writes the records, and syncs them like the state (base/paced_sync.h). A pipe or a terminal is
  // not synced.
  bool flush() {
    const bool any = tool_.out().pending() != 0;
    if (!tool_.out().flush()) return false;
    return !any || !shows_records_ || is_synced(sync_.written(STDOUT_FILENO));
  }
  // Ends the syncing, after the last flush().
  bool end() { return is_synced(sync_.end()); }

  cli::Tool& tool() { return tool_; }
  Progress& progress() { return progress_; }

 private:
  bool is_synced(int code) {
    if (code != 0) trouble(system_error("cannot sync standard output", code).message);
    return code == 0;
  }

  cli::Tool& tool_;
  Progress& progress_;
  bool shows_records_;
  PacedSync sync_;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_VOICE_H_
