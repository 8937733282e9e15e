// SPDX-License-Identifier: Apache-2.0
// Hosts that were given up in this run, and when a run that is still going asks them again: after
// ten minutes, and after twice as long each time that they stay silent, up to a day. No run waits
// for that, unless it has no end.
//
// Cost: O(log hosts given up) an operation, 40 bytes each. Nothing of it is durable: the next run
// asks every host.
#ifndef SPINNERET_FRONTIER_REST_H_
#define SPINNERET_FRONTIER_REST_H_

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace spinneret::frontier {

class Rests {
 public:
  using Slot = std::uint32_t;  // slot of a host

  // Notes that a host was given up at `now_ms`, by the monotonic clock.
  void begin(Slot slot, std::int64_t now_ms);
  // Notes that a host has answered: its next rest is as short as the first.
  void forget(Slot slot) { rests_.erase(slot); }
  // Hosts that were given up and have not answered since, even if they are asked again; in no
  // order.
  template <typename Each>
  void for_each(const Each& each) const {
    for (const auto& [slot, times] : rests_) each(slot);
  }
  // Takes out a host whose rest is over at `now_ms`. False: there is none.
  bool take(std::int64_t now_ms, Slot& slot);
  // When the next rest ends; INT64_MAX: none does.
  std::int64_t next_ms() const { return ends_.empty() ? INT64_MAX : ends_.top().first; }

 private:
  using End = std::pair<std::int64_t, Slot>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::unordered_map<Slot, unsigned> rests_;  // number in a row, without an answer between them
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_REST_H_
