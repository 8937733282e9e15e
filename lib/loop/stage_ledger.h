// SPDX-License-Identifier: Apache-2.0
// The cost of each stage of the pipeline: CPU time, and bytes through its descriptors. Both come
// from /proc, for every process in the pipeline's group and for the scheduler itself. They are kept
// in a file of the state, summed over all runs:
//
//   CPU-MS TAB BYTES-READ TAB BYTES-WRITTEN TAB NAME LF           one line for each stage
//
//   StageLedger ledger(path);
//   ledger.look(group, now);                     // each turn; looks every ten seconds
//   ledger.look(group, now, /*at_once=*/true);   // before the stages end: /proc forgets them
//
// A stage has the name of its command, or of its script if an interpreter such as a shell runs it.
// If several have the same name, each one that is not a script has its first option appended
// ("robots-check --gate"). What a stage does after the last look is not counted. Of children that a
// stage has waited for, bytes are counted and CPU time is not. A look costs 1 us for each process
// of the machine, and 60 us for each stage. Not thread-safe.
#ifndef SPINNERET_LOOP_STAGE_LEDGER_H_
#define SPINNERET_LOOP_STAGE_LEDGER_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/page.h"

namespace spinneret::loop {

class StageLedger {
 public:
  // Continues the counts that earlier runs left in the file. Without a path nothing is counted.
  explicit StageLedger(std::string path);

  // Counts the stages. `group` is the pipeline's process group; where it is below 1, does nothing.
  // An Error means that the file cannot be written.
  Status look(pid_t group, std::int64_t now_ms, bool at_once = false);

 private:
  struct Process {
    std::string command;  // name of its command or script
    std::string option;   // its first argument, if that is an option
    std::uint64_t started = 0;
    report::StageCost cost;
  };

  static bool read_process(pid_t pid, Process& out);
  void see(pid_t pid, std::map<pid_t, Process>& alive);
  void name_all();
  void add(const report::StageCost& cost, std::vector<report::StageCost>& sums) const;

  std::string path_;
  std::int64_t looked_ms_ = 0;           // 0: not yet
  std::vector<report::StageCost> past_;  // costs of processes that have ended
  std::map<pid_t, Process> alive_;
};

// Returns the costs in the file, the highest first. Damaged lines are skipped; without a file there
// are none.
std::vector<report::StageCost> read_stage_costs(const std::string& path);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_STAGE_LEDGER_H_
