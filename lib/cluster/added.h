// SPDX-License-Identifier: Apache-2.0
// Seeds that somebody adds to a crawl after its beginning: from then on they are seeds like those
// of its command line. Whoever opens a partition offers them to it, so that a state restored from
// an older copy gets them, too.
//
// The engine's table "added" has a row for each line, by its hash, so that a line added twice is
// there once. In the table "crawl" the row "added" changes with each addition, which tells machines
// that there is something to read; the row "added-kept" has the last of its values whose lines a
// machine has on its disk. Machines tell the engine again what it forgets.
//
//   add_lines(leases, "http://h/\n");     // anybody; was_kept(crawl) once a machine has them
//
//   Added added(folder + "/added");       // each machine
//   added.open();
//   added.look(leases, crawl, fresh);     // at each beat, with the table "crawl": gives new lines
//   added.lines()                         // all lines
//
// Not thread-safe. Memory: the lines, and as much again for their hashes.
#ifndef SPINNERET_CLUSTER_ADDED_H_
#define SPINNERET_CLUSTER_ADDED_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/result.h"
#include "lease/lease.h"

namespace spinneret::cluster {

// Bound for all lines; more are a crawl of their own. The engine holds them for as long as it knows
// the crawl.
inline constexpr std::size_t kMostAdded = 100'000;

// Adds lines that end in LF. The engine has them when this returns.
Status add_lines(lease::Leases& leases, std::string_view lines);
// Whether a machine has the lines that were added last on its disk, by the engine's table "crawl".
bool was_kept(const lease::Rows& crawl);

class Added {
 public:
  // `path` is the file in which this machine keeps the lines.
  explicit Added(std::string path) : path_(std::move(path)) {}
  // Reads the file, if it exists.
  Status open();
  // Sets `fresh` to the lines that are new to this machine, and are now on its disk; mostly none.
  Status look(lease::Leases& leases, const lease::Rows& crawl, std::string& fresh);
  const std::string& lines() const { return lines_; }

 private:
  bool take(std::string_view line);
  Status tell(lease::Leases& leases);

  std::string path_;
  std::string lines_;
  std::unordered_set<std::uint64_t> known_;  // hashes of the lines
  std::optional<std::string> seen_;          // the row "added" at the last look
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_ADDED_H_
