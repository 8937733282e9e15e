// SPDX-License-Identifier: Apache-2.0
// Which partitions of a crawl have begun, so that none begins a second time unasked: its pages
// would be crawled again, and links would be lost that others believe it has.
//
// The engine's table "states" has the name of the state that each partition goes by. The table may
// be forgotten, and is empty under another NAME, as after a split. So each state, too, records
// which partitions it has seen begun, and whoever opens one tells the engine before it takes
// anything:
//
//   row of a partition     a state that has begun          an empty state
//   none                   the crawl goes by it now        the crawl goes by it now
//   a name                 refused, unless it is its own   refused
//   kBegun                 the crawl goes by it now        refused
//   kAnew: by an order     the crawl goes by it now        the crawl goes by it now
//
// An empty state is opened after its quarantine: by then machines that come at the same time with a
// state have told the engine.
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

// The engine's table of the states that the crawl goes by, and the values that stand in place of a
// name.
inline constexpr std::string_view kStates = "states", kBegun = "begun", kAnew = "anew";

class Begun {
 public:
  explicit Begun(std::uint32_t partitions) : has_(partitions, false) {}
  // Add what a state has recorded, and what the engine's table says.
  void add(frontier::Store& store);
  void add(const lease::Rows& states);
  bool all() const { return count_ == has_.size(); }
  std::uint32_t count() const { return count_; }

  // Stages the record; it is written with the state's next commit.
  void keep_in(frontier::Store& store) const;
  // Tells the engine which partitions without a row in `states` have begun.
  Status tell(lease::Leases& leases, const lease::Rows& states) const;
  // Returns the same for the crawl with twice as many partitions.
  Begun split() const;

 private:
  void add(std::size_t partition);

  std::vector<bool> has_;
  std::uint32_t count_ = 0;
};

// Returns the end of a sentence: what can be done about a state that cannot be found.
std::string anew_words(std::uint32_t partition);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_BEGUN_H_
