// SPDX-License-Identifier: Apache-2.0
#include "cluster/channel.h"

#include "base/number.h"

namespace spinneret::cluster {
namespace {

// Acks to a source that ended long ago.
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

Result<bool> post_acks(Receiver& receiver, lease::Leases& leases, const lease::Lease& lease) {
  std::vector<lease::Leases::Row> rows;
  for (auto& [source, ack] : receiver.changed_acks()) {
    std::string field(lease.name.substr(1));
    rows.push_back({ack_table(source), std::move(field), format_ack(ack), kKeepAcksMs});
  }
  if (rows.empty()) return true;
  const Result<bool> done = leases.write(lease, rows);
  if (!done.ok() || !*done) receiver.acks_lost();
  return done;
}

Result<bool> settle(Receiver& receiver, bus::Bus& bus, lease::Leases& leases,
                    const lease::Lease& lease, std::string_view stream, bus::Place& untrimmed) {
  Result<bool> done = post_acks(receiver, leases, lease);
  if (!done.ok() || !*done || untrimmed.id.empty()) return done;
  done = bus.trim(stream, untrimmed, {leases.fence_key(lease), leases.fence_value(lease)});
  if (done.ok() && *done) untrimmed = {};
  return done;
}

}  // namespace spinneret::cluster
