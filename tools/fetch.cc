// SPDX-License-Identifier: Apache-2.0
// fetch: reads lines with URLs, and prints one settled record for each.
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "cli/signals.h"
#include "cli/tool.h"
#include "fetch_output.h"
#include "fetch_settings.h"
#include "fetch_stats.h"
#include "fetch_store.h"
#include "fetch_watchdog.h"
#include "http/engine.h"
#include "http/response_head.h"
#include "io/record.h"

namespace spinneret {
namespace {

constexpr std::int64_t kGraceMs = 2000;          // after SIGTERM, for transfers to end
constexpr std::int64_t kRestNs = 2'000'000'000;  // after another end, to read the rest of a pipe
constexpr std::int64_t kBlockedNs = 20'000'000;  // a longer write has waited for a reader
// --ordered: where records that wait for their turn take more than this, nothing new is begun.
constexpr std::size_t kMaxHeld = std::size_t{64} << 20;
constexpr double kMostGap = 1e6;    // seconds, between two requests of a lane
constexpr double kMostBoot = 1e12;  // seconds since the machine was started
// Bounds for the input taken before transfers get their turn again: settled lines may come without
// end, and pass as fast as they come.
constexpr int kTurnLines = 1024;
constexpr std::size_t kTurnBytes = std::size_t{1} << 20;

class FetchTool : http::Engine::Receiver, http::Poller::Client {
 public:
  FetchTool(cli::Tool& tool, FetchSettings settings)
      : tool_(tool),
        settings_(std::move(settings)),
        output_(tool, settings_),
        stats_(settings_.stats) {}
  int run();

 private:
  void on_result(http::FetchRequest& request, http::FetchResult& result) override;
  void on_hop(const http::FetchRequest& request, std::string_view url,
              const http::FetchResult& result) override {
    if (request.want == http::Want::kBody) timed([&] { output_.write_hop(url, result); });
  }
  void on_ready(int fd, unsigned ready) override;
  Status open();
  bool take_lines();
  void take_line(std::string_view line);
  void read_fields(std::string_view line, http::FetchRequest& request);
  bool wants_lines() const {
    return stopping_ || (engine_->has_room() && output_.held_bytes() < kMaxHeld);
  }
  void check_stop();
  void stop(std::int64_t grace_ms);
  void abort_rest();
  void end_input();
  void flush();
  template <typename Write>
  void timed(Write&& write);

  cli::Tool& tool_;
  FetchSettings settings_;
  FetchOutput output_;
  FetchStats stats_;
  std::unique_ptr<http::Engine> engine_;
  Record record_;
  bool input_ready_ = true;
  bool input_done_ = false;
  bool stopping_ = false;
  std::int64_t rest_until_ns_ = 0;  // until then input is answered as aborted; 0: not stopped
  bool submitting_ = false;
  bool troubled_ = false;
  std::int64_t blocked_ns_ = 0;  // waited for a reader, in all
  std::int64_t started_ns_ = system_clock().monotonic_ns();
};

Status FetchTool::open() {
  if (const Status opened = output_.open(); !opened.ok()) return opened;
  if (const Status installed = cli::install_stop_signals(); !installed.ok()) return installed;
  if (const Status started = start_watchdog(); !started.ok()) return started;
  Result<std::unique_ptr<http::Engine>> engine = http::Engine::create(settings_.engine, *this);
  if (!engine.ok()) return engine.error();
  engine_ = engine.take();
  engine_->poller().watch(cli::stop_fd(), http::Poller::kRead, this);
  tool_.set_nonblocking_input();
  return {};
}

// Runs `write`, which may call this, too. Blames no server for time in which it waited for a
// reader.
template <typename Write>
void FetchTool::timed(Write&& write) {
  const std::int64_t before = system_clock().monotonic_ns() - blocked_ns_;
  write();
  const std::int64_t taken = system_clock().monotonic_ns() - blocked_ns_ - before;
  if (taken <= kBlockedNs) return;
  engine_->add_pause_ns(taken);
  blocked_ns_ += taken;
}

void FetchTool::flush() {
  timed([this] { tool_.out().flush(); });
}

void FetchTool::on_ready(int fd, unsigned) {
  if (fd == cli::stop_fd()) {
    engine_->poller().forget(fd);
    return;
  }
  input_ready_ = true;
  engine_->poller().park(fd);
}

// Takes lines. Returns false where none can be taken now, true where only the turn is over.
bool FetchTool::take_lines() {
  std::string_view line;
  std::size_t bytes = 0;
  for (int lines = 0; lines < kTurnLines && bytes < kTurnBytes; ++lines) {
    if (!input_ready_ || input_done_ || !wants_lines()) return false;
    if (tool_.next(line)) {
      bytes += line.size();
      take_line(line);
    } else if (tool_.inputs().starved() && !tool_.stopped()) {
      input_ready_ = !engine_->poller().watch(tool_.inputs().fd(), http::Poller::kRead, this);
    } else {
      input_done_ = true;
    }
  }
  return true;
}

void FetchTool::read_fields(std::string_view line, http::FetchRequest& request) {
  request.follow = settings_.follow;
  if (request.url.size() == line.size()) return;
  record_.parse(line);
  request.etag = record_.get("etag").value_or("");
  request.last_modified = record_.get("last-modified").value_or("");
  if (settings_.referer) request.referer = record_.get("via").value_or("");
  const std::string_view types = record_.raw("types");
  std::string bad;
  if (!types.empty() && !http::parse_type_list(types, request.types, &bad)) {
    tool_.refuse("types names no media type", bad);  // the rest of the list still holds
  }
  const auto ms = [&](const char* name, double most) {
    return std::clamp(parse_decimal(record_.raw(name)).value_or(0), 0.0, most) * 1000;
  };
  // Nothing that a server says makes us wait for longer than a minute.
  request.delay_ms = static_cast<std::int64_t>(ms("crawl-delay", 60));
  request.send_by_ms = static_cast<std::int64_t>(ms("send-by", kMostBoot));
  request.end_by_ms = static_cast<std::int64_t>(ms("end-by", kMostBoot));
  request.by_lease = parse_unsigned(record_.raw("by-lease")).value_or(0);
  request.gap_ms = static_cast<std::int64_t>(std::ceil(ms("gap", kMostGap)));
  request.lane = record_.get("lane").value_or("");
  request.unheard = record_.raw("unheard") == "yes";
  const std::string_view purpose = record_.raw("purpose");
  request.robots = purpose == "robots";
  request.sitemap = purpose == "sitemap";
  if (purpose == "check") request.want = http::Want::kAnswer;
  if (purpose == "ids") request.want = http::Want::kIds;
  if (request.robots) request.follow = 5;  // RFC 9309 section 2.3.1.2
}

void FetchTool::take_line(std::string_view line) {
  const std::uint64_t ticket = output_.reserve();
  if (is_settled(line)) return output_.pass(ticket, line);
  http::FetchRequest request;
  request.url = record_url(line);
  if (request.url.empty()) {
    tool_.refuse_record("no URL", line);
    return output_.skip(ticket);
  }
  request.cargo = line;
  request.ticket = ticket;
  read_fields(line, request);
  submitting_ = true;
  engine_->submit(std::move(request));
  submitting_ = false;
}

void FetchTool::on_result(http::FetchRequest& request, http::FetchResult& result) {
  if (result.outcome == Outcome::kBlockedByPolicy) {
    // The engine answers these within submit(): so the line is the present one.
    if (submitting_) tool_.refuse(result.error, request.url);
  } else if (result.outcome == Outcome::kRefusedAddress) {
    tool_.note_refusal();
  } else if (result.outcome == Outcome::kAborted && !result.late && !stopping_ && !troubled_) {
    troubled_ = true;  // reported once: where one got no socket, others will get none
    tool_.trouble(result.error);
  }
  timed([&] { output_.write_result(request, result); });
  stats_.count(result);
}

void FetchTool::stop(std::int64_t grace_ms) {
  if (stopping_) return;
  stopping_ = true;
  engine_->stop(grace_ms);
}

// Fetches nothing more; each line that is left gets its record.
void FetchTool::abort_rest() {
  if (stopping_) return;
  stop(0);
  rest_until_ns_ = system_clock().monotonic_ns() + kRestNs;
}

// Ends an input that is no file: a file has an end, a pipe may be written to for ever.
void FetchTool::end_input() {
  struct stat info {};
  if (input_done_ || system_clock().monotonic_ns() < rest_until_ns_) return;
  if (fstat(tool_.inputs().fd(), &info) == 0 && S_ISREG(info.st_mode)) return;
  input_done_ = true;
  tool_.notice("input was not read to its end: what is left of it has no record");
}

void FetchTool::check_stop() {
  if (tool_.stopped()) {
    input_done_ = true;
    stop(tool_.out().ok() ? kGraceMs : 0);
  }
  if (output_.failed()) abort_rest();
  if (cli::stop_signal() != 0) {
    tool_.raise_status(1);
    input_done_ = true;
    stop(kGraceMs);
  }
  if (rest_until_ns_ != 0) end_input();
  const std::int64_t run_ns = settings_.run_ms * 1'000'000;
  if (run_ns != 0 && !stopping_ && system_clock().monotonic_ns() - started_ns_ >= run_ns) {
    tool_.notice("the time of --limit=run is up: what is left is aborted");
    tool_.raise_status(1);
    abort_rest();
  }
}

int FetchTool::run() {
  if (!settings_.notice.empty()) tool_.notice(settings_.notice);
  if (const Status opened = open(); !opened.ok()) return tool_.trouble(opened.message());
  const auto before_wait = [this] { flush(); };
  const bool ticks = stats_.progress() || settings_.run_ms != 0;
  while (true) {
    bool more = false;
    timed([&] { more = take_lines(); });
    check_stop();
    if (input_done_ && engine_->idle()) break;
    const bool full = output_.held_bytes() >= kMaxHeld;
    engine_->hold(full ? std::optional(output_.first_ticket()) : std::nullopt);
    const bool clocked = ticks || rest_until_ns_ != 0;
    const int wait_ms = more && !input_done_ ? 0 : clocked ? 500 : -1;
    // Asking twice whether something is ready costs a system call: only where output waits.
    if (tool_.out().pending() != 0) {
      engine_->step(wait_ms, before_wait);
    } else {
      engine_->step(wait_ms);
    }
    stats_.show_progress(engine_->stats());
  }
  stats_.summarize(engine_->stats());
  if (const Status closed = output_.close(); !closed.ok()) tool_.trouble(closed.message());
  if (const Status saved = engine_->save_cookies(); !saved.ok()) tool_.trouble(saved.message());
  return tool_.status();
}

int run(cli::Tool& tool) {
  // By default glibc raises this with the first large body that is freed, and later ones leave
  // holes in the heap that are never given back (20,000 pages took 62 MB instead of 35). It also
  // gives the heap's end back after each body: ten page faults a page, a fifth of its time.
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
  FetchSettings settings = read_settings(tool.options());
  if (!settings.directory.empty()) {
    tool.out().write(settings.directory);
    return tool.status();
  }
  if (settings.list) return list_store(tool, settings);
  if (!settings.cat.empty()) return cat_store(tool, settings);
  tool.set_table({"status", "outcome", "error", "type", "size", "location"});
  return FetchTool(tool, std::move(settings)).run();
}

}  // namespace
}  // namespace spinneret

int main(int argc, char** argv) {
  return spinneret::cli::run_tool(spinneret::kFetchTool, argc, argv, spinneret::run);
}
