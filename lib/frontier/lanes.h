// SPDX-License-Identifier: Apache-2.0
// Which host may send next, and when. A lane is what politeness counts as one (host_table.h); its
// members go by turns.
//
//                     want(), arrange()                its time has come, a slot is free
//   nothing to send, <-----------------> on the agenda, --------------------------------> take(),
//   or all of it                         by time and       |                              serve(),
//   is in flight                         priority          | no slot of its kind          depart()
//                                                          v                                 ^
//                                                        put aside (aside.h) ----------------'
//
// A lane put aside holds nobody up. There, registrable domains go by turns, however many hosts one
// has.
//
//   members of a lane   whose turn it is
//   fewer than `crowd`  the next one in the ring that may send; each change walks over all
//   as many or more     those that may send have an agenda of their own: a change is O(log members)
//
// What a host may send changes elsewhere (its queue, its rules, its patience). Whoever changes it
// calls want(), and arrange() updates all these hosts before the next URL is sent. Gaps belong to
// lanes, holds to hosts.
//
// Borrows its constructor arguments. Not thread-safe. Times are of the monotonic clock. Cost: O(log
// lanes) a turn.
#ifndef SPINNERET_FRONTIER_LANES_H_
#define SPINNERET_FRONTIER_LANES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "frontier/agenda.h"
#include "frontier/aside.h"
#include "frontier/gate.h"
#include "frontier/host_table.h"
#include "frontier/moment.h"
#include "frontier/politeness.h"
#include "frontier/random.h"
#include "frontier/slots.h"

namespace spinneret::frontier {

struct LaneRules {
  const Politeness& politeness;  // borrowed
  std::uint64_t max_host_pages = 0;
  std::uint32_t crowd = 16;
};

class Lanes {
 public:
  // Borrows all of these.
  Lanes(HostTable& hosts, const Gate& gate, Random& random, Slots& slots, const LaneRules& rules)
      : hosts_(hosts), gate_(gate), random_(random), slots_(slots), rules_(rules) {}

  // Whether a host has something to send and is not held back. The gap of its lane does not count.
  bool sendable_at(const Host& host, std::int64_t mono_ms) const;
  // Whether a host has had all the pages that it may have.
  bool limit_reached(const Host& host) const;
  // When something may go out on a lane; INT64_MAX: not before something comes back.
  std::int64_t due_ms(LaneId lane) const;
  // Whether the lane of a host has something to send when its gap ends.
  bool has_more(HostSlot slot);

  // Notes that what a host may send has changed, or when.
  void want(HostSlot slot);
  bool any_wanted() const { return !wanted_lanes_.empty(); }
  void arrange();

  // Frees the slots of those that have been in flight for long enough by now.
  void age(std::int64_t mono_ms) { slots_.age(mono_ms); }
  // Notes that a line that is no result has come out of the pipeline.
  void note_output(std::int64_t mono_ms) { slots_.note_output(mono_ms); }
  // Takes the next lane that may be served and has a slot; take_any() ignores slots.
  bool take(std::int64_t mono_ms, LaneId& lane);
  bool take_any(std::int64_t mono_ms, LaneId& lane) { return agenda_.take(mono_ms, lane); }
  // Calls `send` with each host of a lane in turn until one has sent something. Returns whether one
  // has.
  template <typename Send>
  bool serve(LaneId lane, std::int64_t mono_ms, const Send& send) {
    const bool sent = serve_members(hosts_.lane(lane), mono_ms, send);
    arrange(lane);
    return sent;
  }
  // Does the same with the lane of `first`, from that host on, if the lane may be served.
  template <typename Send>
  bool serve_first(HostSlot first, std::int64_t mono_ms, const Send& send) {
    const LaneId lane = hosts_.host(first).lane;
    if (due_ms(lane) > mono_ms) return false;
    const bool sent =
        try_host(first, mono_ms, send) || serve_members(hosts_.lane(lane), mono_ms, send);
    enrol(first);
    arrange(lane);
    return sent;
  }
  // Collects about `most` hosts whose turn comes next and whose windows must be read before;
  // `first` comes first.
  void ahead(HostSlot first, std::int64_t mono_ms, std::size_t most, std::vector<HostSlot>& out);

  // What a flight took from its lane.
  struct Departure {
    std::int64_t sent_ms = 0;
    bool cut = false;  // it was sent a part of a millisecond later
    // The lane's next_ms before, restored where the host was not asked.
    std::int64_t next_before = 0;
    std::int64_t next_after = 0;
    std::uint64_t slot = 0;  // number of the flight in slots_
  };
  // Notes that a host of the lane being served sends something.
  Departure depart(HostSlot slot, const Moment& now);
  // Notes that it has come back, with whatever result.
  void land(HostSlot slot, const Departure& from);
  // Notes that a flight has come back. It was with its host for `host_ms`, or longer if that is not
  // `is_known`, and for the rest of the time in the pipeline.
  void note_return(const Departure& from, std::int64_t host_ms, bool is_known,
                   std::int64_t mono_ms) {
    slots_.note_return(from.sent_ms, from.sent_ms + host_ms, is_known, mono_ms);
  }
  // Takes back the gap of a flight that its host has not noticed.
  void take_back_gap(HostSlot slot, const Departure& from);
  // Keeps the lane back for `gap_ms` from now; with several requests at once, from when the request
  // was sent, unless the gap is `from_answer`.
  void keep_gap(HostSlot slot, const Departure& from, std::int64_t gap_ms, bool from_answer,
                const Moment& now);
  // Begins the host's delay anew: it may have been asked, and is asked again.
  void back_off(HostSlot slot, const Moment& now);
  // Notes whether a host has answered `quick` or not; silence is not quick. That decides which
  // slots its lane takes from now on.
  void note_sign(HostSlot slot, bool quick, bool is_page, std::int64_t took_ms);
  // Moves a host into the lane of its address, once that is known and nothing is in flight. It is
  // called with all that comes back: a host at rest is in the lane that its row and the log say.
  void follow_address(HostSlot slot);

  // Milliseconds until take() may give something; INT64_MAX: not before something comes back.
  std::int64_t wait_ms(std::int64_t mono_ms);
  // Whether no lane, and how many lanes, have something to send and may. Lanes put aside count in
  // waiting() only.
  bool agenda_empty() const { return agenda_.empty(); }
  std::size_t waiting() const { return agenda_.size() + passed_.size(); }
  bool is_waiting(LaneId lane) const { return agenda_.has(lane) || hosts_.lane(lane).passed; }

 private:
  bool sendable(const Host& host) const;
  bool may_send_page(const Host& host, std::int64_t mono_ms) const;
  std::uint8_t priority_of(const Host& host) const;
  std::uint8_t front_priority(const Lane& lane, std::int64_t due_ms) const;
  void arrange(LaneId lane);
  void gather(Lane& lane);
  void enrol(HostSlot slot);
  void enrol_wanted();
  LaneId take_passed(std::int64_t mono_ms);
  void pass(LaneId id);
  std::optional<HostSlot> next_to_read(const Lane& lane, std::int64_t mono_ms) const;

  template <typename Send>
  bool try_host(HostSlot slot, std::int64_t mono_ms, const Send& send) {
    const Host& host = hosts_.host(slot);
    if (!sendable_at(host, mono_ms) || !send(slot)) return false;
    hosts_.lane(host.lane).last = slot;
    return true;
  }
  template <typename Send>
  bool serve_members(Lane& lane, std::int64_t mono_ms, const Send& send) {
    bool sent = false;
    if (!lane.crowd) {
      hosts_.for_each_of(lane, [&](HostSlot slot) { return sent = try_host(slot, mono_ms, send); });
      return sent;
    }
    tried_.clear();
    HostSlot slot = kNoSlot;
    while (!sent && lane.crowd->take(mono_ms, slot)) {
      tried_.push_back(slot);
      sent = try_host(slot, mono_ms, send);
    }
    for (const HostSlot each : tried_) enrol(each);
    return sent;
  }

  HostTable& hosts_;
  const Gate& gate_;
  Random& random_;
  Slots& slots_;
  LaneRules rules_;
  Agenda::Turns turns_;  // turns of lanes
  Agenda agenda_{turns_};
  Aside passed_;  // lanes whose turn came while there was no slot of their kind
  std::vector<LaneId> wanted_lanes_;
  std::vector<char> lane_wanted_;
  std::vector<HostSlot> wanted_hosts_;  // members of crowds
  std::vector<HostSlot> tried_;         // reused
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_LANES_H_
