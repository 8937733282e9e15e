// SPDX-License-Identifier: Apache-2.0
// A batch is the rows with its number (outbox_rows.h), or its part of a shared row (shared_rows.h).
// Rows of the open batch are added with each commit, so no line is written twice. The stored `next`
// may be too low: open() finds the few batches after it.
#include <algorithm>
#include <utility>

#include "cluster/channel.h"
#include "cluster/outbox_rows.h"

namespace spinneret::cluster {
namespace {

// Version 1 has no shared rows.
constexpr std::uint64_t kVersion = 2;
// How long a full stream is left alone.
constexpr std::int64_t kRestMs = 50, kRestMostMs = 5000;
// The most bytes that go to a near destination in one turn.
constexpr std::size_t kNearBytes = std::size_t{256} << 10;
// How often all near destinations are looked at, whether they have something new or not.
constexpr std::int64_t kNearMs = 50;
// The most marks of a lane.
constexpr std::size_t kMostMarks = 64;

// Returns the number of the batch where the key is that of a batch for the destination; else 0.
std::uint64_t batch_of(std::string_view key, std::uint32_t destination) {
  frontier::Decoder in{key};
  if (in.byte() != 'b' || in.big_endian(4) != destination) return 0;
  const std::uint64_t batch = in.big_endian(8);
  return in.bad ? 0 : batch;
}

}  // namespace

Sender::Sender(ChannelStore& store, SenderSettings settings)
    : store_(store), settings_(std::move(settings)), rows_(store) {}

Status Sender::open_lanes() {
  std::string trouble;
  store_.scan(ChannelTable::kOutbox, "d", [&](std::string_view key, std::string_view value) {
    frontier::Decoder name{key}, in{value};
    if (name.byte() == 'e') {
      const std::uint64_t version = in.varint();
      if (version == 0 || version > kVersion) trouble = "the outbox was written by another version";
      epoch_ = in.varint();
      if (in.bad) trouble = "the outbox's epoch is damaged";
      return false;
    }
    LaneRow& lane = lanes_[static_cast<std::uint32_t>(name.big_endian(4))];
    if (!lane.decode(value) || name.bad) trouble = "a row of the outbox is damaged";
    return trouble.empty();
  });
  if (!trouble.empty()) return Error{trouble};
  return {};
}

Status Sender::open() {
  if (const Status done = open_lanes(); !done.ok()) return done;
  const bool sound =
      rows_.open([this](std::uint32_t destination, std::uint64_t batch, std::uint64_t row) {
        Lane& lane = lanes_[destination];
        if (batch < lane.first) return false;
        lane.shared.push_back({batch, row});
        lane.next = std::max(lane.next, batch + 1);
        return true;
      });
  if (!sound) return Error{"a row of the outbox is damaged"};
  for (auto& [destination, lane] : lanes_) {
    // What had come into the open batch makes it a whole one.
    store_.scan(ChannelTable::kOutbox, batch_key(destination, lane.next),
                [&, to = destination, one = &lane](std::string_view key, std::string_view) {
                  if (batch_of(key, to) == 0) return false;
                  one->next = batch_of(key, to) + 1;
                  return true;
                });
    lane.taken = lane.sent = lane.first - 1;
    lane.durable = lane.in_parts = lane.next - 1;
    lane.near = is_near(destination);
  }
  return {};
}

void Sender::stamp(std::uint64_t epoch) {
  epoch_ = epoch;
  std::string row;
  frontier::put_varint(row, kVersion);
  frontier::put_varint(row, epoch);
  store_.put(ChannelTable::kOutbox, "e", row);
  for (auto& [destination, lane] : lanes_) {
    // Batches that are whole and not yet durable keep their numbers: they come last.
    lane.base = lane.first - 1;
    lane.taken = lane.sent = lane.base;
    lane.probing = false;
    lane.probe_ms = lane.rest_until_ms = lane.rest_ms = 0;
    put_lane(destination, lane);
  }
  stamped_ = false;
  staged_stamp_ = true;
}

std::optional<std::uint64_t> Sender::wants_epoch() const {
  if (named_ < epoch_ || named_ == 0) return {};
  return named_;
}

void Sender::put_lane(std::uint32_t destination, const Lane& lane) {
  store_.put(ChannelTable::kOutbox, lane_key(destination), lane.encode());
}

void Sender::offer(std::uint32_t destination, std::string_view line, std::int64_t now_ms) {
  Lanes::value_type& entry = *lanes_.try_emplace(destination).first;
  Lane& to = entry.second;
  if (to.links == 0) {
    to.opened_ms = now_ms;
    to.near = is_near(destination);
    if (!std::exchange(to.is_open, true)) open_.push_back(&entry);
  }
  to.pending += line;
  to.pending += '\n';
  to.bytes += line.size() + 1;
  ++to.links;
  ++to.pending_links;
  if (to.links >= settings_.batch_links || to.bytes >= settings_.batch_bytes) {
    stage_part(destination, to);
    close_batch(entry);
  }
}

bool Sender::is_near(std::uint32_t destination) const {
  return settings_.is_near && settings_.is_near(destination);
}

void Sender::neighbours_changed() {
  for (auto& [destination, lane] : lanes_) lane.near = is_near(destination);
  all_near_ms_ = 0;
}

void Sender::stage_part(std::uint32_t destination, Lane& lane) {
  if (lane.pending_links == 0) return;
  if (lane.next == 1 && lane.part == 0) put_lane(destination, lane);
  store_.put(ChannelTable::kOutbox, batch_key(destination, lane.next, lane.part++), lane.pending);
  if (lane.near && lane.part == 1) {
    lane.hot.push_back(std::move(lane.pending));
    if (lane.hot.size() > settings_.window) lane.hot.pop_front();
  } else {
    lane.hot.clear();
  }
  lane.pending.clear();
  lane.pending_links = 0;
}

void Sender::share_batch(Lanes::value_type& entry) {
  auto& [destination, lane] = entry;
  closed_.push_back(&entry);
  lane.shared.push_back({lane.next, rows_.add(destination, lane.next, lane.pending)});
  lane.hot.push_back(std::move(lane.pending));
  if (lane.hot.size() > settings_.window) lane.hot.pop_front();
  ++lane.next;
  lane.pending.clear();
  lane.links = lane.bytes = lane.pending_links = 0;
}

void Sender::close_batch(Lanes::value_type& entry) {
  auto& [destination, lane] = entry;
  closed_.push_back(&entry);
  if (lane.part > 1) lane.in_parts = lane.next;
  ++lane.next;
  lane.part = 0;
  lane.links = lane.bytes = 0;
  // A near lane's row is written when its receiver says what it keeps, moments later.
  if (!lane.near) put_lane(destination, lane);
}

void Sender::stage(std::int64_t now_ms, bool flush) {
  std::sort(open_.begin(), open_.end(),
            [](const auto* one, const auto* other) { return one->first < other->first; });
  for (Lanes::value_type* const entry : open_) {
    auto& [destination, lane] = *entry;
    // An open batch of which only the last part is unstaged has rows of its own.
    const bool shares = lane.near && lane.part == 0 && lane.shared.size() < settings_.most_shared;
    if (shares && lane.links != 0) {
      share_batch(*entry);
      continue;
    }
    const bool old = lane.links != 0 && now_ms - lane.opened_ms >= settings_.batch_ms;
    const bool closes = old || ((flush || lane.near) && lane.links != 0);
    if (closes || !settings_.whole_batches) stage_part(destination, lane);
    if (closes) close_batch(*entry);
  }
  std::erase_if(open_, [](Lanes::value_type* entry) {
    Lane& lane = entry->second;
    return lane.links == 0 && std::exchange(lane.is_open, false);
  });
  rows_.stage();
}

void Sender::committed() {
  for (Lanes::value_type* const entry : closed_) entry->second.durable = entry->second.next - 1;
  if (settings_.is_near) fresh_.insert(fresh_.end(), closed_.begin(), closed_.end());
  closed_.clear();
  stamped_ = stamped_ || staged_stamp_;
  staged_stamp_ = false;
}

void Sender::wait_longer(Lane& lane, std::int64_t now_ms) const {
  const std::int64_t wait = lane.probe_ms == 0 ? settings_.probe_ms : lane.probe_ms;
  lane.retry_ms = now_ms + wait;
  lane.probe_ms = std::min(wait * 2, settings_.probe_most_ms);
}

std::pair<std::uint64_t, std::uint64_t> Sender::due(Lane& lane, std::int64_t now_ms) const {
  std::uint64_t last = std::min(lane.durable, lane.taken + settings_.window);
  if (lane.rest_until_ms != 0) {
    if (now_ms < lane.rest_until_ms) return {lane.sent, lane.sent};
    lane.rest_until_ms = 0;
    last = std::min(last, lane.sent + 1);  // there may be no space for more
  }
  const bool late = now_ms >= lane.retry_ms;
  if (lane.sent > lane.taken && late) {
    // Nothing has moved for that long: one batch is sent alone, until something does.
    lane.sent = lane.taken;
    lane.probing = true;
  }
  if (lane.probing) last = std::min(last, lane.taken + 1);
  if (lane.sent < last) {
    // The wait counts from the first batch on its way, and is not extended by those after it.
    if (!lane.probing && lane.sent == lane.taken) lane.probe_ms = 0;
    if (lane.sent == lane.taken) wait_longer(lane, now_ms);
    return {lane.sent, last};
  }
  if (lane.sent == lane.taken && lane.taken >= lane.first && late) {
    wait_longer(lane, now_ms);
    return {lane.taken - 1, lane.taken};
  }
  return {lane.sent, lane.sent};
}

void Sender::collect(std::int64_t now_ms, std::size_t most, const Emit& emit) {
  for (auto& [destination, lane] : lanes_) {
    if (stamped_ && !lane.near) collect_lane(destination, lane, now_ms, most, emit);
  }
}

void Sender::collect_near(std::int64_t now_ms, const Emit& emit) {
  if (!stamped_) return;
  const auto collect = [&](Lanes::value_type& entry) {
    if (entry.second.near) collect_lane(entry.first, entry.second, now_ms, kNearBytes, emit);
  };
  // All includes lanes in which something is on its way, or waits for space.
  if (now_ms >= all_near_ms_) {
    all_near_ms_ = now_ms + kNearMs;
    for (Lanes::value_type& entry : lanes_) collect(entry);
  } else {
    for (Lanes::value_type* const entry : fresh_) collect(*entry);
  }
  fresh_.clear();
}

void Sender::collect_lane(std::uint32_t destination, Lane& lane, std::int64_t now_ms,
                          std::size_t most, const Emit& emit) {
  const auto [from, until] = due(lane, now_ms);
  lane.before_collect = lane.sent;
  if (from == until) return;
  const std::uint64_t last = until;
  std::size_t given = 0;
  std::uint64_t batch = from + 1;
  const auto give = [&](std::string_view lines) {
    emit(destination, {settings_.source, destination, epoch_, batch - lane.base, lines});
    lane.sent = std::max(lane.sent, batch++);
    given += lines.size();
    return batch <= last && given < most;
  };
  // Batches that were just made need not be read.
  if (batch + lane.hot.size() >= lane.next) {
    while (lane.next - batch < lane.hot.size()) lane.hot.pop_front();
    bool more = batch <= last && given < most;
    for (; more; lane.hot.pop_front()) more = give(lane.hot.front());
    return;
  }
  std::string lines;
  while (batch <= last && given < most) {
    if (batch > lane.in_parts && walk(destination, lane, batch, give) != 0) continue;
    if (!read_batch(destination, lane, batch, lines)) return;
    give(lines);
  }
}

std::size_t Sender::walk(std::uint32_t destination, const Lane& lane, std::uint64_t batch,
                         const std::function<bool(std::string_view lines)>& give) {
  const std::uint64_t from = batch;
  const auto is_shared = [&lane](std::uint64_t one) {
    return std::binary_search(lane.shared.begin(), lane.shared.end(), Shared{one, 0},
                              [](const Shared& a, const Shared& b) { return a.batch < b.batch; });
  };
  store_.scan(ChannelTable::kOutbox, batch_key(destination, batch),
              [&](std::string_view key, std::string_view value) {
                if (batch_of(key, destination) != batch || is_shared(batch)) return false;
                ++batch;
                return give(value);
              });
  return static_cast<std::size_t>(batch - from);
}

bool Sender::read_batch(std::uint32_t destination, const Lane& lane, std::uint64_t batch,
                        std::string& lines) {
  lines.clear();
  const auto shared =
      std::lower_bound(lane.shared.begin(), lane.shared.end(), batch,
                       [](const Shared& one, std::uint64_t of) { return one.batch < of; });
  if (shared != lane.shared.end() && shared->batch == batch)
    return rows_.read(shared->row, destination, batch, lines);
  store_.scan(ChannelTable::kOutbox, batch_key(destination, batch),
              [&](std::string_view key, std::string_view value) {
                if (batch_of(key, destination) != batch) return false;
                lines += value;
                return true;
              });
  return !lines.empty();
}

void Sender::not_sent(std::uint32_t destination, std::int64_t now_ms) {
  Lane& lane = lanes_[destination];
  lane.sent = lane.before_collect;
  // A reader that is at work soon makes space; one that is not is asked less often.
  lane.rest_ms = std::clamp<std::int64_t>(lane.rest_ms * 2, kRestMs, kRestMostMs);
  lane.rest_until_ms = now_ms + lane.rest_ms;
}

void Sender::erase_through(std::uint32_t destination, Lane& lane, std::uint64_t batch) {
  if (lane.first <= lane.in_parts) {
    store_.scan(ChannelTable::kOutbox, batch_key(destination, lane.first),
                [&](std::string_view key, std::string_view) {
                  const std::uint64_t of = batch_of(key, destination);
                  if (of == 0 || of > std::min(batch, lane.in_parts)) return false;
                  store_.erase(ChannelTable::kOutbox, key);
                  return true;
                });
  }
  std::uint64_t one = std::max(lane.first, lane.in_parts + 1);
  const auto erase_before = [&](std::uint64_t end) {
    for (; one < end; ++one) store_.erase(ChannelTable::kOutbox, batch_key(destination, one));
  };
  for (; !lane.shared.empty() && lane.shared.front().batch <= batch; lane.shared.pop_front()) {
    erase_before(lane.shared.front().batch);
    one = std::max(one, lane.shared.front().batch + 1);
    rows_.release(lane.shared.front().row);
  }
  erase_before(batch + 1);
  lane.first = batch + 1;
  put_lane(destination, lane);
}

// Takes note of a receiver of a higher epoch: what its predecessor took is no more than what this
// one says it has.
void Sender::meet_receiver(Lane& lane, const Ack& ack) {
  const bool first_of_all = lane.known == 0;  // then what is on its way was sent to this one
  lane.known = ack.receiver_epoch;
  const std::uint64_t gone = lane.first - 1 - lane.base;  // of this epoch, deleted as kept
  const std::uint64_t has = ack.source_epoch == epoch_ ? ack.taken : 0;
  if (ack.source_epoch <= epoch_ && has < gone) {
    // It will wait for deleted batches: so number the rest anew.
    lost_batches_ += gone - has;
    named_ = std::max(named_, epoch_);
  }
  lane.taken = std::max(lane.first - 1, lane.base + has);
  lane.sent = first_of_all ? std::max(lane.sent, lane.taken) : lane.taken;
  lane.probing = false;
  lane.probe_ms = lane.rest_ms = lane.rest_until_ms = 0;
}

void Sender::take_ack(std::uint32_t destination, const Ack& ack, std::int64_t now_ms) {
  const auto found = lanes_.find(destination);
  if (!stamped_ || found == lanes_.end()) return;
  Lane& to = found->second;
  if (ack.receiver_epoch < to.known) return;
  // More than was ever made under this epoch: the ack is made up.
  if (ack.source_epoch == epoch_ && to.base + ack.taken > to.durable) return;
  if (to.near) fresh_.push_back(&*found);  // there may be space again
  if (ack.source_epoch > epoch_) named_ = std::max(named_, ack.source_epoch);
  if (ack.receiver_epoch > to.known) {
    meet_receiver(to, ack);
    wait_longer(to, now_ms);
    put_lane(destination, to);
  }
  if (ack.source_epoch != epoch_) return;
  const std::uint64_t taken = to.base + ack.taken;
  if (taken > to.taken) {
    to.taken = taken;
    to.sent = std::max(to.sent, taken);
    to.probing = false;
    to.probe_ms = to.rest_ms = 0;
    wait_longer(to, now_ms);
  }
  const std::uint64_t kept = to.base + std::min(ack.kept, ack.taken);
  if (kept >= to.first) erase_through(destination, to, kept);
}

bool Sender::empty() const {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const auto& entry) {
    const Lane& lane = entry.second;
    return lane.first == lane.next && lane.links == 0;
  });
}

bool Sender::far_empty() const {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const auto& entry) {
    const Lane& lane = entry.second;
    return lane.near || (lane.first == lane.next && lane.links == 0);
  });
}

std::vector<Sender::LaneStatus> Sender::lanes() const {
  std::vector<LaneStatus> all;
  for (const auto& [destination, lane] : lanes_) {
    all.push_back({destination, lane.next - lane.first + (lane.links != 0 ? 1 : 0),
                   lane.taken + 1 - lane.first});
  }
  return all;
}

std::int64_t Sender::lag_ms(std::int64_t now_ms) {
  std::int64_t lag = 0;
  for (auto& [destination, lane] : lanes_) {
    auto& marks = lane.marks;
    std::erase_if(marks, [&one = lane](const auto& mark) { return mark.first <= one.taken; });
    const std::uint64_t newest = lane.next - (lane.links == 0 ? 1 : 0);
    if (marks.empty()) lane.mark_gap_ms = 0;
    if (marks.empty()
            ? newest > lane.taken
            : newest > marks.back().first && now_ms - marks.back().second >= lane.mark_gap_ms)
      marks.emplace_back(newest, now_ms);
    if (marks.size() > kMostMarks) {
      // Drops every second mark, but not the oldest; new ones are as far apart as the rest.
      for (std::size_t i = 0; 2 * i < marks.size(); ++i) marks[i] = marks[2 * i];
      marks.resize((marks.size() + 1) / 2);
      lane.mark_gap_ms = (marks.back().second - marks.front().second) /
                         static_cast<std::int64_t>(marks.size() - 1);
    }
    if (!marks.empty()) lag = std::max(lag, now_ms - marks.front().second);
  }
  return lag;
}

void for_each_waiting(
    ChannelStore& store,
    const std::function<void(std::uint32_t destination, std::string_view lines)>& each) {
  store.scan(ChannelTable::kOutbox, "b", [&](std::string_view key, std::string_view lines) {
    frontier::Decoder in{key};
    if (in.byte() != 'b') return false;
    each(static_cast<std::uint32_t>(in.big_endian(4)), lines);
    return true;
  });
  std::map<std::uint32_t, std::uint64_t> first;
  store.scan(ChannelTable::kOutbox, "d", [&](std::string_view key, std::string_view value) {
    frontier::Decoder name{key}, in{value};
    if (name.byte() != 'd') return false;
    first[static_cast<std::uint32_t>(name.big_endian(4))] = in.varint();
    return true;
  });
  for_each_shared(store, 0,
                  [&](auto, std::uint32_t to, std::uint64_t batch, std::string_view lines) {
                    const auto lane = first.find(to);
                    if (lane == first.end() || batch >= lane->second) each(to, lines);
                    return true;
                  });
}

}  // namespace spinneret::cluster
