// SPDX-License-Identifier: Apache-2.0
// Filters over runs of lines, in one thread or several; what comes out is the same, in the same order.
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
  std::uint64_t line;         // of the run, from 1
  std::size_t reason, bytes;  // how much of RunResult::told, one behind the other
};

// What a worker makes of a run.
struct RunResult {
  std::string out;  // whole lines, with terminators
  std::vector<RunRefusal> refused;
  std::string told;         // what is said of them, in one piece: they may be many
  std::uint64_t lines = 0;  // lines of the run dealt with
  bool stop = false;        // nothing that follows is wanted

  // The present line, which is the last of `lines`, is refused.
  void refuse(std::string_view reason, std::string_view bytes) {
    refused.push_back({lines, reason.size(), bytes.size()});
    told.append(reason).append(bytes);
  }
};

// Works on one run at a time: whole lines with their terminators, of which the very last of an input may
// lack its own. Called from one thread only, but not always the same.
using RunWork = std::function<void(std::string_view run, RunResult& result)>;

// Runs all operands through workers of `make_work`: `jobs` threads of them, or none but the caller's where
// `jobs` is 1. Output goes to the tool's in the order of input: raw, or by its writer where that has
// another form (--json) and `records` is set. Returns the tool's status.
int for_each_run(Tool& tool, unsigned jobs, bool records,
                 const std::function<RunWork()>& make_work);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_RUNS_H_
