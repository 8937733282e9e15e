// SPDX-License-Identifier: Apache-2.0
// Which partitions of a crawl have begun, so that none begins a second time unasked: its pages would be crawled again, and links
// be lost that others were told it had.
//
// The engine's table "states" has the name of the state that each partition goes by. It is forgotten with all else, and is empty
// under another NAME, as after a split. So each state keeps, too, which partitions it has seen begun, and whoever comes with one
// tells the engine before it takes anything:
//
//   row of a partition         a state that has begun            one that is empty
//   none                       is what it goes by now            is what it goes by now
//   a name                     refused, unless it is its own     refused
//   kBegun                     is what it goes by now            refused
//   kAnew: somebody's word     is what it goes by now            is what it goes by now
//
// An empty one is opened behind its quarantine: by then those who come at the same time with a state have told.
#ifndef SPINNERET_CLUSTER_BEGUN_H_
#define SPINNERET_CLUSTER_BEGUN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontier/store.h"
#include "lease/lease.h"

namespace spinneret::cluster {

// The engine's table of states that the crawl goes by, and what stands there in the place of a name.
inline constexpr std::string_view kStates = "states", kBegun = "begun", kAnew = "anew";

class Begun {
 public:
  explicit Begun(std::uint32_t partitions) : has_(partitions, false) {}
  // As a state has kept it, and with what the engine's table says.
  void add(frontier::Store& store);
  void add(const lease::Rows& states);
  bool all() const { return count_ == has_.size(); }
  std::uint32_t count() const { return count_; }

  // With the state's next commit.
  void keep_in(frontier::Store& store) const;
  // Tells the engine of those which have no row in `states`.
  Status tell(lease::Leases& leases, const lease::Rows& states) const;
  // Of the crawl that has twice as many.
  Begun split() const;

 private:
  void add(std::size_t partition);

  std::vector<bool> has_;
  std::uint32_t count_ = 0;
};

// What is left to do about a state that is not to be found: the end of a sentence.
std::string anew_words(std::uint32_t partition);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_BEGUN_H_
