// SPDX-License-Identifier: Apache-2.0
#include "cluster/takes.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "frontier/encode.h"

namespace spinneret::cluster {
namespace {

// The row of kMeta with the time and the word.
constexpr std::string_view kTakesKey = "takes";
// The row with the time when the state was last committed to, by its owner's clock.
constexpr std::string_view kClockKey = "clock";
// How often that is recorded, and how much later than it the newest visit may be.
constexpr std::int64_t kClockMs = 1000;

}  // namespace

std::int64_t taken_since(frontier::Store& store, std::string_view takes, std::int64_t unix_ms) {
  std::string row;
  if (store.get(frontier::Table::kMeta, kTakesKey, row)) {
    frontier::Decoder from{row};
    const std::uint64_t since = from.varint();
    if (!from.bad && from.rest == takes) return static_cast<std::int64_t>(since);
  }
  // The time must be after pages that were visited by a clock ahead of ours.
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
