// SPDX-License-Identifier: Apache-2.0
// Seeds that somebody adds to a crawl of many machines (cluster/added.h): at a machine, and at
// whoever adds them. A line with purpose=scope is no page to be fetched: its URL counts as a seed
// for the crawl's scope, and goes to the file "adopted" in the machine's folder, which its
// url-filter reads (--adopt).
#ifndef SPINNERET_TOOLS_SCHED_ADDED_H_
#define SPINNERET_TOOLS_SCHED_ADDED_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/result.h"
#include "cli/tool.h"
#include "cluster/added.h"
#include "lease/lease.h"
#include "loop/shares.h"

namespace spinneret {

// --cluster --add SEED...: writes the seeds to the engine and, where machines are running, waits
// until one has stored them. Returns the exit status.
int add_to_crawl(cli::Tool& tool);

class AddedSeeds {
 public:
  // `folder` is the machine's.
  explicit AddedSeeds(const std::string& folder)
      : added_(folder + "/added"), adopted_(folder + "/adopted") {}
  // Reads what this machine has on its disk, and brings the file "adopted" up to date.
  Status open();
  // To be called at each beat, with the engine's table "crawl". Reports what has come, and what is
  // wrong.
  void attend(lease::Leases& leases, const lease::Rows& crawl, loop::Shares& shares,
              const std::function<void(const std::string&)>& say);

 private:
  Result<std::size_t> look(lease::Leases& leases, const lease::Rows& crawl);
  Status offer(loop::Shares& shares);
  Status adopt();

  cluster::Added added_;
  std::string adopted_;
  std::string trouble_;  // the last one reported
  // By partition: bytes of the lines that it was offered.
  std::map<std::uint32_t, std::size_t> offered_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_ADDED_H_
