// SPDX-License-Identifier: Apache-2.0
// Looking at a state on disk that another process writes to.
//
//   who looks                                   who writes
//   reads which tables and logs there are
//                                               puts the rows of a log into a table, and removes that log
//   lists the logs
//   reads what it has listed                    ... and removes another one
//
// In the first gap rows are missed without a word: their log is gone, and their table is not looked for. In the second a file
// is not there. So whoever looks does so again where files went away meanwhile. A log stands for some 30 MB of changes.
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
// Of what stood there first some is gone.
bool any_gone(const std::vector<std::string>& first, const std::vector<std::string>& later);

inline constexpr int kMostLooks = 20;

// What `open` gives, which looks at all of `folder`: the first that nothing went away under. An Error of its own counts as
// soon as no file went away.
template <typename Open>
auto open_beside_writer(const std::string& folder, Open open) -> decltype(open()) {
  for (int looks = 1;; ++looks) {
    const StateFiles first = state_files_in(folder);
    auto opened = open();
    const StateFiles later = state_files_in(folder);
    // Tables that have been opened may go.
    const bool moved =
        any_gone(first.logs, later.logs) || (!opened.ok() && any_gone(first.others, later.others));
    if (!moved || (!opened.ok() && looks == kMostLooks)) return opened;
    if (looks == kMostLooks)
      return Error{"cannot read the state " + folder + ": it changes too fast; ask again"};
  }
}

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_BESIDE_WRITER_H_
