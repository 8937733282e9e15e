// SPDX-License-Identifier: Apache-2.0
#include "frontier/lanes.h"

#include <algorithm>
#include <utility>

namespace spinneret::frontier {
namespace {

Slots::Kind kind_of(const Lane& lane) {
  return lane.heard ? Slots::Kind::kHeard : Slots::Kind::kUnheard;
}

// Whether the window of a host must be read before a page of it can go out.
bool is_unread(const Host& host) { return host.play == nullptr || host.play->queue.window_empty(); }

}  // namespace

// --- what may go out -----------------------------------------------------------------------------

bool Lanes::limit_reached(const Host& host) const {
  return rules_.max_host_pages != 0 &&
         hosts_.pages(host) + (host.play ? host.play->flying.size() : 0) >= rules_.max_host_pages;
}

bool Lanes::sendable(const Host& host) const {
  if (host.finished) return false;
  if (host.rules != Rules::kWanted && limit_reached(host)) return false;
  switch (gate_.stage_of(host)) {
    case Rules::kWanted: return true;
    case Rules::kFlying: return false;
    case Rules::kUntried: return hosts_.nothing_flying(host) && !hosts_.nothing_queued(host);
    case Rules::kHad: return !hosts_.nothing_queued(host);
  }
  return false;
}

bool Lanes::sendable_at(const Host& host, std::int64_t mono_ms) const {
  return host.held_ms <= mono_ms && sendable(host);
}

bool Lanes::may_send_page(const Host& host, std::int64_t mono_ms) const {
  return sendable_at(host, mono_ms) && host.rules != Rules::kWanted;
}

std::int64_t Lanes::due_ms(LaneId id) const {
  const Lane& lane = hosts_.lane(id);
  std::int64_t due = INT64_MAX;
  if (lane.in_flight >= rules_.politeness.per_host) return due;
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

bool Lanes::has_more(HostSlot slot) {
  enrol_wanted();
  const LaneId lane = hosts_.host(slot).lane;
  return due_ms(lane) <= hosts_.lane(lane).next_ms;
}

std::uint8_t Lanes::priority_of(const Host& host) const {
  return host.rules == Rules::kWanted ? std::uint8_t{0} : hosts_.front(host);
}

std::uint8_t Lanes::front_priority(const Lane& lane, std::int64_t due_ms) const {
  if (lane.crowd) return lane.crowd->front_priority();
  std::uint8_t best = kLastPriority;
  hosts_.for_each_of(lane, [&](HostSlot slot) {
    const Host& host = hosts_.host(slot);
    if (sendable_at(host, due_ms)) best = std::min(best, priority_of(host));
    return best == 0;
  });
  return best;
}

// --- turns ---------------------------------------------------------------------------------------

void Lanes::arrange(LaneId id) {
  if (const std::int64_t due = due_ms(id); due != INT64_MAX) {
    agenda_.put(id, due, front_priority(hosts_.lane(id), due));
  } else {
    agenda_.remove(id);
  }
}

// Gives a lane a crowd. From then on each change of a member costs O(log members), with no walk
// over all.
void Lanes::gather(Lane& lane) {
  hosts_.gather(lane);
  hosts_.for_each_of(lane, [this](HostSlot slot) {
    enrol(slot);
    return false;
  });
}

// Updates the turn of a host in its crowd, if it is in one, by what it may send now.
void Lanes::enrol(HostSlot slot) {
  const Host& host = hosts_.host(slot);
  Agenda* const crowd = hosts_.lane(host.lane).crowd.get();
  if (crowd == nullptr) return;
  if (sendable(host)) {
    crowd->put(slot, host.held_ms, priority_of(host));
  } else {
    crowd->remove(slot);
  }
}

void Lanes::enrol_wanted() {
  for (const HostSlot slot : wanted_hosts_) {
    hosts_.host(slot).wanted = false;
    enrol(slot);
  }
  wanted_hosts_.clear();
}

void Lanes::want(HostSlot slot) {
  Host& host = hosts_.host(slot);
  const LaneId lane = host.lane;
  if (hosts_.lane(lane).crowd && !host.wanted) {
    host.wanted = true;
    wanted_hosts_.push_back(slot);
  }
  if (lane_wanted_.size() <= lane) lane_wanted_.resize(lane * std::size_t{2} + 1);
  if (std::exchange(lane_wanted_[lane], 1) == 0) wanted_lanes_.push_back(lane);
}

void Lanes::arrange() {
  enrol_wanted();
  for (const LaneId id : wanted_lanes_) {
    Lane& lane = hosts_.lane(id);
    if (!lane.crowd && lane.members >= rules_.crowd) gather(lane);
    lane_wanted_[id] = 0;
    arrange(id);
  }
  wanted_lanes_.clear();
}

// Takes a lane that was put aside. They go by turns; but where hosts are silent, all that come next
// may be so: seven of eight are then drawn from all, each the best by priority of four.
LaneId Lanes::take_passed(std::int64_t mono_ms) {
  constexpr std::uint64_t kOneInTurn = 8;
  constexpr int kDrawn = 4;
  if (!slots_.any_silent() || random_.next() % kOneInTurn == 0) return passed_.take_next();
  Aside::Place best_at;
  std::uint8_t best = UINT8_MAX;
  for (int k = 0; k < kDrawn; ++k) {
    const Aside::Place at = passed_.draw(random_.next());
    const std::uint8_t priority = front_priority(hosts_.lane(passed_.at(at)), mono_ms);
    if (priority < best) best_at = at;
    best = std::min(best, priority);
  }
  return passed_.take(best_at);
}

void Lanes::pass(LaneId id) {
  Lane& lane = hosts_.lane(id);
  if (std::exchange(lane.passed, true)) return;
  passed_.put(id, hosts_.domain_of(lane.last));
}

// Lanes that wait for a slot of silent hosts are put aside meanwhile, in the order of their turns:
// they hold nobody up.
bool Lanes::take(std::int64_t mono_ms, LaneId& lane) {
  while (!passed_.empty() && !slots_.full(Slots::Kind::kUnheard)) {
    lane = take_passed(mono_ms);
    hosts_.lane(lane).passed = false;
    // It may have had its turn meanwhile.
    if (due_ms(lane) <= mono_ms) return true;
    arrange(lane);
  }
  while (!slots_.full(Slots::Kind::kHeard) && agenda_.take(mono_ms, lane)) {
    const Lane& taken = hosts_.lane(lane);
    if (!slots_.full(kind_of(taken)) || (taken.slow && slots_.may_be_silent())) return true;
    pass(lane);
  }
  return false;
}

std::int64_t Lanes::wait_ms(std::int64_t mono_ms) {
  std::int64_t due = agenda_.next_due(mono_ms);
  if (slots_.full(Slots::Kind::kHeard)) due = std::max(due, slots_.free_ms(Slots::Kind::kHeard));
  if (!passed_.empty()) {
    const bool full = slots_.full(Slots::Kind::kUnheard);
    due = std::min(due, full ? slots_.free_ms(Slots::Kind::kUnheard) : mono_ms);
  }
  return due == INT64_MAX ? due : std::max<std::int64_t>(due - mono_ms, 0);
}

// --- windows -------------------------------------------------------------------------------------

// The host whose turn it is, if its window must be read.
std::optional<HostSlot> Lanes::next_to_read(const Lane& lane, std::int64_t mono_ms) const {
  std::optional<HostSlot> found;
  hosts_.for_each_of(lane, [&](HostSlot slot) {
    const Host& host = hosts_.host(slot);
    if (!may_send_page(host, mono_ms)) return false;
    if (is_unread(host)) found = slot;
    return true;
  });
  return found;
}

void Lanes::ahead(HostSlot first, std::int64_t mono_ms, std::size_t most,
                  std::vector<HostSlot>& out) {
  out.assign(1, first);
  const auto add_crowd = [&](const Agenda& crowd) {
    std::vector<HostSlot> members;
    crowd.ahead(most, members);
    for (const HostSlot slot : members) {
      const Host& host = hosts_.host(slot);
      if (slot != first && out.size() < most && may_send_page(host, mono_ms) && is_unread(host))
        out.push_back(slot);
    }
  };
  std::vector<LaneId> lanes;
  agenda_.ahead(most, lanes);
  const LaneId own = hosts_.host(first).lane;
  for (const LaneId id : lanes) {
    if (id == own) continue;
    const Lane& lane = hosts_.lane(id);
    if (lane.crowd) {
      add_crowd(*lane.crowd);
    } else if (const auto slot = next_to_read(lane, mono_ms)) {
      out.push_back(*slot);
    }
  }
  if (const Lane& lane = hosts_.lane(own); lane.crowd) add_crowd(*lane.crowd);
}

// --- flights -------------------------------------------------------------------------------------

Lanes::Departure Lanes::depart(HostSlot slot, const Moment& now) {
  Lane& lane = hosts_.lane(hosts_.host(slot).lane);
  HostRow& row = hosts_.play(slot).row;
  Departure out{now.mono_ms, now.cut, lane.next_ms, 0, 0};
  ++lane.in_flight;
  // With one request at a time the gap begins with the answer; with several it lies between the
  // requests.
  if (rules_.politeness.per_host > 1) back_off(slot, now);
  if (const std::int64_t gap = throttle_gap(row, rules_.politeness, now.steady_ms); gap > 0) {
    lane.next_ms = std::max(lane.next_ms, now.after(gap));
    hosts_.touch(slot);
  }
  out.next_after = lane.next_ms;
  out.slot = lane.slow && slots_.may_be_silent() ? slots_.begin_silent()
                                                 : slots_.begin(kind_of(lane), now.mono_ms);
  return out;
}

void Lanes::land(HostSlot slot, const Departure& from) {
  --hosts_.lane(hosts_.host(slot).lane).in_flight;
  slots_.end(from.slot);
  want(slot);
}

void Lanes::take_back_gap(HostSlot slot, const Departure& from) {
  Lane& lane = hosts_.lane(hosts_.host(slot).lane);
  if (lane.next_ms == from.next_after) lane.next_ms = from.next_before;
  HostRow& row = hosts_.play(slot).row;
  if (row.span_count != 0) --row.span_count;
}

void Lanes::keep_gap(HostSlot slot, const Departure& from, std::int64_t gap_ms, bool from_answer,
                     const Moment& now) {
  Lane& lane = hosts_.lane(hosts_.host(slot).lane);
  const bool from_now = rules_.politeness.per_host == 1 || from_answer || gap_ms == 0;
  lane.next_ms =
      std::max(lane.next_ms, from_now ? now.after(gap_ms) : from.sent_ms + gap_ms + from.cut);
}

void Lanes::back_off(HostSlot slot, const Moment& now) {
  Lane& lane = hosts_.lane(hosts_.host(slot).lane);
  lane.next_ms =
      std::max(lane.next_ms, now.after(delay_ms(hosts_.play(slot).row, rules_.politeness)));
}

void Lanes::note_sign(HostSlot slot, bool quick, bool is_page, std::int64_t took_ms) {
  const Host& host = hosts_.host(slot);
  Lane& lane = hosts_.lane(host.lane);
  lane.heard = quick && (lane.heard || is_page);
  lane.slow = !quick;
  if (quick && !host.heard) slots_.learn(took_ms);
}

void Lanes::follow_address(HostSlot slot) {
  if (!hosts_.move_to_lane_of(slot, hosts_.play(slot).row.ip)) return;
  hosts_.touch(slot);
  want(slot);
}

}  // namespace spinneret::frontier
