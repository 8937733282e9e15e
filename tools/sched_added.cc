// SPDX-License-Identifier: Apache-2.0
#include "sched_added.h"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/signals.h"
#include "cluster/channel.h"
#include "cluster/member.h"
#include "cluster/standing.h"
#include "engine/engine.h"
#include "io/line_file.h"
#include "io/record.h"
#include "loop/seeds.h"
#include "report/quantity.h"
#include "sched_node.h"
#include "sched_partition.h"

namespace spinneret {
namespace {

constexpr int kAskMs = 100, kTellMs = 5000;

bool is_scope(std::string_view line) { return find_raw_field(line, "purpose") == "scope"; }

std::size_t count_seeds(std::string_view lines) {
  std::size_t out = 0;
  while (!lines.empty()) out += is_scope(cut(lines, '\n')) ? 0 : 1;
  return out;
}

// Whether anybody holds any of those leases. An Error where the engine did not answer.
Result<bool> any_held(lease::Leases& leases, std::uint32_t count,
                      std::string (*name)(std::uint32_t)) {
  const auto holders = holders_of(leases, count, name);
  if (!holders.ok()) return holders.error();
  return std::any_of(holders->begin(), holders->end(),
                     [](const auto& one) { return !one.node.empty(); });
}

// Refuses partitions that are run one by one: they do not look for seeds added to the crawl.
Status takes_added(lease::Leases& leases, std::uint32_t partitions) {
  const Result<bool> machines = any_held(leases, kMostNodes, node_name);
  if (!machines.ok()) return machines.error();
  const Result<bool> owners =
      *machines ? Result<bool>(false) : any_held(leases, partitions, cluster::partition_name);
  if (!owners.ok()) return owners.error();
  if (!*owners) return {};
  return Error{
      "the partitions of this crawl are run one by one: give --add the state of one of them, "
      "without --cluster, which passes on what others are to have"};
}

// Waits until a machine has the seeds on its disk, or no machine is running. Returns the exit
// status.
int wait_until_kept(cli::Tool& tool, lease::Leases& leases, const std::string& seeds) {
  for (int waited = 0;; waited += kAskMs) {
    const Result<lease::Rows> crawl = leases.read("crawl");
    const Result<bool> there = any_held(leases, kMostNodes, node_name);
    if (crawl.ok() && there.ok()) {
      const bool over = !*there || crawl->contains(cluster::kFinished);
      if (over || cluster::was_kept(*crawl)) {
        tool.notice(seeds + (over ? " for the crawl's next run" : " came to the crawl"));
        return 0;
      }
    }
    if (waited == kTellMs)
      tool.notice((crawl.ok() ? "no machine has taken them yet" : crawl.message()) +
                  ": asking again");
    if (!cli::wait_for_stop(kAskMs)) return 128 + cli::stop_signal();
  }
}

}  // namespace

int add_to_crawl(cli::Tool& tool) {
  const cli::Options& given = tool.options();
  const CrawlEngine engine = engine_of(given);
  const std::string lines = loop::read_seeds(tool);
  if (lines.empty()) return 0;
  if (const Status signals = cli::install_stop_signals(); !signals.ok())
    return tool.trouble(signals.message());
  const std::unique_ptr<lease::Leases> leases =
      engine::leases_of(engine.address, system_clock(), engine.node, engine.ttl_ms);
  const Result<lease::Rows> crawl = leases->read("crawl");
  if (!crawl.ok()) return tool.trouble(crawl.message());
  const std::uint32_t partitions = cluster::partitions_of(*crawl);
  if (partitions == 0 || partitions > kMostPartitions)
    return tool.trouble("the engine knows no crawl of that name");
  if (const Status takes = takes_added(*leases, partitions); !takes.ok())
    return tool.trouble(takes.message());
  if (const Status added = cluster::add_lines(*leases, lines); !added.ok())
    return tool.trouble(added.message());
  return wait_until_kept(tool, *leases, report::count_text(count_seeds(lines), "seed"));
}

Status AddedSeeds::open() {
  if (Status opened = added_.open(); !opened.ok()) return opened;
  return adopt();
}

// Adds missing lines only: an earlier run, or url-filter, may have written some. A line that is
// there twice does no harm.
Status AddedSeeds::adopt() {
  std::vector<std::string> scopes;
  for (std::string_view rest = added_.lines(); !rest.empty();) {
    const std::string_view line = cut(rest, '\n');
    if (is_scope(line)) scopes.push_back(std::string(record_url(line)) + "\tdepth=0");
  }
  if (scopes.empty()) return {};
  Result<LineFile> file = LineFile::open(adopted_);
  if (!file.ok()) return file.error();
  const Result<std::string> text = read_file(adopted_);
  if (!text.ok()) return text.error();
  std::unordered_set<std::string_view> there;
  // Readers ignore a line without an end.
  std::string_view whole = std::string_view(*text).substr(0, text->rfind('\n') + 1);
  while (!whole.empty()) there.insert(cut(whole, '\n'));
  std::string missing;
  for (const std::string& line : scopes) {
    if (there.insert(line).second) missing.append(line) += '\n';
  }
  return file->append(missing);
}

void AddedSeeds::attend(lease::Leases& leases, const lease::Rows& crawl, loop::Shares& shares,
                        const std::function<void(const std::string&)>& say) {
  const Result<std::size_t> seeds = look(leases, crawl);
  if (seeds.ok() && *seeds != 0) say(report::count_text(*seeds, "seed") + " came in");
  const Status offered = offer(shares);
  const std::string trouble = !seeds.ok()     ? seeds.message()
                              : !offered.ok() ? offered.message()
                                              : std::string();
  // Reported once, as it is tried again at each beat.
  if (std::exchange(trouble_, trouble) != trouble && !trouble.empty())
    say(trouble + ": seeds that were added wait");
}

// Takes in new seeds. Returns how many have come.
Result<std::size_t> AddedSeeds::look(lease::Leases& leases, const lease::Rows& crawl) {
  std::string fresh;
  const Status looked = added_.look(leases, crawl, fresh);
  // The scope grows before a partition has the seeds, so that no filter refuses them.
  if (Status adopted = fresh.empty() ? Status() : adopt(); !adopted.ok()) return adopted.error();
  if (!looked.ok()) return looked.error();
  return count_seeds(fresh);
}

// Offers each partition the lines that it was not offered yet, whether it has come from another
// machine or from an older copy.
Status AddedSeeds::offer(loop::Shares& shares) {
  const std::string& all = added_.lines();
  std::map<std::uint32_t, std::size_t> here;
  for (loop::Share* const share : shares) {
    const auto before = offered_.find(share->partition());
    std::size_t& offered = here[share->partition()];
    offered = before == offered_.end() ? 0 : before->second;
    if (offered == all.size()) continue;
    std::string seeds;
    for (std::string_view rest = std::string_view(all).substr(offered); !rest.empty();) {
      const std::string_view line = cut(rest, '\n');
      if (!is_scope(line)) seeds.append(line) += '\n';
    }
    if (Status done = share->take_seeds(seeds); !done.ok()) return done;
    offered = all.size();
  }
  offered_ = std::move(here);
  return {};
}

}  // namespace spinneret
