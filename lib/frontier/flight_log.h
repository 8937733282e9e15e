// SPDX-License-Identifier: Apache-2.0
// Which hosts may have something in flight, durable before it is sent: after a crash they count as visited just then.
//
//   kMeta   flying 0: 17 4 9   |   flying 1: 23   |   flying 2: 5 8   |  new: 31
//                                                                       `------- a row of its own with the next stage()
//
// A host that has landed stays marked: a mark too many costs it one gap after a crash, and nothing else. Once marks outnumber
// what is in flight, all are written anew, without those.
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
  // Marks beyond twice the flights that are let be.
  static constexpr std::size_t kMarksToSweep = 1024;

  // Borrowed.
  explicit FlightLog(Store& store) : store_(store) {}

  // As kMeta has it: the marks of an earlier run, in so many rows.
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
  // Stages the new marks. `unmark` is asked of each host, where many have landed, and says that it may lose its mark.
  void stage(std::size_t in_flight, const std::function<bool(HostId)>& unmark);
  // Stages that nothing is in flight, and gives back who was marked.
  std::vector<HostId> clear();

 private:
  void erase_rows();

  Store& store_;
  std::vector<HostId> marked_;  // durably, but for the last new_
  std::size_t new_ = 0;
  std::uint64_t rows_ = 0;  // of kMeta that hold them
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_FLIGHT_LOG_H_
