// SPDX-License-Identifier: Apache-2.0
// The hosts, stored in the table kHosts, and the lanes in which they are served.
//
// A host is an origin: it has its own robots.txt and its own queue. A lane is what politeness
// counts as one: the origins of one host name, of one registrable domain, or of one address. Both
// are small numbers that stay valid.
//
//   every host     Host: name, lane, what is not durable     RAM, about 200 bytes with its lane
//   hosts in play  HostPlay: row, front of queue, flights    RAM, about 400 bytes and the window
//   every host     HostRow                                   kHosts, or on its way: row_log.h
//
// A host comes into play when something is to go out or has come back. Once more than
// `most_in_play` are there, rest() lets those leave that were idle for longest. A link to a host
// that is not in play changes its Host only. Leaving writes nothing: the row is already in the
// table.
#ifndef SPINNERET_FRONTIER_HOST_TABLE_H_
#define SPINNERET_FRONTIER_HOST_TABLE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/blocks.h"
#include "base/hash.h"
#include "frontier/agenda.h"
#include "frontier/host.h"
#include "frontier/host_log.h"
#include "frontier/host_row.h"
#include "frontier/lane_list.h"
#include "frontier/moment.h"
#include "frontier/origins.h"
#include "frontier/plays.h"
#include "frontier/politeness.h"
#include "frontier/row_log.h"
#include "frontier/store.h"

namespace spinneret::frontier {

class HostTable {
 public:
  // Borrows `store` and `rules`. `page`: number of hosts in a page of the log, see host_log.h.
  HostTable(Store& store, PolitenessKey key, const Politeness& rules, std::size_t most_in_play,
            std::uint32_t page)
      : store_(store),
        key_(key),
        rules_(rules),
        plays_(most_in_play),
        log_(store, page),
        rows_(store),
        page_(page) {}

  // Loads all hosts and brings none into play. Durable times become monotonic ones, and `sum` gets
  // the sum of all counts. load_log() reads the log of hosts, in 0.5 us a host. False: there is no
  // log that can be trusted, and no host is known yet.
  bool load_log(const Moment& now, HostCounts& sum);
  // Loads the table: four times as long, and the numbers of waiting URLs may be those of the last
  // orderly end.
  Status load_rows(const Moment& now, HostCounts& sum);
  // Writes the log anew: after load_rows(), with the right numbers.
  Status begin_log(const Moment& now, const HostCounts& sum);
  // Notes which rows are on their way to kHosts. To be called after either way of loading.
  Status load_logged_rows();
  // Makes hosts that had something in flight count as visited now.
  void mark_visited(const Moment& now, const std::vector<HostId>& visited);

  // Returns the host of an origin. A new one is made where there is none, and is then in play.
  HostSlot find(std::string_view origin);
  // Prefetches what find() reads for an origin, given by its hash. To be called three times, some
  // hosts apart, in the order of Soon: kName right before find().
  enum class Soon : std::uint8_t { kPlace, kHost, kName };
  void expect(std::uint64_t origin, Soon what) const {
    switch (what) {
      case Soon::kPlace: return origins_.prefetch(origin);
      case Soon::kHost: return origins_.prefetch_host(origin);
      case Soon::kName: return origins_.prefetch_name(origin);
    }
  }
  // Prefetches what changes when a URL is put into the host's queue.
  void expect_play(HostSlot slot) const {
    const HostPlay* const play = hosts_[slot].play;
    if (play == nullptr) return;
    __builtin_prefetch(&play->queue, 1);
    __builtin_prefetch(&play->row.counts.waiting, 1);
  }
  // False where there is no such host.
  bool lookup(std::string_view origin, HostSlot& slot) const {
    return origins_.lookup(origin, slot);
  }
  bool lookup(HostId id, HostSlot& slot) const { return origins_.lookup(id, slot); }
  // Returns the host of an origin, or another host in the lane of its name; kNoSlot where neither
  // is known.
  HostSlot known(std::string_view origin) const;

  // References stay valid, those to a HostPlay until the next rest().
  Host& host(HostSlot slot) { return hosts_[slot]; }
  const Host& host(HostSlot slot) const { return hosts_[slot]; }
  HostPlay& play(HostSlot slot);
  // Brings several distinct hosts into play, in one sorted pass over the table. Changes `slots`.
  void bring_in(std::vector<HostSlot>& slots);
  Lane& lane(LaneId lane) { return lanes_[lane]; }
  // The hash of the registrable domain of a host.
  std::uint64_t domain_of(HostSlot slot) const;
  // Gives a lane an empty crowd.
  void gather(Lane& lane) { lane.crowd = std::make_unique<Agenda>(turns_); }
  const Lane& lane(LaneId lane) const { return lanes_[lane]; }
  std::size_t size() const { return hosts_.size(); }
  HostId id_end() const { return origins_.id_end(); }  // above all ids
  std::size_t in_play() const { return plays_.size(); }
  // Calls `each` with the members of a lane, from the one whose turn it is; `each` returns true to
  // stop.
  template <typename Each>
  void for_each_of(const Lane& lane, Each each) const {
    if (lane.last == kNoSlot) return;
    HostSlot slot = lane.last;
    do {
      slot = hosts_[slot].next;
      if (each(slot)) return;
    } while (slot != lane.last);
  }

  // These take a host that is in play or not.
  std::uint64_t waiting(const Host& host) const {
    return host.play ? host.play->row.counts.waiting : host.waiting;
  }
  std::uint64_t pages(const Host& host) const {
    return host.play ? host.play->row.counts.pages : host.pages;
  }
  bool nothing_queued(const Host& host) const {
    return host.play ? host.play->queue.empty() : host.drained;
  }
  bool nothing_flying(const Host& host) const {
    return host.play == nullptr || host.play->flying.empty();
  }
  // The priority of the URL that goes out first there, as far as it is known.
  std::uint8_t front(const Host& host) const;
  // A copy of a host's row, with the changes since it was written.
  HostRow row(HostSlot slot) const;
  // The least time that a host takes, in milliseconds from `mono_ms`, which is now: by the time
  // until it may be asked, its queue and its delay. slowest_host.h has the greatest of all hosts.
  double left_ms(HostSlot slot, std::int64_t mono_ms) const;

  // Notes that an entry was put into a host's queue: see HostQueue::inserted.
  void queued(HostSlot slot, Place place, std::string_view entry, std::uint16_t keep);
  void set_waiting(HostSlot slot, std::uint64_t waiting);

  // Moves a host into the lane of what is now known of it (its address), unless something of it is
  // in flight: then the caller tries again when that has come back, before the host may rest.
  // Returns whether it has moved.
  bool move_to_lane_of(HostSlot slot, std::string_view ip);

  // Notes that a host's row has changed, in more than the number of URLs that wait.
  void touch(HostSlot slot);
  // Counts one URL more that waits there, if nothing else has changed. Such a row is written with
  // the next change of another kind, or by commit_counts(): one write per link would cost half as
  // much again. The log has the number.
  void add_waiting(HostSlot slot);
  // Stages the rows that have changed and, in the log, what has changed of every host. `sum`: of
  // all counts.
  void stage(const Moment& now, const HostCounts& sum);
  // Commits the numbers that the rows lack, a batch at a time. Nothing may be staged.
  Status commit_counts(const Moment& now, const HostCounts& sum);
  // Lets idle hosts leave, down to most_in_play. Nothing may be staged.
  void rest();

  // Notes a row that cannot be read; status() keeps the first of them.
  void note_damage(std::string_view what, HostSlot slot);
  const Status& status() const { return status_; }

 private:
  HostSlot append(std::string_view origin, HostId id);
  HostSlot add(std::string_view origin, HostId id);
  std::uint64_t own_lane_of(std::string_view origin) const;
  void join(HostSlot slot, LaneId lane);
  void leave(HostSlot slot);
  void fill_play(HostSlot slot, bool found, std::string_view bytes);
  bool may_rest(const HostPlay& play) const;
  void let_go(const HostPlay& play);
  bool read_row(const Host& host, std::string& bytes) const;
  void bring_in_logged(std::vector<HostSlot>& slots);
  enum class Rows : std::uint8_t { kToTable, kToLog };
  void put_row(Host& host, HostRow& row, const Moment& now, Rows to);
  void stage_rows(const Moment& now, Rows to);
  void move_on_rows();
  void stage(const Moment& now, const HostCounts& sum, Rows to);
  void write_row(HostSlot slot);
  void change(HostSlot slot);
  HostBrief brief_of(const Host& host, const Moment& now) const;
  // What the last brief of a host says. An older one may have a gap that was taken back later, or
  // another lane.
  struct Told {
    std::int64_t wait_ms = 0;
    std::uint64_t lane = 0;
  };
  bool take_brief(const HostBrief& brief, std::vector<Told>& told);
  bool take_briefs(std::span<const HostBrief> briefs, std::vector<Told>& told);
  bool take_told(const Moment& now, const std::vector<Told>& told);
  void put_page(std::size_t page, const Moment& now);

  Store& store_;
  PolitenessKey key_;
  const Politeness& rules_;
  Blocks<Host> hosts_;
  Origins origins_{hosts_};
  LaneList lanes_;
  Agenda::Turns turns_;  // turns of hosts in crowds
  Plays plays_;
  std::vector<HostSlot> dirty_;
  HostLog log_;
  mutable RowLog rows_;
  std::uint32_t page_;
  std::vector<HostSlot> changed_;  // hosts whose briefs have changed since the log's last turn
  Moment opened_;
  Status status_;
  // Buffers, reused.
  std::string bytes_;
  std::vector<std::string_view> keys_;
  std::vector<std::string> values_;
  std::vector<char> found_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_HOST_TABLE_H_
