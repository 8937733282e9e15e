// SPDX-License-Identifier: Apache-2.0
#include "sched_progress.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/clock.h"
#include "terminal.h"

namespace spinneret {
namespace {

// Whether standard output and standard error are the same terminal.
bool is_one_terminal() {
  struct stat out {};
  struct stat error {};
  return is_terminal(STDOUT_FILENO) && is_terminal(STDERR_FILENO) &&
         fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &error) == 0 &&
         out.st_rdev == error.st_rdev;
}

}  // namespace

loop::Progress make_progress(const cli::Tool& tool, const frontier::Politeness& politeness,
                             std::uint64_t max_pages) {
  return loop::Progress({.name = std::string(tool.name()),
                         .terminal = takes_controls(STDERR_FILENO),
                         .shared = is_one_terminal(),
                         .quiet = tool.options().has("quiet"),
                         .max_pages = max_pages,
                         .politeness = politeness},
                        system_clock());
}

}  // namespace spinneret
