// SPDX-License-Identifier: Apache-2.0
// Whether the trouble is ours: hosts that have answered before fall silent, all of them, and nothing answers any more.
// Then no host is to blame. The run pauses, one request at a time finds out whether it can go on, and no silence
// costs a host its patience or a URL a try meanwhile.
//
//   silent hosts that had answered before,      what else could be asked       a pause of at most
//   since anything has answered, 3 s ago
//   3 to 15                                     nothing                        5 minutes
//   16 or more                                  does not matter                1 hour
//
// A host that has never answered proves nothing: lists of seeds are full of dead names. After the longest pause the
// hosts' patience counts again, so that a run ends, however many of its hosts are gone for good.
//
// Pure: it is told the time, in milliseconds of the monotonic clock. Memory: 8 bytes a host that is silent.
#ifndef SPINNERET_FRONTIER_OUTAGE_H_
#define SPINNERET_FRONTIER_OUTAGE_H_

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace spinneret::frontier {

class Outage {
 public:
  using Slot = std::uint32_t;  // of a host

  // A request of `sent_ms` to a host has come back without any answer. `known`: it has answered before.
  void silence(Slot slot, bool known, std::int64_t sent_ms, std::int64_t now_ms);
  // Something has answered. Where that ends a pause, the hosts in silent() are to be forgiven before.
  void life(std::int64_t now_ms);
  bool any_silent() const { return !silent_.empty(); }
  bool is_silent(Slot slot) const { return silent_.contains(slot); }
  // Each host that is silent, and whether it had answered before.
  const std::unordered_map<Slot, bool>& silent() const { return silent_; }

  // Whether silences have come since the last look that may begin a pause.
  bool is_suspicious(std::int64_t now_ms) const {
    return !paused_ && fresh_ && known_ >= kFewest && now_ms - life_ms_ >= kQuietMs;
  }
  // `others`: how many hosts could be asked that are not silent. True: a pause begins.
  bool weigh(std::size_t others, std::int64_t now_ms);

  bool paused() const { return paused_; }
  std::int64_t since_ms() const { return since_ms_; }
  // While paused: whether the next request may go out, and when at the earliest; INT64_MAX: when one has come back.
  bool may_probe(std::int64_t now_ms) const { return probe_ms() <= now_ms; }
  std::int64_t probe_ms() const { return probing_ ? INT64_MAX : probe_ms_; }
  void probed() { probing_ = true; }
  // Whatever was sent then has come back.
  void landed(std::int64_t sent_ms) { probing_ = probing_ && sent_ms < since_ms_; }
  // Whether the pause has been as long as it may be; then it is over, and there is none until something has answered.
  bool give_up(std::int64_t now_ms);

 private:
  static constexpr std::size_t kFewest = 3;
  static constexpr std::int64_t kQuietMs = 3000;

  std::unordered_map<Slot, bool> silent_;  // since anything has answered
  std::size_t known_ = 0;                  // of them, that had answered before
  bool fresh_ = false;                     // silences have come since weigh()
  bool paused_ = false;
  bool spent_ = false;  // the longest pause was in vain
  bool probing_ = false;
  std::int64_t life_ms_ = -kQuietMs;  // when something has answered last
  std::int64_t since_ms_ = 0;
  std::int64_t end_ms_ = 0;
  std::int64_t probe_ms_ = 0;
  std::int64_t interval_ms_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_OUTAGE_H_
