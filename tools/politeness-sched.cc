// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "cli/signals.h"
#include "cli/tool.h"
#include "frontier/frontier.h"
#include "frontier/rocks_store.h"
#include "io/record.h"
#include "loop/driver.h"
#include "loop/progress.h"
#include "loop/wire.h"

namespace {

using namespace spinneret;
using frontier::Frontier;

constexpr cli::Option kOptions[] = {
    {0, "state", "DIR", "where the crawl is kept, to be resumed"},
    {0, "delay", "TIME", "least time between requests to a host (1s)"},
    {0, "min-delay", "TIME", "the same where robots.txt asks for less (0)"},
    {0, "delay-factor", "N", "times the last response time (2)"},
    {0, "crawl-delay-cap", "TIME", "most that a Crawl-delay may ask for (180s)"},
    {0, "per-host", "N", "requests to one host at once (1)"},
    {0, "politeness-key", "KEY", "a host is a host, domain or ip (host)"},
    {0, "in-flight", "N", "URLs in the pipeline at once (64)"},
    {0, "tries", "N", "tries of a failing URL (3)"},
    {0, "retry-delay", "TIME", "before the second try; doubles (30s)"},
    {0, "patience", "N", "failures in a row that finish a host (5)"},
    {0, "lease", "TIME", "after which a URL in flight is lost (10m)"},
    {0, "quiet-time", "TIME", "of the pipeline, then look for lost URLs (10s)"},
    {0, "grace", "TIME", "for URLs in flight when interrupted (5s)"},
    {0, "max-pages", "N", "stop after N pages in this run"},
    {0, "max-depth", "N", "links to follow from a seed"},
    {'q', "quiet", nullptr, "no statistics on standard error"},
};
constexpr cli::ToolSpec kTool{
    "politeness-sched", "the frontier of a crawl: polite, durable, one host at a time",
    "--state DIR [OPTION]... [SEED|FILE]... [-- COMMAND ARG...]", kOptions};

constexpr std::string_view kPolitenessKeys[] = {"host", "domain", "ip"};
// Seeds are committed in batches of this size.
constexpr int kSeedBatch = 10'000;

frontier::Options frontier_options(const cli::Options& given) {
  frontier::Options out;
  out.politeness.delay_ms = given.duration_ms("delay", out.politeness.delay_ms);
  out.politeness.min_delay_ms = given.duration_ms("min-delay", out.politeness.min_delay_ms);
  out.politeness.crawl_delay_cap_ms =
      given.duration_ms("crawl-delay-cap", out.politeness.crawl_delay_cap_ms);
  out.politeness.factor_percent =
      static_cast<std::uint32_t>(given.decimal("delay-factor", 2, 0, 1000) * 100);
  out.politeness.per_host =
      static_cast<std::uint32_t>(given.unsigned_value("per-host", 1, 1, 1000));
  out.politeness.patience =
      static_cast<std::uint32_t>(given.unsigned_value("patience", 5, 0, 1'000'000));
  out.key = static_cast<frontier::PolitenessKey>(given.choice("politeness-key", kPolitenessKeys, 0));
  out.in_flight = static_cast<std::uint32_t>(given.unsigned_value("in-flight", 64, 1, 1'000'000));
  out.tries = static_cast<std::uint32_t>(given.unsigned_value("tries", 3, 1, 1000));
  out.retry_delay_ms = given.duration_ms("retry-delay", out.retry_delay_ms);
  out.lease_ms = given.duration_ms("lease", out.lease_ms);
  out.max_pages = given.unsigned_value("max-pages", 0);
  out.max_depth =
      static_cast<std::uint32_t>(given.unsigned_value("max-depth", UINT32_MAX, 0, UINT32_MAX));
  out.seed = random_seed();
  return out;
}

// Seeds: first in priority, unless their lines say otherwise.
Status admit_seeds(cli::Tool& tool, Frontier& frontier) {
  loop::Wire wire;
  std::string_view line;
  int staged = 0;
  while (tool.next(line)) {
    if (line.empty()) continue;
    frontier::Candidate seed = wire.candidate(line);
    if (!find_raw_field(line, "priority")) seed.priority = frontier::kSeedPriority;
    UrlError why;
    switch (frontier.offer(seed, &why)) {
      case Frontier::Offer::kStaged: break;
      case Frontier::Offer::kTooDeep: continue;
      case Frontier::Offer::kNotUrl: tool.refuse(why.message, seed.url); continue;
      case Frontier::Offer::kNotHttp: tool.refuse("is not http or https", seed.url); continue;
    }
    if (++staged % kSeedBatch != 0) continue;
    frontier.seal();
    if (const Status done = frontier.commit(); !done.ok()) return done;
  }
  frontier.seal();
  return {};
}

int trouble(cli::Tool& tool, const std::string& message) {
  tool.trouble(message);
  return 2;
}

int crawl(cli::Tool& tool, const std::string& state, frontier::Store& store) {
  const cli::Options& given = tool.options();
  const Clock& clock = system_clock();
  Result<std::unique_ptr<Frontier>> opened =
      Frontier::open(store, clock, frontier_options(given));
  if (!opened.ok()) return trouble(tool, opened.message());
  Frontier& frontier = **opened;
  if (!given.operands().empty()) {
    if (const Status seeded = admit_seeds(tool, frontier); !seeded.ok()) {
      return trouble(tool, seeded.message());
    }
    if (tool.stopped()) return 1;
  }
  loop::Progress progress(kTool.name, clock, isatty(STDERR_FILENO) != 0, given.has("quiet"));
  loop::DriverOptions driving;
  driving.command = given.command();
  driving.lock_path = given.command().empty() ? "" : state + "/pipeline.lock";
  driving.quiet_ms = given.duration_ms("quiet-time", driving.quiet_ms);
  driving.grace_ms = given.duration_ms("grace", driving.grace_ms);
  driving.max_line = given.size("max-line", driving.max_line);
  return loop::Driver(tool, frontier, store, clock, progress, driving).run();
}

int run(cli::Tool& tool) {
  const cli::Options& given = tool.options();
  const std::string state = given.get("state");
  if (state.empty()) given.usage_error("--state DIR is needed: where the crawl is kept");
  if (const Status signals = cli::install_stop_signals(); !signals.ok()) {
    return trouble(tool, signals.message());
  }
  if (const Status made = make_directories(state); !made.ok()) return trouble(tool, made.message());
  Result<FileLock> lock = FileLock::acquire(state + "/lock");
  if (!lock.ok()) {
    return trouble(tool, lock.message() + ": another politeness-sched works on this state");
  }
  Result<std::unique_ptr<frontier::Store>> store = frontier::open_rocks_store(state + "/db", {});
  if (!store.ok()) return trouble(tool, store.message());
  return crawl(tool, state, **store);
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_tool(kTool, argc, argv, run, /*takes_command=*/true);
}
