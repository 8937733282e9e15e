// SPDX-License-Identifier: Apache-2.0
#include "loop/driver.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

#include "base/number.h"

namespace spinneret::loop {
namespace {

constexpr int kTickMs = 200;
constexpr int kReadsPerTurn = 8;
// Whatever exceeds this waits in the frontier, since lines in the outlet count as in flight.
constexpr std::size_t kOutletBytes = std::size_t{64} << 10;

}  // namespace

Driver::Driver(Ends& ends, Shares& shares, Voice& voice, const Clock& clock, StageLedger& stages,
               DriverOptions options)
    : ends_(ends),
      shares_(shares),
      voice_(voice),
      clock_(clock),
      stages_(stages),
      options_(std::move(options)),
      watch_(options_.quiet_ms) {}

bool Driver::fail(const std::string& message) {
  voice_.trouble(message);
  status_ = 2;
  return false;
}

int Driver::run() {
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  watch_.begin(now_ms());
  // The pipeline may have been started before, or belong to other programs.
  if (!ends_.running() || start()) {
    const Status free = shares_.may_copy();
    if ((free.ok() || fail(free.message())) && commit()) {
      while (turn()) {
      }
    }
  }
  int status = conclude();
  if (!voice_.end()) status = 2;
  // A filter whose output is not read any more is expected to die of SIGPIPE.
  if (voice_.tool().out().error_code() == EPIPE && old_handler == SIG_DFL) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  return status;
}

bool Driver::turn() {
  if (options_.landlord != nullptr && options_.landlord->look(shares_) &&
      phase_ != Phase::kStopping && ends_.running()) {
    // All partitions stand still until the pipeline is empty, and it may be draining already: no
    // page may take minutes now.
    for (Share* const share : shares_) share->hurry();
    if (phase_ == Phase::kRunning) drain();
  }
  // A machine that waits for its first partition, or for the previous holder to stop, has not begun
  // yet.
  if (!begun_ms_ && !shares_.empty()) begun_ms_ = now_ms();
  if (phase_ != Phase::kStopping) {
    if (options_.stop_signal() != 0) {
      stop(options_.grace_ms, "stopping: waiting for ");
    } else if (time_is_up(options_.grace_ms) && shares_.in_flight() != 0 && ends_.running()) {
      // A pipeline that has returned everything may take its time to end: it packs, it sorts.
      stop(0, "the time is up: not waiting any longer for ");
    }
  }
  if (finished()) return false;
  if (!ends_.renewable() && !ends_.running() && phase_ != Phase::kStopping) {
    return fail("standard input has ended: no result can come back; in flight: " +
                std::to_string(shares_.in_flight()) +
                ", waiting: " + std::to_string(shares_.waiting()) + ", all kept");
  }
  if (!ends_.running() && !shares_.empty() && phase_ == Phase::kRunning &&
      lives_.may_begin(now_ms()) && !start())
    return false;
  if (!keep_shares() || !wait()) return false;
  const std::int64_t before = now_ms();
  if (readable_ && !read_some()) return false;
  if (!commit()) return false;
  // A reader of standard output may stall us for any time.
  watch_.forgive(before, now_ms());
  if (!send() || !write_some()) return false;
  return check_time();
}

bool Driver::time_is_up(std::int64_t over_ms) const {
  return options_.max_time_ms > 0 && begun_ms_ &&
         now_ms() - *begun_ms_ - over_ms >= options_.max_time_ms;
}

// All shares are asked, whatever the first one answers, since each one reports to the other
// partitions.
bool Driver::exhausted() {
  if (shares_.empty() && options_.landlord != nullptr) return options_.landlord->over();
  bool all = true;
  for (Share* const share : shares_)
    all = (!share->goes_on() || share->exhausted(time_is_up())) && all;
  return all;
}

// Exchanges data with the other partitions. Returns false if a partition was lost and the run
// ends with it.
bool Driver::keep_shares() {
  for (Share* const share : shares_) {
    if (!share->goes_on()) continue;
    const std::string_view lost = share->lost();
    if (lost.empty()) continue;
    voice_.notice(lost);
    if (options_.landlord != nullptr) {
      options_.landlord->give_up(*share, /*lost=*/true);
      continue;
    }
    status_ = kLeaseLostStatus;
    return false;
  }
  return true;
}

// Handles the result of one share's work. Returns whether the run can go on.
bool Driver::bear(Share& share, const Status& done) {
  if (done.ok()) return true;
  if (options_.landlord == nullptr) return fail(done.message());
  voice_.notice(done.message());
  options_.landlord->give_up(share, /*lost=*/false);
  return true;
}

bool Driver::start() {
  if (const Status started = ends_.start(); !started.ok()) return fail(started.message());
  shares_.begin_pipeline();
  const std::int64_t now = now_ms();
  watch_.hear(now);
  lives_.begin(now);
  ending_ = false;
  return true;
}

// Whether nothing is queued, due or in flight. A running pipeline is drained first.
bool Driver::finished() {
  if (phase_ == Phase::kStopping) {
    return (shares_.in_flight() == 0 && outlet_.pending() == 0) || !ends_.running();
  }
  const auto has_mail = [this] {
    return phase_ == Phase::kRunning &&
           std::any_of(shares_.begin(), shares_.end(),
                       [](const Share* each) { return each->has_mail(); });
  };
  if (!exhausted() || shares_.in_flight() != 0 || has_mail()) {
    was_busy_ = true;
    return false;
  }
  const bool ended = !ends_.running();
  if (phase_ == Phase::kDraining) return !ends_.renewable() && ended;
  // If the pipeline is not ours, its first URL may still be to come.
  if (ended || (!ends_.renewable() && !was_busy_)) return ended;
  drain();
  return false;
}

bool Driver::wait() {
  std::int64_t timeout = more_ ? 0 : kTickMs;
  if (may_send() && outlet_.pending() <= kOutletBytes) {
    std::int64_t rest = INT64_MAX;
    const std::int64_t now = now_ms();
    for (Share* const share : shares_) {
      if (!share->may_send() || share->is_put_off()) continue;
      const std::int64_t due = share->frontier().wait_ms();
      const Valve& valve = share->valve();
      rest = std::min(rest, due);
      timeout = std::min(timeout, std::max(due, valve.may_send(now) ? 0 : valve.wait_ms(now)));
    }
    voice_.progress().set_rest_ms(rest);
  }
  for (Share* const share : shares_) {
    const std::int64_t wait = share->goes_on() ? share->put_off_ms(now_ms()) : INT64_MAX;
    if (wait != INT64_MAX) timeout = hungry_ ? 0 : std::min(timeout, wait);
  }
  const Result<bool> readable =
      ends_.wait(outlet_.pending() != 0, phase_ != Phase::kStopping, timeout);
  if (!readable.ok()) return fail(readable.message());
  readable_ = more_ || *readable;
  return true;
}

bool Driver::read_some() {
  watch_.hear(now_ms());
  more_ = true;
  std::string_view run;
  for (int i = 0; i < kReadsPerTurn; ++i) {
    switch (ends_.read(run)) {
      case LineReader::Event::kLine:
        shares_.take_run(run);
        heed_signs();
        break;
      case LineReader::Event::kTooLong: shares_.skip_line(); break;
      case LineReader::Event::kWait: more_ = false; return true;
      case LineReader::Event::kEnd: more_ = false; return end_of_output();
      case LineReader::Event::kError:
        return fail(system_error("cannot read the pipeline", ends_.read_error()).message);
    }
  }
  return true;
}

// If a stage has stopped, the stages before it may not have noticed, and wait for more input.
void Driver::heed_signs() {
  const Shares::Signs signs = shares_.take_signs();
  if (signs.life) lives_.note_result();
  if (!signs.ending || !ends_.renewable() || phase_ != Phase::kRunning ||
      std::exchange(ending_, true))
    return;
  outlet_.drop_unwritten(voice_.tool().terminator());
}

// Shows records, before they are committed. Returns false if they cannot be written.
bool Driver::tell_news() {
  for (Share* const share : shares_) share->tell_news();
  if (voice_.flush()) return true;
  status_ = 2;
  return false;
}

// On a machine with many partitions, each page would cause a commit. While there is enough to send
// without the links of these pages, each partition gathers some pages first. At most --in-flight
// pages that have come back are not durable at a time, so a crash repeats at most twice as many.
bool Driver::commit() {
  if (!tell_news()) return false;
  const std::int64_t now = now_ms();
  std::size_t back = 0;
  put_off_.clear();
  for (Share* const share : shares_) {
    if (!share->goes_on()) continue;
    const std::int64_t wait = share->put_off_ms(now);
    if (may_put_off() && wait > 0 && wait != INT64_MAX) {
      put_off_.push_back(share);
      back += share->uncommitted();
    } else if (!bear(*share, share->commit())) {
      return false;
    }
  }
  std::stable_sort(put_off_.begin(), put_off_.end(), [](const Share* one, const Share* other) {
    return one->uncommitted() > other->uncommitted();
  });
  bool one_more = hungry_;
  for (Share* const share : put_off_) {
    if (!std::exchange(one_more, false) && back <= share->frontier().slots()) break;
    back -= share->uncommitted();
    if (!bear(*share, share->commit())) return false;
  }
  return true;
}

// wait() checks this as well: otherwise it would spin on a frontier whose pages are due but may not
// be sent.
bool Driver::may_send() const {
  return phase_ == Phase::kRunning && ends_.takes() && !ending_ && !time_is_up() &&
         lives_.may_send(now_ms());
}

// Each share sends all that it may; the share after the last one that sent begins next time. URLs
// that are sent together come back together, and one commit of 60 pages costs less than 16 of four.
bool Driver::send() {
  hungry_ = true;
  if (!may_send()) return true;
  const auto full = [this] { return outlet_.pending() > kOutletBytes; };
  std::vector<Share*> giving(shares_.begin(), shares_.end());
  if (giving.empty()) return true;
  next_share_ %= giving.size();
  std::rotate(giving.begin(), giving.begin() + static_cast<std::ptrdiff_t>(next_share_),
              giving.end());
  std::size_t last = giving.size();
  bool any = false;
  for (std::size_t i = 0; i < giving.size() && !full(); ++i) {
    if (!giving[i]->may_send() || giving[i]->is_put_off()) continue;
    while (!full() && giving[i]->valve().may_send(now_ms()) && giving[i]->next(dispatch_)) {
      giving[i]->valve().sent(now_ms());
      Wire::append(outlet_.lines(), dispatch_);
      outlet_.lines() += voice_.tool().terminator();
      any = true;
      last = i;
    }
  }
  hungry_ = !full() && giving.front()->valve().may_send(now_ms()) &&
            !giving.front()->frontier().slots_full();
  if (!any) return true;
  next_share_ += last + 1;
  watch_.hear(now_ms());
  for (Share* const share : shares_) {
    if (share->goes_on() && !share->is_put_off() && !bear(*share, share->commit_flights()))
      return false;
  }
  return true;
}

bool Driver::write_some() {
  if (!ends_.takes()) return true;
  const int code = outlet_.pending() == 0 ? 0 : ends_.write(outlet_);
  if (code != 0) {
    outlet_.clear();
    if (!ends_.renewable()) return fail(system_error("standard output", code).message);
    // The first stage is gone. The stages after it will end too, and end_of_output() handles that.
    ends_.close_input();
  }
  if ((phase_ == Phase::kStopping || ending_) && outlet_.pending() == 0) close_input();
  return true;
}

bool Driver::check_time() {
  const std::int64_t now = now_ms();
  for (Share* const share : shares_) {
    if (share->goes_on() && !bear(*share, share->tick(now))) return false;
  }
  shares_.show_progress();
  if (const Status seen = stages_.look(ends_.group(), now); !seen.ok()) return fail(seen.message());
  if (phase_ == Phase::kStopping && now >= stop_at_ms_ && ends_.running()) {
    ends_.signal(std::exchange(killed_, true) ? SIGKILL : SIGTERM);
    stop_at_ms_ = now + kEndMs / 2;
  }
  for (Share* const share : shares_) {
    if (phase_ != Phase::kRunning) break;
    if (share->goes_on() && !bear(*share, share->take_mail(now))) return false;
  }
  if (watch_.take_look(now)) look_for_lost(now);
  return true;
}

// During silence, if only a URL in flight could end it, the pipeline is drained: whatever has not
// come out by then was dropped on the way.
void Driver::look_for_lost(std::int64_t now) {
  bool due = false;
  for (Share* const share : shares_) {
    share->frontier().expire_leases();
    due = due || share->frontier().wait_ms() != INT64_MAX;
  }
  const bool stuck = phase_ == Phase::kRunning && shares_.in_flight() != 0 &&
                     outlet_.pending() == 0 && !due && watch_.is_quiet(now);
  if (stuck && ends_.renewable() && ends_.running()) drain();
}

}  // namespace spinneret::loop
