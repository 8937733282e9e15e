// SPDX-License-Identifier: Apache-2.0
#include "sched_partition.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cli/signals.h"
#include "loop/driver.h"
#include "url/public_suffix.h"

namespace spinneret {
namespace {

constexpr std::int64_t kPollMs = 100;
constexpr std::int64_t kAskMs = 500;

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "node";
}

}  // namespace

std::unique_ptr<SchedPartition> SchedPartition::of(cli::Tool& tool) {
  const cli::Options& given = tool.options();
  for (const char* const name : {"partition", "spread", "partition-lease", "node", "terms"}) {
    if (given.has(name) && !given.has("cluster"))
      given.usage_error("--" + std::string(name) + " goes with --cluster");
  }
  if (!given.has("cluster")) return nullptr;
  Result<resp::Address> address = resp::parse_address_with_environment(given.get("cluster"));
  if (!address.ok()) given.usage_error("--cluster: " + address.message());
  const Result<PartOf> part = parse_part_of(given.get("partition"));
  if (!part.ok()) given.usage_error("--partition: " + part.message());
  if (part->count > 4096) given.usage_error("--partition: there may be 1 to 4096 partitions");
  Result<Partitions> partitions = Partitions::with_spread(part->count, given.all("spread"));
  if (!partitions.ok()) given.usage_error("--spread: " + partitions.message());
  if (given.get("politeness-key") == "ip")
    given.usage_error(
        "--politeness-key=ip needs all hosts of an address in one place: with --cluster it is host "
        "or domain");
  if (given.get("politeness-key") == "domain" && given.has("spread"))
    given.usage_error("--spread cuts a domain, which --politeness-key=domain holds together");
  std::string node = given.get("node", host_name());
  if (node.empty() || node.find_first_of(" \t\n") != std::string::npos)
    given.usage_error("--node takes a name without spaces");
  node += '.' + std::to_string(getpid());
  const std::int64_t ttl_ms = given.duration_ms("partition-lease", 10'000);
  if (ttl_ms < 1000) given.usage_error("--partition-lease is a second at least");
  std::string terms = "partitions=" + std::to_string(part->count) +
                      " suffixes=" + public_suffix_list_digest() +
                      " lease=" + std::to_string(ttl_ms) + "ms";
  for (const std::string& domain : partitions->spread()) terms += " spread=" + domain;
  if (given.has("terms")) terms += " terms=" + given.get("terms");
  return std::unique_ptr<SchedPartition>(new SchedPartition(
      tool, {address.take(), partitions.take(), *part, std::move(node), ttl_ms, std::move(terms)}));
}

SchedPartition::SchedPartition(cli::Tool& tool, const Settings& settings)
    : tool_(tool),
      partitions_(settings.partitions),
      part_(settings.part),
      bus_(settings.address, bus::stream_budget(settings.part.count)),
      leases_(settings.address, system_clock(), settings.node, settings.ttl_ms),
      beats_(settings.address, system_clock(), settings.node, settings.ttl_ms),
      member_({.partition = part_.index,
               .partitions = part_.count,
               .ttl_ms = settings.ttl_ms,
               .terms = settings.terms,
               .say = [&tool](const std::string& text) { tool.notice(text); }},
              {bus_, leases_, beats_}, system_clock()) {}

void SchedPartition::share(frontier::Options& options) const {
  options.partitions = &partitions_;
  options.partition = part_.index;
}

bool SchedPartition::wait(std::int64_t ms) const {
  pollfd fd{cli::stop_fd(), POLLIN, 0};
  poll(&fd, 1, static_cast<int>(ms));
  return cli::stop_signal() == 0;
}

std::optional<int> SchedPartition::join() {
  if (const Status agreed = member_.agree(); !agreed.ok()) return tool_.trouble(agreed.message());
  const std::string name = "partition " + std::to_string(part_.index);
  bool told = false;
  while (true) {
    const Result<bool> taken = member_.take();
    if (!taken.ok()) return tool_.trouble(taken.message());
    if (*taken) break;
    if (!std::exchange(told, true))
      tool_.notice(name + " is held by " + member_.owner() + ": waiting until it is free");
    if (!wait(kAskMs)) return 128 + cli::stop_signal();
  }
  member_.start_beating();
  while (!member_.may_open()) {
    if (const std::string_view lost = member_.lost(); !lost.empty()) {
      tool_.notice(lost);
      return loop::kLeaseLostStatus;
    }
    if (!wait(kPollMs)) {
      member_.leave();
      return 128 + cli::stop_signal();
    }
  }
  return std::nullopt;
}

}  // namespace spinneret
