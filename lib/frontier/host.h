// SPDX-License-Identifier: Apache-2.0
// What is known in memory of a host and of a lane: see host_table.h, which keeps them.
#ifndef SPINNERET_FRONTIER_HOST_H_
#define SPINNERET_FRONTIER_HOST_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "frontier/agenda.h"
#include "frontier/host_queue.h"
#include "frontier/host_row.h"
#include "frontier/keys.h"

namespace spinneret::frontier {

using HostSlot = std::uint32_t;
inline constexpr HostSlot kNoSlot = UINT32_MAX;

// Where a host stands with its robots.txt.
enum class Rules : std::uint8_t {
  kUntried,  // no URL of it has come back yet: one goes ahead of all others
  kWanted,   // the gate needs rules: they go out next, everything else waits
  kFlying,
  kHad,
};

// What is in memory only while the host is in play.
struct HostPlay {
  HostSlot slot = kNoSlot;  // the host; kNoSlot: none
  HostRow row;
  HostQueue queue{false};
  std::vector<Place> flying;  // places of this host that are in flight
  // Since when it has been silent, by the monotonic clock; 0: not known.
  std::int64_t silent_ms = 0;
  // When its last answer came back, by the monotonic clock, and the gap that must follow; 0: not
  // known.
  std::int64_t answered_ms = 0;
  std::int64_t owed_ms = 0;
  bool dirty = false;       // row differs from the table's
  std::uint32_t place = 0;  // index in the pool: see plays.h
};

struct Host {
  std::string_view origin;   // a view into the table's arena
  HostPlay* play = nullptr;  // nullptr: not in play
  std::int64_t held_ms = 0;  // held until then, by the monotonic clock; 0: it is not
  // The batch of the row log that has its row (row_log.h); 0: kHosts has it.
  std::uint64_t logged = 0;
  HostId id = 0;
  LaneId lane = 0;
  HostSlot next = kNoSlot, before = kNoSlot;  // neighbours in the ring of its lane
  // For a host that is not in play; otherwise the row has these.
  std::uint32_t waiting = 0;
  std::uint32_t pages = 0;
  std::uint32_t delay_ms = 0;
  // How often there were no rules since a URL of it last passed the gate.
  std::uint16_t holds = 0;
  std::uint8_t rules_tries = 0;  // how often rules were fetched in that time
  Rules rules = Rules::kUntried;
  std::uint8_t front = kLinkPriority;  // not in play: the best priority that is known to wait
  bool drained : 1 = false;            // not in play: its queue is empty
  bool finished : 1 = false;           // given up in this run, as its row says
  bool met : 1 = false;                // has been in play in this run
  bool heard : 1 = false;              // has answered, in this run or before
  bool blank : 1 = false;              // its row is as it was made, except the number that waits
  bool rules_down : 1 = false;         // the last fetch of its rules met with silence
  bool count_dirty : 1 = false;        // its number of waiting URLs differs from the table's
  bool marked : 1 = false;             // durably known to have something in flight
  bool wanted : 1 = false;             // its turn in the crowd of its lane must be updated
  bool changed : 1 = false;            // its brief differs from the log's
  bool told : 1 = false;               // the log has its origin
};

struct Lane {
  std::int64_t next_ms = 0;  // when something may go out next, by the monotonic clock
  std::uint64_t name = 0;    // the hash of its name
  // The member that was served last: the one behind it in the ring is next.
  HostSlot last = kNoSlot;
  std::uint32_t members = 0;
  std::uint32_t in_flight = 0;
  bool heard = false;   // its last result in this run was a quick answer: see slots.h
  bool slow = false;    // it was a late one, or silence
  bool passed = false;  // it waits for a slot, outside of the agenda
  // The members that may send something, by slot, if the lane has many. (Walking a ring of 40,000
  // cost 2 ms a send.)
  std::unique_ptr<Agenda> crowd;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_HOST_H_
