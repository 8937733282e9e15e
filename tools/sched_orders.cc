// SPDX-License-Identifier: Apache-2.0
// What whoever looks after a crawl asks of its machines: rows in the engine, which they read at each beat.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/number.h"
#include "cluster/member.h"
#include "lease/lease.h"
#include "sched_node.h"
#include "sched_partition.h"

namespace spinneret {
namespace {

// Whether one of that name is there now; an Error: the engine has not said.
Result<bool> is_there(lease::Leases& leases, const std::string& host) {
  std::vector<std::string> names;
  for (std::uint32_t k = 0; k < kMostNodes; ++k) names.push_back(node_name(k));
  std::vector<lease::Leases::Holder> holders;
  if (const Status done = leases.holders(names, holders); !done.ok()) return done.error();
  return std::any_of(holders.begin(), holders.end(), [&](const auto& one) {
    return one.node.substr(0, one.node.rfind('.')) == host;
  });
}

}  // namespace

std::string node_name(std::uint32_t slot) { return "node-" + std::to_string(slot); }

int order_node(cli::Tool& tool) {
  const cli::Options& given = tool.options();
  if (given.has("drain") && given.has("pin"))
    given.usage_error("--drain and --pin exclude each other");
  const CrawlEngine engine = engine_of(given);
  const std::unique_ptr<lease::Leases> leases =
      engine::leases_of(engine.address, system_clock(), engine.node, engine.ttl_ms);
  const Result<lease::Rows> crawl = leases->read("crawl");
  if (!crawl.ok()) return tool.trouble(crawl.message());
  const std::uint32_t count = cluster::partitions_of(*crawl);
  if (count == 0) return tool.trouble("the engine knows no crawl of that name");
  const std::string text = given.get(given.has("drain") ? "drain" : "pin");
  const std::size_t equals = text.find('=');
  const auto number = parse_unsigned(std::string_view(text).substr(0, equals));
  if (given.has("pin") && (equals == std::string::npos || !number || *number >= count))
    given.usage_error("--pin takes a partition of this crawl, 0 to " + std::to_string(count - 1) +
                      ", and a machine's name: 3=NODE, or 3= for any");
  const std::string node = given.has("pin") ? text.substr(equals + 1) : text;
  if (!node.empty()) {
    const Result<bool> there = is_there(*leases, node);
    if (!there.ok()) return tool.trouble(there.message());
    if (!*there && given.has("drain"))
      return tool.trouble("no machine named " + node + " is in this crawl: see --status");
    if (!*there) tool.notice("no machine named " + node + " is in this crawl yet");
  }
  const std::string_view table = given.has("pin") ? kPins : kDrains;
  const std::string field = given.has("pin") ? std::to_string(*number) : node;
  Status done = leases->erase(table, field);
  if (done.ok() && !node.empty()) {
    const Result<std::string> put = leases->claim(table, field, node);
    if (!put.ok()) done = put.error();
  }
  return done.ok() ? 0 : tool.trouble(done.message());
}

}  // namespace spinneret
