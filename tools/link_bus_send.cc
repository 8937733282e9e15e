// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "cli/signals.h"
#include "cluster/memory_channel_store.h"
#include "io/record.h"
#include "link_bus.h"
#include "url/parts_by_host.h"

namespace spinneret::link_bus {
namespace {

// Lines of a turn: some 150 KB for each of four partitions, of the 256 KB that a message may have.
constexpr int kTurnLines = 6000;

class Sending {
 public:
  Sending(cli::Tool& tool, const engine::Address& address)
      : tool_(tool),
        engine_(tool),
        leases_(engine::leases_of(address, system_clock(), "-", 0)),
        address_(address),
        sender_(store_, {.source = node_name("s-"), .whole_batches = true}) {}

  int run() {
    const Result<std::uint32_t> partitions = partitions_of(tool_, *leases_);
    if (!partitions.ok()) return tool_.trouble(partitions.message());
    one_ = partition_of(tool_.options());
    if (*partitions == 0 && !one_) {
      return tool_.trouble("no crawl named " + address_.crawl() +
                           " is there yet: start one, or say --partitions=P");
    }
    const Status within = check_partition(tool_.options(), *partitions);
    if (!within.ok()) return tool_.trouble(within.message());
    map_.emplace(std::max<std::uint32_t>(*partitions, 1));
    parts_.emplace(*map_);
    bus_ = engine::bus_of(address_, bus::stream_budget(*partitions));
    if (const Status opened = sender_.open(); !opened.ok()) return tool_.trouble(opened.message());
    stamp(0);
    const std::int64_t limit = tool_.options().duration_ms("timeout", 0);
    const std::int64_t end = limit == 0 ? INT64_MAX : now_ms() + limit;
    while (!(ended_ && sender_.empty()) && cli::stop_signal() == 0 && now_ms() < end) turn();
    return finish();
  }

 private:
  void stamp(std::uint64_t floor) {
    sender_.stamp(lease::next_epoch(
        {floor, sender_.epoch(), static_cast<std::uint64_t>(system_clock().unix_ms())}));
    store_.commit();
    sender_.committed();
  }
  std::size_t waiting() const {
    std::size_t all = 0;
    for (const cluster::Sender::LaneStatus& lane : sender_.lanes()) all += lane.waiting;
    return all;
  }
  void take_lines() {
    std::string_view line;
    // None of these calls waits, so one look at the clock serves all.
    const std::int64_t now = now_ms();
    for (int i = 0; i < kTurnLines; ++i) {
      if (!tool_.next(line)) {
        ended_ = tool_.stopped() || !tool_.inputs().starved();
        return;
      }
      const std::string_view url = record_url(line);
      if (url.empty()) {
        tool_.refuse_record("no URL", line);
        continue;
      }
      if (line.find('\n') != std::string_view::npos) {
        tool_.refuse("a line end within a link", line);
        continue;
      }
      sender_.offer(one_ ? *one_ : parts_->of_text(url, url_), line, now);
      ++links_;
    }
  }
  void turn() {
    // Lines that no receiver has kept yet are in memory: at most 64 batches for each partition.
    if (!ended_ && waiting() < 64 * std::max<std::size_t>(map_->count(), 4)) take_lines();
    sender_.stage(now_ms(), ended_);
    store_.commit();
    sender_.committed();
    cluster::Sender* const all[] = {&sender_};
    Status done = cluster::publish(all, *bus_, now_ms());
    if (done.ok()) done = cluster::take_acks(all, *leases_, now_ms());
    store_.commit();
    engine_.note(done);
    if (sender_.wants_epoch()) stamp(*sender_.wants_epoch());
    if (ended_ && sender_.empty()) return;
    const bool starved = !ended_ && tool_.inputs().starved();
    cli::wait_for_stop(done.ok() ? 20 : 200, starved ? tool_.inputs().fd() : -1);
  }
  int finish() {
    const std::string table = cluster::ack_table(sender_.source());
    // Where the engine hangs, only the first table is waited for: the tables expire by themselves.
    for (const auto& lane : sender_.lanes()) {
      if (!leases_->erase(table, std::to_string(lane.destination)).ok()) break;
    }
    if (sender_.lost_batches() != 0) {
      tool_.trouble(std::to_string(sender_.lost_batches()) +
                    " batches were kept by a receiver that has ended without passing them on: "
                    "send the list again, if they matter");
    }
    if (ended_ && sender_.empty()) return tool_.status();
    std::string where;
    for (const cluster::Sender::LaneStatus& lane : sender_.lanes()) {
      if (lane.waiting == 0) continue;
      where += (where.empty() ? " (partition " : ", ") + std::to_string(lane.destination) + ": " +
               std::to_string(lane.waiting);
    }
    return tool_.trouble("not all is kept: " + std::to_string(waiting()) + " batches of the " +
                         std::to_string(links_) + " links are not" + where +
                         (where.empty() ? "" : ")") +
                         "; send the whole list again: a link that is known is not admitted twice");
  }

  cli::Tool& tool_;
  Engine engine_;
  std::unique_ptr<lease::Leases> leases_;
  engine::Address address_;
  std::unique_ptr<bus::Bus> bus_;
  std::optional<Partitions> map_;
  std::optional<PartsByHost> parts_;
  cluster::MemoryChannelStore store_;
  cluster::Sender sender_;
  Url url_;
  std::uint64_t links_ = 0;
  std::optional<std::uint32_t> one_;
  bool ended_ = false;
};

}  // namespace

int send(cli::Tool& tool, const engine::Address& address) { return Sending(tool, address).run(); }

}  // namespace spinneret::link_bus
