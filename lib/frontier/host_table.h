// SPDX-License-Identifier: Apache-2.0
// The hosts over the durable table kHosts, and the lanes that they are served in.
//
// A host is an origin: robots.txt is its own, and so is its queue. A lane is what politeness counts as one:
// the origins of one host name, of one registrable domain, or of one address. Both are small numbers that
// stay valid.
//
//   every host     Host: its name, its lane, what is not durable             RAM, about 200 bytes with its lane
//   hosts in play  HostPlay: its row, the front of its queue, its flights    RAM, about 400 bytes and the window
//   every host     HostRow                                                   table kHosts, or on its way there: row_log.h
//
// A host comes into play when something is to go out or has come back, and leaves it in rest(), the one idle
// for longest first, once more than `most_in_play` are there. A link to a host that is not in play changes
// its Host only. Nothing is written for it: rows of hosts that leave are those of the table.
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
  // Borrowed: `store`, `rules`.
  // `page`: hosts a page of the log, see host_log.h.
  HostTable(Store& store, PolitenessKey key, const Politeness& rules, std::size_t most_in_play,
            std::uint32_t page)
      : store_(store),
        key_(key),
        rules_(rules),
        plays_(most_in_play),
        log_(store, page),
        rows_(store),
        page_(page) {}

  // Knows every host, and brings none into play. Durable times become monotonic ones. `sum` gets the sum of all counts.
  // By the log of hosts, in 0.5 us each. False: there is none that can be believed, and no host is known yet.
  bool load_log(const Moment& now, HostCounts& sum);
  // By the table: four times as long, and the numbers of waiting URLs may be those of the last orderly end.
  Status load_rows(const Moment& now, HostCounts& sum);
  // After load_rows, with the right numbers: makes the log anew.
  Status begin_log(const Moment& now, const HostCounts& sum);
  // After either: which rows are on their way to kHosts.
  Status load_logged_rows();
  // These hosts had something in flight: they count as visited now.
  void mark_visited(const Moment& now, const std::vector<HostId>& visited);

  // The host of an origin; a new one, which is then in play, where there is none.
  HostSlot find(std::string_view origin);
  // It will be asked for, by the hash of its origin: say so three times, some hosts apart, the nearest last.
  enum class Soon : std::uint8_t { kPlace, kHost, kName };
  void expect(std::uint64_t origin, Soon what) const {
    switch (what) {
      case Soon::kPlace: return origins_.prefetch(origin);
      case Soon::kHost: return origins_.prefetch_host(origin);
      case Soon::kName: return origins_.prefetch_name(origin);
    }
  }
  // A URL will be put into its queue soon.
  void expect_play(HostSlot slot) const {
    const HostPlay* const play = hosts_[slot].play;
    if (play == nullptr) return;
    __builtin_prefetch(&play->queue, 1);
    __builtin_prefetch(&play->row.counts.waiting, 1);
  }
  // Only where it exists.
  bool lookup(std::string_view origin, HostSlot& slot) const {
    return origins_.lookup(origin, slot);
  }
  bool lookup(HostId id, HostSlot& slot) const { return origins_.lookup(id, slot); }
  // Of an origin that a URL was asked at: its host, or another of its name. kNoSlot: none is known.
  HostSlot known(std::string_view origin) const;

  // References stay valid; a HostPlay until the next rest().
  Host& host(HostSlot slot) { return hosts_[slot]; }
  const Host& host(HostSlot slot) const { return hosts_[slot]; }
  HostPlay& play(HostSlot slot);
  // Of several at once, which differ, in one sorted pass over the table.
  void bring_in(std::vector<HostSlot>& slots);
  Lane& lane(LaneId lane) { return lanes_[lane]; }
  // The hash of the registrable domain of a host.
  std::uint64_t domain_of(HostSlot slot) const;
  // Gives a lane a crowd, an empty one.
  void gather(Lane& lane) { lane.crowd = std::make_unique<Agenda>(turns_); }
  const Lane& lane(LaneId lane) const { return lanes_[lane]; }
  std::size_t size() const { return hosts_.size(); }
  HostId id_end() const { return origins_.id_end(); }  // beyond all ids
  std::size_t in_play() const { return plays_.size(); }
  // The members of a lane from that whose turn it is; `each` returns true to stop.
  template <typename Each>
  void for_each_of(const Lane& lane, Each each) const {
    if (lane.last == kNoSlot) return;
    HostSlot slot = lane.last;
    do {
      slot = hosts_[slot].next;
      if (each(slot)) return;
    } while (slot != lane.last);
  }

  // Of a host, in play or not.
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
  // The priority of what goes out first there, as far as it is known.
  std::uint8_t front(const Host& host) const;
  // A copy of a host's row, with what has changed since it was written.
  HostRow row(HostSlot slot) const;
  // How long a host takes at least, by the time until it may be asked, its queue and its delay; in milliseconds from
  // `mono_ms`, now. Of all of them: see slowest_host.h.
  double left_ms(HostSlot slot, std::int64_t mono_ms) const;

  // An entry has been put into a host's queue: see HostQueue::inserted.
  void queued(HostSlot slot, Place place, std::string_view entry, std::uint16_t keep);
  void set_waiting(HostSlot slot, std::uint64_t waiting);

  // Moves a host into the lane of what is now known of it (its address), unless something of it is in flight: then the
  // caller tries again when that has come back, before the host may rest. True where it has changed.
  bool move_to_lane_of(HostSlot slot, std::string_view ip);

  // Its row has changed, by more than the number of URLs that wait.
  void touch(HostSlot slot);
  // One URL more waits there, and nothing else has changed. Such a row is written with the next change of
  // another kind, or by commit_counts(): one write per link would cost half as much again. The log has the number.
  void add_waiting(HostSlot slot);
  // Stages the rows that have changed, and in the log what has changed of every host. `sum` is that of all counts.
  void stage(const Moment& now, const HostCounts& sum);
  // Commits the numbers that the rows lack, a batch at a time. With nothing staged.
  Status commit_counts(const Moment& now, const HostCounts& sum);
  // Lets hosts go that are idle, down to most_in_play. With nothing staged.
  void rest();

  // A row was met that cannot be read; the first of them stays in status().
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
  // Of the last brief of a host: an older one may tell of a gap that turned out not to be owed, or of another lane.
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
  Agenda::Turns turns_;  // of hosts in crowds
  Plays plays_;
  std::vector<HostSlot> dirty_;
  HostLog log_;
  mutable RowLog rows_;
  std::uint32_t page_;
  std::vector<HostSlot> changed_;  // since the log's last turn
  Moment opened_;
  Status status_;
  // Reused.
  std::string bytes_;
  std::vector<std::string_view> keys_;
  std::vector<std::string> values_;
  std::vector<char> found_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_HOST_TABLE_H_
