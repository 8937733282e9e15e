// SPDX-License-Identifier: Apache-2.0
// --status: shows the state of a crawl's partitions, as their owners have reported it to the
// engine.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "cluster/channel.h"
#include "cluster/copies.h"
#include "cluster/member.h"
#include "cluster/standing.h"
#include "io/record.h"
#include "lease/lease.h"
#include "loop/seeds.h"
#include "sched_node.h"
#include "sched_partition.h"

namespace spinneret {
namespace {

// What the engine knows about the crawl.
struct Overview {
  lease::Rows crawl, reports, pins, copies;
  std::vector<std::string> names;
  std::vector<lease::Leases::Holder> holders;
};

Status read_overview(lease::Leases& leases, Overview& out) {
  for (const auto& [table, rows] : {std::pair{std::string_view("crawl"), &out.crawl},
                                    {cluster::kReportsTable, &out.reports},
                                    {kPins, &out.pins},
                                    {cluster::kCopiesTable, &out.copies}}) {
    Result<lease::Rows> read = leases.read(table);
    if (!read.ok()) return read.error();
    *rows = read.take();
  }
  const std::uint32_t count = cluster::partitions_of(out.crawl);
  if (count == 0 || count > kMostPartitions) return Error{"the engine knows no crawl of that name"};
  for (std::uint32_t p = 0; p < count; ++p) out.names.push_back(cluster::partition_name(p));
  return leases.holders(out.names, out.holders);
}

// Sets a field to a word that came from a machine, or from somebody else in its place: no byte of
// it acts on a terminal.
void set_word(Record& record, std::string_view key, std::string_view word) {
  record.set(key, without_controls(word));
}

// Formats milliseconds as seconds, or thousandths as units.
std::string thousandths(std::uint64_t number) {
  return seconds_text(static_cast<std::int64_t>(std::min<std::uint64_t>(number, INT64_MAX)));
}

void set_standing(Record& record, const cluster::Standing& standing, bool owned) {
  record.set_unsigned("pages", standing.pages);
  record.set_unsigned("waiting", standing.waiting);
  record.set_unsigned("in-flight", standing.in_flight);
  record.set_unsigned("outbox", standing.outbox);
  // Without an owner the last reported pace is over.
  record.set("lag", thousandths(standing.lag_ms));
  record.set("rate", thousandths(owned ? standing.pace : 0));
  if (standing.given_up != 0) record.set_unsigned("given-up", standing.given_up);
}

void write_partition(const Overview& all, std::uint32_t p, cli::Tool& tool, Record& record) {
  const lease::Leases::Holder& holder = all.holders[p];
  const bool owned = !holder.node.empty();
  record.reset(all.names[p]);
  if (owned) set_word(record, "node", holder.node);
  if (owned) record.set_unsigned("epoch", holder.epoch);
  const auto row = all.reports.find(std::to_string(p));
  cluster::Standing standing;
  const bool reported = row != all.reports.end() && cluster::parse_standing(row->second, standing);
  // A report under another epoch is an earlier owner's.
  const bool opening = !reported || standing.report.epoch != holder.epoch;
  if (reported) set_standing(record, standing, owned && !opening);
  record.set("state", !owned            ? "unowned"
                      : opening         ? "opening"
                      : standing.idle() ? "idle"
                                        : "crawling");
  // The newest copy, from which the crawl would go on if the state were lost.
  const auto copy = all.copies.find(all.names[p]);
  if (copy != all.copies.end())
    set_word(record, "copy", std::string_view(copy->second).substr(0, copy->second.find(' ')));
  const auto pin = all.pins.find(std::to_string(p));
  if (pin != all.pins.end()) set_word(record, "pin", pin->second);
  tool.writer().write(record);
}

// Returns all partitions, or those of the URLs given.
Result<std::vector<std::uint32_t>> asked_for(cli::Tool& tool, const Overview& all) {
  const auto count = static_cast<std::uint32_t>(all.names.size());
  std::vector<std::uint32_t> out;
  if (tool.options().operands().empty()) {
    for (std::uint32_t p = 0; p < count; ++p) out.push_back(p);
    return out;
  }
  const Result<Partitions> map = Partitions::with_spread(count, cluster::spread_of(all.crawl));
  if (!map.ok()) return map.error();
  Url scratch;
  const std::string urls = loop::read_seeds(tool);
  for (std::string_view rest = urls; !rest.empty();)
    out.push_back(map->of_text(record_url(cut(rest, '\n')), scratch));
  return out;
}

}  // namespace

int print_status(cli::Tool& tool) {
  const CrawlEngine engine = engine_of(tool.options());
  const std::unique_ptr<lease::Leases> leases =
      engine::leases_of(engine.address, system_clock(), engine.node, engine.ttl_ms);
  Overview all;
  if (const Status read = read_overview(*leases, all); !read.ok())
    return tool.trouble(read.message());
  Result<std::vector<std::uint32_t>> asked = asked_for(tool, all);
  if (!asked.ok()) return tool.trouble(asked.message());
  Record record;
  for (const std::uint32_t p : *asked) write_partition(all, p, tool, record);
  if (all.crawl.contains(cluster::kFinished)) tool.notice("the crawl is over");
  return tool.status();
}

}  // namespace spinneret
