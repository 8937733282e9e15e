// SPDX-License-Identifier: Apache-2.0
#include "cluster/channel.h"

#include "base/number.h"

namespace spinneret::cluster {
namespace {

// A message has about that much at most: a quarter of what a stream may hold.
constexpr std::size_t kMostBytes = std::size_t{256} << 10;
// Acks to a source that ended long ago.
constexpr std::int64_t kKeepAcksMs = std::int64_t{30} * 24 * 3600 * 1000;

}  // namespace

std::string partition_name(std::uint32_t partition) {
  std::string name = "p";
  append_unsigned(name, partition);
  return name;
}

std::string ack_table(std::string_view source) { return "acks-" + std::string(source); }

Status publish(std::span<Sender* const> senders, bus::Bus& bus, std::int64_t now_ms) {
  struct Outgoing {
    std::string message;
    std::vector<Sender*> senders;
  };
  std::map<std::uint32_t, Outgoing> all;
  for (Sender* const sender : senders) {
    sender->collect(now_ms, kMostBytes / senders.size(),
                    [&](std::uint32_t destination, const Frame& frame) {
                      Outgoing& one = all[destination];
                      append_frame(one.message, frame);
                      if (one.senders.empty() || one.senders.back() != sender)
                        one.senders.push_back(sender);
                    });
  }
  if (all.empty()) return {};
  std::vector<std::string> names;
  names.reserve(all.size());
  std::vector<bus::Item> items;
  for (const auto& [destination, one] : all) {
    names.push_back(partition_name(destination));
    items.push_back({names.back(), one.message});
  }
  std::vector<bus::Appended> outcomes;
  const Status done = bus.publish(items, outcomes);
  std::size_t at = 0;
  for (const auto& [destination, one] : all) {
    const bool sent = done.ok() && outcomes[at] == bus::Appended::kYes;
    ++at;
    if (sent) continue;
    for (Sender* const sender : one.senders) sender->not_sent(destination, now_ms);
  }
  return done;
}

Status take_acks(Sender& sender, lease::Leases& leases, std::int64_t now_ms) {
  const Result<lease::Rows> rows = leases.read(ack_table(sender.source()));
  if (!rows.ok()) return rows.error();
  for (const auto& [field, value] : *rows) {
    Ack ack;
    const std::optional<std::uint64_t> destination = parse_unsigned(field);
    if (!destination || *destination > UINT32_MAX || !parse_ack(value, ack)) continue;
    sender.take_ack(static_cast<std::uint32_t>(*destination), ack, now_ms);
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
