// SPDX-License-Identifier: Apache-2.0
// Carries links from one partition to another over a bus that may lose, repeat, reorder and forget:
// none is lost, none is admitted twice. Two state machines over the durable tables of a partition;
// neither knows a clock, a bus or a thread.
//
// The owner of a source, each turn:     The owner of a destination, each turn:
//
//   sender.offer(dest, line, now);        while (next_frame(message, frame) == FrameEvent::kFrame)
//   sender.stage(now);                      if (receiver.take(frame, wall) == Take::kAdmit)
//   store.commit();  // with the page         admit(frame.lines);
//   sender.committed();                   receiver.stage();
//   publish(senders, bus, now);           store.commit();
//   take_acks(senders, leases, now);      receiver.committed();
//                                         settle({receiver, lease, stream, place}, bus, leases);
//
// A link is in the sender's outbox or in the receiver's tables, each by an atomic commit of its
// partition. It leaves the outbox only after an ack says that the receiver *keeps* it. For each
// (source, epoch, destination) batches are numbered from 1 without a gap; a receiver takes only the
// next one, in the commit that admits its links.
//
//     outbox      first ........ taken ........ sent ........ last durable | open batch
//     (batches)     |<- taken, not ->|<- window of ->|<- not yet sent ---->|
//                   |   yet kept     |   64 batches  |
//
// - An epoch is never reused (lease::next_epoch). A new epoch renumbers the whole outbox: each lane
//   numbers its remaining batches from 1. Only the lane's base is written for that, however many
//   they are.
// - A receiver that sees a higher epoch of a source expects batch 1. One that sees a lower epoch
//   answers with the epoch it knows, and the sender wants_epoch() above that.
// - An ack names the source's epoch, `taken`, `kept` and the receiver's epoch. It counts only under
//   the sender's present epoch, and not from a receiver of a lower epoch than one known before.
//   `taken` moves the window; `kept` deletes batches. A receiver of a higher epoch has its own
//   `taken`, after which everything is sent again.
// - Without progress for 2 s a single batch is sent again, then after 4 s, ... 60 s; progress sends
//   the window again. The last batch taken is treated likewise until it is kept: an ack may have
//   been forgotten, too.
//
// Memory: of a sender, some 200 bytes a destination, 1 KB where it lags for a minute, 16 bytes a
// batch in a shared row, and the links of the present turn; of a receiver, some 100 bytes a source
// and copy.
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
  std::string source;  // "p3"; for a source that is no partition another name: "s-2f9c..."
  std::size_t batch_links = 200;
  std::size_t batch_bytes = 64 << 10;
  std::int64_t batch_ms = 2000;  // age of a batch's first link at which the batch is closed
  // Batches are written only when they are closed; until then their links are in memory. For a
  // store that does not outlive its process.
  bool whole_batches = false;
  std::uint64_t window = 64;     // batches that are sent and not taken, at most
  std::int64_t probe_ms = 2000;  // first wait for progress; doubles up to probe_most_ms
  std::int64_t probe_most_ms = 60'000;
  // Whether a destination is near, in this process: its batches are closed at each stage(), and
  // collect_near() gives them. It is called when a batch is opened, and after neighbours_changed().
  std::function<bool(std::uint32_t destination)> is_near = {};
  // The most batches of a destination in rows that it shares with others (shared_rows.h).
  std::size_t most_shared = 4096;
};

// Times are milliseconds of a clock that does not jump (Clock::boot_ns() / 10^6). Not thread-safe.
class Sender {
 public:
  Sender(ChannelStore& store, SenderSettings settings);

  // Reads the rows; call stamp() next. Returns an Error where the rows are damaged, or of a later
  // version.
  Status open();
  // The highest epoch that the state has seen. The caller makes a higher one from it.
  std::uint64_t state_epoch() const { return epoch_; }
  // Stages a new epoch, above state_epoch(): after open(), and where wants_epoch() asks for it.
  // Nothing is sent until it is committed.
  void stamp(std::uint64_t epoch);
  // An epoch not below ours that was named by a receiver: the caller should raise the lease above
  // it (Leases::raise), then call stamp().
  std::optional<std::uint64_t> wants_epoch() const;

  // Adds a line (without LF) for the partition `destination`. It is durable with the commit after
  // the next stage().
  void offer(std::uint32_t destination, std::string_view line, std::int64_t now_ms);
  // Stages the lines offered since the last call. Closes batches that are full or old enough, or
  // all of them with `flush`.
  void stage(std::int64_t now_ms, bool flush = false);
  // Says that what was staged is durable.
  void committed();
  // Says that other destinations are near now.
  void neighbours_changed();

  // Gives the frames to be sent now, each destination's in order, at most `most` bytes for each.
  using Emit = std::function<void(std::uint32_t destination, const Frame& frame)>;
  void collect(std::int64_t now_ms, std::size_t most, const Emit& emit);
  // Does the same for near destinations, which collect() leaves out. Cheap enough for each turn.
  void collect_near(std::int64_t now_ms, const Emit& emit);
  // Says that the frames of the last collect() were not sent, as the stream was full or the engine
  // away.
  void not_sent(std::uint32_t destination, std::int64_t now_ms);

  // Stages the deletions and the progress that the ack allows: needs a commit.
  void take_ack(std::uint32_t destination, const Ack& ack, std::int64_t now_ms);

  // Whether all links are kept: none waits or is on its way. far_empty() ignores near destinations.
  bool empty() const;
  bool far_empty() const;
  struct LaneStatus {
    std::uint32_t destination = 0;
    std::uint64_t waiting = 0;  // batches in the outbox, with the taken ones and the open one
    std::uint64_t taken = 0;    // batches taken and not kept yet
  };
  std::vector<LaneStatus> lanes() const;
  // Returns how long the oldest link has waited that its partition has not taken, by what this
  // owner has seen. Exact to the time between two calls (one a second will do), or to a thirtieth
  // of the result where that is more.
  std::int64_t lag_ms(std::int64_t now_ms);
  // Number of batches that were deleted as kept, and that a receiver turned out not to have (it
  // restored an older copy than it had named). Always 0 in a system as described; counted because
  // it would be a loss.
  std::uint64_t lost_batches() const { return lost_batches_; }
  const std::string& source() const { return settings_.source; }
  std::uint64_t epoch() const { return epoch_; }

 private:
  struct Shared {
    std::uint64_t batch, row;
  };
  struct Lane : LaneRow {
    std::uint64_t taken = 0;           // last batch taken; at least first - 1
    std::uint64_t sent = 0;            // last batch sent
    std::uint64_t durable = 0;         // last batch closed and committed
    std::uint64_t before_collect = 0;  // `sent` before the last collect()
    std::uint32_t part = 0;            // number of rows of the open batch
    std::size_t links = 0, bytes = 0;  // of the open batch
    std::string pending;               // lines of the open batch that are not staged yet
    std::size_t pending_links = 0;
    std::int64_t opened_ms = 0;
    std::int64_t retry_ms = 0;       // when the batches sent are to be sent again
    std::int64_t probe_ms = 0;       // the next such wait; 0: probe_ms of the settings
    std::int64_t rest_until_ms = 0;  // until when a full stream is left alone; 0: it was not full
    std::int64_t rest_ms = 0;        // the last such pause
    bool probing = false;
    bool near = false;
    bool is_open = false;         // whether it is in open_
    std::uint64_t in_parts = 0;   // each batch after this one has a single row
    std::deque<std::string> hot;  // lines of the last batches before `next`, for near destinations
    std::deque<Shared> shared;    // batches from `first` on that are in shared rows
    // A sample of the batches not taken, oldest first, each with the time at which lag_ms() saw it
    // first.
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
  // Gives batches that have one row each, from `batch` on, until `give` returns false. Returns how
  // many.
  std::size_t walk(std::uint32_t destination, const Lane& lane, std::uint64_t batch,
                   const std::function<bool(std::string_view lines)>& give);
  // Reads a committed batch; returns false where it is missing.
  bool read_batch(std::uint32_t destination, const Lane& lane, std::uint64_t batch,
                  std::string& lines);
  void put_lane(std::uint32_t destination, const Lane& lane);
  void erase_through(std::uint32_t destination, Lane& lane, std::uint64_t batch);
  // Returns (from, last], the batches that collect() may give now.
  std::pair<std::uint64_t, std::uint64_t> due(Lane& lane, std::int64_t now_ms) const;
  void meet_receiver(Lane& lane, const Ack& ack);
  void wait_longer(Lane& lane, std::int64_t now_ms) const;

  ChannelStore& store_;
  SenderSettings settings_;
  // A machine has as many lanes for each of its partitions as there are partitions; a commit of a
  // page concerns one or two of them.
  Lanes lanes_;
  std::vector<Lanes::value_type*> open_;  // lanes whose open batch has links
  // Lanes with batches closed since the last commit; a lane may be in it twice.
  std::vector<Lanes::value_type*> closed_;
  std::vector<Lanes::value_type*> fresh_;  // lanes with batches since the last collect_near()
  std::int64_t all_near_ms_ = 0;           // when collect_near() next looks at all lanes
  SharedRows rows_;
  std::uint64_t epoch_ = 0;
  std::uint64_t named_ = 0;  // highest epoch that a receiver named
  std::uint64_t lost_batches_ = 0;
  bool stamped_ = false;  // the epoch was stamped and committed
  bool staged_stamp_ = false;
};

enum class Take : std::uint8_t {
  kAdmit,    // its links are to be admitted in the same commit
  kRepeat,   // was taken before
  kGap,      // a batch before it is missing; it will come again
  kRefused,  // its epoch is over
  kForeign,  // it is for another partition, or there are too many sources
};

struct ReceiverSettings {
  std::uint32_t partition = 0;
  // When a link counts as kept. Without copies once it is committed: the state's disk outlives its
  // machine. With copies, once a shipped copy has it that is older than the newest by
  // `copies_behind`, since newer ones may turn out unreadable.
  bool copies = false;
  std::size_t copies_behind = 1;
  std::size_t most_sources = 100'000;
  // Sources that are partitions, taken in one commit, share one row.
  bool one_row = false;
};

// The receiving end, for all sources. Not thread-safe.
class Receiver {
 public:
  Receiver(ChannelStore& store, const ReceiverSettings& settings);

  // Reads the rows. `epoch` is that of this tenure's lease. An ack is due to every source.
  Status open(std::uint64_t epoch);
  // Says that the lease was raised.
  void set_epoch(std::uint64_t epoch);
  // The highest epoch of a source in the rows: that of source "p17" bounds which one partition 17
  // may take next.
  std::uint64_t highest_epoch() const;

  // Judges a batch. Needs a stage() and a commit.
  Take take(const Frame& frame, std::int64_t unix_ms);
  // Stages what was taken.
  void stage();
  void committed();

  // copy_begins() says that a copy of the state is made of what is committed now; copy_shipped()
  // that it is in its place and in the manifest.
  void copy_begins(std::uint64_t copy);
  void copy_shipped(std::uint64_t copy);
  // Whether something is committed that an ack cannot name as kept until copies are made.
  bool wants_copies() const;

  // Returns the acks that changed since the last call, for the sources that are `wanted`.
  // acks_lost() says that they did not reach the engine, or that the engine may have forgotten
  // them.
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
  std::vector<Inbox::value_type*> touched_;  // sources with batches taken since the last commit
  // Sources whose numbers are in the one row. Of a source with two rows the newer one holds.
  std::vector<Inbox::value_type*> in_one_row_;
  std::vector<Inbox::value_type*> due_;  // sources to which an ack is due
  std::deque<Copy> copies_;
};

// Gives what waits in an outbox, in the order in which it would be sent: each call gets whole lines
// for one destination.
void for_each_waiting(
    ChannelStore& store,
    const std::function<void(std::uint32_t destination, std::string_view lines)>& each);

// Returns "p17", which is also the name of the partition's stream and of its lease.
std::string partition_name(std::uint32_t partition);
// Returns the name of the table of acks to a source, whose rows are by the destination's number.
std::string ack_table(std::string_view source);

// Collects from all senders, and publishes one message for each destination. Where a stream is
// full, or the engine away, the senders try again later.
Status publish(std::span<Sender* const> senders, bus::Bus& bus, std::int64_t now_ms);
// Reads the acks to all senders by one call, and takes them. Needs a commit.
Status take_acks(std::span<Sender* const> senders, lease::Leases& leases, std::int64_t now_ms);
// Writes the acks that changed, fenced by `lease`. Returns false where the lease is lost.
Result<bool> post_acks(Receiver& receiver, lease::Leases& leases, const lease::Lease& lease);
// What follows a commit: the acks that changed are written, fenced by `lease`, and the stream is
// trimmed through `untrimmed`, up to which all messages are committed. `untrimmed` is empty once
// that is done; call again until then, since a full stream takes no more even though all of it was
// read.
struct Settling {
  Receiver& receiver;
  lease::Lease lease;
  std::string_view stream;
  bus::Place& untrimmed;
};
// Settles all by two calls to the engine. ours[i] says that the lease of all[i] is not lost.
Status settle(std::span<const Settling> all, bus::Bus& bus, lease::Leases& leases,
              std::vector<bool>& ours);
// Settles one. Returns false where the lease is lost.
Result<bool> settle(const Settling& one, bus::Bus& bus, lease::Leases& leases);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_CHANNEL_H_
