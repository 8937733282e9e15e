// SPDX-License-Identifier: Apache-2.0
// What of which lane may go out, and when: the walk over few members, the crowd of many, and whose turn it is.
#include <algorithm>
#include <utility>

#include "frontier/frontier.h"

namespace spinneret::frontier {

bool Frontier::host_limit_reached(const Host& host) const {
  return options_.max_host_pages != 0 &&
         hosts_.pages(host) + (host.play ? host.play->flying.size() : 0) >= options_.max_host_pages;
}

bool Frontier::sendable(const Host& host) const {
  if (host.finished) return false;
  if (host.rules != Rules::kWanted && host_limit_reached(host)) return false;
  switch (gate_.stage_of(host)) {
    case Rules::kWanted: return true;
    case Rules::kFlying: return false;
    case Rules::kUntried: return hosts_.nothing_flying(host) && !hosts_.nothing_queued(host);
    case Rules::kHad: return !hosts_.nothing_queued(host);
  }
  return false;
}

bool Frontier::sendable_at(const Host& host, std::int64_t mono_ms) const {
  return host.held_ms <= mono_ms && sendable(host);
}

// When something may go out on it, by the monotonic clock. INT64_MAX: not before something comes back.
std::int64_t Frontier::due_ms(const Lane& lane) const {
  std::int64_t due = INT64_MAX;
  if (lane.in_flight >= options_.politeness.per_host) return due;
  if (lane.crowd) {
    due = lane.crowd->next_due(0);
    return due == INT64_MAX ? due : std::max(due, lane.next_ms);
  }
  hosts_.for_each_of(lane, [&](HostSlot slot) {
    const Host& host = hosts_.host(slot);
    if (host.held_ms < due && sendable(host)) due = host.held_ms;
    return due == 0;
  });
  return due == INT64_MAX ? due : std::max(due, lane.next_ms);
}

std::uint8_t Frontier::priority_of(const Host& host) const {
  return host.rules == Rules::kWanted ? std::uint8_t{0} : hosts_.front(host);
}

std::uint8_t Frontier::front_priority(const Lane& lane, std::int64_t due_ms) const {
  if (lane.crowd) return lane.crowd->front_priority();
  std::uint8_t best = kLastPriority;
  hosts_.for_each_of(lane, [&](HostSlot slot) {
    const Host& host = hosts_.host(slot);
    if (sendable_at(host, due_ms)) best = std::min(best, priority_of(host));
    return best == 0;
  });
  return best;
}

void Frontier::arrange(LaneId id) {
  const Lane& lane = hosts_.lane(id);
  if (const std::int64_t due = due_ms(lane); due != INT64_MAX) {
    agenda_.put(id, due, front_priority(lane, due));
  } else {
    agenda_.remove(id);
  }
}

// From then on each change of a member costs O(log members), and none is walked over.
void Frontier::gather(Lane& lane) {
  hosts_.gather(lane);
  hosts_.for_each_of(lane, [this](HostSlot slot) {
    enrol(slot);
    return false;
  });
}

// The turn of a host in its crowd, where it is in one, as what it may send now makes it.
void Frontier::enrol(HostSlot slot) {
  const Host& host = hosts_.host(slot);
  Agenda* const crowd = hosts_.lane(host.lane).crowd.get();
  if (crowd == nullptr) return;
  if (sendable(host)) {
    crowd->put(slot, host.held_ms, priority_of(host));
  } else {
    crowd->remove(slot);
  }
}

void Frontier::enrol_wanted() {
  for (const HostSlot slot : wanted_hosts_) {
    hosts_.host(slot).wanted = false;
    enrol(slot);
  }
  wanted_hosts_.clear();
}

void Frontier::want_arranged(HostSlot slot) {
  Host& host = hosts_.host(slot);
  const LaneId lane = host.lane;
  if (hosts_.lane(lane).crowd && !host.wanted) {
    host.wanted = true;
    wanted_hosts_.push_back(slot);
  }
  if (lane_wanted_.size() <= lane) lane_wanted_.resize(lane * std::size_t{2} + 1);
  if (std::exchange(lane_wanted_[lane], 1) == 0) wanted_lanes_.push_back(lane);
}

void Frontier::arrange_wanted() {
  enrol_wanted();
  for (const LaneId id : wanted_lanes_) {
    Lane& lane = hosts_.lane(id);
    if (!lane.crowd && lane.members >= options_.crowd) gather(lane);
    lane_wanted_[id] = 0;
    arrange(id);
  }
  wanted_lanes_.clear();
}

Slots::Kind Frontier::kind_of(const Lane& lane) const {
  return lane.heard ? Slots::Kind::kHeard : Slots::Kind::kUnheard;
}

// Of the lanes put aside. They go by turns, but where hosts are silent all that come next may be: seven of eight are then
// drawn from all, the best by priority of four.
LaneId Frontier::take_passed(std::int64_t now_ms) {
  constexpr std::uint64_t kOneInTurn = 8;
  constexpr int kDrawn = 4;
  const LaneId front = passed_lanes_.front();
  if (!slots_.any_silent() || random() % kOneInTurn == 0) {
    passed_lanes_.pop_front();
    return front;
  }
  std::size_t best_at = 0;
  std::uint8_t best = UINT8_MAX;
  for (int k = 0; k < kDrawn; ++k) {
    const std::size_t at = random() % passed_lanes_.size();
    const std::uint8_t priority = front_priority(hosts_.lane(passed_lanes_[at]), now_ms);
    if (priority < best) best_at = at;
    best = std::min(best, priority);
  }
  // The last one moves up, so that those in front keep their turns.
  const LaneId taken = std::exchange(passed_lanes_[best_at], passed_lanes_.back());
  passed_lanes_.pop_back();
  return taken;
}

// The next lane that may be served and has a slot. Those that wait for a slot of silent hosts are put aside meanwhile, in
// the order of their turns: they hold nobody up.
bool Frontier::take_lane(std::int64_t now_ms, LaneId& lane) {
  while (!passed_lanes_.empty() && !slots_.full(Slots::Kind::kUnheard)) {
    lane = take_passed(now_ms);
    hosts_.lane(lane).passed = false;
    // Its turn may have come by another way.
    if (due_ms(hosts_.lane(lane)) <= now_ms) return true;
    arrange(lane);
  }
  while (!slots_.full(Slots::Kind::kHeard) && agenda_.take(now_ms, lane)) {
    Lane& taken = hosts_.lane(lane);
    if (!slots_.full(kind_of(taken)) || (taken.slow && slots_.may_be_silent())) return true;
    if (!std::exchange(taken.passed, true)) passed_lanes_.push_back(lane);
  }
  return false;
}

}  // namespace spinneret::frontier
