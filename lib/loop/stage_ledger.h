// SPDX-License-Identifier: Apache-2.0
// What each stage of the pipeline has cost: CPU time, and bytes through its descriptors, as /proc tells them of every
// process of the pipeline's group and of the scheduler itself. Kept in a file of the state, summed over all runs:
//
//   CPU-MS TAB BYTES-READ TAB BYTES-WRITTEN TAB NAME LF           one line a stage
//
//   StageLedger ledger(path);
//   ledger.look(group, now);               // each turn; looks every ten seconds
//   ledger.look(group, now, /*at_once=*/true);   // before the stages end: who is gone can be asked no more
//
// A stage is named as its command is, or as its script where a shell or another interpreter runs that; where several of
// one name run, each but a script has its first option, too ("robots-check --gate"). What a stage does after the last
// look is not counted; of its children that it has waited for, the bytes are, and the CPU time is not.
// Cost of a look: 1 us a process of the machine, 60 us a stage. Not thread-safe.
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
  // Goes on from what earlier runs have left in the file. No path: nothing is counted.
  explicit StageLedger(std::string path);

  // `group`: that of the pipeline; below 1: there is none, and nothing is done. Error: the file cannot be written.
  Status look(pid_t group, std::int64_t now_ms, bool at_once = false);

 private:
  struct Process {
    std::string command;  // its name
    std::string option;   // the first, where it comes first
    std::uint64_t started = 0;
    report::StageCost cost;
  };

  static bool read_process(pid_t pid, Process& out);
  void see(pid_t pid, std::map<pid_t, Process>& alive);
  void name_all();
  void add(const report::StageCost& cost, std::vector<report::StageCost>& sums) const;

  std::string path_;
  std::int64_t looked_ms_ = 0;           // 0: not yet
  std::vector<report::StageCost> past_;  // of processes that are gone
  std::map<pid_t, Process> alive_;
};

// What the file says, the costliest first. Without a file, or of lines that are damaged: nothing.
std::vector<report::StageCost> read_stage_costs(const std::string& path);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_STAGE_LEDGER_H_
