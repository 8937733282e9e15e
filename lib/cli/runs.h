// SPDX-License-Identifier: Apache-2.0
// Runs of lines through a filter, in one thread or several. The output is the same, and in the same order, whatever
// the number of threads.
//
//   return cli::for_each_run(tool, jobs, [&] { return [work](std::string_view run, RunResult& result) {
//     ...append output to result.out, refusals to result.refused, set result.lines...
//   }; });
#ifndef SPINNERET_CLI_RUNS_H_
#define SPINNERET_CLI_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tool.h"

namespace spinneret::cli {

struct RunRefusal {
  std::uint64_t line;  // of the run, from 1
  // how many bytes of RunResult::told each takes; they follow one another
  std::size_t reason, bytes;
};

// What a worker makes of one run.
struct RunResult {
  std::string out;  // whole lines, with terminators
  std::vector<RunRefusal> refused;
  std::string told;         // the texts of all refusals in one string, since there may be many
  std::uint64_t lines = 0;  // lines of the run dealt with
  bool stop = false;        // true: do not read what follows

  // Refuses the present line, which is the last of `lines`.
  void refuse(std::string_view reason, std::string_view bytes) {
    refused.push_back({lines, reason.size(), bytes.size()});
    told.append(reason).append(bytes);
  }
};

// Works on one run at a time. A run is whole lines with their terminators; only the last line of an input may lack
// one. Calls come one after another, but not always from the same thread.
using RunWork = std::function<void(std::string_view run, RunResult& result)>;

// Sends all operands through workers that `make_work` makes: in `jobs` threads, or in the caller's own where `jobs`
// is 1. Output is written in the order of the input, raw or, where `records` is set and another form was asked for
// (--json), through the tool's writer. Returns the tool's exit status.
int for_each_run(Tool& tool, unsigned jobs, bool records,
                 const std::function<RunWork()>& make_work);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_RUNS_H_
