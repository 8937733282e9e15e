// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "cli/signals.h"
#include "cluster/memory_channel_store.h"
#include "frontier/encode.h"
#include "link_bus.h"

namespace spinneret::link_bus {
namespace {

// The first line of the --state file, which is followed by bytes(key) bytes(value) of each row.
constexpr std::string_view kStateHead = "spinneret link-bus 1\n";

// An ack and a trim each are a call to the engine: they are not made for each message of a busy
// sender. The window and the budget of a stream have room for many more messages.
constexpr std::int64_t kSettleMs = 20;
constexpr std::size_t kSettleBytes = std::size_t{256} << 10;

class Receiving {
 public:
  Receiving(cli::Tool& tool, const engine::Address& address)
      : tool_(tool),
        engine_(tool),
        partition_(partition_of(tool.options()).value_or(0)),
        ttl_ms_(tool.options().duration_ms("ttl", 10'000)),
        leases_(engine::leases_of(address, system_clock(), node_name("link-bus-"), ttl_ms_)),
        bus_(engine::bus_of(address, bus::stream_budget(1))),
        tenure_(ttl_ms_),
        receiver_(store_, {.partition = partition_}) {
    cursor_[0].stream = cluster::partition_name(partition_);
  }

  int run() {
    if (!read_state()) return tool_.status();
    const Result<std::uint32_t> partitions = partitions_of(tool_, *leases_);
    if (!partitions.ok()) return tool_.trouble(partitions.message());
    const Status within = check_partition(tool_.options(), *partitions);
    if (!within.ok()) return tool_.trouble(within.message());
    const std::int64_t idle = tool_.options().duration_ms("idle", 0);
    quiet_since_ = now_ms();
    while (cli::stop_signal() == 0 && !failed_) {
      if (idle != 0 && now_ms() - quiet_since_ >= idle) break;
      if (!own()) continue;
      if (const Status done = turn(); !engine_.note(done)) cli::wait_for_stop(200);
    }
    if (tenure_.held(system_clock().boot_ns())) (void)leases_->release(lease_);
    return tool_.status();
  }

 private:
  bool read_state() {
    path_ = tool_.options().get("state");
    if (path_.empty() || access(path_.c_str(), F_OK) != 0) return true;
    const Result<std::string> bytes = read_file(path_);
    if (!bytes.ok()) return tool_.trouble(bytes.message()), false;
    frontier::Decoder in{*bytes};
    const bool ours = in.rest.starts_with(kStateHead);
    if (ours) in.rest.remove_prefix(kStateHead.size());
    while (ours && !in.rest.empty() && !in.bad) {
      const std::string_view key = in.bytes();
      store_.put(cluster::ChannelTable::kInbox, key, in.bytes());
    }
    if (!ours || in.bad)
      return tool_.trouble(path_ + ": is not a state of link-bus --receive"), false;
    store_.commit();
    return true;
  }
  bool write_state() {
    if (path_.empty()) return true;
    std::string bytes(kStateHead);
    for (const auto& [key, value] : store_.rows(cluster::ChannelTable::kInbox)) {
      frontier::put_bytes(bytes, key);
      frontier::put_bytes(bytes, value);
    }
    const Status written = write_file_atomic(path_, bytes);
    if (!written.ok()) tool_.trouble(written.message());
    return written.ok();
  }
  // Takes or renews the lease. There is no quarantine: printed links ask no host for anything, and
  // acks are fenced.
  bool own() {
    const std::int64_t now = system_clock().boot_ns();
    std::vector<lease::Renewed> answers;
    if (tenure_.held(now)) {
      if (now - asked_ns_ < tenure_.beat_ns()) return true;
      asked_ns_ = now;
      const Status done = leases_->renew({&lease_, 1}, answers);
      engine_.note(done);
      if (!done.ok()) return true;  // held until the deadline
      if (answers[0] == lease::Renewed::kHeld) return tenure_.renewed(now), true;
      tool_.notice("the lease of partition " + std::to_string(partition_) + " was " +
                   (answers[0] == lease::Renewed::kForgotten ? "forgotten" : "taken by another") +
                   ": taking it anew");
      tenure_.end();
    }
    Result<lease::Taken> taken = leases_->take(cursor_[0].stream, receiver_.highest_epoch());
    if (!taken.ok() || !taken->granted) {
      if (!taken.ok()) {
        engine_.note(taken.error());
      } else if (waited_for_ != taken->owner) {
        waited_for_ = taken->owner;
        tool_.notice("partition " + std::to_string(partition_) + " is owned by " + waited_for_ +
                     ": waiting");
      }
      cli::wait_for_stop(100);
      return false;
    }
    lease_ = taken->lease;
    asked_ns_ = now;
    tenure_.granted(now, system_clock().boot_ns());
    if (receiver_.sources() == 0) {
      const Status opened = receiver_.open(lease_.epoch);
      if (!opened.ok()) tool_.trouble(path_ + ": " + opened.message());
      return opened.ok();
    }
    receiver_.set_epoch(lease_.epoch);
    return true;
  }
  Status turn() {
    std::vector<bus::Message> messages;
    const bool settled = unsettled_ == 0;
    if (const Status done = bus_->read(cursor_, 64, settled ? 100 : kSettleMs, messages);
        !done.ok())
      return done;
    if (settled) settle_ms_ = now_ms() + kSettleMs;
    for (const bus::Message& message : messages) {
      take(message.bytes);
      unsettled_ += message.bytes.size();
    }
    // Messages are printed, then remembered, then acknowledged: so what is acknowledged is never
    // missing.
    receiver_.stage();
    store_.commit();
    failed_ = !tool_.out().flush() || (std::exchange(changed_, false) && !write_state());
    if (failed_) return {};
    receiver_.committed();
    if (!messages.empty()) untrimmed_ = messages.back().place;
    if (!messages.empty() && unsettled_ < kSettleBytes && now_ms() < settle_ms_) return {};
    unsettled_ = 0;
    const Result<bool> ours =
        cluster::settle({receiver_, lease_, cursor_[0].stream, untrimmed_}, *bus_, *leases_);
    if (ours.ok() && !*ours) tenure_.end();
    return ours.ok() ? Status() : ours.error();
  }
  void take(std::string_view message) {
    cluster::Frame frame;
    cluster::FrameEvent event;
    while ((event = cluster::next_frame(message, frame)) == cluster::FrameEvent::kFrame) {
      if (receiver_.take(frame, system_clock().unix_ms()) != cluster::Take::kAdmit) continue;
      tool_.out().write(frame.lines);
      if (!frame.lines.ends_with('\n')) tool_.out().put('\n');  // the sender is not one of ours
      quiet_since_ = now_ms();
      changed_ = true;
    }
    if (event == cluster::FrameEvent::kDamaged && !std::exchange(said_damaged_, true)) {
      tool_.notice(cursor_[0].stream +
                   ": a message that is damaged, or another program's: passed over");
    }
    if (event == cluster::FrameEvent::kNewer && !std::exchange(said_newer_, true)) {
      tool_.notice(cursor_[0].stream +
                   ": a message of a later version of this program: passed over; it is sent again");
    }
  }

  cli::Tool& tool_;
  Engine engine_;
  std::uint32_t partition_;
  std::int64_t ttl_ms_;
  std::unique_ptr<lease::Leases> leases_;
  std::unique_ptr<bus::Bus> bus_;
  lease::Tenure tenure_;
  lease::Lease lease_;
  cluster::MemoryChannelStore store_;
  cluster::Receiver receiver_;
  bus::Cursor cursor_[1];
  bus::Place untrimmed_;
  std::string path_, waited_for_;
  std::int64_t asked_ns_ = 0, quiet_since_ = 0, settle_ms_ = 0;
  std::size_t unsettled_ = 0;  // bytes read, and not acknowledged yet
  // Printing, or remembering what was printed, failed: nothing more is acknowledged.
  bool failed_ = false;
  bool changed_ = false, said_damaged_ = false, said_newer_ = false;
};

}  // namespace

int receive(cli::Tool& tool, const engine::Address& address) {
  return Receiving(tool, address).run();
}

}  // namespace spinneret::link_bus
