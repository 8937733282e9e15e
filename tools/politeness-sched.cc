// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "cli/signals.h"
#include "cli/tool.h"
#include "engine/arguments.h"
#include "frontier/frontier.h"
#include "frontier/meta.h"
#include "frontier/rocks_store.h"
#include "loop/checkpoint.h"
#include "loop/driver.h"
#include "loop/ending.h"
#include "loop/live.h"
#include "loop/metrics.h"
#include "loop/pipeline.h"
#include "loop/rejected.h"
#include "loop/seeds.h"
#include "loop/share.h"
#include "loop/shares.h"
#include "loop/stage_ledger.h"
#include "loop/voice.h"
#include "report/page_log.h"
#include "sched_added.h"
#include "sched_enquiry.h"
#include "sched_node.h"
#include "sched_partition.h"
#include "sched_progress.h"
#include "sched_settings.h"
#include "sched_split.h"
#include "url/public_suffix.h"

namespace {

using namespace spinneret;
using frontier::Frontier;
using frontier::Store;

// Writes the report of a run that ended with `status`.
int report(cli::Tool& tool, Store& store, int status) {
  const std::string path = tool.options().get("report-file");
  const Status written =
      loop::write_report({tool, store, system_clock(), frontier_options(tool.options())}, path);
  if (!written.ok()) return tool.trouble(written.message());
  if (!tool.options().has("quiet")) tool.notice("the report is in " + path);
  return status;
}

// Refuses the state of a partition: it would be given the hosts of all others, and its outbox would
// be forgotten.
Status is_whole(Store& store) {
  const Result<frontier::Meta> meta = frontier::read_meta(store);
  if (!meta.ok() || meta->partition.empty() || meta->partition == "0/1") return {};
  return Error{"the state is that of partition " + meta->partition +
               " of a crawl on many machines: go on with --cluster"};
}

int crawl(cli::Tool& tool, const std::string& state, Store& store, SchedPartition* partition,
          std::unique_ptr<loop::Pipeline> begun) {
  const cli::Options& given = tool.options();
  const Clock& clock = system_clock();
  frontier::Options options = frontier_options(given);
  if (partition != nullptr) {
    if (const Status opened = partition->open(store); !opened.ok())
      return partition->refuse(opened);
    partition->share(store, options);
  } else if (const Status whole = is_whole(store); !whole.ok()) {
    return tool.trouble(whole.message());
  }
  Result<std::unique_ptr<Frontier>> opened = Frontier::open(store, clock, options);
  if (!opened.ok()) return tool.trouble(opened.message());
  (*opened)->note_limits();
  const std::string part = given.get("partition");
  loop::Metrics metrics({.records = given.get("stats"),
                         .prometheus = given.get("metrics"),
                         .partition = part.substr(0, part.find('/'))},
                        clock);
  // Tries now all files that the run writes: nobody wants to learn of a bad one after three days.
  const Status reportable =
      given.has("report-file") ? check_replaceable(given.get("report-file")) : Status();
  if (!reportable.ok()) return tool.trouble(reportable.message());
  const Status measured = metrics.tick((*opened)->statistics(), 0, /*now=*/true);
  if (!measured.ok()) return tool.trouble(measured.message());
  std::optional<report::PageLog> log;
  if (given.has("log")) {
    Result<report::PageLog> opened_log = report::PageLog::open(given.get("log"));
    if (!opened_log.ok()) return tool.trouble(opened_log.message());
    log = opened_log.take();
  }
  loop::Rejected rejected;
  if (given.has("rejected")) {
    Result<loop::Rejected> opened_rejected = loop::Rejected::open(given.get("rejected"));
    if (!opened_rejected.ok()) return tool.trouble(opened_rejected.message());
    rejected = opened_rejected.take();
  }
  const Status seeded = loop::admit_seeds(tool, **opened);
  if (!seeded.ok()) return tool.trouble(seeded.message());
  if (tool.stopped()) return 1;
  loop::Progress progress = make_progress(tool, options.politeness, options.max_pages);
  loop::StageLedger stages(given.command().empty() ? "" : state + "/stages");
  loop::Voice voice(tool, progress, /*shows_records=*/!given.command().empty());
  loop::ShareOptions sharing = share_options(given, state);
  const std::string checkpoint = sharing.checkpoint;
  sharing.again = loop::again_command(tool);
  loop::Share share(voice, clock,
                    {.frontier = **opened,
                     .store = store,
                     .metrics = metrics,
                     .rejected = rejected,
                     .log = log ? &*log : nullptr,
                     .neighbours = partition != nullptr ? &partition->neighbours() : nullptr,
                     .deadlines = partition != nullptr ? partition->deadlines() : nullptr},
                    std::move(sharing));
  loop::Shares shares(voice);
  shares.add(share);
  const std::unique_ptr<loop::Ends> ends = ends_of(tool, state, std::move(begun));
  int status = loop::Driver(*ends, shares, voice, clock, stages, driver_options(given)).run();
  for (const Status& closed : {log ? log->close() : Status(), rejected.close()}) {
    if (!closed.ok()) status = tool.trouble(closed.message());
  }
  if (given.has("report-file") && store.status().ok()) status = report(tool, store, status);
  if (partition != nullptr) {
    const Status shipped = partition->ship_last(store, checkpoint);
    if (!shipped.ok()) status = tool.trouble(shipped.message());
  }
  const std::string last_words =
      status == loop::kLeaseLostStatus ? std::string() : share.last_words();
  if (!last_words.empty()) tool.notice(last_words);
  return status;
}

// Whether the command needs an existing state: a missing folder is then a typing error.
bool needs_state(const cli::Options& given) {
  const bool copies = given.has("checkpoint") && !given.has("checkpoint-every");
  return (writing_action(given) != nullptr && !given.has("import")) || copies;
}

// Starts the pipeline while a new state is made, which takes as long. Returns nullptr where there
// may be nothing to fetch in the end, or not before somebody has typed it.
std::unique_ptr<loop::Pipeline> begin_pipeline(const cli::Options& given,
                                               const std::string& state) {
  const std::vector<std::string>& seeds = given.operands();
  std::error_code code;
  if (seeds.empty() || std::find(seeds.begin(), seeds.end(), "-") != seeds.end() ||
      std::filesystem::exists(state + "/db", code))
    return nullptr;
  if (given.command().empty()) return nullptr;
  // A failure is reported when the run comes to need the pipeline.
  Result<std::unique_ptr<loop::Pipeline>> begun =
      loop::Pipeline::start(given.command(), pipeline_lock(state));
  return begun.ok() ? begun.take() : nullptr;
}

int run_locked(cli::Tool& tool, const std::string& state, SchedPartition* partition) {
  const cli::Options& given = tool.options();
  const std::string db = state + "/db";
  if (const auto action = writing_action(given)) {
    const int status = enquire(tool, action, db, /*read_only=*/false);
    return cli::stop_signal() == 0 || status == 2 ? status : 128 + cli::stop_signal();
  }
  const bool copies = given.has("checkpoint") && !given.has("checkpoint-every");
  if (partition != nullptr) {
    if (const std::optional<int> left = partition->restore(state)) return *left;
  }
  std::unique_ptr<loop::Pipeline> begun =
      copies || partition != nullptr ? nullptr : begin_pipeline(given, state);
  std::string notice;
  Result<std::unique_ptr<Store>> store =
      frontier::open_rocks_store(db, {.partition = partition != nullptr}, &notice);
  if (!notice.empty()) tool.notice(notice);
  if (!store.ok()) return tool.trouble(store.message());
  if (copies) {
    const Status done = loop::write_checkpoint(**store, given.get("checkpoint"));
    return done.ok() ? 0 : tool.trouble(done.message());
  }
  return crawl(tool, state, **store, partition, std::move(begun));
}

// Says that there is no state in the folder, and where one may be meant: a crawl's is a level
// below.
std::string no_state(const std::string& state) {
  std::error_code code;
  const bool below = std::filesystem::exists(state + "/frontier/db", code);
  return "there is no state in " + state +
         (below ? ": did you mean --state=" + state + "/frontier?" : "");
}

// Adds seeds without the lock, which a running crawl holds.
int add(cli::Tool& tool, const std::string& state) {
  std::error_code code;
  if (!std::filesystem::exists(state + "/db", code)) return tool.trouble(no_state(state));
  return loop::add_seeds(tool, state + "/inbox");
}

// Takes the lock of the state. Returns nothing where it was taken, otherwise the exit status.
std::optional<int> take_lock(cli::Tool& tool, const std::string& state, SchedPartition* partition,
                             std::optional<FileLock>& lock) {
  if (partition != nullptr) return partition->lock(state, lock);
  Result<FileLock> taken = FileLock::acquire(state + "/lock");
  if (!taken.ok()) return tool.trouble(taken.message()), 2;
  lock = taken.take();
  return std::nullopt;
}

int run(cli::Tool& tool) {
  const cli::Options& given = tool.options();
  const bool asks = action_of(given) != nullptr;
  if (given.has("psl")) {
    const Status read = use_public_suffix_list(given.get("psl"));
    if (!read.ok()) given.usage_error("--psl: " + read.message());
  }
  if (given.has("cluster") && given.has("status")) return print_status(tool);
  if (given.has("cluster") && given.has("add")) return add_to_crawl(tool);
  if (given.has("cluster") && gives_order(given)) return give_order(tool);
  if (given.has("cluster") && given.has("partitions") && !asks) return run_node(tool);
  const std::string state = given.get("state");
  if (state.empty()) given.usage_error("--state DIR is needed: where the crawl is kept");
  frontier_options(given);  // wrong usage is reported before anything is touched
  if (given.has("cluster")) terms_of(given, engine_of(given));
  bool failed = false;
  loop::outcomes_of(given, "retry", &failed);
  driver_options(given);
  share_options(given, state);
  if (given.has("add")) return add(tool, state);
  std::error_code code;
  const bool exists = std::filesystem::exists(state + "/db", code);
  if (const auto action = reading_action(given)) {
    return exists ? enquire(tool, action, state + "/db", true) : tool.trouble(no_state(state));
  }
  if (given.has("split"))
    return exists ? split_partition(tool, state) : tool.trouble(no_state(state));
  if (const Status signals = cli::install_stop_signals(); !signals.ok()) {
    return tool.trouble(signals.message());
  }
  if (given.has("dry-run")) return run_dry(tool, state + "/db");
  if (given.has("live")) {
    if (!exists) return tool.trouble(no_state(state));
    const auto port = static_cast<std::uint16_t>(given.unsigned_value("live", 0, 0, 65535));
    return loop::serve_live(tool, system_clock(), frontier_options(given), state, port);
  }
  if (needs_state(given) && !exists) return tool.trouble(no_state(state));
  if (const Status made = make_directories(state); !made.ok()) return tool.trouble(made.message());
  const std::unique_ptr<SchedPartition> partition =
      needs_state(given) || writing_action(given) ? nullptr : SchedPartition::of(tool);
  // The former owner of the partition may still send, and write its state.
  const std::optional<int> left = partition ? partition->join(state) : std::nullopt;
  if (left) return *left;
  int status = 0;
  {
    std::optional<FileLock> lock;
    const std::optional<int> refused = take_lock(tool, state, partition.get(), lock);
    status = refused ? *refused : run_locked(tool, state, partition.get());
  }
  if (partition) partition->leave();  // after the state is closed
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  spinneret::engine::Arguments arguments(argc, argv);  // so that ps(1) shows no password
  return cli::run_tool(kSchedTool, argc, arguments.argv(), run, /*takes_command=*/true);
}
