// SPDX-License-Identifier: Apache-2.0
// Links from one partition to another over a bus that may lose, repeat, reorder and forget: none is lost, none is
// admitted twice. Two state machines over the durable tables of a partition; neither knows clock, bus or thread.
//
// The owner of a source partition, each turn:            The owner of a destination, each turn:
//
//   sender.offer(dest, line, now);   // any number          while (next_frame(message, frame) == FrameEvent::kFrame)
//   sender.stage(now);                                        if (receiver.take(frame, wall) == Take::kAdmit)
//   store.commit();                  // with the page           admit(frame.lines);
//   sender.committed();                                     receiver.stage(); store.commit(); receiver.committed();
//   publish(senders, bus, now);                             settle({receiver, lease, stream, place}, bus, leases);
//   take_acks(senders, leases, now);
//
// A link is in the sender's outbox or in the receiver's tables, each by an atomic commit of its partition, and leaves the
// first only once an ack said that the second *keeps* it. Batches are numbered from 1 without a gap for each (source,
// epoch, destination); a receiver takes only the next one, in the commit that admits its links.
//
//     outbox      first ........ taken ........ sent ........ last durable | open batch
//     (batches)     |<- taken, not ->|<- window of ->|<- not yet sent ---->|
//                   |   yet kept     |   64 batches  |
//
//   - An epoch is never reused (lease::next_epoch). At a new one the whole outbox is stamped anew: each lane numbers
//     what it has left from 1. Only the lane's base is written for that, whatever the backlog.
//   - A receiver that meets a higher epoch of a source expects 1; one that meets a lower epoch answers with the one it
//     knows, and the sender wants_epoch() above it.
//   - An ack names source epoch, taken, kept and the receiver's epoch. It counts only under the sender's present epoch,
//     and not from a receiver of a lower epoch than was heard of. `taken` moves the window; `kept` deletes. A receiver
//     of a higher epoch has its own `taken`, from which all is sent again.
//   - Without progress for 2 s one batch alone is sent again, then after 4 s, ... 60 s; progress sends the window anew.
//     So it is with the last one taken, while it is not kept: an ack may have been forgotten, too.
//
// Memory: some 200 bytes a destination, 1 KB where it lags for a minute, 16 a batch in a shared row, the links of the present turn;
// of a receiver, some 100 bytes a source and copy.
#ifndef SPINNERET_CLUSTER_CHANNEL_H_
#define SPINNERET_CLUSTER_CHANNEL_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bus/bus.h"
#include "cluster/channel_store.h"
#include "cluster/frame.h"
#include "cluster/outbox_rows.h"
#include "cluster/shared_rows.h"
#include "lease/lease.h"

namespace spinneret::cluster {

struct SenderSettings {
  std::string source;  // "p3"; of a source that is no partition, another name: "s-2f9c..."
  std::size_t batch_links = 200;
  std::size_t batch_bytes = 64 << 10;
  std::int64_t batch_ms = 2000;  // a batch is closed when its first link is so old
  // A batch becomes a row when it is closed, and its links are nowhere else until then: for a store that does not outlive its process.
  bool whole_batches = false;
  std::uint64_t window = 64;     // batches that are sent and not taken
  std::int64_t probe_ms = 2000;  // doubling to probe_most_ms
  std::int64_t probe_most_ms = 60'000;
  // Whether a destination is at hand now: its batches are closed at each stage(), and collect_near() gives them. It is asked when a
  // batch is opened, and after neighbours_changed().
  std::function<bool(std::uint32_t destination)> is_near = {};
  // So many of a destination's batches may stand in rows that it shares with others (shared_rows.h).
  std::size_t most_shared = 4096;
};

// Times are milliseconds of a clock that does not jump (Clock::boot_ns() / 10^6). Not thread-safe.
class Sender {
 public:
  Sender(ChannelStore& store, SenderSettings settings);

  // Reads what is there; false: the rows are not ours, or of a later version. Then stamp().
  Status open();
  // The highest epoch that the state has seen: of this the caller makes a higher one.
  std::uint64_t state_epoch() const { return epoch_; }
  // Stages a new epoch, above state_epoch(): at the opening, and where wants_epoch() says so. Nothing is sent until
  // it is committed.
  void stamp(std::uint64_t epoch);
  // An epoch was named that is not below ours: the lease is to be raised above it (Leases::raise), then stamp().
  std::optional<std::uint64_t> wants_epoch() const;

  // One line (no LF in it) for the partition `destination`. It is durable with the commit after the next stage().
  void offer(std::uint32_t destination, std::string_view line, std::int64_t now_ms);
  // Stages what was offered since; closes batches that are full or old enough, or all with `flush`.
  void stage(std::int64_t now_ms, bool flush = false);
  // What was staged is durable.
  void committed();
  // Others are at hand now.
  void neighbours_changed();

  // Gives the frames that may go out now, each destination's in order, at most `most` bytes of each.
  using Emit = std::function<void(std::uint32_t destination, const Frame& frame)>;
  void collect(std::int64_t now_ms, std::size_t most, const Emit& emit);
  // The same of those destinations that are at hand, which collect() leaves out: cheap enough for each turn.
  void collect_near(std::int64_t now_ms, const Emit& emit);
  // The stream was full (or the engine away): what collect() gave for it has not been sent.
  void not_sent(std::uint32_t destination, std::int64_t now_ms);

  // Stages what the ack lets go: needs a commit.
  void take_ack(std::uint32_t destination, const Ack& ack, std::int64_t now_ms);

  // Nothing waits, nothing is on its way, everything is kept. And the same but for those destinations that are at hand.
  bool empty() const;
  bool far_empty() const;
  struct LaneStatus {
    std::uint32_t destination = 0;
    std::uint64_t waiting = 0;  // batches in the outbox, the open one included
    std::uint64_t taken = 0;    // taken, not kept
  };
  std::vector<LaneStatus> lanes() const;
  // How long the oldest link has waited that its partition has not taken, since this owner began at most. Exact to the time between
  // two calls, of which there may be one a second; to a thirtieth of itself where that is more.
  std::int64_t lag_ms(std::int64_t now_ms);
  // Batches that were deleted as kept, and that a receiver turned out not to have (it restored an older copy than it had
  // named). Never in a system as described; named because it would be a loss.
  std::uint64_t lost_batches() const { return lost_batches_; }
  const std::string& source() const { return settings_.source; }
  std::uint64_t epoch() const { return epoch_; }

 private:
  struct Shared {
    std::uint64_t batch, row;
  };
  struct Lane : LaneRow {
    std::uint64_t taken = 0;           // last batch taken; first - 1 at least
    std::uint64_t sent = 0;            // last batch sent
    std::uint64_t durable = 0;         // last batch that is closed and committed
    std::uint64_t before_collect = 0;  // `sent` in front of the last collect()
    std::uint32_t part = 0;            // rows of the open batch
    std::size_t links = 0, bytes = 0;  // in the open batch
    std::string pending;               // of them, not staged yet
    std::size_t pending_links = 0;
    std::int64_t opened_ms = 0;
    std::int64_t retry_ms = 0;       // when to ask again about what was sent
    std::int64_t probe_ms = 0;       // the next such wait; 0: as set
    std::int64_t rest_until_ms = 0;  // the stream was full; 0: it was not
    std::int64_t rest_ms = 0;        // the last such rest
    bool probing = false;
    bool near = false;
    bool is_open = false;         // it is in open_
    std::uint64_t in_parts = 0;   // batches behind that one are a row each
    std::deque<std::string> hot;  // lines of the last batches before `next`, where they are at hand
    std::deque<Shared> shared;    // of the batches from `first` on, those in shared rows
    // Batches not taken, oldest first, and since when they have been known to lag_ms(); few of many.
    std::vector<std::pair<std::uint64_t, std::int64_t>> marks;
    std::int64_t mark_gap_ms = 0;
  };
  using Lanes = std::map<std::uint32_t, Lane>;
  void stage_part(std::uint32_t destination, Lane& lane);
  void close_batch(Lanes::value_type& lane);
  void share_batch(Lanes::value_type& lane);
  bool is_near(std::uint32_t destination) const;
  Status open_lanes();
  void collect_lane(std::uint32_t destination, Lane& lane, std::int64_t now_ms, std::size_t most,
                    const Emit& emit);
  // Gives batches that have one row each as they stand in the table, from `batch` on, for as long as it answers true. How many.
  std::size_t walk(std::uint32_t destination, const Lane& lane, std::uint64_t batch,
                   const std::function<bool(std::string_view lines)>& give);
  // As it stands in the table; false: it is not there.
  bool read_batch(std::uint32_t destination, const Lane& lane, std::uint64_t batch,
                  std::string& lines);
  void put_lane(std::uint32_t destination, const Lane& lane);
  void erase_through(std::uint32_t destination, Lane& lane, std::uint64_t batch);
  // The batches (from, last] that collect() may give now.
  std::pair<std::uint64_t, std::uint64_t> due(Lane& lane, std::int64_t now_ms) const;
  void meet_receiver(Lane& lane, const Ack& ack);
  void wait_longer(Lane& lane, std::int64_t now_ms) const;

  ChannelStore& store_;
  SenderSettings settings_;
  // A machine has as many lanes as partitions in each of them, and a commit of a page has to do with one or two.
  Lanes lanes_;
  std::vector<Lanes::value_type*> open_;  // with a batch that has links
  std::vector<Lanes::value_type*>
      closed_;                             // with batches since the last commit; may be twice in it
  std::vector<Lanes::value_type*> fresh_;  // with batches since the last collect_near()
  std::int64_t all_near_ms_ = 0;           // when that is to look at all of them again
  SharedRows rows_;
  std::uint64_t epoch_ = 0;
  std::uint64_t named_ = 0;  // highest epoch that was named
  std::uint64_t lost_batches_ = 0;
  bool stamped_ = false;  // and committed
  bool staged_stamp_ = false;
};

enum class Take : std::uint8_t {
  kAdmit,    // its links are to be admitted in the same commit
  kRepeat,   // was taken before
  kGap,      // one before it is missing: it will come again
  kRefused,  // its epoch is over
  kForeign,  // for another partition, or one source too many
};

struct ReceiverSettings {
  std::uint32_t partition = 0;
  // When is a link kept? Once it is committed: where the state's disk outlives its machine. Or once a copy that was
  // shipped holds it, so many copies before the newest, which may turn out unreadable.
  bool copies = false;
  std::size_t copies_behind = 1;
  std::size_t most_sources = 100'000;
  // What is taken of several partitions in one commit stands in one row.
  bool one_row = false;
};

// The other end, for all sources. Not thread-safe.
class Receiver {
 public:
  Receiver(ChannelStore& store, const ReceiverSettings& settings);

  // `epoch`: of this tenure's lease. Every source is due for an ack.
  Status open(std::uint64_t epoch);
  // The lease was raised.
  void set_epoch(std::uint64_t epoch);
  // The highest epoch of a source that the rows name: that of source "p17" bounds what partition 17 may take next.
  std::uint64_t highest_epoch() const;

  // Needs a stage(), and a commit.
  Take take(const Frame& frame, std::int64_t unix_ms);
  // Stages what was taken.
  void stage();
  void committed();

  // A copy of the state is made, of what is committed at this moment; later, that it is shipped and named.
  void copy_begins(std::uint64_t copy);
  void copy_shipped(std::uint64_t copy);
  // Something is committed that no ack could name as kept: copies are missing.
  bool wants_copies() const;

  // The acks that changed since, of those sources that are `wanted`. acks_lost(): they did not reach the engine, or the engine may
  // have forgotten them.
  using Wanted = std::function<bool(std::string_view source)>;
  std::vector<std::pair<std::string, Ack>> changed_acks(const Wanted& wanted = {});
  void acks_lost();
  bool owes_acks() const { return !due_.empty(); }

  // Stages the removal of sources that are no partitions and were last heard of 30 days ago.
  void expire(std::int64_t unix_ms);
  std::size_t sources() const { return inbox_.size(); }

 private:
  struct Source {
    std::uint64_t epoch = 0, last = 0;             // as staged
    std::uint64_t durable_epoch = 0, durable = 0;  // as committed
    std::int64_t used_ms = 0;
    bool due = false;  // for an ack: it is in due_
    bool staged = false;
    bool in_one_row = false;
  };
  using Inbox = std::map<std::string, Source, std::less<>>;
  struct Copy {
    std::uint64_t number = 0;
    bool shipped = false;
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>, std::less<>> rows;
  };
  void put_one_row();
  void make_due(Inbox::value_type& entry);
  void read_row(std::string_view name, std::uint64_t epoch, std::uint64_t last,
                std::int64_t used_ms);
  std::uint64_t kept(const std::string& name, const Source& source) const;
  const Copy* kept_copy() const;

  ChannelStore& store_;
  ReceiverSettings settings_;
  std::uint64_t epoch_ = 0;
  Inbox inbox_;
  std::vector<Inbox::value_type*> touched_;  // taken of since the last commit
  std::vector<Inbox::value_type*>
      in_one_row_;  // whose numbers the one row has; the newer of two rows holds
  std::vector<Inbox::value_type*> due_;  // for an ack
  std::deque<Copy> copies_;
};

// What waits in an outbox, in the order of its sending: each call gets lines of one destination, whole ones.
void for_each_waiting(
    ChannelStore& store,
    const std::function<void(std::uint32_t destination, std::string_view lines)>& each);

// "p17", which is also the name of its stream and of its lease.
std::string partition_name(std::uint32_t partition);
// The table of the acks to a source, rows by the destination's number.
std::string ack_table(std::string_view source);

// Collects from all senders, and publishes their frames as one message for each destination. A full stream, or an engine
// that is away, has the senders try again later.
Status publish(std::span<Sender* const> senders, bus::Bus& bus, std::int64_t now_ms);
// Reads the acks to all senders, by one question, and takes them. Needs a commit.
Status take_acks(std::span<Sender* const> senders, lease::Leases& leases, std::int64_t now_ms);
// Writes the acks that changed, fenced by `lease`. False: it is lost.
Result<bool> post_acks(Receiver& receiver, lease::Leases& leases, const lease::Lease& lease);
// What is to follow a commit: the acks that changed are written, fenced by `lease`, and the stream is trimmed through `untrimmed`,
// of which all messages are committed. That becomes empty once it is done; until then call again, since a full stream takes nothing
// more though all of it was read.
struct Settling {
  Receiver& receiver;
  lease::Lease lease;
  std::string_view stream;
  bus::Place& untrimmed;
};
// All of them by two questions. ours[i]: the lease of all[i] is not lost.
Status settle(std::span<const Settling> all, bus::Bus& bus, lease::Leases& leases,
              std::vector<bool>& ours);
// Of one. False: the lease is lost.
Result<bool> settle(const Settling& one, bus::Bus& bus, lease::Leases& leases);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_CHANNEL_H_
