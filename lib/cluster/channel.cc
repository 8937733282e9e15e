// SPDX-License-Identifier: Apache-2.0
#include "cluster/channel.h"

#include "base/number.h"

namespace spinneret::cluster {
namespace {

// How long acks are kept for a source that has ended.
constexpr std::int64_t kKeepAcksMs = std::int64_t{30} * 24 * 3600 * 1000;

}  // namespace

std::string partition_name(std::uint32_t partition) {
  std::string name = "p";
  append_unsigned(name, partition);
  return name;
}

std::string ack_table(std::string_view source) { return "acks-" + std::string(source); }

Status take_acks(std::span<Sender* const> senders, lease::Leases& leases, std::int64_t now_ms) {
  if (senders.empty()) return {};
  std::vector<std::string> names;
  names.reserve(senders.size());
  for (const Sender* const sender : senders) names.push_back(ack_table(sender->source()));
  const std::vector<std::string_view> tables(names.begin(), names.end());
  lease::Leases::View view;
  if (Status done = leases.look({}, tables, {}, view); !done.ok()) return done;
  for (std::size_t i = 0; i < senders.size(); ++i) {
    for (const auto& [field, value] : view.tables[i]) {
      Ack ack;
      const std::optional<std::uint64_t> destination = parse_unsigned(field);
      if (!destination || *destination > UINT32_MAX || !parse_ack(value, ack)) continue;
      senders[i]->take_ack(static_cast<std::uint32_t>(*destination), ack, now_ms);
    }
  }
  return {};
}

namespace {

// Returns the rows of the acks that changed; empty where none did.
std::vector<lease::Leases::Row> ack_rows(Receiver& receiver, const lease::Lease& lease) {
  std::vector<lease::Leases::Row> rows;
  for (auto& [source, ack] : receiver.changed_acks()) {
    std::string field(lease.name.substr(1));
    rows.push_back({ack_table(source), std::move(field), format_ack(ack), kKeepAcksMs});
  }
  return rows;
}

// Posts the acks of all. Sets `ours` to false where the lease is lost. Where the call fails, all
// are to be posted again.
Status post_all_acks(std::span<const Settling> all, lease::Leases& leases,
                     std::vector<bool>& ours) {
  std::vector<lease::Leases::Writing> writings;
  std::vector<std::size_t> posting;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<lease::Leases::Row> rows = ack_rows(all[i].receiver, all[i].lease);
    if (rows.empty()) continue;
    writings.push_back({all[i].lease, std::move(rows)});
    posting.push_back(i);
  }
  if (writings.empty()) return {};
  std::vector<bool> written;
  const Status done = leases.write_each(writings, written);
  for (std::size_t k = 0; k < posting.size(); ++k) {
    const bool good = done.ok() && written[k];
    if (!good) all[posting[k]].receiver.acks_lost();
    ours[posting[k]] = good;
  }
  return done;
}

}  // namespace

Result<bool> post_acks(Receiver& receiver, lease::Leases& leases, const lease::Lease& lease) {
  const std::vector<lease::Leases::Row> rows = ack_rows(receiver, lease);
  if (rows.empty()) return true;
  const Result<bool> done = leases.write(lease, rows);
  if (!done.ok() || !*done) receiver.acks_lost();
  return done;
}

Status settle(std::span<const Settling> all, bus::Bus& bus, lease::Leases& leases,
              std::vector<bool>& ours) {
  ours.assign(all.size(), true);
  if (Status posted = post_all_acks(all, leases, ours); !posted.ok()) return posted;
  std::vector<bus::Bus::Trim> trims;
  std::vector<std::size_t> trimming;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [receiver, lease, stream, untrimmed] = all[i];
    if (!ours[i] || untrimmed.id.empty()) continue;
    trims.push_back(
        {std::string(stream), untrimmed, {leases.fence_key(lease), leases.fence_value(lease)}});
    trimming.push_back(i);
  }
  if (trims.empty()) return {};
  std::vector<bool> trimmed;
  if (Status done = bus.trim_each(trims, trimmed); !done.ok()) return done;
  for (std::size_t k = 0; k < trimming.size(); ++k) {
    ours[trimming[k]] = trimmed[k];
    if (trimmed[k]) all[trimming[k]].untrimmed = {};
  }
  return {};
}

Result<bool> settle(const Settling& one, bus::Bus& bus, lease::Leases& leases) {
  std::vector<bool> ours;
  if (const Status done = settle({&one, 1}, bus, leases, ours); !done.ok()) return done.error();
  return bool{ours.front()};
}

}  // namespace spinneret::cluster
