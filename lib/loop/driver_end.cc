// SPDX-License-Identifier: Apache-2.0
// How a run ends, or its pipeline before its time.
#include "loop/driver.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/number.h"
#include "cli/signals.h"
#include "loop/enquiry.h"
#include "report/quantity.h"

namespace spinneret::loop {
namespace {

constexpr int kMostDeaths = 5;
constexpr std::int64_t kFirstRestartMs = 100;
constexpr int kMostDoublings = 6;
// A pipeline that has lived so long has not died at once.
constexpr std::int64_t kLongLifeMs = 10'000;

}  // namespace

// The stages are asked what they have cost while they are there.
void Driver::close_pipe() {
  if (pipeline_ && pipeline_->input() >= 0) {
    const Status kept = stages_.look(pipeline_->group(), now_ms(), /*at_once=*/true);
    if (!kept.ok()) fail(kept.message());
    pipeline_->close_input();
  }
  if (!plain() || !std::exchange(input_open_, false)) return;
  // Closing standard output tells the other end; something harmless takes its place.
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(null, STDOUT_FILENO);
  ::close(null);
}

void Driver::stop() {
  phase_ = Phase::kStopping;
  stop_at_ms_ = now_ms() + options_.grace_ms;
  outlet_.drop_unwritten(tool_.terminator());
  progress_.clear();
  tool_.notice("stopping: waiting for " + std::to_string(frontier_.in_flight()) + " in flight");
}

bool Driver::end_of_output() {
  if (plain()) {
    at_end_ = true;
    if (frontier_.in_flight() != 0) frontier_.drop_tail();
    return true;
  }
  pipeline_->close_input();
  if (!pipeline_->wait_for_end(kEndMs)) {
    pipeline_->signal(SIGKILL);
    pipeline_->wait_for_end(kEndMs);
  }
  const bool clean = phase_ == Phase::kDraining && pipeline_->ended_well();
  if (phase_ != Phase::kStopping && !clean) return pipeline_died();
  if (phase_ == Phase::kDraining) {
    phase_ = Phase::kRunning;
    if (frontier_.in_flight() == 0) frontier_.seal();
    frontier_.expire_leases(/*all=*/true);
  }
  frontier_.drop_tail();
  pipeline_.reset();
  outlet_.clear();
  return true;
}

bool Driver::pipeline_died() {
  ++deaths_;
  quick_deaths_ = now_ms() - started_ms_ < kLongLifeMs ? quick_deaths_ + 1 : 1;
  phase_ = Phase::kRunning;
  const std::string in_flight = frontier_.in_flight() == 1 ? std::string(frontier_.any_in_flight())
                                                           : std::to_string(frontier_.in_flight());
  const std::string message =
      "the pipeline " + pipeline_->how_it_ended() + "; in flight: " + in_flight;
  pipeline_.reset();
  outlet_.clear();
  frontier_.drop_tail();
  // A URL that has been found guilty is out of the way; but not all of them can be.
  if (frontier_.blame_flights(!std::exchange(passed_, false)) && ++blames_ < kMostDeaths)
    deaths_ = quick_deaths_ = 0;
  if (!commit()) return false;
  if (deaths_ >= kMostDeaths) {
    return fail(message + "; " + std::to_string(deaths_) +
                " times in a row without a result: see the stages' messages; the state is kept");
  }
  const std::int64_t pause =
      quick_deaths_ <= 1 ? 0 : kFirstRestartMs << std::min(quick_deaths_ - 2, kMostDoublings);
  start_at_ms_ = now_ms() + pause;
  progress_.clear();
  tool_.notice(message + ", to be sent again; starting it anew" +
               (pause == 0 ? "" : " in " + seconds_text(pause) + " s"));
  return true;
}

void Driver::tell(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) tool_.notice(line);
}

void Driver::tell_end() {
  const bool by_itself = phase_ != Phase::kStopping && !time_is_up() && !frontier_.limit_reached();
  if (!tool_.options().has("quiet")) {
    if (rejected_.total() != 0) tool_.notice(refused_text(rejected_));
    if (by_itself && status_ == 0) tell(end_.explain(frontier_.statistics(), rejected_));
  }
  tell(finished_lines(frontier_));
}

// Whoever calls us in a script learns it from the status, and a human from the last line.
void Driver::tell_given_up() {
  last_words_ = given_up_text(frontier_.given_up(), options_.again);
  if (last_words_.empty()) return;
  if (status_ == 0) status_ = kGivenUpStatus;
}

int Driver::conclude() {
  if (status_ == 0 && phase_ == Phase::kStopping && pipeline_) {
    pipeline_->close_input();
    pipeline_->wait_for_end(kEndMs / 2);
  }
  pipeline_.reset();
  // The state of a lost partition may be another's by now: nothing more is written.
  if (status_ == kLeaseLostStatus) return status_;
  if (store_.status().ok() && tool_.out().ok()) {
    frontier_.drop_tail();
    frontier_.note_refusals(rejected_.top(SIZE_MAX));
    const Status closed = frontier_.close();
    if (!closed.ok()) fail(closed.message());
  }
  progress_.finish(frontier_.statistics());
  tell_end();
  const Status written = metrics_.tick(frontier_.statistics(), frontier_.in_flight(), /*now=*/true);
  if (!written.ok()) fail(written.message());
  tell_given_up();
  if (status_ % kGivenUpStatus == 0 && phase_ == Phase::kStopping) return 128 + cli::stop_signal();
  return status_;
}

}  // namespace spinneret::loop
