// SPDX-License-Identifier: Apache-2.0
#include "sched_node.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/file.h"
#include "cli/signals.h"
#include "cluster/household.h"
#include "loop/driver.h"
#include "loop/enquiry.h"
#include "loop/seeds.h"
#include "loop/shares.h"
#include "loop/stage_ledger.h"
#include "loop/voice.h"
#include "report/page_log.h"
#include "sched_added.h"
#include "sched_holding.h"
#include "sched_partition.h"
#include "sched_progress.h"
#include "sched_settings.h"
#include "sched_tenants.h"

namespace spinneret {
namespace {

// Cache for the blocks of all states: four times that of a crawl with one state.
constexpr std::size_t kCacheBytes = std::size_t{64} << 20;

// Returns the folder of a machine's pipeline, beside the states of its partitions: crawl/node-NAME
// for `crawl/p{}/frontier`.
std::string folder_of(const std::string& state, const std::string& node) {
  const std::string before = state.substr(0, state.find("{}"));
  const std::size_t slash = before.rfind('/');
  return (slash == std::string::npos ? "" : before.substr(0, slash + 1)) + "node-" +
         node.substr(0, node.rfind('.'));
}

// Sets how many files of its tables each state may have open, and how many partitions this machine
// can have. It may come to have all of them, and a shell allows 1024 descriptors.
void count_descriptors(Estate& estate) {
  const std::size_t partitions = estate.engine.part.count;
  constexpr std::size_t kOwn = 48, kBeside = 24, kLeast = 20,
                        kMost = 512;  // kBeside: its log, the engine
  const std::size_t limit = raise_descriptor_limit(kOwn + partitions * (kBeside + kMost));
  const std::size_t of_each = (std::max(limit, kOwn) - kOwn) / partitions;
  estate.open_files =
      static_cast<int>(std::clamp(of_each, kBeside + kLeast, kBeside + kMost) - kBeside);
  if (of_each >= kBeside + kLeast) return;
  estate.most = (std::max(limit, kOwn) - kOwn) / (kBeside + kLeast);
  estate.tool.notice(std::to_string(limit) + " file descriptors (ulimit -n) are for " +
                     std::to_string(estate.most) + " of " + std::to_string(partitions) +
                     " partitions: others must have the rest");
}

void check_names(const cli::Options& given) {
  if (given.command().empty())
    given.usage_error("--partitions runs one pipeline for all of them: -- COMMAND");
  if (given.has("partition")) given.usage_error("--partition and --partitions exclude each other");
  for (const char* const name : {"state", "report-file", "metrics", "stats", "checkpoint"}) {
    if ((given.has(name) || std::string_view(name) == "state") &&
        given.get(name).find("{}") == std::string::npos)
      given.usage_error("--" + std::string(name) +
                        " wants {} in its name, where the number of the partition goes");
  }
  // Such words are from when each partition had a scheduler and a pipeline of its own.
  for (const std::string& word : given.command()) {
    if (word.starts_with("--partition={}"))
      given.usage_error("one command serves all partitions: {} in " + word +
                        " has no number to put there");
  }
}

}  // namespace

int run_node(cli::Tool& tool) {
  const cli::Options& given = tool.options();
  check_names(given);
  const CrawlEngine engine = engine_of(given);
  Mailbox mailbox;
  cluster::Household household;
  loop::SharedLog shared_log(given.get("log"));
  Estate estate{tool,
                engine,
                terms_of(given, engine),
                frontier_options(given),
                {},
                [&mailbox](const std::string& text) { mailbox.put(text); },
                beater_of(tool, engine),
                frontier::make_block_cache(kCacheBytes),
                household,
                shared_log};
  count_descriptors(estate);
  if (estate.most == 0) return tool.trouble("none can be run here: raise ulimit -n");
  estate.retried = loop::outcomes_of(given, "retry", &estate.retries_failed);
  const std::string folder = folder_of(given.get("state"), engine.node);
  const loop::DriverOptions usual = driver_options(given);
  if (const Status signals = cli::install_stop_signals(); !signals.ok())
    return tool.trouble(signals.message());
  if (const Status made = make_directories(folder); !made.ok()) return tool.trouble(made.message());
  const Result<FileLock> lock = FileLock::acquire(folder + "/node.lock");
  if (!lock.ok()) return tool.trouble(lock.message());
  AddedSeeds added(folder);
  if (const Status opened = added.open(); !opened.ok()) return tool.trouble(opened.message());
  // Each seed is examined once, and offered to all partitions.
  if (!given.operands().empty()) estate.seeds = loop::read_seeds(tool);
  if (tool.stopped()) return 1;
  std::optional<report::PageLog> log;
  if (given.has("log")) {
    Result<report::PageLog> opened = report::PageLog::open(given.get("log"));
    if (!opened.ok()) return tool.trouble(opened.message());
    log = opened.take();
  }
  frontier::Company company(estate.frontier.in_flight);
  estate.frontier.company = &company;
  // (The limit is for all machines: this one fetches at most that many pages.)
  loop::Progress progress =
      make_progress(tool, estate.frontier.politeness, estate.frontier.max_pages);
  loop::Voice voice(tool, progress, /*shows_records=*/true);
  loop::StageLedger stages(folder + "/stages");
  loop::Shares shares(voice, &estate.terms.partitions);
  Tenants tenants(estate, mailbox, voice, log ? &*log : nullptr, added);
  loop::DriverOptions driving = usual;
  driving.landlord = &tenants;
  driving.stop_signal = [&tenants] { return tenants.stop_signal(); };
  const std::unique_ptr<loop::Ends> ends = ends_of(tool, folder, nullptr);
  int status = loop::Driver(*ends, shares, voice, system_clock(), stages, std::move(driving)).run();
  const Status logged = log ? log->close() : Status();
  if (!logged.ok()) status = tool.trouble(logged.message());
  return tenants.leave(shares, status);
}

}  // namespace spinneret
