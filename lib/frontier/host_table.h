// SPDX-License-Identifier: Apache-2.0
// The hosts in play, in memory, over the durable table kHosts; and the lanes that they are served in.
//
// A host is an origin: robots.txt is its own, and so is its queue. A lane is what politeness counts as one:
// the origins of one host name, of one registrable domain, or of one address. Both are small numbers that
// stay valid; references to Host and Lane do until the next find().
#ifndef SPINNERET_FRONTIER_HOST_TABLE_H_
#define SPINNERET_FRONTIER_HOST_TABLE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "frontier/agenda.h"
#include "frontier/host_queue.h"
#include "frontier/host_row.h"
#include "frontier/politeness.h"
#include "frontier/store.h"

namespace spinneret::frontier {

using HostSlot = std::uint32_t;
inline constexpr HostSlot kNoSlot = UINT32_MAX;

// One moment by both clocks, in milliseconds: gaps are measured by the first, stored as the second.
struct Moment {
  std::int64_t mono_ms = 0;
  std::int64_t wall_ms = 0;
};

enum class PolitenessKey : std::uint8_t { kHost, kDomain, kIp };

// Where a host stands with its robots.txt.
enum class Rules : std::uint8_t {
  kUntried,  // no URL of it has come back yet: one goes ahead of all others
  kWanted,   // the gate needs rules: they go out next, everything else waits
  kFlying,
  kHad,
};

struct Host {
  // A new host's queue is empty; of one from the table that is not known yet.
  Host(std::string_view its_origin, HostId id, bool is_new) : origin(its_origin), queue(is_new) {
    row.id = id;
  }

  std::string origin;
  HostRow row;
  HostQueue queue;
  LaneId lane = 0;
  std::vector<Place> flying;    // its places in flight
  Rules rules = Rules::kUntried;
  std::uint8_t rules_tries = 0;  // since a URL of it last passed the gate
  std::uint32_t holds = 0;       // likewise: how often there were no rules to be had
  bool rules_down = false;       // the last try to fetch them failed persistently
  std::int64_t held_ms = 0;      // until when, by the monotonic clock; 0: it is not
  bool dirty = false;            // row differs from the table's
  bool count_dirty = false;      // in its count of waiting URLs
  bool marked = false;           // durably known to have something in flight
};

struct Lane {
  std::int64_t next_ms = 0;      // by the monotonic clock
  std::uint32_t in_flight = 0;
  std::uint32_t turn = 0;        // the member to look at first
  std::vector<HostSlot> hosts;
};

class HostTable {
 public:
  // `rules` is borrowed.
  HostTable(PolitenessKey key, const Politeness& rules) : key_(key), rules_(rules) {}

  // Reads the table. The rows' durable times become monotonic ones. `visited` are ids of hosts that had
  // something in flight: they count as visited now.
  Status load(Store& store, const Moment& now, const std::vector<HostId>& visited);

  // The host of an origin, made where it is new.
  HostSlot find(std::string_view origin);
  // Only where it exists.
  bool lookup(std::string_view origin, HostSlot& slot) const;
  bool lookup(HostId id, HostSlot& slot) const;

  Host& host(HostSlot slot) { return hosts_[slot]; }
  const Host& host(HostSlot slot) const { return hosts_[slot]; }
  Lane& lane(LaneId lane) { return lanes_[lane]; }
  Lane& lane_of(HostSlot slot) { return lanes_[hosts_[slot].lane]; }
  std::size_t size() const { return hosts_.size(); }

  // Moves a host into the lane of what is now known of it (its address). True where it has changed.
  bool move_to_lane_of(HostSlot slot, std::string_view ip);

  void touch(HostSlot slot);
  // Only the number of its waiting URLs has changed. Such a row is written with the next change of another
  // kind, or by counts_too: one write per link would cost half as much again, and after a crash the
  // numbers are counted anew from the queue.
  void touch_count(HostSlot slot);
  // Stages the rows that have changed.
  void stage(Store& store, const Moment& now, bool counts_too);

 private:
  // Open addressing over slots, with half of each origin's hash: a search reads one line of it and, where
  // the halves agree, the host. (std::unordered_map read four, a fifth of the cost of an admission.)
  struct OriginEntry {
    std::uint32_t tag = 0;
    HostSlot slot = kNoSlot;
  };
  // The place in by_origin_ that holds `origin`, or the free one where it belongs.
  std::size_t place_of(std::string_view origin) const;
  void grow_index();
  void index(HostSlot slot);
  HostSlot add(std::string_view origin, HostId id, bool fresh);
  LaneId lane_named(std::string_view name);
  void join(HostSlot slot, LaneId lane);

  PolitenessKey key_;
  std::deque<Host> hosts_;
  std::deque<Lane> lanes_;
  std::vector<OriginEntry> by_origin_ = std::vector<OriginEntry>(64);  // a power of two, at most 3/4 full
  std::vector<HostSlot> by_id_;  // ids are given one after the other
  // By hash of the lane's name: two lanes that fall together are served as one, which harms nobody.
  std::unordered_map<std::uint64_t, LaneId> lane_by_name_;
  std::vector<HostSlot> dirty_;
  std::vector<HostSlot> count_dirty_;
  HostId next_id_ = 1;
  const Politeness& rules_;
  std::string row_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_HOST_TABLE_H_
