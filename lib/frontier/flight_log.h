// SPDX-License-Identifier: Apache-2.0
// Which hosts may have something in flight, durable before it is sent: after a crash, they count as
// visited just then.
//
//   kMeta   flying 0: 17 4 9  |  flying 1: 23  |  flying 2: 5 8  |  new: 31
//                                                                    `-- next stage() adds a row
//
// A host that has landed stays marked: a superfluous mark costs one gap after a crash, and nothing
// else. When marks far outnumber what is in flight, all are written anew, without those.
//
// Not thread-safe. Cost: one small row a batch of flights; memory: 4 bytes a mark.
#ifndef SPINNERET_FRONTIER_FLIGHT_LOG_H_
#define SPINNERET_FRONTIER_FLIGHT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "frontier/keys.h"
#include "frontier/store.h"

namespace spinneret::frontier {

class FlightLog {
 public:
  // Number of marks beyond twice the flights that are tolerated.
  static constexpr std::size_t kMarksToSweep = 1024;

  // Borrows `store`.
  explicit FlightLog(Store& store) : store_(store) {}

  // Takes the marks of an earlier run, which kMeta has in `rows` rows.
  void load(std::vector<HostId> marked, std::uint64_t rows) {
    marked_ = std::move(marked);
    rows_ = rows;
  }
  const std::vector<HostId>& marked() const { return marked_; }

  // Marks a host that is not marked yet.
  void mark(HostId host) {
    marked_.push_back(host);
    ++new_;
  }
  // Whether a mark is not durable yet.
  bool pending() const { return new_ != 0; }
  // Stages the new marks. If many hosts have landed, `unmark` is asked of each host whether it may
  // lose its mark.
  void stage(std::size_t in_flight, const std::function<bool(HostId)>& unmark);
  // Stages that nothing is in flight, and returns the hosts that were marked.
  std::vector<HostId> clear();

 private:
  void erase_rows();

  Store& store_;
  std::vector<HostId> marked_;  // all durable, except the last new_ of them
  std::size_t new_ = 0;
  std::uint64_t rows_ = 0;  // number of rows in kMeta that hold them
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_FLIGHT_LOG_H_
