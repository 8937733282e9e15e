// SPDX-License-Identifier: Apache-2.0
#include "cluster/takes.h"

#include <string>

#include "frontier/encode.h"

namespace spinneret::cluster {
namespace {

// The row of kMeta: the time, and the word.
constexpr std::string_view kTakesKey = "takes";

}  // namespace

std::int64_t taken_since(frontier::Store& store, std::string_view takes, std::int64_t unix_ms) {
  std::string row;
  if (store.get(frontier::Table::kMeta, kTakesKey, row)) {
    frontier::Decoder from{row};
    const std::uint64_t since = from.varint();
    if (!from.bad && from.rest == takes) return static_cast<std::int64_t>(since);
  }
  row.clear();
  frontier::put_varint(row, static_cast<std::uint64_t>(unix_ms));
  row += takes;
  store.put(frontier::Table::kMeta, kTakesKey, row);
  return unix_ms;
}

}  // namespace spinneret::cluster
