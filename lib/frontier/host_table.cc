// SPDX-License-Identifier: Apache-2.0
#include "frontier/host_table.h"

#include <algorithm>
#include <utility>

#include "url/public_suffix.h"

namespace spinneret::frontier {
namespace {

// "https://example.org:8443" -> "example.org"
std::string_view host_name(std::string_view origin) {
  const std::size_t begin = origin.find("://");
  std::string_view host = begin == std::string_view::npos ? origin : origin.substr(begin + 3);
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

// How long a host must still be left alone. A wall clock that was set back makes no wait longer than it was.
std::int64_t remaining_ms(const HostRow& row, std::int64_t wall_ms) {
  return std::clamp<std::int64_t>(row.next_wall_ms - wall_ms, 0, std::max<std::int64_t>(row.wait_ms, 0));
}

}  // namespace

Status HostTable::load(Store& store, const Moment& now, const std::vector<HostId>& visited) {
  const std::unique_ptr<Cursor> at = store.scan(Table::kHosts);
  for (at->seek({}); at->valid(); at->next()) {
    HostRow row;
    if (!decode_host_row(at->value(), row)) {
      return Error{"the state is damaged: host row of " + std::string(at->key())};
    }
    const HostSlot slot = add(at->key(), row.id, /*fresh=*/false);
    Host& host = hosts_[slot];
    if (row.counts.waiting == 0) host.queue = HostQueue(/*complete=*/true);
    host.row = std::move(row);
    if (key_ == PolitenessKey::kIp && !host.row.ip.empty()) move_to_lane_of(slot, host.row.ip);
    Lane& lane = lanes_[host.lane];
    std::int64_t wait = remaining_ms(host.row, now.wall_ms);
    if (std::find(visited.begin(), visited.end(), host.row.id) != visited.end()) {
      wait = std::max(wait, delay_ms(host.row, rules_));
      host.marked = true;
    }
    lane.next_ms = std::max(lane.next_ms, now.mono_ms + wait);
  }
  return store.status();
}

std::size_t HostTable::place_of(std::string_view origin) const {
  const std::uint64_t hash = hash64(origin);
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = by_origin_.size() - 1;
  std::size_t place = hash & mask;
  while (by_origin_[place].slot != kNoSlot &&
         (by_origin_[place].tag != tag || hosts_[by_origin_[place].slot].origin != origin)) {
    place = (place + 1) & mask;
  }
  return place;
}

void HostTable::grow_index() {
  by_origin_.assign(by_origin_.size() * 2, OriginEntry());
  for (HostSlot slot = 0; slot < hosts_.size(); ++slot) index(slot);
}

void HostTable::index(HostSlot slot) {
  const std::string& origin = hosts_[slot].origin;
  by_origin_[place_of(origin)] = {static_cast<std::uint32_t>(hash64(origin) >> 32), slot};
}

HostSlot HostTable::add(std::string_view origin, HostId id, bool fresh) {
  const auto slot = static_cast<HostSlot>(hosts_.size());
  hosts_.emplace_back(origin, id, fresh);
  if (hosts_.size() * 4 > by_origin_.size() * 3) {
    grow_index();
  } else {
    index(slot);
  }
  if (by_id_.size() <= id) by_id_.resize(std::max<std::size_t>(id + 1, by_id_.size() * 2), kNoSlot);
  by_id_[id] = slot;
  next_id_ = std::max(next_id_, id + 1);
  const std::string_view name = host_name(hosts_.back().origin);
  join(slot, lane_named(key_ == PolitenessKey::kDomain ? registrable_domain(name) : name));
  return slot;
}

HostSlot HostTable::find(std::string_view origin) {
  HostSlot slot = by_origin_[place_of(origin)].slot;
  if (slot != kNoSlot) return slot;
  slot = add(origin, next_id_, /*fresh=*/true);
  touch(slot);
  return slot;
}

bool HostTable::lookup(std::string_view origin, HostSlot& slot) const {
  slot = by_origin_[place_of(origin)].slot;
  return slot != kNoSlot;
}

bool HostTable::lookup(HostId id, HostSlot& slot) const {
  if (id >= by_id_.size() || by_id_[id] == kNoSlot) return false;
  slot = by_id_[id];
  return true;
}

LaneId HostTable::lane_named(std::string_view name) {
  const auto [at, is_new] =
      lane_by_name_.try_emplace(hash64(name), static_cast<LaneId>(lanes_.size()));
  if (is_new) lanes_.emplace_back();
  return at->second;
}

void HostTable::join(HostSlot slot, LaneId lane) {
  hosts_[slot].lane = lane;
  lanes_[lane].hosts.push_back(slot);
}

bool HostTable::move_to_lane_of(HostSlot slot, std::string_view ip) {
  if (key_ != PolitenessKey::kIp || ip.empty()) return false;
  Host& host = hosts_[slot];
  const LaneId to = lane_named(ip);
  const LaneId from = host.lane;
  if (to == from) return false;
  // What is in flight stays counted where it was sent from until it comes back: move between requests.
  if (!host.flying.empty() || host.rules == Rules::kFlying) return false;
  std::erase(lanes_[from].hosts, slot);
  lanes_[to].next_ms = std::max(lanes_[to].next_ms, lanes_[from].next_ms);
  join(slot, to);
  return true;
}

void HostTable::touch(HostSlot slot) {
  if (std::exchange(hosts_[slot].dirty, true)) return;
  dirty_.push_back(slot);
}

void HostTable::touch_count(HostSlot slot) {
  if (std::exchange(hosts_[slot].count_dirty, true)) return;
  count_dirty_.push_back(slot);
}

void HostTable::stage(Store& store, const Moment& now, bool counts_too) {
  if (counts_too) {
    for (const HostSlot slot : count_dirty_) {
      // One that has been written since is up to date.
      if (hosts_[slot].count_dirty) touch(slot);
    }
    count_dirty_.clear();
  }
  for (const HostSlot slot : dirty_) {
    Host& host = hosts_[slot];
    host.dirty = host.count_dirty = false;
    host.row.wait_ms = std::max<std::int64_t>(lanes_[host.lane].next_ms - now.mono_ms, 0);
    host.row.next_wall_ms = now.wall_ms + host.row.wait_ms;
    encode_host_row(row_, host.row);
    store.put(Table::kHosts, host.origin, row_);
  }
  dirty_.clear();
}

}  // namespace spinneret::frontier
