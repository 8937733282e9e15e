// SPDX-License-Identifier: Apache-2.0
#include "cluster/takes.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "frontier/encode.h"

namespace spinneret::cluster {
namespace {

// The row of kMeta: the time, and the word.
constexpr std::string_view kTakesKey = "takes";
// A time alone: when the state was last committed to, by the clock of whoever had it then.
constexpr std::string_view kClockKey = "clock";
// How often that is put down, and what the newest visit may be behind it.
constexpr std::int64_t kClockMs = 1000;

}  // namespace

std::int64_t taken_since(frontier::Store& store, std::string_view takes, std::int64_t unix_ms) {
  std::string row;
  if (store.get(frontier::Table::kMeta, kTakesKey, row)) {
    frontier::Decoder from{row};
    const std::uint64_t since = from.varint();
    if (!from.bad && from.rest == takes) return static_cast<std::int64_t>(since);
  }
  // Of pages that were visited by a clock which was ahead of ours.
  std::int64_t since = unix_ms;
  if (store.get(frontier::Table::kMeta, kClockKey, row)) {
    frontier::Decoder from{row};
    const auto clock = static_cast<std::int64_t>(from.varint());
    if (!from.bad) since = std::max(since, clock + kClockMs + 1);
  }
  row.clear();
  frontier::put_varint(row, static_cast<std::uint64_t>(since));
  row += takes;
  store.put(frontier::Table::kMeta, kTakesKey, row);
  return since;
}

void StateClock::stage(frontier::Store& store, std::int64_t unix_ms) {
  if (unix_ms >= last_ms_ && unix_ms - last_ms_ < kClockMs) return;
  last_ms_ = unix_ms;
  std::string row;
  frontier::put_varint(row, static_cast<std::uint64_t>(std::max<std::int64_t>(unix_ms, 0)));
  store.put(frontier::Table::kMeta, kClockKey, row);
}

}  // namespace spinneret::cluster
