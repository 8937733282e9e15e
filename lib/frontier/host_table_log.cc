// SPDX-License-Identifier: Apache-2.0
// How the table of hosts is read from a state and written to its log: see host_log.h.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "frontier/host_table.h"
#include "frontier/inspect.h"

namespace spinneret::frontier {

Status HostTable::load_rows(const Moment& now, HostCounts& sum) {
  opened_ = now;
  return for_each_host(store_, [&](const HostEntry& entry) {
    const HostRow& row = entry.row;
    const HostSlot slot = add(entry.origin, row.id);
    Host& host = hosts_[slot];
    host.waiting = narrow(row.counts.waiting);
    host.pages = narrow(row.counts.pages);
    host.delay_ms = narrow(static_cast<std::uint64_t>(delay_ms(row, rules_)));
    host.drained = row.counts.waiting == 0;
    host.heard = row.counts.done != 0;
    sum += row.counts;
    if (key_ == PolitenessKey::kIp && !row.ip.empty()) move_to_lane_of(slot, row.ip);
    Lane& lane = lanes_[host.lane];
    lane.next_ms = std::max(lane.next_ms, now.after(wait_left_ms(row, now.boot, now.boot_ms)));
    return true;
  });
}

Status HostTable::load_logged_rows() {
  return rows_.read([this](RowLog::Number batch, HostId id, std::string_view) {
    HostSlot slot = 0;
    if (lookup(id, slot)) hosts_[slot].logged = batch;
  });
}

void HostTable::mark_visited(const Moment& now, const std::vector<HostId>& visited) {
  std::vector<HostSlot> slots;
  for (const HostId id : visited) {
    HostSlot slot = 0;
    if (!lookup(id, slot) || hosts_[slot].marked) continue;
    hosts_[slot].marked = true;
    slots.push_back(slot);
  }
  std::vector<HostSlot> asleep = slots;
  bring_in(asleep);
  for (const HostSlot slot : slots) {
    Lane& lane = lanes_[hosts_[slot].lane];
    lane.next_ms = std::max(lane.next_ms, now.after(delay_ms(play(slot).row, rules_)));
    // The gap must hold across the next crash too.
    touch(slot);
  }
}

// --- the log -------------------------------------------------------------------------------------

bool HostTable::take_brief(const HostBrief& brief, std::vector<Told>& told) {
  HostSlot slot = 0;
  if (!lookup(brief.id, slot)) {
    if (brief.origin.empty()) return false;
    slot = append(brief.origin, brief.id);
  }
  Host& host = hosts_[slot];
  host.waiting = brief.waiting;
  host.pages = brief.pages;
  host.delay_ms = brief.delay_ms;
  host.drained = brief.waiting == 0;
  host.heard = brief.heard;
  host.count_dirty = brief.count_stale;
  host.blank = brief.blank;
  host.told = true;
  if (told.size() <= slot) told.resize(std::max<std::size_t>(slot + 1, told.size() * 3 / 2));
  told[slot] = {brief.wait_ms, brief.lane};
  return true;
}

// The hosts that turns tell of lie anywhere in memory. Without prefetching, each of a million hosts
// was two waits for it: a fifth of the opening.
bool HostTable::take_briefs(std::span<const HostBrief> briefs, std::vector<Told>& told) {
  for (const HostBrief& brief : briefs) origins_.prefetch_id(brief.id);
  for (const HostBrief& brief : briefs) {
    HostSlot slot = 0;
    if (!lookup(brief.id, slot)) continue;
    __builtin_prefetch(&hosts_[slot].waiting, 1);
    __builtin_prefetch(&hosts_[slot].front, 1);
    __builtin_prefetch(&told[slot], 1);
  }
  return std::all_of(briefs.begin(), briefs.end(),
                     [&](const HostBrief& brief) { return take_brief(brief, told); });
}

// Puts all hosts into their indexes and lanes. With a million of them that is half a second of
// waiting for memory, unless what the next ones will look at is prefetched. False: an origin is
// there twice.
bool HostTable::take_told(const Moment& now, const std::vector<Told>& told) {
  constexpr HostSlot kAhead = 16;
  std::array<std::uint64_t, kAhead> origins{};
  std::array<std::uint64_t, kAhead> lanes{};
  origins_.reserve();
  lanes_.reserve(origins_.places());
  const auto size = static_cast<HostSlot>(hosts_.size());
  for (HostSlot ahead = 0; ahead < size + kAhead; ++ahead) {
    const HostSlot at = ahead % kAhead;
    if (ahead >= kAhead) {
      const HostSlot slot = ahead - kAhead;
      if (!origins_.index_hashed(slot, origins[at])) return false;
      const LaneId id = lanes_.named(lanes[at]);
      join(slot, id);
      Lane& lane = lanes_[id];
      if (told[slot].wait_ms != 0)
        lane.next_ms = std::max(lane.next_ms, now.after(told[slot].wait_ms));
    }
    if (ahead >= size) continue;
    origins[at] = hash64(hosts_[ahead].origin);
    lanes[at] = told[ahead].lane != 0 ? told[ahead].lane : own_lane_of(hosts_[ahead].origin);
    origins_.prefetch(origins[at]);
    lanes_.prefetch(lanes[at]);
  }
  return true;
}

bool HostTable::load_log(const Moment& now, HostCounts& sum) {
  opened_ = now;
  std::vector<Told> told;
  const bool read =
      log_.read({now.boot, now.boot_ms}, key_ == PolitenessKey::kIp,
                {[&](std::size_t hosts) {
                   origins_.reserve_ids(hosts);
                   told.reserve(hosts);
                 },
                 [&](std::span<const HostBrief> briefs) { return take_briefs(briefs, told); }},
                sum);
  if (read && take_told(now, told)) return true;
  hosts_.clear();
  lanes_ = LaneList();
  origins_.clear();
  sum = {};
  return false;
}

HostBrief HostTable::brief_of(const Host& host, const Moment& now) const {
  const Lane& lane = lanes_[host.lane];
  HostBrief brief;
  brief.id = host.id;
  brief.origin = host.origin;
  brief.waiting = narrow(waiting(host));
  brief.pages = narrow(pages(host));
  brief.delay_ms = host.play == nullptr
                       ? host.delay_ms
                       : narrow(static_cast<std::uint64_t>(delay_ms(host.play->row, rules_)));
  brief.wait_ms = std::max<std::int64_t>(lane.next_ms - now.mono_ms, 0);
  if (key_ == PolitenessKey::kIp) {
    const bool has_address = host.play != nullptr && !host.play->row.ip.empty();
    brief.lane = has_address ? hash64(host.play->row.ip) : lane.name;
  }
  brief.heard = host.heard || (host.play != nullptr && host.play->row.counts.done != 0);
  brief.count_stale = host.count_dirty;
  brief.blank = host.blank;
  return brief;
}

void HostTable::put_page(std::size_t page, const Moment& now) {
  const HostLog::Ids ids = log_.begin_page(page, {now.boot, now.boot_ms});
  for (HostId id = ids.first; id < std::min(ids.end, id_end()); ++id) {
    HostSlot slot = 0;
    if (lookup(id, slot)) log_.add(brief_of(hosts_[slot], now));
  }
  log_.end_page();
}

Status HostTable::begin_log(const Moment& now, const HostCounts& sum) {
  constexpr std::size_t kPagesAtOnce = 16;
  if (const Status done = log_.clear(id_end()); !done.ok()) return done;
  for (std::size_t page = 0; page < log_.pages(); ++page) {
    put_page(page, now);
    if (page % kPagesAtOnce != 0) continue;
    if (const Status done = store_.commit(); !done.ok()) return done;
  }
  for (HostSlot slot = 0; slot < hosts_.size(); ++slot) hosts_[slot].told = true;
  log_.begin_turn({now.boot, now.boot_ms}, sum);
  log_.end_turn(id_end());
  log_.trim();
  return store_.commit();
}

}  // namespace spinneret::frontier
