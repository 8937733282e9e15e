// SPDX-License-Identifier: Apache-2.0
// Since when from the pages of a state is taken what is taken now. Where that changes, pages that do not are asked for whole once
// (frontier::Options::whole_before_ms). The state keeps it, as machines come and go, and one that is new was told nothing of before.
#ifndef SPINNERET_CLUSTER_TAKES_H_
#define SPINNERET_CLUSTER_TAKES_H_

#include <cstdint>
#include <string_view>

#include "frontier/store.h"

namespace spinneret::cluster {

// `takes`: a word for it, such as a digest of options. In ms by the wall clock: when a state first heard this word after another one
// or, as of an earlier release, after none. That is kept with the state's next commit. It is behind all visits that the state holds,
// also where `unix_ms` is of a clock that is behind the one by which those were dated.
std::int64_t taken_since(frontier::Store& store, std::string_view takes, std::int64_t unix_ms);

// Puts down, for taken_since(), by what time a state is committed to: in a commit a second.
class StateClock {
 public:
  // Before each commit that may hold visits.
  void stage(frontier::Store& store, std::int64_t unix_ms);

 private:
  std::int64_t last_ms_ = 0;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_TAKES_H_
