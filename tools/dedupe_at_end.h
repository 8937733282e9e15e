// SPDX-License-Identifier: Apache-2.0
// The modes of dedupe(1) that can print only at the end of the input: counts, clusters, and the
// best line of each. Until then the lines are kept in an unnamed file.
#ifndef SPINNERET_TOOLS_DEDUPE_AT_END_H_
#define SPINNERET_TOOLS_DEDUPE_AT_END_H_

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "cli/tool.h"
#include "dedupe/temporary_file.h"

namespace spinneret::dedupe_tool {

// Lines in an unnamed file in TMPDIR.
class Spool {
 public:
  explicit Spool(char terminator) : terminator_(terminator) {}
  Status open() { return file_.open(dedupe::temporary_folder()); }
  void add(std::string_view line);
  // Adds whole lines, with their terminators.
  void add_run(std::string_view run) { file_.append(run); }
  // Calls `take` with runs of lines as Tool::next_run gives them, from the first; it may be called
  // repeatedly. Ends early where `take` returns false. Returns an Error where the file cannot be
  // written or has changed; what was taken before that was right.
  Status each_run(const std::function<bool(std::string_view run)>& take);

 private:
  char terminator_;
  dedupe::BlockFile file_{std::size_t{256} << 10};
};

// Runs --count or --unique. Each of these returns the exit status.
int run_counted(cli::Tool& tool);
// Runs --later.
int run_later(cli::Tool& tool);
// Runs --cluster and --keep.
int run_clusters(cli::Tool& tool);

}  // namespace spinneret::dedupe_tool

#endif  // SPINNERET_TOOLS_DEDUPE_AT_END_H_
