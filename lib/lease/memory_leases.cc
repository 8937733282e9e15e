// SPDX-License-Identifier: Apache-2.0
#include "lease/memory_leases.h"

#include <algorithm>

namespace spinneret::lease {
namespace {

const Error kAway{"the leases' engine is away"};

}  // namespace

MemoryLeaseEngine::Row* MemoryLeases::live(std::string_view name) {
  const auto found = engine_.leases.find(name);
  if (found == engine_.leases.end()) return nullptr;
  if (clock_.boot_ns() < found->second.until_ns) return &found->second;
  engine_.leases.erase(found);
  return nullptr;
}

bool MemoryLeases::owns(const Lease& lease) {
  const MemoryLeaseEngine::Row* const row = live(lease.name);
  return row != nullptr && row->node == node_ && row->epoch == lease.epoch;
}

std::uint64_t MemoryLeases::new_epoch(std::string_view name, std::uint64_t floor) {
  std::uint64_t& counter = engine_.counters[std::string(name)];
  counter = next_epoch({counter, floor, static_cast<std::uint64_t>(clock_.unix_ms())});
  return counter;
}

Result<Taken> MemoryLeases::take(std::string_view name, std::uint64_t floor) {
  if (engine_.away) return kAway;
  Taken taken;
  if (const MemoryLeaseEngine::Row* const row = live(name)) {
    taken.owner = row->node;
    taken.remaining_ms = (row->until_ns - clock_.boot_ns()) / 1'000'000;
    return taken;
  }
  taken.granted = true;
  taken.lease = {std::string(name), new_epoch(name, floor)};
  engine_.leases[taken.lease.name] = {node_, taken.lease.epoch, clock_.boot_ns() + ttl_ns_};
  return taken;
}

Status MemoryLeases::renew(std::span<const Lease> held, std::vector<Renewed>& answers) {
  answers.clear();
  if (engine_.away) return kAway;
  for (const Lease& lease : held) {
    if (owns(lease)) {
      live(lease.name)->until_ns = clock_.boot_ns() + ttl_ns_;
      answers.push_back(Renewed::kHeld);
    } else {
      answers.push_back(live(lease.name) == nullptr ? Renewed::kForgotten : Renewed::kLost);
    }
  }
  return {};
}

Result<std::optional<std::uint64_t>> MemoryLeases::raise(const Lease& lease, std::uint64_t floor) {
  if (engine_.away) return kAway;
  if (!owns(lease)) return std::optional<std::uint64_t>();
  live(lease.name)->epoch = new_epoch(lease.name, std::max(floor, lease.epoch));
  return std::optional(live(lease.name)->epoch);
}

Result<bool> MemoryLeases::release(const Lease& lease) {
  if (engine_.away) return kAway;
  if (!owns(lease)) return false;
  engine_.leases.erase(lease.name);
  return true;
}

Status MemoryLeases::write_each(std::span<const Writing> all, std::vector<bool>& written) {
  written.clear();
  if (engine_.away) return kAway;
  for (const auto& [lease, rows] : all) {
    written.push_back(owns(lease));
    if (!written.back()) continue;
    for (const Row& row : rows) engine_.tables[row.table][row.field] = row.value;
  }
  return {};
}

Result<bool> MemoryLeases::compare_and_set(const Lease& lease, std::string_view table,
                                           std::string_view field,
                                           const std::optional<std::string>& expected,
                                           std::string_view value) {
  if (engine_.away) return kAway;
  if (!owns(lease)) return false;
  Rows& rows = engine_.tables[std::string(table)];
  const auto found = rows.find(field);
  if ((found == rows.end()) == expected.has_value()) return false;
  if (expected && found->second != *expected) return false;
  rows.insert_or_assign(std::string(field), std::string(value));
  return true;
}

Result<std::string> MemoryLeases::claim(std::string_view table, std::string_view field,
                                        std::string_view value) {
  if (engine_.away) return kAway;
  Rows& rows = engine_.tables[std::string(table)];
  return rows.try_emplace(std::string(field), value).first->second;
}

Result<Rows> MemoryLeases::read(std::string_view table) {
  if (engine_.away) return kAway;
  const auto found = engine_.tables.find(table);
  return found == engine_.tables.end() ? Rows() : found->second;
}

Status MemoryLeases::erase(std::string_view table, std::string_view field) {
  if (engine_.away) return kAway;
  const auto found = engine_.tables.find(table);
  if (found == engine_.tables.end()) return {};
  if (const auto row = found->second.find(field); row != found->second.end()) {
    found->second.erase(row);
  }
  return {};
}

Status MemoryLeases::holders(std::span<const std::string> names, std::vector<Holder>& holders) {
  holders.assign(names.size(), {});
  if (engine_.away) return kAway;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const MemoryLeaseEngine::Row* const row = live(names[i]);
    if (row == nullptr) continue;
    holders[i] = {row->node, row->epoch, (row->until_ns - clock_.boot_ns()) / 1'000'000};
  }
  return {};
}

std::string MemoryLeases::fence_value(const Lease& lease) const {
  return node_ + " " + std::to_string(lease.epoch);
}

}  // namespace spinneret::lease
