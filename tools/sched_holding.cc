// SPDX-License-Identifier: Apache-2.0
#include "sched_holding.h"

#include <chrono>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "frontier/upkeep.h"
#include "loop/driver.h"
#include "loop/ending.h"
#include "loop/enquiry.h"
#include "loop/seeds.h"
#include "loop/wire.h"
#include "sched_settings.h"

namespace spinneret {
namespace {

constexpr int kSeedBatch = 10'000;

}  // namespace

std::string of_partition(std::string words, std::uint32_t partition) {
  const std::string number = std::to_string(partition);
  for (std::size_t at = 0; (at = words.find("{}", at)) != std::string::npos; at += number.size())
    words.replace(at, 2, number);
  return words;
}

Holding::Holding(const Estate& estate, std::uint32_t partition, std::int64_t now_ms)
    : estate_(estate),
      partition_(partition),
      begun_ms_(now_ms),
      state_(path_of("state")),
      sharing_(share_options(estate.tool.options(), state_)) {
  sharing_.partition = partition;
  sharing_.checkpoint = of_partition(sharing_.checkpoint, partition);
  sharing_.again = of_partition(loop::again_command(estate.tool), partition);
  CrawlEngine engine = estate.engine;
  engine.part.index = partition;
  its_ = std::make_unique<SchedPartition>(
      Surroundings{estate.say, [this](int ms) { return wait(ms); }, estate.beater}, engine,
      estate.terms, estate.tool.options().duration_ms("delay", frontier::Politeness().delay_ms));
  work_ = std::thread([this] {
    const std::optional<int> left = come();
    status_ = left.value_or(0);
    stage_ = left ? Stage::kGone : Stage::kHere;
  });
}

Holding::~Holding() {
  cancel();
  if (work_.joinable()) work_.join();
}

std::string Holding::path_of(const char* option) const {
  return of_partition(estate_.tool.options().get(option), partition_);
}

bool Holding::wait(int ms) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return cancelled_; });
  return !cancelled_;
}

void Holding::cancel() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  wake_.notify_all();
}

int Holding::trouble(const std::string& why) {
  estate_.say(why);
  return 2;
}

// --- coming, in its thread -----------------------------------------------------------------------

std::optional<int> Holding::come() {
  if (const Status made = make_directories(state_); !made.ok()) return trouble(made.message());
  // The former owner may still send, and write the state.
  if (const std::optional<int> left = its_->join(state_)) return left;
  const std::optional<int> left = open_state();
  if (!left) return left;
  frontier_.reset();
  store_.reset();
  lock_.reset();
  its_->leave();
  return left;
}

std::optional<int> Holding::open_state() {
  if (const std::optional<int> left = its_->lock(state_, lock_)) return left;
  if (const std::optional<int> left = its_->restore(state_)) return left;
  std::string notice;
  Result<std::unique_ptr<frontier::Store>> store = frontier::open_rocks_store(
      state_ + "/db",
      {.cache = estate_.cache, .max_open_files = estate_.open_files, .partition = true}, &notice);
  if (!notice.empty()) estate_.say(notice);
  if (!store.ok()) return trouble(store.message());
  store_ = store.take();
  if (const Status opened = its_->open(*store_); !opened.ok()) return its_->refuse(opened);
  frontier::Options options = estate_.frontier;
  its_->share(*store_, options);
  options.seed += partition_;
  if (const Status retried = retry(options); !retried.ok()) return its_->refuse(retried);
  Result<std::unique_ptr<frontier::Frontier>> opened =
      frontier::Frontier::open(*store_, system_clock(), options);
  if (!opened.ok()) return trouble(opened.message());
  frontier_ = opened.take();
  frontier_->note_limits();
  metrics_.emplace(loop::Metrics::Options{.records = path_of("stats"),
                                          .prometheus = path_of("metrics"),
                                          .partition = std::to_string(partition_)},
                   system_clock());
  // Tries now, and not at the end, all files that the run writes.
  const Status measured = metrics_->tick(frontier_->statistics(), 0, /*now=*/true);
  if (!measured.ok()) return trouble(measured.message());
  const std::string report = path_of("report-file");
  const Status reportable = report.empty() ? Status() : check_replaceable(report);
  if (!reportable.ok()) return trouble(reportable.message());
  if (estate_.tool.options().has("rejected")) {
    Result<loop::Rejected> rejected = loop::Rejected::open(path_of("rejected"));
    if (!rejected.ok()) return trouble(rejected.message());
    rejected_ = rejected.take();
  }
  if (const Status seeded = admit_seeds(); !seeded.ok()) return trouble(seeded.message());
  return std::nullopt;
}

// Gives failed URLs another chance: at the machine that has the state, which may have come from
// elsewhere, and once in a run, whichever machine has the partition.
Status Holding::retry(frontier::Options options) {
  if (!estate_.retries_failed && estate_.retried.empty()) return {};
  const Result<bool> done = its_->was_retried();
  if (!done.ok()) return done.error();
  if (*done) return {};
  options.company = nullptr;
  // After a crash, hosts' counts are brought up to date first.
  Result<std::unique_ptr<frontier::Frontier>> tidied =
      frontier::Frontier::open(*store_, system_clock(), options);
  if (!tidied.ok()) return tidied.error();
  if (Status closed = (*tidied)->close(); !closed.ok()) return closed;
  tidied->reset();
  Result<frontier::Upkeep> upkeep = frontier::Upkeep::open(*store_);
  if (!upkeep.ok()) return upkeep.error();
  if (estate_.retries_failed) {
    if (const auto cleared = upkeep->clear_errors(); !cleared.ok()) return cleared.error();
  }
  if (!estate_.retried.empty()) {
    if (const auto cleared = upkeep->clear_outcomes(estate_.retried); !cleared.ok())
      return cleared.error();
  }
  return its_->tell_retried();
}

// Offers all seeds, which were examined once, to this partition.
Status Holding::admit_seeds() {
  loop::Wire wire;
  int staged = 0;
  for (std::string_view rest = estate_.seeds; !rest.empty();) {
    const auto offered = loop::offer_seed(*frontier_, wire, cut(rest, '\n'), nullptr);
    if (offered != frontier::Frontier::Offer::kStaged || ++staged % kSeedBatch != 0) continue;
    frontier_->seal();
    if (Status done = frontier_->commit(); !done.ok()) return done;
  }
  frontier_->seal();
  return frontier_->commit();
}

// --- here ----------------------------------------------------------------------------------------

loop::Share& Holding::enter(loop::Voice& voice, report::PageLog* log) {
  its_->move_to(&estate_.household);
  return share_.emplace(voice, system_clock(),
                        loop::Belongings{.frontier = *frontier_,
                                         .store = *store_,
                                         .metrics = *metrics_,
                                         .rejected = rejected_,
                                         .log = log,
                                         .neighbours = &its_->neighbours(),
                                         .deadlines = its_->deadlines()},
                        sharing_);
}

// --- going ---------------------------------------------------------------------------------------

void Holding::go(int status, bool closed) {
  its_->move_to(nullptr);
  share_.reset();
  // The frontier shares things with the others, so it is destroyed in the thread that drives them.
  frontier_.reset();
  stage_ = Stage::kGoing;
  status_ = status;
  work_.join();
  work_ = std::thread([this, closed] {
    leave(closed);
    stage_ = Stage::kGone;
  });
}

void Holding::leave(bool closed) {
  if (const Status written = rejected_.close(); !written.ok()) status_ = trouble(written.message());
  if (closed) {
    const std::string report = path_of("report-file");
    if (!report.empty()) {
      const Status written = loop::write_report({.tool = estate_.tool,
                                                 .store = *store_,
                                                 .clock = system_clock(),
                                                 .options = estate_.frontier,
                                                 .log = &estate_.log},
                                                report);
      if (!written.ok()) status_ = trouble(written.message());
    }
    const Status shipped = its_->ship_last(*store_, sharing_.checkpoint);
    if (!shipped.ok()) status_ = trouble(shipped.message());
  }
  store_.reset();
  lock_.reset();
  its_->leave();
}

}  // namespace spinneret
