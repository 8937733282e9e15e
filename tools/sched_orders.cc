// SPDX-License-Identifier: Apache-2.0
// Gives orders to the machines of a crawl: rows in the engine, which machines read at each beat, or
// when they take a partition.
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/number.h"
#include "cluster/begun.h"
#include "cluster/channel.h"
#include "cluster/member.h"
#include "cluster/standing.h"
#include "lease/lease.h"
#include "sched_node.h"
#include "sched_partition.h"

namespace spinneret {
namespace {

// Returns the names of the machines that are running; an Error where the engine did not answer.
Result<std::set<std::string>> machines_of(lease::Leases& leases) {
  const auto slots = holders_of(leases, kMostNodes, node_name);
  if (!slots.ok()) return slots.error();
  std::set<std::string> machines;
  for (const auto& one : *slots) {
    if (!one.node.empty()) machines.insert(one.node.substr(0, one.node.rfind('.')));
  }
  return machines;
}

// Lets the crawl go on from the state of whoever takes the partition next, even an empty one.
// Refuses that where an owner crawls on a state.
Status begin_anew(lease::Leases& leases, std::uint32_t partition) {
  const std::string name = cluster::partition_name(partition);
  std::vector<lease::Leases::Holder> holders;
  if (const Status done = leases.holders({&name, 1}, holders); !done.ok()) return done;
  const Result<lease::Rows> reports = leases.read(cluster::kReportsTable);
  if (!reports.ok()) return reports.error();
  const auto row = reports->find(std::to_string(partition));
  cluster::Standing standing;
  if (!holders[0].node.empty() && row != reports->end() &&
      cluster::parse_standing(row->second, standing) && standing.report.epoch == holders[0].epoch)
    return Error{"partition " + std::to_string(partition) + " is held by " + holders[0].node +
                 ", which has its state: see --status"};
  if (const Status done = leases.erase(cluster::kStates, name); !done.ok()) return done;
  const Result<std::string> said = leases.claim(cluster::kStates, name, cluster::kAnew);
  if (!said.ok()) return said.error();
  if (*said != cluster::kAnew) return Error{"somebody came in between: say it again"};
  return {};
}

// Pins a partition to a machine, or tells a machine to leave. An empty name of a machine takes the
// pin back.
Status order_node(lease::Leases& leases, cli::Tool& tool, bool pins, const std::string& partition,
                  const std::string& node) {
  if (!node.empty()) {
    const Result<std::set<std::string>> machines = machines_of(leases);
    if (!machines.ok()) return machines.error();
    const bool there = machines->contains(node);
    if (!there && !pins)
      return Error{"no machine named " + node + " is in this crawl: see --status"};
    if (!there) tool.notice("no machine named " + node + " is in this crawl yet");
    if (!pins && machines->size() == 1)
      tool.notice("no other machine is in this crawl: it rests until one comes");
  }
  const std::string_view table = pins ? kPins : kDrains;
  const std::string& field = pins ? partition : node;
  if (const Status done = leases.erase(table, field); !done.ok() || node.empty()) return done;
  const Result<std::string> put = leases.claim(table, field, node);
  return put.ok() ? Status() : Status(put.error());
}

// Returns the order that is given: --drain, --pin or --begin-anew.
std::string order_of(const cli::Options& given) {
  for (const char* const one : {"drain", "pin", "begin-anew"}) {
    if (given.has(one)) return one;
  }
  return {};
}

}  // namespace

std::string node_name(std::uint32_t slot) { return "node-" + std::to_string(slot); }

Result<std::vector<lease::Leases::Holder>> holders_of(lease::Leases& leases, std::uint32_t count,
                                                      std::string (*name)(std::uint32_t)) {
  std::vector<std::string> names;
  for (std::uint32_t k = 0; k < count; ++k) names.push_back(name(k));
  std::vector<lease::Leases::Holder> holders;
  if (const Status done = leases.holders(names, holders); !done.ok()) return done.error();
  return holders;
}

bool gives_order(const cli::Options& given) { return !order_of(given).empty(); }

int give_order(cli::Tool& tool) {
  const cli::Options& given = tool.options();
  const std::string order = order_of(given);
  const CrawlEngine engine = engine_of(given);
  const std::unique_ptr<lease::Leases> leases =
      engine::leases_of(engine.address, system_clock(), engine.node, engine.ttl_ms);
  const Result<lease::Rows> crawl = leases->read("crawl");
  if (!crawl.ok()) return tool.trouble(crawl.message());
  const std::uint32_t count = cluster::partitions_of(*crawl);
  if (count == 0) return tool.trouble("the engine knows no crawl of that name");
  const std::string text = given.get(order);
  const std::size_t equals = text.find('=');
  const bool pins = order == "pin";
  const auto number = parse_unsigned(std::string_view(text).substr(0, equals));
  if (order != "drain" && (pins != (equals != std::string::npos) || !number || *number >= count))
    given.usage_error("--" + order + " takes a partition of this crawl, 0 to " +
                      std::to_string(count - 1) +
                      (pins ? ", and a machine's name: 3=NODE, or 3= for any" : ""));
  const Status done =
      order == "begin-anew" ? begin_anew(*leases, static_cast<std::uint32_t>(*number))
      : pins ? order_node(*leases, tool, true, std::to_string(*number), text.substr(equals + 1))
             : order_node(*leases, tool, false, {}, text);
  return done.ok() ? 0 : tool.trouble(done.message());
}

}  // namespace spinneret
