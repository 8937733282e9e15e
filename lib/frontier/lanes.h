// SPDX-License-Identifier: Apache-2.0
// Which host may send next, and when. A lane is what politeness counts as one (host_table.h); its members go by turns.
//
//                       want(), arrange()                    its time has come, a slot of its kind is free
//   nothing to send, <------------------> on the agenda, by --------------------------------------> take(), serve(),
//   or all that may be                    (time, priority)        | no slot for it                    depart()
//   is in flight                                                  v                                      ^
//                                         passed: put aside, holding nobody up; registrable domains go   |
//                                                 by turns there, however many hosts one has (aside.h)   |
//                                                                 `--------------------------------------'
//
//   a lane's members    whose turn it is
//   fewer than `crowd`  the one behind the last in the ring that may send something: each change walks over all
//   as many or more     those that may send something have an agenda of their own: each change costs O(log members)
//
// What a host may send changes elsewhere (its queue, its rules, its patience): whoever changes it says want(), and
// arrange() sees to all of them before the next one is sent. A gap is of the lane; what holds a host back, of the host.
//
// Borrowed: all that it is made of. Not thread-safe. Times are of the monotonic clock. Cost: O(log lanes) a turn.
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
  // Borrowed.
  Lanes(HostTable& hosts, const Gate& gate, Random& random, Slots& slots, const LaneRules& rules)
      : hosts_(hosts), gate_(gate), random_(random), slots_(slots), rules_(rules) {}

  // Whether a host has something to send that is not held back, its lane's gap aside.
  bool sendable_at(const Host& host, std::int64_t mono_ms) const;
  // Whether it has had all the pages that it may have.
  bool limit_reached(const Host& host) const;
  // When something may go out on a lane; INT64_MAX: not before something comes back.
  std::int64_t due_ms(LaneId lane) const;
  // Whether the lane of a host has something to send by the time that its gap ends.
  bool has_more(HostSlot slot);

  // What a host may send has changed, or when.
  void want(HostSlot slot);
  bool any_wanted() const { return !wanted_lanes_.empty(); }
  void arrange();

  // What has been in flight for long enough by now gives its slot back.
  void age(std::int64_t mono_ms) { slots_.age(mono_ms); }
  // A line that is no result has come out of the pipeline.
  void note_output(std::int64_t mono_ms) { slots_.note_output(mono_ms); }
  // The next lane that may be served and has a slot; take_any: whatever slots there are.
  bool take(std::int64_t mono_ms, LaneId& lane);
  bool take_any(std::int64_t mono_ms, LaneId& lane) { return agenda_.take(mono_ms, lane); }
  // Calls `send` with the slot of each host of a lane whose turn it is, until one has sent something. True: one has.
  template <typename Send>
  bool serve(LaneId lane, std::int64_t mono_ms, const Send& send) {
    const bool sent = serve_members(hosts_.lane(lane), mono_ms, send);
    arrange(lane);
    return sent;
  }
  // The same of that host's lane, where it may be served, from that host on.
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
  // The hosts whose turn comes next and whose windows must be read before, about `most`; `first` is the first of them.
  void ahead(HostSlot first, std::int64_t mono_ms, std::size_t most, std::vector<HostSlot>& out);

  // What a flight took of its lane.
  struct Departure {
    std::int64_t sent_ms = 0;
    bool cut = false;  // it was a part of a millisecond after that
    std::int64_t next_before =
        0;  // the lane's next time: to be restored where the host was not asked
    std::int64_t next_after = 0;
    std::uint64_t slot = 0;  // its number in slots_
  };
  // A host of the lane served sends something.
  Departure depart(HostSlot slot, const Moment& now);
  // It has come back, whatever with.
  void land(HostSlot slot, const Departure& from);
  // One has come back that was with its host for so long, or longer where that is not known, and else in the pipeline.
  void note_return(const Departure& from, std::int64_t host_ms, bool is_known,
                   std::int64_t mono_ms) {
    slots_.note_return(from.sent_ms, from.sent_ms + host_ms, is_known, mono_ms);
  }
  // It was not asked, and has not noticed anything: it owes no gap.
  void take_back_gap(HostSlot slot, const Departure& from);
  // Nothing goes out there for so long after now; or, with several at once, after the request itself.
  void keep_gap(HostSlot slot, const Departure& from, std::int64_t gap_ms, bool from_answer,
                const Moment& now);
  // It may have been asked and is asked again: its delay begins anew.
  void back_off(HostSlot slot, const Moment& now);
  // Something has been heard of it, `quick` or not, or nothing (not quick): which slots its lane takes from now on.
  void note_sign(HostSlot slot, bool quick, bool is_page, std::int64_t took_ms);
  // Into the lane of its address, once that is known and nothing is in flight. With all that comes back: what rests is
  // there, as its row and the log have it.
  void follow_address(HostSlot slot);

  // Milliseconds until take() may give something; INT64_MAX: not before something comes back.
  std::int64_t wait_ms(std::int64_t mono_ms);
  // Lanes that have something to send and may; on the agenda, or put aside as well.
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
  Agenda::Turns turns_;  // of lanes
  Agenda agenda_{turns_};
  Aside passed_;  // whose turn came while there was no slot of their kind
  std::vector<LaneId> wanted_lanes_;
  std::vector<char> lane_wanted_;
  std::vector<HostSlot> wanted_hosts_;  // in crowds
  std::vector<HostSlot> tried_;         // reused
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_LANES_H_
