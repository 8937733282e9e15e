// SPDX-License-Identifier: Apache-2.0
// How a run ends, and how a pipeline ends before it.
#include <csignal>
#include <string>

#include "base/number.h"
#include "loop/driver.h"

namespace spinneret::loop {
namespace {

constexpr std::int64_t kSettleMs = std::int64_t{10} * 60 * 1000;

}  // namespace

void Driver::drain() {
  phase_ = Phase::kDraining;
  close_input();
}

void Driver::stop(std::int64_t grace_ms, const char* why) {
  phase_ = Phase::kStopping;
  stop_at_ms_ = now_ms() + grace_ms;
  outlet_.drop_unwritten(voice_.tool().terminator());
  voice_.notice(why + std::to_string(shares_.in_flight()) + " in flight");
}

// The cost of the stages is read while they still run.
void Driver::close_input() {
  if (!ends_.takes()) return;
  const Status kept = stages_.look(ends_.group(), now_ms(), /*at_once=*/true);
  if (!kept.ok()) fail(kept.message());
  ends_.close_input();
}

bool Driver::end_of_output() {
  // A stage that has returned everything and closed its output may still pack, or sort: if it were
  // killed now, it would leave half a file.
  const bool settled = phase_ == Phase::kDraining && shares_.in_flight() == 0;
  const std::int64_t died_ms = now_ms();
  const Ends::End end = ends_.end(settled ? kSettleMs : kEndMs);
  if (!ends_.renewable()) {
    if (shares_.in_flight() != 0) shares_.drop_tail();
    return true;
  }
  // All results have come back, but output that a stage writes at its end, such as cookies, was not
  // stored.
  if (phase_ == Phase::kDraining && end.failed && shares_.in_flight() == 0)
    return fail("the pipeline " + end.how + " at its end: see the stages' messages");
  const bool clean = phase_ == Phase::kDraining && end.well;
  if (phase_ != Phase::kStopping && !clean) return pipeline_died(end.how, died_ms);
  if (phase_ == Phase::kDraining) {
    phase_ = Phase::kRunning;
    if (shares_.in_flight() == 0) shares_.seal();
    for (Share* const share : shares_) share->frontier().expire_leases(/*all=*/true);
  }
  shares_.drop_tail();
  outlet_.clear();
  return true;
}

bool Driver::pipeline_died(const std::string& how, std::int64_t died_ms) {
  phase_ = Phase::kRunning;
  const std::size_t flying = shares_.in_flight();
  const std::string in_flight = flying == 0   ? "nothing"
                                : flying == 1 ? std::string(shares_.any_in_flight())
                                              : std::to_string(flying);
  const std::string message = "the pipeline " + how + "; in flight: " + in_flight;
  outlet_.clear();
  shares_.drop_tail();
  const bool guilty = shares_.blame_flights(lives_.fresh(died_ms));
  const Lives::After after = lives_.die(now_ms(), guilty);
  if (!commit()) return false;
  if (after.give_up) {
    return fail(message + "; " + std::to_string(after.deaths) +
                " times in a row without a result: see the stages' messages; the state is kept");
  }
  std::string next;
  if (flying != 0) next = ", to be sent again";
  if (flying != 0 || !exhausted()) next += "; starting it anew";
  if (!next.empty() && after.pause_ms != 0) next += " in " + seconds_text(after.pause_ms) + " s";
  voice_.notice(message + next);
  return true;
}

int Driver::conclude() {
  const bool stopped = phase_ == Phase::kStopping;
  ends_.end(status_ == 0 && stopped ? kEndMs / 2 : 0);
  // The state of a lost partition may belong to another node by now: nothing more is written to it.
  if (status_ == kLeaseLostStatus) return status_;
  const bool shown = tell_news();
  for (Share* const share : shares_) {
    if (!share->goes_on()) continue;
    const Status closed = shown ? share->close() : Status();
    if (!closed.ok()) fail(closed.message());
  }
  shares_.finish_progress();
  const bool by_itself = !stopped && !time_is_up() && status_ == 0;
  for (Share* const share : shares_) {
    share->tell_end(by_itself);
  }
  for (Share* const share : shares_) {
    const Status written = share->write_last_metrics();
    if (!written.ok()) fail(written.message());
    // A script sees this by the status, a person by the last words.
    if (status_ == 0 && !share->last_words().empty()) status_ = kGivenUpStatus;
  }
  const int signal = stopped ? options_.stop_signal() : 0;
  if (status_ % kGivenUpStatus == 0 && signal != 0) return 128 + signal;
  return status_;
}

}  // namespace spinneret::loop
