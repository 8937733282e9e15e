// SPDX-License-Identifier: Apache-2.0
// Seeds that somebody adds to a crawl that was begun: from then on they are seeds of it like those of its command line. Whoever opens
// a partition offers them to it, so that a state which comes back from an older copy has them, too.
//
// The engine's table "added" has a row for each line, by its hash: what is added twice is there once. The row "added" of the table
// "crawl" is another one after each addition, and so tells who looks at it that there is something to read; "added-kept" is the last of
// them that a machine has on its disk. What the engine forgets is told again by every machine that knows it.
//
//   add_lines(leases, "http://h/\n");           // anybody, at any time; was_kept(crawl) once a machine has them
//
//   Added added(folder + "/added");             // each machine
//   added.open();
//   added.look(leases, crawl, fresh);           // at each beat, with the table "crawl": what it did not know
//   added.lines()                               // all
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

// More than that are a crawl of their own: the engine holds them all, for as long as it knows the crawl.
inline constexpr std::size_t kMostAdded = 100'000;

// Lines that end in LF. They are with the engine when this returns.
Status add_lines(lease::Leases& leases, std::string_view lines);
// Whether a machine has what was added last on its disk, by the engine's table "crawl".
bool was_kept(const lease::Rows& crawl);

class Added {
 public:
  // `path`: the file in which this machine keeps them.
  explicit Added(std::string path) : path_(std::move(path)) {}
  // Reads the file, where it is there.
  Status open();
  // `fresh`: lines that this machine did not know, and has on its disk now; mostly none.
  Status look(lease::Leases& leases, const lease::Rows& crawl, std::string& fresh);
  const std::string& lines() const { return lines_; }

 private:
  bool take(std::string_view line);
  Status tell(lease::Leases& leases);

  std::string path_;
  std::string lines_;
  std::unordered_set<std::uint64_t> known_;  // hashes of the lines
  std::optional<std::string> seen_;          // the row "added" when this was last looked at
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_ADDED_H_
