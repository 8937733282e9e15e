// SPDX-License-Identifier: Apache-2.0
#include "sched_node.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "base/number.h"
#include "cli/signals.h"
#include "cluster/channel.h"
#include "lease/lease.h"
#include "loop/driver.h"
#include "sched_children.h"
#include "sched_partition.h"

namespace spinneret {
namespace {

// A partition whose command ends in trouble rests, from the first of these up to the second.
constexpr std::int64_t kFirstRestMs = 10'000, kLongestRestMs = 600'000;
// So many in a row, and nothing that went well: it is the machine.
constexpr int kMostTroubles = 3;
// Beats after which a command that waits for somebody else's partition is ended, and before which nothing is taken.
constexpr std::int64_t kStandbyBeats = 20, kFirstBeats = 3;

class Node {
 public:
  Node(cli::Tool& tool, const CrawlEngine& engine)
      : tool_(tool),
        name_(engine.node),
        count_(engine.part.count),
        beat_ms_(std::max<std::int64_t>(engine.ttl_ms / 10, 100)),
        leases_(engine::leases_of(engine.address, system_clock(), engine.node, engine.ttl_ms)),
        children_(tool.options().command()) {
    for (std::uint32_t p = 0; p < count_; ++p) names_.push_back(cluster::partition_name(p));
    for (std::uint32_t k = 0; k < kMostNodes; ++k) names_.push_back(node_name(k));
  }

  int run() {
    begun_ms_ = now_ms();
    while (true) {
      const bool known = cli::stop_signal() == 0 && look();
      if (refused_) return 2;
      reap();
      if (cli::stop_signal() != 0 || draining_) {
        if (children_.empty()) break;
        children_.end_all();
      } else if (known) {
        if (over_ && children_.empty()) break;
        if (troubles_ >= kMostTroubles && children_.empty())
          return tool_.trouble("no partition could be run: see the messages above");
        if (!over_ && troubles_ < kMostTroubles) balance();
      }
      cli::wait_for_stop(static_cast<int>(beat_ms_));
    }
    if (slot_) static_cast<void>(leases_->release(*slot_).ok());  // else it runs out
    if (draining_) static_cast<void>(leases_->erase(kDrains, host()).ok());
    return cli::stop_signal() != 0 ? 128 + cli::stop_signal() : status_;
  }

 private:
  struct Rest {
    std::int64_t until_ms = 0, gap_ms = 0;
  };
  std::int64_t now_ms() const { return system_clock().boot_ns() / 1'000'000; }

  // What --node says.
  std::string host() const { return name_.substr(0, name_.rfind('.')); }

  // What was asked of us, and of others. That a machine is to leave is no order for the one that comes later by its name.
  Status read_orders() {
    if (!std::exchange(asked_, true)) {
      if (const Status done = leases_->erase(kDrains, host()); !done.ok()) return done;
    }
    Result<lease::Rows> pins = leases_->read(kPins);
    if (!pins.ok()) return pins.error();
    pins_ = pins.take();
    const Result<lease::Rows> drains = leases_->read(kDrains);
    if (!drains.ok()) return drains.error();
    if (!drains->contains(host()) || std::exchange(draining_, true)) return {};
    tool_.notice("this machine gives its partitions to others, and ends");
    if (slot_) static_cast<void>(leases_->release(*slot_).ok());
    slot_.reset();
    return {};
  }

  // How things stand. False: the engine has not said.
  bool look() {
    Status done = read_orders();
    if (done.ok()) done = leases_->holders(names_, holders_);
    if (done.ok()) done = keep_slot();
    Result<lease::Rows> crawl =
        done.ok() ? leases_->read("crawl") : Result<lease::Rows>(done.error());
    if (!crawl.ok()) {
      refused_ = !looked_ && leases_->refused();
      if (refused_) {
        tool_.trouble(crawl.message());
      } else if (!std::exchange(away_, true)) {
        tool_.notice(crawl.message() + ": asking again");
      }
      return false;
    }
    away_ = false;
    over_ = crawl->contains("finished");
    const auto owned = std::find_if(holders_.begin(), holders_.begin() + count_,
                                    [](const auto& holder) { return !holder.node.empty(); });
    // Of an earlier run: whoever comes first takes that back.
    if (!std::exchange(looked_, true) && over_ && owned == holders_.begin() + count_) {
      over_ = false;
      return leases_->erase("crawl", "finished").ok();
    }
    return true;
  }

  Status keep_slot() {
    if (draining_) return {};
    if (slot_) {
      std::vector<lease::Renewed> answers;
      if (const Status done = leases_->renew({&*slot_, 1}, answers); !done.ok()) return done;
      if (answers.front() == lease::Renewed::kHeld) return {};
      slot_.reset();
    }
    for (std::uint32_t k = 0; k < kMostNodes; ++k) {
      if (!holders_[count_ + k].node.empty()) continue;
      const Result<lease::Taken> taken = leases_->take(node_name(k), 0);
      if (!taken.ok()) return taken.error();
      if (!taken->granted) continue;
      slot_ = taken->lease;
      rank_slot_ = k;
      holders_[count_ + k].node = name_;
      return {};
    }
    return Error{"there are " + std::to_string(kMostNodes) + " machines already"};
  }

  // As many for each machine as for any other, give or take one; the first have the one more.
  std::size_t share() const {
    std::uint32_t live = 0, before = 0;
    for (std::uint32_t k = 0; k < kMostNodes; ++k) {
      if (holders_[count_ + k].node.empty()) continue;
      ++live;
      before += k < rank_slot_ ? 1 : 0;
    }
    live = std::max(live, 1U);
    return count_ / live + (before < count_ % live ? 1 : 0);
  }

  static bool is_of(const std::string& node, const std::string& host) {
    return node.size() > host.size() && node.starts_with(host) && node[host.size()] == '.';
  }
  bool is_ours(const std::string& node) const { return is_of(node, host()); }

  bool pinned_here(std::uint32_t p) const {
    const auto pin = pins_.find(std::to_string(p));
    return pin != pins_.end() && pin->second == host();
  }
  // At a machine that is there.
  bool pinned_elsewhere(std::uint32_t p) const {
    const auto pin = pins_.find(std::to_string(p));
    return pin != pins_.end() && pin->second != host() &&
           std::any_of(holders_.begin() + count_, holders_.end(),
                       [&](const auto& slot) { return is_of(slot.node, pin->second); });
  }

  void balance() {
    const std::int64_t now = now_ms();
    if (now - begun_ms_ < kFirstBeats * beat_ms_) return;
    std::size_t running = 0;
    bool ending = false;
    for (auto& [p, child] : children_.running()) {
      const bool standby = !holders_[p].node.empty() && !is_ours(holders_[p].node) &&
                           now - child.begun_ms > kStandbyBeats * beat_ms_;
      if (standby) Children::end(child);
      running += child.ending ? 0 : 1;
      ending = ending || child.ending;
    }
    const std::vector<std::uint32_t> liked = by_liking();
    const auto pinned = std::count_if(liked.begin(), liked.end(),
                                      [this](std::uint32_t p) { return pinned_here(p); });
    const std::size_t fair = std::max(share(), static_cast<std::size_t>(pinned));
    for (const std::uint32_t p : liked) {
      if (running >= fair && !pinned_here(p)) break;
      const auto rest = rests_.find(p);
      if (children_.has(p) || !holders_[p].node.empty() || pinned_elsewhere(p) ||
          (rest != rests_.end() && rest->second.until_ms > now))
        continue;
      if (children_.start(p, now)) {
        ++running;
      } else {
        tool_.trouble("cannot start a process");
      }
    }
    // One after the other: each is away for its quarantine.
    for (auto p = liked.rbegin(); !ending && p != liked.rend(); ++p) {
      const auto child = children_.running().find(*p);
      if (child == children_.running().end() || child->second.ending ||
          (running <= fair && !pinned_elsewhere(*p)))
        continue;
      tool_.notice("partition " + std::to_string(*p) + " goes to another machine");
      Children::end(child->second);
      ending = true;
    }
  }

  // Machines begin with different ones, so that they seldom ask for the same; and with what is theirs.
  std::vector<std::uint32_t> by_liking() const {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    for (std::uint32_t p = 0; p < count_; ++p)
      order.emplace_back(pinned_here(p) ? 0 : hash64(name_, p), p);
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> out;
    for (const auto& [hash, p] : order) out.push_back(p);
    return out;
  }

  void reap() {
    children_.reap([this](std::uint32_t p, const Children::Child& child, int status) {
      const bool long_lived = now_ms() - child.begun_ms > kStandbyBeats * 2 * beat_ms_;
      if (status <= loop::kGivenUpStatus && status != 2) {
        status_ = std::max(status_, status);
        troubles_ = 0;
      }
      if (long_lived) troubles_ = 0;
      if (status == 2 || status == 127)
        rest(p, long_lived);
      else if (!child.ending && status > loop::kGivenUpStatus)
        rests_[p] = {now_ms() + beat_ms_, 0};
    });
  }

  void rest(std::uint32_t p, bool long_lived) {
    // Somebody was faster, and holds the lock of a state that both see.
    const bool taken = !holders_.empty() && !holders_[p].node.empty() && !is_ours(holders_[p].node);
    if (taken) {
      rests_[p] = {now_ms() + beat_ms_, 0};
      return;
    }
    ++troubles_;
    Rest& rest = rests_[p];
    rest.gap_ms =
        long_lived || rest.gap_ms == 0 ? kFirstRestMs : std::min(rest.gap_ms * 2, kLongestRestMs);
    rest.until_ms = now_ms() + rest.gap_ms;
    tool_.notice("partition " + std::to_string(p) + " rests for " + seconds_text(rest.gap_ms) +
                 " s");
  }

  cli::Tool& tool_;
  std::string name_;
  std::uint32_t count_;
  std::int64_t beat_ms_;
  std::unique_ptr<lease::Leases> leases_;
  std::vector<std::string> names_;
  std::vector<lease::Leases::Holder> holders_;
  Children children_;
  std::map<std::uint32_t, Rest> rests_;
  std::optional<lease::Lease> slot_;
  std::uint32_t rank_slot_ = 0;
  std::int64_t begun_ms_ = 0;
  lease::Rows pins_;
  bool away_ = false, over_ = false, looked_ = false;
  bool refused_ = false;  // at the very start: nothing is begun that cannot go on
  bool asked_ = false, draining_ = false;
  int troubles_ = 0;
  int status_ = 0;
};

}  // namespace

int run_node(cli::Tool& tool) {
  const cli::Options& given = tool.options();
  if (given.command().empty())
    given.usage_error(
        "--partitions runs a command for each: -- COMMAND, in which {} is its number");
  if (given.has("partition")) given.usage_error("--partition and --partitions exclude each other");
  const CrawlEngine engine = engine_of(given);
  if (const Status signals = cli::install_stop_signals(); !signals.ok())
    return tool.trouble(signals.message());
  return Node(tool, engine).run();
}

}  // namespace spinneret
