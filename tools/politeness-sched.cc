// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/number.h"
#include "cli/signals.h"
#include "cli/tool.h"
#include "frontier/frontier.h"
#include "frontier/rocks_store.h"
#include "loop/checkpoint.h"
#include "loop/driver.h"
#include "loop/enquiry.h"
#include "loop/metrics.h"
#include "loop/progress.h"
#include "report/page_log.h"

namespace {

using namespace spinneret;
using frontier::Frontier;
using frontier::Store;

constexpr cli::Option kOptions[] = {
    {0, "state", "DIR", "where the crawl is kept, to be resumed"},
    {0, "delay", "TIME", "least time between requests to a host (1s)"},
    {0, "min-delay", "TIME", "the same where robots.txt asks for less (0)"},
    {0, "delay-factor", "N", "delay at least N times the response time (2)"},
    {0, "crawl-delay-cap", "TIME", "most that a Crawl-delay may ask for (180s)"},
    {0, "throttle", "N/TIME", "at most N requests to a host in TIME"},
    {0, "hours", "FROM-TO", "hours of the day to crawl in: 22:00-06:00"},
    {0, "per-host", "N", "requests to one host at once (1)"},
    {0, "politeness-key", "KEY", "what counts as one: host, domain or ip (host)"},
    {0, "in-flight", "N", "URLs in the pipeline at once (64)"},
    {0, "tries", "N", "tries of a failing URL (3)"},
    {0, "retry-delay", "TIME", "before the second try; doubles (30s)"},
    {0, "patience", "N", "failures in a row that finish a host (5)"},
    {0, "lease", "TIME", "after which a URL in flight is lost (10m)"},
    {0, "quiet-time", "TIME", "of the pipeline, then look for lost URLs (10s)"},
    {0, "grace", "TIME", "for URLs in flight when interrupted (5s)"},
    {0, "max-pages", "N", "stop after N pages in this run"},
    {0, "max-total-pages", "N", "stop after N pages in all runs"},
    {0, "max-host-pages", "N", "at most N pages of a host in all runs"},
    {0, "max-bytes", "SIZE", "stop after so many bytes of bodies"},
    {0, "max-time", "TIME", "stop after so long"},
    {0, "max-depth", "N", "links to follow from a seed"},
    {0, "recrawl", "TIME", "visit again: 4w, or adaptive:1d..90d"},
    {0, "continuous", nullptr, "go on with what falls due; never end"},
    {0, "forget-gone", "N", "visits that find nothing, then no more (3)"},
    {0, "log", "FILE", "append the last record of each page, for --report"},
    {0, "report", nullptr, "print a report of the state and --log, as HTML"},
    {0, "report-file", "FILE", "write it to FILE when the run ends"},
    {0, "stats", "FILE", "append statistics as records"},
    {0, "metrics", "FILE", "keep statistics for Prometheus"},
    {0, "checkpoint", "DIR", "copy the state to DIR (hard links)"},
    {0, "checkpoint-every", "TIME", "and again every TIME while crawling"},
    {'q', "quiet", nullptr, "no statistics on standard error"},
    {0, "dry-run", nullptr, "print what would be sent first; change nothing"},
    {0, "list", nullptr, "print every URL, sorted"},
    {0, "with-state", "STATE", "of --list: waiting, done, error or blocked"},
    {0, "host", "HOST", "of --list: one host only"},
    {0, "form", "FORM", "of --list: record, or classic: URL realm state"},
    {0, "show", "URL", "print all about URL, and why it waits"},
    {0, "hosts", nullptr, "print every host"},
    {0, "verify", nullptr, "check the state"},
    {0, "export", nullptr, "print every URL, to be imported"},
    {0, "import", nullptr, "take in the records that --export has printed"},
    {0, "forget", "GLOB", "remove URLs, and print what is to be deleted"},
    {0, "clear-errors", nullptr, "give failed URLs and hosts another chance"},
};
constexpr cli::ToolSpec kTool{"politeness-sched",
                              "the frontier of a crawl: polite, durable, one host at a time",
                              "--state DIR [OPTION]... [SEED|FILE]... [-- COMMAND...]", kOptions};

constexpr std::string_view kPolitenessKeys[] = {"host", "domain", "ip"};

std::uint32_t number(const cli::Options& given, const char* name, std::uint32_t otherwise,
                     std::uint32_t low, std::uint32_t high) {
  return static_cast<std::uint32_t>(given.unsigned_value(name, otherwise, low, high));
}

void read_throttle(const cli::Options& given, frontier::Politeness& out) {
  if (!given.has("throttle")) return;
  const std::string text = given.get("throttle");
  const std::size_t slash = text.find('/');
  const std::string_view span =
      slash == std::string::npos ? "" : std::string_view(text).substr(slash + 1);
  const auto count = parse_unsigned(std::string_view(text).substr(0, slash));
  const auto length = parse_duration_ms(span);
  if (!count || *count == 0 || !length || *length == 0) {
    given.usage_error("--throttle takes a number and a time, such as 100/1h, not " + text);
  }
  out.throttle = *count;
  out.throttle_ms = *length;
}

frontier::Politeness politeness_of(const cli::Options& given) {
  frontier::Politeness out;
  out.delay_ms = given.duration_ms("delay", out.delay_ms);
  out.min_delay_ms = given.duration_ms("min-delay", out.min_delay_ms);
  out.crawl_delay_cap_ms = given.duration_ms("crawl-delay-cap", out.crawl_delay_cap_ms);
  out.factor_percent = static_cast<std::uint32_t>(given.decimal("delay-factor", 2, 0, 1000) * 100);
  out.per_host = number(given, "per-host", 1, 1, 1000);
  out.patience = number(given, "patience", 5, 0, 1'000'000);
  read_throttle(given, out);
  return out;
}

void read_limits(const cli::Options& given, frontier::Options& out) {
  out.max_pages = given.unsigned_value("max-pages", 0);
  out.max_total_pages = given.unsigned_value("max-total-pages", 0);
  out.max_host_pages = given.unsigned_value("max-host-pages", 0);
  out.max_bytes = given.size("max-bytes", 0);
  out.max_depth = number(given, "max-depth", UINT32_MAX, 0, UINT32_MAX);
}

frontier::Options frontier_options(const cli::Options& given) {
  frontier::Options out;
  out.politeness = politeness_of(given);
  out.key =
      static_cast<frontier::PolitenessKey>(given.choice("politeness-key", kPolitenessKeys, 0));
  out.in_flight = number(given, "in-flight", 64, 1, 1'000'000);
  out.tries = number(given, "tries", 3, 1, 1000);
  out.retry_delay_ms = given.duration_ms("retry-delay", out.retry_delay_ms);
  out.lease_ms = given.duration_ms("lease", out.lease_ms);
  out.gone_tries = number(given, "forget-gone", 3, 1, 1'000'000);
  out.continuous = given.has("continuous");
  read_limits(given, out);
  if (given.has("hours")) {
    const auto hours = parse_hours(given.get("hours"));
    if (!hours) given.usage_error("--hours takes two times of the day, such as 22:00-06:00");
    out.hours = *hours;
  }
  if (given.has("recrawl")) {
    const auto recrawl = frontier::parse_recrawl(given.get("recrawl"));
    if (!recrawl) given.usage_error("--recrawl takes a time such as 4w, or adaptive:1d..90d");
    out.recrawl = *recrawl;
  }
  out.seed = random_seed();
  return out;
}

// After a run that ended with `status`.
int report(cli::Tool& tool, Store& store, int status) {
  const std::string path = tool.options().get("report-file");
  const Status written =
      loop::write_report({tool, store, system_clock(), frontier_options(tool.options())}, path);
  if (!written.ok()) return tool.trouble(written.message());
  if (!tool.options().has("quiet")) tool.notice("the report is in " + path);
  return status;
}

loop::DriverOptions driver_options(const cli::Options& given, const std::string& state) {
  loop::DriverOptions out;
  out.command = given.command();
  out.lock_path = given.command().empty() ? "" : state + "/pipeline.lock";
  out.quiet_ms = given.duration_ms("quiet-time", out.quiet_ms);
  out.grace_ms = given.duration_ms("grace", out.grace_ms);
  out.max_time_ms = given.duration_ms("max-time", 0);
  out.max_line = given.size("max-line", out.max_line);
  out.checkpoint = given.get("checkpoint");
  out.checkpoint_every_ms = given.duration_ms("checkpoint-every", 0);
  return out;
}

loop::Progress make_progress(const cli::Tool& tool, const frontier::Options& options) {
  return loop::Progress({.name = std::string(tool.name()),
                         .terminal = isatty(STDERR_FILENO) != 0,
                         .quiet = tool.options().has("quiet"),
                         .max_pages = options.max_pages,
                         .politeness = options.politeness},
                        system_clock());
}

int crawl(cli::Tool& tool, const std::string& state, Store& store) {
  const cli::Options& given = tool.options();
  const Clock& clock = system_clock();
  const frontier::Options options = frontier_options(given);
  Result<std::unique_ptr<Frontier>> opened = Frontier::open(store, clock, options);
  if (!opened.ok()) return tool.trouble(opened.message());
  (*opened)->note_limits();
  loop::Metrics metrics({given.get("stats"), given.get("metrics")}, clock);
  // All that the run writes is tried now: nobody wants to hear it at the end of three days.
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
  const Status seeded = loop::admit_seeds(tool, **opened);
  if (!seeded.ok()) return tool.trouble(seeded.message());
  if (tool.stopped()) return 1;
  loop::Progress progress = make_progress(tool, options);
  const loop::Observers observers{progress, metrics, log ? &*log : nullptr};
  const int status =
      loop::Driver(tool, **opened, store, clock, observers, driver_options(given, state)).run();
  return given.has("report-file") && store.status().ok() ? report(tool, store, status) : status;
}

// Looking in needs no lock: it reads what is on disk, beside a running crawl too.
using Action = int (*)(const loop::Enquiry&);
std::optional<Action> reading_action(const cli::Options& given) {
  if (given.has("list") || given.has("export")) return loop::list_urls;
  if (given.has("show")) return loop::show_urls;
  if (given.has("hosts")) return loop::list_hosts;
  if (given.has("verify")) return loop::verify_state;
  if (given.has("report")) return loop::print_report;
  return std::nullopt;
}
std::optional<Action> writing_action(const cli::Options& given) {
  if (given.has("forget")) return loop::forget_urls;
  if (given.has("clear-errors")) return loop::clear_errors;
  if (given.has("import")) return loop::import_urls;
  return std::nullopt;
}

// After a crash, hosts' counts are brought up to date first.
Status tidy(Store& store, const frontier::Options& options) {
  Result<std::unique_ptr<Frontier>> opened = Frontier::open(store, system_clock(), options);
  return opened.ok() ? (*opened)->close() : Status(opened.error());
}

int enquire(cli::Tool& tool, Action action, const std::string& db, bool read_only) {
  Result<std::unique_ptr<Store>> store = frontier::open_rocks_store(db, {.read_only = read_only});
  if (!store.ok()) return tool.trouble(store.message());
  const frontier::Options options = frontier_options(tool.options());
  const Status tidied = read_only ? Status() : tidy(**store, options);
  if (!tidied.ok()) return tool.trouble(tidied.message());
  return action({tool, **store, system_clock(), options});
}

// On a copy, which is thrown away.
int run_dry(cli::Tool& tool, const std::string& db) {
  std::string folder = std::filesystem::temp_directory_path() / "politeness-sched.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return tool.trouble("cannot create " + folder);
  const std::string copy = folder + "/db";
  int status = 0;
  std::error_code code;
  if (std::filesystem::exists(db, code)) {
    Result<std::unique_ptr<Store>> store = frontier::open_rocks_store(db, {});
    const Status copied = store.ok() ? (*store)->checkpoint(copy) : Status(store.error());
    if (!copied.ok()) status = tool.trouble(copied.message());
  }
  if (status == 0) status = enquire(tool, loop::dry_run, copy, /*read_only=*/false);
  std::filesystem::remove_all(folder, code);
  return status;
}

int run_locked(cli::Tool& tool, const std::string& state) {
  const cli::Options& given = tool.options();
  const std::string db = state + "/db";
  if (given.has("dry-run")) return run_dry(tool, db);
  if (const auto action = writing_action(given)) {
    const int status = enquire(tool, *action, db, /*read_only=*/false);
    return cli::stop_signal() == 0 || status == 2 ? status : 128 + cli::stop_signal();
  }
  std::string notice;
  Result<std::unique_ptr<Store>> store = frontier::open_rocks_store(db, {}, &notice);
  if (!notice.empty()) tool.notice(notice);
  if (!store.ok()) return tool.trouble(store.message());
  if (given.has("checkpoint") && !given.has("checkpoint-every")) {
    const Status done = loop::write_checkpoint(**store, given.get("checkpoint"));
    return done.ok() ? 0 : tool.trouble(done.message());
  }
  return crawl(tool, state, **store);
}

int run(cli::Tool& tool) {
  const cli::Options& given = tool.options();
  const std::string state = given.get("state");
  if (state.empty()) given.usage_error("--state DIR is needed: where the crawl is kept");
  frontier_options(given);  // wrong usage is told before anything is touched
  driver_options(given, state);
  if (const auto action = reading_action(given)) return enquire(tool, *action, state + "/db", true);
  if (const Status signals = cli::install_stop_signals(); !signals.ok()) {
    return tool.trouble(signals.message());
  }
  // Nothing is made for the sake of looking.
  std::error_code code;
  if (given.has("dry-run") && !std::filesystem::exists(state, code))
    return run_dry(tool, state + "/db");
  if (const Status made = make_directories(state); !made.ok()) return tool.trouble(made.message());
  Result<FileLock> lock = FileLock::acquire(state + "/lock");
  if (!lock.ok()) {
    return tool.trouble(lock.message() + ": another politeness-sched works on this state");
  }
  return run_locked(tool, state);
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_tool(kTool, argc, argv, run, /*takes_command=*/true);
}
