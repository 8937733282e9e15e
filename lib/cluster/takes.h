// SPDX-License-Identifier: Apache-2.0
// Since when the pages of a state have been used as they are now. Where that changes, unchanged
// pages are asked for whole once more (frontier::Options::whole_before_ms). The state records it,
// since machines come and go, and a new one does not know what was done before.
#ifndef SPINNERET_CLUSTER_TAKES_H_
#define SPINNERET_CLUSTER_TAKES_H_

#include <cstdint>
#include <string_view>

#include "frontier/store.h"

namespace spinneret::cluster {

// `takes` is a word for what is taken from pages, such as a digest of options. Returns the time, in
// ms by the wall clock, when the state first got this word after another one or, from an earlier
// release, after none. A new time is staged for the state's next commit. It is after all visits in
// the state, even where `unix_ms` is of a clock behind the one that dated them.
std::int64_t taken_since(frontier::Store& store, std::string_view takes, std::int64_t unix_ms);

// Records for taken_since() the time up to which a state has visits: in one commit a second.
class StateClock {
 public:
  // To be called before each commit that may hold visits.
  void stage(frontier::Store& store, std::int64_t unix_ms);

 private:
  std::int64_t last_ms_ = 0;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_TAKES_H_
