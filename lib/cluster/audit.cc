// SPDX-License-Identifier: Apache-2.0
#include "cluster/audit.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/channel.h"
#include "cluster/outbox_rows.h"
#include "cluster/shared_rows.h"

namespace spinneret::cluster {
namespace {

constexpr std::size_t kBatchesAtOnce = 64;

struct Batch {
  std::uint64_t number = 0;
  std::uint64_t shared_row = 0;  // 0: it has rows of its own
  std::uint32_t parts = 0;       // number of its own rows
  bool torn = false;             // one of its own rows is missing
};

struct Lane {
  LaneRow row;
  bool named = false;          // it has a row of its own, `row`
  std::vector<Batch> batches;  // those still wanted, by number

  std::uint64_t last() const {
    const std::uint64_t made = row.next - 1;
    return batches.empty() ? made : std::max(made, batches.back().number);
  }
  // Whether no sender finds the lane: without a row of its own it is known only by shared rows.
  bool unknown() const {
    return !named && std::none_of(batches.begin(), batches.end(),
                                  [](const Batch& each) { return each.shared_row != 0; });
  }
  // Returns the ranges of missing batches, each from its first to its last.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> holes() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
    std::uint64_t next = row.first;
    for (const Batch& each : batches) {
      if (each.number > next) out.emplace_back(next, each.number - 1);
      next = each.number + 1;
    }
    if (next <= last()) out.emplace_back(next, last());
    return out;
  }
  bool is_whole() const {
    return !unknown() && holes().empty() &&
           std::none_of(batches.begin(), batches.end(),
                        [](const Batch& each) { return each.torn; });
  }
};
using Lanes = std::map<std::uint32_t, Lane>;

void read_named(ChannelStore& store, Lanes& lanes) {
  store.scan(ChannelTable::kOutbox, "d", [&](std::string_view key, std::string_view value) {
    frontier::Decoder name{key};
    if (name.byte() != 'd') return false;
    Lane& lane = lanes[static_cast<std::uint32_t>(name.big_endian(4))];
    lane.named = lane.row.decode(value);
    return true;
  });
}

void read_own(ChannelStore& store, Lanes& lanes) {
  store.scan(ChannelTable::kOutbox, "b", [&](std::string_view key, std::string_view) {
    frontier::Decoder name{key};
    if (name.byte() != 'b') return false;
    Lane& lane = lanes[static_cast<std::uint32_t>(name.big_endian(4))];
    const std::uint64_t number = name.big_endian(8);
    const std::uint64_t part = name.big_endian(4);
    if (number < lane.row.first) return true;
    if (lane.batches.empty() || lane.batches.back().number != number)
      lane.batches.push_back({.number = number});
    Batch& batch = lane.batches.back();
    batch.torn = batch.torn || part != batch.parts++;
    return true;
  });
}

Result<Lanes> read_lanes(ChannelStore& store) {
  // These calls report damaged rows.
  if (const Status sound = Sender(store, {}).open(); !sound.ok()) return sound.error();
  if (const Status sound = Receiver(store, {}).open(1); !sound.ok()) return sound.error();
  Lanes lanes;
  read_named(store, lanes);
  read_own(store, lanes);
  for_each_shared(store, 0, [&](std::uint64_t row, std::uint32_t to, std::uint64_t batch, auto) {
    Lane& lane = lanes[to];
    if (batch >= lane.row.first) lane.batches.push_back({.number = batch, .shared_row = row});
    return true;
  });
  for (auto& [to, lane] : lanes)
    std::sort(lane.batches.begin(), lane.batches.end(),
              [](const Batch& a, const Batch& b) { return a.number < b.number; });
  return lanes;
}

std::string lines_of(ChannelStore& store, std::uint32_t to, const Batch& batch) {
  std::string lines;
  if (batch.shared_row != 0) {
    for_each_shared(
        store, batch.shared_row,
        [&](std::uint64_t row, std::uint32_t its, std::uint64_t number, std::string_view text) {
          if (row == batch.shared_row && its == to && number == batch.number) lines = text;
          return row == batch.shared_row && lines.empty();
        });
    return lines;
  }
  const std::string first = batch_key(to, batch.number);
  const std::string_view prefix = std::string_view(first).substr(0, first.size() - 4);
  store.scan(ChannelTable::kOutbox, first, [&](std::string_view key, std::string_view value) {
    if (!key.starts_with(prefix)) return false;
    lines += value;
    return true;
  });
  return lines;
}

// Renumbers a lane in three steps: copies its batches behind its last number, moves its beginning
// there, and erases the old rows.
Status renumber(ChannelStore& store, std::uint32_t to, const Lane& lane,
                const std::function<Status()>& commit) {
  LaneRow row = lane.row;
  row.base = lane.last();
  row.first = row.next = row.base + 1;
  for (std::size_t i = 0; i < lane.batches.size(); ++i) {
    store.put(ChannelTable::kOutbox, batch_key(to, row.next++),
              lines_of(store, to, lane.batches[i]));
    if (i % kBatchesAtOnce != 0) continue;
    if (const Status done = commit(); !done.ok()) return done;
  }
  store.put(ChannelTable::kOutbox, lane_key(to), row.encode());
  if (const Status done = commit(); !done.ok()) return done;
  const std::string end = batch_key(to, row.first);
  store.scan(ChannelTable::kOutbox, batch_key(to, 0), [&](std::string_view key, std::string_view) {
    if (key >= end) return false;
    store.erase(ChannelTable::kOutbox, key);
    return true;
  });
  return commit();
}

// Erases shared rows none of whose batches is still to be sent: nobody would release them.
Status erase_unwanted(ChannelStore& store, const std::function<Status()>& commit) {
  Lanes lanes;
  read_named(store, lanes);
  std::map<std::uint64_t, bool> wanted;
  for_each_shared(store, 0, [&](std::uint64_t row, std::uint32_t to, std::uint64_t batch, auto) {
    wanted[row] = wanted[row] || batch >= lanes[to].row.first;
    return true;
  });
  for (const auto& [row, is_wanted] : wanted) {
    if (!is_wanted) store.erase(ChannelTable::kOutbox, shared_row_key(row));
  }
  return commit();
}

}  // namespace

Status audit_channel(ChannelStore& store, const std::function<void(const std::string&)>& problem) {
  const Result<Lanes> lanes = read_lanes(store);
  if (!lanes.ok()) return lanes.error();
  for (const auto& [to, lane] : *lanes) {
    const std::string whose = "links for " + partition_name(to);
    if (lane.unknown() && !lane.batches.empty())
      problem(whose + " are in the outbox, and nothing says that they are to be sent");
    if (lane.unknown()) continue;
    for (const auto& [from, last] : lane.holes()) {
      const std::string upto = from == last ? "" : " to " + std::to_string(last);
      problem("the outbox lacks batch " + std::to_string(from) + upto + " of " + whose +
              ", and sends nothing that follows it");
    }
    for (const Batch& batch : lane.batches) {
      if (batch.torn)
        problem("the outbox lacks a part of batch " + std::to_string(batch.number) + " of " +
                whose);
    }
  }
  return {};
}

Status repair_channel(ChannelStore& store, const std::function<Status()>& commit) {
  const Result<Lanes> lanes = read_lanes(store);
  if (!lanes.ok()) return lanes.error();
  for (const auto& [to, lane] : *lanes) {
    if (lane.is_whole() || (lane.unknown() && lane.batches.empty())) continue;
    if (const Status done = renumber(store, to, lane, commit); !done.ok()) return done;
  }
  return erase_unwanted(store, commit);
}

}  // namespace spinneret::cluster
