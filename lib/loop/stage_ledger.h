// SPDX-License-Identifier: Apache-2.0
// What each stage of the pipeline has cost: CPU time, and bytes through its descriptors, as /proc tells them for
// every process in the pipeline's group and for the scheduler itself. It is kept in a file of the state, summed over
// all runs:
//
//   CPU-MS TAB BYTES-READ TAB BYTES-WRITTEN TAB NAME LF           one line a stage
//
//   StageLedger ledger(path);
//   ledger.look(group, now);               // each turn; looks every ten seconds
//   ledger.look(group, now, /*at_once=*/true);   // before the stages end, since a process that is gone cannot be asked
//
// A stage has the name of its command, or of its script if an interpreter such as a shell runs that. Of several with
// the same name each, unless it is a script, has its first option appended ("robots-check --gate"). What a stage does
// after the last look is not counted. Of its children that it has waited for, bytes are counted and CPU time is not.
// A look costs 1 us for each process of the machine, and 60 us for each stage. Not thread-safe.
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
  // Continues from what earlier runs left in the file. Without a path nothing is counted.
  explicit StageLedger(std::string path);

  // `group` is the pipeline's; below 1 there is none, and nothing is done. An Error means that the file cannot be
  // written.
  Status look(pid_t group, std::int64_t now_ms, bool at_once = false);

 private:
  struct Process {
    std::string command;  // its name
    std::string option;   // the first option, if it comes first
    std::uint64_t started = 0;
    report::StageCost cost;
  };

  static bool read_process(pid_t pid, Process& out);
  void see(pid_t pid, std::map<pid_t, Process>& alive);
  void name_all();
  void add(const report::StageCost& cost, std::vector<report::StageCost>& sums) const;

  std::string path_;
  std::int64_t looked_ms_ = 0;           // 0: not yet
  std::vector<report::StageCost> past_;  // the cost of processes that are gone
  std::map<pid_t, Process> alive_;
};

// The costs in the file, the highest first; none where there is no file, and none for damaged lines.
std::vector<report::StageCost> read_stage_costs(const std::string& path);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_STAGE_LEDGER_H_
