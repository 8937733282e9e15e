// SPDX-License-Identifier: Apache-2.0
#include "sched_roster.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/hash.h"
#include "cluster/begun.h"
#include "cluster/channel.h"
#include "cluster/member.h"
#include "cluster/standing.h"
#include "sched_node.h"

namespace spinneret {
namespace {

// A field of the table "crawl".
constexpr const char* kUnreached = "unreached";

// Returns whether a node runs on that host. A host's name may have dots, too.
bool is_of(const std::string& node, const std::string& host) {
  return node.substr(0, node.rfind('.')) == host;
}

}  // namespace

Roster::Roster(const CrawlEngine& engine, std::string terms)
    : name_(engine.node),
      terms_(std::move(terms)),
      count_(engine.part.count),
      leases_(engine::leases_of(engine.address, system_clock(), engine.node, engine.ttl_ms)) {
  for (std::uint32_t p = 0; p < count_; ++p) names_.push_back(cluster::partition_name(p));
  for (std::uint32_t k = 0; k < kMostNodes; ++k) names_.push_back(node_name(k));
}

// Checks that this machine has the terms of the crawl that the engine knows. That comes before it
// takes anything: a machine that finds all partitions taken takes no lease, which would tell it.
Status Roster::agree() {
  if (agreed_) return {};
  const Status done = cluster::agree(*leases_, count_, terms_, agreed_);
  if (agreed_ && !done.ok()) refused_ = done.error();
  return done;
}

// Asks for all that each beat needs, by one call where the engine can: it may be far away, and the
// scheduler stands still meanwhile.
Status Roster::look() {
  // An order to leave is not for a machine that comes later under the same name.
  if (!std::exchange(asked_, true)) {
    if (const Status done = leases_->erase(kDrains, host()); !done.ok()) return done;
  }
  const std::string_view tables[] = {kPins, kDrains, "crawl"};
  const std::span<const lease::Lease> held(slot_ ? &*slot_ : nullptr, slot_ ? 1 : 0);
  return leases_->look(held, tables, names_, view_);
}

// Obeys an order to leave.
void Roster::heed_orders(const std::function<void(const std::string&)>& say) {
  if (!view_.tables[1].contains(host()) || std::exchange(draining_, true)) return;
  say("this machine gives its partitions to others, and ends");
  if (slot_) static_cast<void>(leases_->release(*slot_).ok());
  slot_.reset();
}

bool Roster::look_around(const std::function<void(const std::string&)>& say) {
  // The engine is looked at before anything is begun, as another program's key may be in the way of
  // ours.
  Status done = look();
  if (done.ok()) {
    heed_orders(say);
    holders_ = view_.holders;
    done = agree();
  }
  if (done.ok()) done = keep_slot();
  if (!done.ok()) {
    if (!refused_ && !looked_ && leases_->refused()) refused_ = done.error();
    if (!refused_ && !std::exchange(away_, true)) say(done.message() + ": asking again");
    return false;
  }
  away_ = false;
  pins_ = std::move(view_.tables[0]);
  crawl_ = std::move(view_.tables[2]);
  over_ = cluster::is_over(crawl_, worked_epoch_);
  if (!looked_ && over_ && only_former_self_has_any()) return over_ = false;
  if (std::exchange(looked_, true) || !nobody_has_any()) return true;
  // The first machine of a run deletes what an earlier run has said.
  over_ = false;
  for (const std::string_view field : {cluster::kFinished, std::string_view(kUnreached)}) {
    if (crawl_.contains(field) && !leases_->erase("crawl", field).ok()) return false;
  }
  return lease::erase_all(*leases_, cluster::kQuotaTable).ok() &&
         lease::erase_all(*leases_, kRetried).ok();
}

bool Roster::nobody_has_any() const {
  return std::all_of(holders_.begin(), holders_.begin() + count_,
                     [](const auto& holder) { return holder.node.empty(); });
}

// Whether this machine was killed and has come back: its old leases then run out, even if it has
// the same process id again, as in a container. A message that all is done is from the run in which
// it was killed, and would end this run with nothing done.
bool Roster::only_former_self_has_any() const {
  return !nobody_has_any() &&
         std::all_of(holders_.begin(), holders_.begin() + count_, [this](const auto& holder) {
           return holder.node.empty() || is_of(holder.node, host());
         });
}

lease::Rows Roster::states() {
  Result<lease::Rows> rows = leases_->read(cluster::kStates);
  return rows.ok() ? rows.take() : lease::Rows();
}

lease::Rows Roster::reports() {
  Result<lease::Rows> rows = leases_->read(cluster::kReportsTable);
  return rows.ok() ? rows.take() : lease::Rows();
}

Status Roster::tell_unreached() {
  const Result<std::string> told = leases_->claim("crawl", kUnreached, "yes");
  return told.ok() ? Status() : Status(told.error());
}

bool Roster::gave_up(const std::function<void(const std::string&)>& say) {
  const Result<std::uint64_t> given_up = cluster::given_up_in_all(*leases_);
  const Result<lease::Rows> crawl = leases_->read("crawl");
  if (!given_up.ok() || !crawl.ok()) {
    say((given_up.ok() ? crawl.message() : given_up.message()) +
        ": what other machines have given up is not known");
    return false;
  }
  if (*given_up == 0 && !crawl->contains(kUnreached)) return false;
  say("hosts or seeds were given up in partitions that others had: see --status");
  return true;
}

Status Roster::keep_slot() {
  if (draining_) return {};
  if (slot_) {
    if (view_.answers.front() == lease::Renewed::kHeld) return {};
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

// Where a call fails, the lease runs out by itself.
void Roster::leave() {
  if (slot_) static_cast<void>(leases_->release(*slot_).ok());
  if (draining_) static_cast<void>(leases_->erase(kDrains, host()).ok());
}

bool Roster::is_elsewhere(std::uint32_t p) const {
  return p < holders_.size() && !holders_[p].node.empty() && !is_of(holders_[p].node, host());
}

bool Roster::is_pinned_here(std::uint32_t p) const {
  const auto pin = pins_.find(std::to_string(p));
  return pin != pins_.end() && pin->second == host();
}

bool Roster::is_pinned_elsewhere(std::uint32_t p) const {
  const auto pin = pins_.find(std::to_string(p));
  return pin != pins_.end() && pin->second != host() &&
         std::any_of(holders_.begin() + count_, holders_.end(),
                     [&](const auto& slot) { return is_of(slot.node, pin->second); });
}

std::uint32_t Roster::machines() const {
  std::uint32_t live = 0;
  for (std::size_t slot = count_; slot < holders_.size(); ++slot)
    live += holders_[slot].node.empty() ? 0 : 1;
  return std::max(live, 1U);
}

// The first machines have one more.
std::size_t Roster::fair_share() const {
  const std::uint32_t live = machines();
  std::uint32_t before = 0, pinned = 0;
  for (std::uint32_t k = 0; k < kMostNodes; ++k) {
    before += !holders_[count_ + k].node.empty() && k < rank_slot_ ? 1 : 0;
  }
  for (std::uint32_t p = 0; p < count_; ++p) pinned += is_pinned_here(p) ? 1 : 0;
  return std::max(count_ / live + (before < count_ % live ? 1 : 0), pinned);
}

// Each machine has another order, so that two seldom ask for the same partition. Those pinned here
// are first.
std::vector<std::uint32_t> Roster::by_liking() const {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (std::uint32_t p = 0; p < count_; ++p)
    order.emplace_back(is_pinned_here(p) ? 0 : hash64(name_, p), p);
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> out(order.size());
  std::transform(order.begin(), order.end(), out.begin(),
                 [](const auto& one) { return one.second; });
  return out;
}

}  // namespace spinneret
