// SPDX-License-Identifier: Apache-2.0
#include "frontier/host_table.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "url/host.h"
#include "url/public_suffix.h"

namespace spinneret::frontier {
namespace {

constexpr std::size_t kCountBatch = 4096;
// Smaller batches do not go into the log of rows: a row that stands there alone is written no less
// often.
constexpr std::size_t kFewestLogged = 4;
// The most rows in that log, for each host, and of all. Where hosts go by turns, with two for each
// the older one is replaced before it would go on; and whoever opens the state reads them all.
constexpr std::uint64_t kLoggedOfHost = 2;
constexpr std::uint64_t kMostLogged = std::uint64_t{1} << 20;

// "https://example.org:8443" -> "example.org"
std::string_view host_name(std::string_view origin) {
  const std::size_t begin = origin.find("://");
  std::string_view host = begin == std::string_view::npos ? origin : origin.substr(begin + 3);
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

// Lets a host begin anew that an earlier run gave up, or that was silent at its end. Returns
// whether that changes its row.
bool forgive(HostRow& row) {
  const bool changed = row.finish != Finish::kNot || row.failures != 0;
  row.finish = Finish::kNot;
  row.failures = 0;
  return changed;
}

}  // namespace

// --- names ---------------------------------------------------------------------------------------

// Adds a host that is in no index yet, nor in a lane.
HostSlot HostTable::append(std::string_view origin, HostId id) {
  const auto slot = static_cast<HostSlot>(hosts_.size());
  Host& host = hosts_.emplace_back();
  host.origin = origins_.keep(origin, id, slot);
  host.id = id;
  return slot;
}

HostSlot HostTable::add(std::string_view origin, HostId id) {
  const HostSlot slot = append(origin, id);
  origins_.index(slot);
  join(slot, lanes_.named(own_lane_of(hosts_[slot].origin)));
  return slot;
}

HostSlot HostTable::find(std::string_view origin) {
  HostSlot slot = kNoSlot;
  if (lookup(origin, slot)) return slot;
  slot = add(origin, id_end());
  HostPlay& play = plays_.give(slot);
  hosts_[slot].play = &play;
  play.row.id = hosts_[slot].id;
  play.queue = HostQueue(/*complete=*/true);
  hosts_[slot].met = true;
  write_row(slot);
  hosts_[slot].blank = true;
  return slot;
}

HostSlot HostTable::known(std::string_view origin) const {
  HostSlot slot = kNoSlot;
  if (lookup(origin, slot)) return slot;
  const LaneId lane = lanes_.find(own_lane_of(origin));
  return lane == LaneList::kNoLane ? kNoSlot : lanes_[lane].last;
}

// --- lanes ---------------------------------------------------------------------------------------

// The hash of a host's lane before its address is known.
std::uint64_t HostTable::own_lane_of(std::string_view origin) const {
  const std::string_view name = without_root(host_name(origin));
  return hash64(key_ == PolitenessKey::kDomain ? registrable_domain(name) : name);
}

std::uint64_t HostTable::domain_of(HostSlot slot) const {
  return hash64(registrable_domain(without_root(host_name(hosts_[slot].origin))));
}

// Puts a host behind all others of a lane: its turn comes last.
void HostTable::join(HostSlot slot, LaneId id) {
  Lane& lane = lanes_[id];
  Host& host = hosts_[slot];
  host.lane = id;
  host.before = lane.last == kNoSlot ? slot : lane.last;
  host.next = lane.last == kNoSlot ? slot : hosts_[lane.last].next;
  hosts_[host.before].next = slot;
  hosts_[host.next].before = slot;
  lane.last = slot;
  ++lane.members;
}

void HostTable::leave(HostSlot slot) {
  const Host& host = hosts_[slot];
  Lane& lane = lanes_[host.lane];
  hosts_[host.before].next = host.next;
  hosts_[host.next].before = host.before;
  if (lane.last == slot) lane.last = host.before == slot ? kNoSlot : host.before;
  if (lane.crowd) lane.crowd->remove(slot);
  --lane.members;
}

bool HostTable::move_to_lane_of(HostSlot slot, std::string_view ip) {
  if (key_ != PolitenessKey::kIp || ip.empty()) return false;
  const Host& host = hosts_[slot];
  const LaneId to = lanes_.named(hash64(ip));
  const LaneId from = host.lane;
  if (to == from) return false;
  // A flight counts in the lane that it was sent from until it comes back: so hosts move between
  // requests.
  if (!nothing_flying(host) || host.rules == Rules::kFlying) return false;
  leave(slot);
  lanes_[to].next_ms = std::max(lanes_[to].next_ms, lanes_[from].next_ms);
  join(slot, to);
  return true;
}

// --- in play -------------------------------------------------------------------------------------

// Brings a host into play with its row, which need not be read if it is blank: that of a host which
// was never asked, as most are in a wide crawl.
void HostTable::fill_play(HostSlot slot, bool found, std::string_view bytes) {
  HostPlay& play = plays_.give(slot);
  Host& host = hosts_[slot];
  host.play = &play;
  if (!host.blank && !(found && decode_host_row(bytes, play.row) && play.row.id == host.id)) {
    note_damage("host row of", slot);
    play.row = HostRow();
  }
  play.row.id = host.id;
  play.row.counts.waiting = host.waiting;
  play.queue = HostQueue(/*complete=*/host.drained);
  // In another boot nothing tells how much of the span is over.
  if (play.row.span_count != 0 && play.row.boot != opened_.boot)
    play.row.span_start_ms = opened_.steady_ms;
  if (host.met) return;
  host.met = true;
  if (forgive(play.row)) touch(slot);
}

void HostTable::note_damage(std::string_view what, HostSlot slot) {
  if (status_.ok())
    status_ = Error{"the state is damaged: " + std::string(what) + " " +
                    std::string(hosts_[slot].origin)};
}

HostPlay& HostTable::play(HostSlot slot) {
  Host& host = hosts_[slot];
  if (host.play == nullptr) {
    const bool found = !host.blank && read_row(host, bytes_);
    fill_play(slot, found, bytes_);
  }
  plays_.use(*host.play);
  return *host.play;
}

void HostTable::bring_in(std::vector<HostSlot>& slots) {
  std::erase_if(slots, [this](HostSlot slot) {
    const Host& host = hosts_[slot];
    if (host.blank && host.play == nullptr) fill_play(slot, false, {});
    return host.play != nullptr;
  });
  bring_in_logged(slots);
  std::sort(slots.begin(), slots.end(),
            [this](HostSlot a, HostSlot b) { return hosts_[a].origin < hosts_[b].origin; });
  keys_.clear();
  for (const HostSlot slot : slots) keys_.push_back(hosts_[slot].origin);
  store_.multi_get(Table::kHosts, keys_, values_, found_);
  for (std::size_t i = 0; i < slots.size(); ++i) fill_play(slots[i], found_[i] != 0, values_[i]);
}

// Brings in the hosts whose rows the log has, and removes them from `slots`. Hosts that come into
// play together mostly stand in few batches, and each of those is read once.
void HostTable::bring_in_logged(std::vector<HostSlot>& slots) {
  const auto batch_of = [this](HostSlot slot) { return hosts_[slot].logged; };
  const auto first = std::partition(slots.begin(), slots.end(),
                                    [&](HostSlot slot) { return batch_of(slot) == 0; });
  std::sort(first, slots.end(), [&](HostSlot a, HostSlot b) {
    return std::pair(batch_of(a), a) < std::pair(batch_of(b), b);
  });
  for (auto at = first; at != slots.end();) {
    const RowLog::Number batch = batch_of(*at);
    const auto end =
        std::find_if(at, slots.end(), [&](HostSlot slot) { return batch_of(slot) != batch; });
    static_cast<void>(rows_.get(batch, [&](HostId id, std::string_view row) {
      HostSlot slot = 0;
      if (lookup(id, slot) && std::binary_search(at, end, slot) && hosts_[slot].play == nullptr)
        fill_play(slot, true, row);
    }));
    for (; at != end; ++at) {
      if (hosts_[*at].play == nullptr) fill_play(*at, false, {});
    }
  }
  slots.erase(first, slots.end());
}

bool HostTable::read_row(const Host& host, std::string& bytes) const {
  if (host.logged == 0) return store_.get(Table::kHosts, host.origin, bytes);
  bool found = false;
  const bool read = rows_.get(host.logged, [&](HostId id, std::string_view row) {
    if (id != host.id) return;
    bytes = row;
    found = true;
  });
  return read && found;
}

bool HostTable::may_rest(const HostPlay& play) const {
  return !play.dirty && play.flying.empty() && hosts_[play.slot].rules != Rules::kFlying;
}

void HostTable::let_go(const HostPlay& play) {
  Host& host = hosts_[play.slot];
  host.waiting = narrow(play.row.counts.waiting);
  host.pages = narrow(play.row.counts.pages);
  host.delay_ms = narrow(static_cast<std::uint64_t>(delay_ms(play.row, rules_)));
  host.drained = play.queue.empty();
  host.heard = host.heard || play.row.counts.done != 0;
  host.front = front(host);
  host.play = nullptr;
}

void HostTable::rest() {
  plays_.rest([this](const HostPlay& play) {
    const bool may = may_rest(play);
    if (may) let_go(play);
    return may;
  });
}

std::uint8_t HostTable::front(const Host& host) const {
  if (host.play == nullptr) return host.front;
  return host.play->queue.window_empty() ? kLinkPriority
                                         : host.play->queue.front_place().priority();
}

HostRow HostTable::row(HostSlot slot) const {
  const Host& host = hosts_[slot];
  if (host.play != nullptr) return host.play->row;
  HostRow row;
  std::string bytes;
  if (!read_row(host, bytes) || !decode_host_row(bytes, row)) row = HostRow();
  row.id = host.id;
  row.counts.waiting = host.waiting;
  if (!host.met) forgive(row);
  return row;
}

double HostTable::left_ms(HostSlot slot, std::int64_t mono_ms) const {
  const Host& host = hosts_[slot];
  const std::uint64_t left = waiting(host);
  if (host.finished || left == 0) return 0;
  const std::int64_t first = std::max(lanes_[host.lane].next_ms, host.held_ms) - mono_ms;
  const std::int64_t delay = host.play ? delay_ms(host.play->row, rules_) : host.delay_ms;
  const double rest = static_cast<double>(left - 1) / rules_.per_host;
  return static_cast<double>(std::max<std::int64_t>(first, 0)) + rest * static_cast<double>(delay);
}

// --- changes -------------------------------------------------------------------------------------

void HostTable::queued(HostSlot slot, Place place, std::string_view entry, std::uint16_t keep) {
  Host& host = hosts_[slot];
  if (host.play != nullptr) return host.play->queue.inserted(place, entry, keep);
  host.front = host.drained ? place.priority() : std::min(host.front, place.priority());
  host.drained = false;
}

void HostTable::set_waiting(HostSlot slot, std::uint64_t waiting) {
  Host& host = hosts_[slot];
  host.waiting = narrow(waiting);
  host.drained = waiting == 0;
  if (host.play != nullptr) {
    host.play->row.counts.waiting = waiting;
    host.play->queue = HostQueue(/*complete=*/waiting == 0);
  }
  host.count_dirty = true;
  change(slot);
}

void HostTable::change(HostSlot slot) {
  if (hosts_[slot].changed) return;
  hosts_[slot].changed = true;
  changed_.push_back(slot);
}

void HostTable::touch(HostSlot slot) {
  hosts_[slot].blank = false;
  write_row(slot);
}

void HostTable::write_row(HostSlot slot) {
  change(slot);
  if (std::exchange(play(slot).dirty, true)) return;
  dirty_.push_back(slot);
}

void HostTable::add_waiting(HostSlot slot) {
  Host& host = hosts_[slot];
  if (host.play != nullptr) {
    ++host.play->row.counts.waiting;
  } else {
    ++host.waiting;
  }
  host.count_dirty = true;
  change(slot);
}

// The table must have the name of a new host; and a row that stands in the log is newer than the
// table's.
void HostTable::put_row(Host& host, HostRow& row, const Moment& now, Rows to) {
  row.wait_ms = std::max<std::int64_t>(lanes_[host.lane].next_ms - now.mono_ms, 0);
  row.next_wall_ms = now.wall_ms + row.wait_ms;
  row.boot = now.boot;
  row.next_boot_ms = now.boot_ms + row.wait_ms + 1;
  encode_host_row(bytes_, row);
  if (host.logged == 0 && (to == Rows::kToTable || !host.told))
    return store_.put(Table::kHosts, host.origin, bytes_);
  rows_.add(host.id, bytes_);
  host.logged = rows_.next();
}

void HostTable::stage_rows(const Moment& now, Rows to) {
  for (const HostSlot slot : dirty_) {
    Host& host = hosts_[slot];
    host.play->dirty = false;
    host.count_dirty = false;
    put_row(host, host.play->row, now, to);
  }
  dirty_.clear();
  rows_.stage();
  move_on_rows();
}

// Moves the oldest batches on into the table once there are too many rows, without rows that newer
// ones have replaced.
void HostTable::move_on_rows() {
  const std::uint64_t most =
      std::clamp<std::uint64_t>(hosts_.size() * kLoggedOfHost, page_, kMostLogged);
  const auto put = [this](RowLog::Number batch, HostId id, std::string_view row) {
    HostSlot slot = 0;
    if (!lookup(id, slot) || hosts_[slot].logged != batch) return;
    store_.put(Table::kHosts, hosts_[slot].origin, row);
    hosts_[slot].logged = 0;
  };
  while (rows_.size() > most && rows_.batches() > 1) {
    if (rows_.take_oldest(put)) continue;
    if (status_.ok()) status_ = Error{"the state is damaged: rows of hosts cannot be read"};
    return;
  }
}

void HostTable::stage(const Moment& now, const HostCounts& sum) {
  const bool few = dirty_.size() < std::min<std::size_t>(kFewestLogged, page_);
  stage(now, sum, few ? Rows::kToTable : Rows::kToLog);
}

void HostTable::stage(const Moment& now, const HostCounts& sum, Rows to) {
  stage_rows(now, to);
  if (changed_.empty()) return;
  log_.begin_turn({now.boot, now.boot_ms}, sum);
  for (const HostSlot slot : changed_) {
    Host& host = hosts_[slot];
    host.changed = false;
    HostBrief brief = brief_of(host, now);
    if (host.told) brief.origin = {};
    host.told = true;
    log_.add(brief);
  }
  changed_.clear();
  log_.end_turn(id_end());
  if (!log_.wants_page()) return;
  put_page(log_.oldest_page(), now);
  log_.trim();
}

Status HostTable::commit_counts(const Moment& now, const HostCounts& sum) {
  std::vector<HostSlot> changed;
  for (HostSlot slot = 0; slot < hosts_.size(); ++slot) {
    if (hosts_[slot].count_dirty) changed.push_back(slot);
  }
  std::sort(changed.begin(), changed.end(),
            [this](HostSlot a, HostSlot b) { return hosts_[a].origin < hosts_[b].origin; });
  std::vector<HostSlot> batch;
  for (std::size_t i = 0; i < changed.size(); i += kCountBatch) {
    const std::size_t end = std::min(i + kCountBatch, changed.size());
    batch.assign(changed.begin() + static_cast<std::ptrdiff_t>(i),
                 changed.begin() + static_cast<std::ptrdiff_t>(end));
    bring_in(batch);
    for (std::size_t k = i; k < end; ++k) write_row(changed[k]);
    stage(now, sum, Rows::kToTable);
    if (const Status done = store_.commit(); !done.ok()) return done;
    rest();
  }
  return status_;
}

}  // namespace spinneret::frontier
