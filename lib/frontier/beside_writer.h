// SPDX-License-Identifier: Apache-2.0
// Reads a state on disk while another process writes to it.
//
//   reader                                      writer
//   lists tables and logs
//                                               writes a log's rows to a table, removes the log
//   lists the logs
//   reads what it has listed                    ... and removes another one
//
// In the first gap rows are missed without an error: their log is gone, and their table is not
// looked for. In the second a file is missing. So the reader begins again if files went away
// meanwhile. A log holds some 30 MB of changes.
#ifndef SPINNERET_FRONTIER_BESIDE_WRITER_H_
#define SPINNERET_FRONTIER_BESIDE_WRITER_H_

#include <string>
#include <vector>

#include "base/result.h"

namespace spinneret::frontier {

// RocksDB's files in a folder, sorted; none where it cannot be read.
struct StateFiles {
  std::vector<std::string> logs, others;
};
StateFiles state_files_in(const std::string& folder);
// Whether files of `first` are missing in `later`.
bool any_gone(const std::vector<std::string>& first, const std::vector<std::string>& later);

inline constexpr int kMostLooks = 20;

// Calls `open`, which reads all of `folder`, until no file went away meanwhile, and returns what it
// gave, be it an Error. After kMostLooks times that is an Error.
template <typename Open>
auto open_beside_writer(const std::string& folder, Open open) -> decltype(open()) {
  for (int looks = 1;; ++looks) {
    const StateFiles first = state_files_in(folder);
    auto opened = open();
    const StateFiles later = state_files_in(folder);
    // A table may go once it is open.
    const bool moved =
        any_gone(first.logs, later.logs) || (!opened.ok() && any_gone(first.others, later.others));
    if (!moved || (!opened.ok() && looks == kMostLooks)) return opened;
    if (looks == kMostLooks)
      return Error{"cannot read the state " + folder + ": it changes too fast; ask again"};
  }
}

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_BESIDE_WRITER_H_
