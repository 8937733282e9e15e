// SPDX-License-Identifier: Apache-2.0
// Whether the trouble is ours: all hosts that have answered before fall silent, and nothing answers
// any more. Then no host is to blame. The run pauses, one request at a time finds out whether it
// can go on, and meanwhile no silence costs a host its patience or a URL a try.
//
//   silent hosts that had answered before,      what else could be asked       a pause of at most
//   since the last answer, 3 s ago or more
//   3 to 15                                     nothing                        5 minutes
//   16 or more                                  does not matter                1 hour
//
// A host that has never answered proves nothing: lists of seeds are full of dead names. After the
// longest pause the hosts' patience counts again, so that a run ends, however many of its hosts are
// gone for good.
//
// Pure: it is told the time, in milliseconds of the monotonic clock. Memory: 8 bytes a host that is
// silent.
#ifndef SPINNERET_FRONTIER_OUTAGE_H_
#define SPINNERET_FRONTIER_OUTAGE_H_

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace spinneret::frontier {

class Outage {
 public:
  using Slot = std::uint32_t;  // slot of a host

  // Notes that a request sent at `sent_ms` has come back without any answer. `known`: its host has
  // answered before.
  void silence(Slot slot, bool known, std::int64_t sent_ms, std::int64_t now_ms);
  // Notes that something has answered. Where that ends a pause, the hosts in silent() must be
  // forgiven before.
  void life(std::int64_t now_ms);
  bool any_silent() const { return !silent_.empty(); }
  bool is_silent(Slot slot) const { return silent_.contains(slot); }
  // Each host that is silent, and whether it had answered before.
  const std::unordered_map<Slot, bool>& silent() const { return silent_; }

  // Whether silences that may begin a pause have come since the last look.
  bool is_suspicious(std::int64_t now_ms) const {
    return !paused_ && fresh_ && known_ >= kFewest && now_ms - life_ms_ >= kQuietMs;
  }
  // Begins a pause where that is warranted, and returns whether it has. `others`: number of hosts
  // that could be asked and are not silent.
  bool weigh(std::size_t others, std::int64_t now_ms);

  bool paused() const { return paused_; }
  std::int64_t since_ms() const { return since_ms_; }
  // While paused: whether the next request may go out, and when at the earliest; INT64_MAX: when
  // one has come back.
  bool may_probe(std::int64_t now_ms) const { return probe_ms() <= now_ms; }
  std::int64_t probe_ms() const { return probing_ ? INT64_MAX : probe_ms_; }
  void probed() { probing_ = true; }
  // Notes that something that was sent then has come back.
  void landed(std::int64_t sent_ms) { probing_ = probing_ && sent_ms < since_ms_; }
  // Ends a pause that has been as long as it may be, and returns whether it has. No other begins
  // until something has answered.
  bool give_up(std::int64_t now_ms);

 private:
  static constexpr std::size_t kFewest = 3;
  static constexpr std::int64_t kQuietMs = 3000;

  std::unordered_map<Slot, bool> silent_;  // hosts silent since anything has answered
  std::size_t known_ = 0;                  // those of them that had answered before
  bool fresh_ = false;                     // silences have come since weigh()
  bool paused_ = false;
  bool spent_ = false;  // the longest pause has ended without an answer
  bool probing_ = false;
  std::int64_t life_ms_ = -kQuietMs;  // when something answered last
  std::int64_t since_ms_ = 0;
  std::int64_t end_ms_ = 0;
  std::int64_t probe_ms_ = 0;
  std::int64_t interval_ms_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_OUTAGE_H_
