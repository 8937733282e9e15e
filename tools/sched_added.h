// SPDX-License-Identifier: Apache-2.0
// Seeds that somebody adds to a crawl of many machines (cluster/added.h), at a machine and at whoever adds them. A line with
// purpose=scope is no page to be asked for: what it names is in the crawl's scope like a seed, and goes to the file "adopted" of the
// machine's folder, which its url-filter reads (--adopt).
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

// --cluster --add SEED...: tells the engine, and waits until a machine has them, where there is one. The exit status.
int add_to_crawl(cli::Tool& tool);

class AddedSeeds {
 public:
  // `folder`: the machine's.
  explicit AddedSeeds(const std::string& folder)
      : added_(folder + "/added"), adopted_(folder + "/adopted") {}
  // What this machine has on its disk. The scope is brought up to date.
  Status open();
  // At each beat, with the engine's table "crawl". Says what has come, and what is wrong.
  void attend(lease::Leases& leases, const lease::Rows& crawl, loop::Shares& shares,
              const std::function<void(const std::string&)>& say);

 private:
  Result<std::size_t> look(lease::Leases& leases, const lease::Rows& crawl);
  Status offer(loop::Shares& shares);
  Status adopt();

  cluster::Added added_;
  std::string adopted_;
  std::string trouble_;                           // that was told
  std::map<std::uint32_t, std::size_t> offered_;  // bytes of the lines
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_ADDED_H_
