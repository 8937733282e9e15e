// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "cli/signals.h"
#include "cluster/member.h"
#include "link_bus.h"
#include "url/partition.h"

namespace spinneret::link_bus {

std::int64_t now_ms() { return system_clock().boot_ns() / 1'000'000; }

std::string node_name(std::string_view kind) {
  std::string name(kind);
  for (std::uint64_t left = random_seed(), i = 0; i < 16; ++i, left >>= 4)
    name += "0123456789abcdef"[left & 15];
  return name;
}

std::optional<std::uint32_t> partition_of(const cli::Options& options) {
  if (!options.has("partition")) return std::nullopt;
  return static_cast<std::uint32_t>(
      options.unsigned_value("partition", 0, 0, Partitions::kMost - 1));
}

Status check_partition(const cli::Options& options, std::uint32_t partitions) {
  const std::optional<std::uint32_t> one = partition_of(options);
  if (!one || partitions == 0 || *one < partitions) return {};
  return Error{"--partition=" + std::to_string(*one) + ": partitions are 0 to " +
               std::to_string(partitions - 1)};
}

Result<std::uint32_t> partitions_of(cli::Tool& tool, lease::Leases& leases) {
  const auto given = static_cast<std::uint32_t>(
      tool.options().unsigned_value("partitions", 0, 1, Partitions::kMost));
  const Result<lease::Rows> rows = leases.read("crawl");
  if (!rows.ok()) return rows.error();
  const std::uint32_t begun = cluster::partitions_of(*rows);
  if (given != 0 && begun != 0 && given != begun) {
    return Error{"this crawl has " + std::to_string(begun) +
                 " partitions, and --partitions=" + std::to_string(given) + " is another number"};
  }
  return given != 0 ? given : std::min(begun, Partitions::kMost);
}

// Prints each link with the batch that it is in; nothing is taken or trimmed.
int tail(cli::Tool& tool, const engine::Address& address) {
  const std::unique_ptr<lease::Leases> leases = engine::leases_of(address, system_clock(), "-", 0);
  const std::unique_ptr<bus::Bus> bus = engine::bus_of(address, bus::stream_budget(1));
  const Result<std::uint32_t> partitions = partitions_of(tool, *leases);
  if (!partitions.ok()) return tool.trouble(partitions.message());
  std::vector<bus::Cursor> cursors;
  const std::optional<std::uint32_t> one = partition_of(tool.options());
  if (!one && *partitions == 0) {
    return tool.trouble("no crawl named " + address.crawl() +
                        " is there yet: say --partition=N or --partitions=P");
  }
  const Status within = check_partition(tool.options(), *partitions);
  if (!within.ok()) return tool.trouble(within.message());
  if (one) cursors.push_back({cluster::partition_name(*one), {}});
  for (std::uint32_t p = 0; !one && p < *partitions; ++p)
    cursors.push_back({cluster::partition_name(p), {}});
  const std::int64_t idle = tool.options().duration_ms("idle", 0);
  std::int64_t quiet_since = now_ms();
  Engine engine(tool);
  std::vector<bus::Message> messages;
  while (cli::stop_signal() == 0 && !tool.stopped() &&
         (idle == 0 || now_ms() - quiet_since < idle)) {
    if (!engine.note(bus->read(cursors, 16, 100, messages))) cli::wait_for_stop(200);
    for (const bus::Message& message : messages) {
      quiet_since = now_ms();
      std::string_view rest = message.bytes;
      cluster::Frame frame;
      while (cluster::next_frame(rest, frame) == cluster::FrameEvent::kFrame) {
        const std::string batch = "\tbatch=" + std::string(frame.source) + "/" +
                                  std::to_string(frame.epoch) + "/" +
                                  std::to_string(frame.sequence);
        for (std::string_view lines = frame.lines; !lines.empty();) {
          const std::string_view line = lines.substr(0, lines.find('\n'));
          tool.out().write(line);
          tool.out().write(batch);
          tool.out().put('\n');
          lines.remove_prefix(std::min(line.size() + 1, lines.size()));
        }
      }
    }
    tool.out().flush();
  }
  return tool.status();
}

}  // namespace spinneret::link_bus
