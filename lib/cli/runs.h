// SPDX-License-Identifier: Apache-2.0
// Sends runs of lines through a filter, in one thread or several. The output is the same, and in
// the same order, for any number of threads.
//
//   return cli::for_each_run(tool, jobs, records, [&] {
//     return [work](std::string_view run, RunResult& result) {
//       ...append output to result.out, call result.refuse(), count result.lines...
//     };
//   });
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
  std::uint64_t line;  // within the run, from 1
  // Sizes of its two texts, which follow one another in RunResult::told.
  std::size_t reason, bytes;
};

// The output of a worker for one run.
struct RunResult {
  std::string out;  // whole lines, with terminators
  std::vector<RunRefusal> refused;
  std::string told;         // the texts of all refusals in one string, since they may be many
  std::uint64_t lines = 0;  // number of the run's lines handled so far
  bool stop = false;        // true: the rest of the input is not to be read

  // Refuses the current line, whose number is `lines`.
  void refuse(std::string_view reason, std::string_view bytes) {
    refused.push_back({lines, reason.size(), bytes.size()});
    told.append(reason).append(bytes);
  }
};

// Works on one run at a time. A run consists of whole lines with their terminators; only the last
// line of an input may lack one. Calls come one after another, but not always from the same thread.
using RunWork = std::function<void(std::string_view run, RunResult& result)>;

// Sends all operands through the functions that `make_work` returns: in `jobs` threads, or in the
// caller's own where `jobs` is 1. Writes the output in the order of the input: raw, or through the
// tool's writer where `records` is set and another form was asked for (--json). Returns the tool's
// exit status.
int for_each_run(Tool& tool, unsigned jobs, bool records,
                 const std::function<RunWork()>& make_work);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_RUNS_H_
