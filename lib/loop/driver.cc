// SPDX-License-Identifier: Apache-2.0
#include "loop/driver.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "cli/signals.h"
#include "io/record.h"
#include "loop/checkpoint.h"
#include "loop/enquiry.h"
#include "loop/inbox.h"
#include "report/quantity.h"

namespace spinneret::loop {
namespace {

using frontier::Frontier;

constexpr int kTickMs = 200;
constexpr int kReadsPerTurn = 8;
// More than this waits in the frontier rather than here, where it counts as in flight.
constexpr std::size_t kOutletBytes = std::size_t{64} << 10;
constexpr std::int64_t kStallMs = 500;

}  // namespace

Driver::Driver(cli::Tool& tool, Frontier& frontier, frontier::Store& store, const Clock& clock,
               Observers observers, DriverOptions options)
    : tool_(tool),
      frontier_(frontier),
      store_(store),
      clock_(clock),
      progress_(observers.progress),
      metrics_(observers.metrics),
      log_(observers.log),
      rejected_(observers.rejected),
      stages_(observers.stages),
      options_(std::move(options)),
      valve_(options_.valve) {}

int Driver::input() const {
  if (plain()) return input_open_ ? STDOUT_FILENO : -1;
  return pipeline_ ? pipeline_->input() : -1;
}

int Driver::output() const {
  if (plain()) return at_end_ ? -1 : STDIN_FILENO;
  return pipeline_ ? pipeline_->output() : -1;
}

bool Driver::fail(const std::string& message) {
  progress_.clear();
  tool_.trouble(message);
  status_ = 2;
  return false;
}

int Driver::run(std::unique_ptr<Pipeline> begun) {
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  heard_ms_ = leases_ms_ = begun_ms_ = checkpoint_ms_ = now_ms();
  pipeline_ = std::move(begun);
  if (pipeline_) start();
  if (plain()) read_from(STDIN_FILENO);
  if (may_copy() && commit()) {
    while (turn()) {
    }
  }
  const int status = conclude();
  // Who stops reading us expects what every filter does.
  if (tool_.out().error_code() == EPIPE && old_handler == SIG_DFL) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  return status;
}

// Told before anything is fetched, and not when the first copy is due.
bool Driver::may_copy() {
  if (options_.checkpoint_every_ms == 0) return true;
  const Status free = may_hold_checkpoint(options_.checkpoint);
  return free.ok() || fail(free.message());
}

bool Driver::turn() {
  if (cli::stop_signal() != 0 && phase_ != Phase::kStopping) stop();
  if (finished()) return false;
  if (plain() && at_end_ && phase_ != Phase::kStopping) {
    return fail("standard input has ended: no result can come back; in flight: " +
                std::to_string(frontier_.in_flight()) +
                ", waiting: " + std::to_string(frontier_.statistics().all.waiting) + ", all kept");
  }
  if (!plain() && !pipeline_ && phase_ == Phase::kRunning && now_ms() >= start_at_ms_ && !start()) {
    return false;
  }
  if (!keep_partition() || !wait()) return false;
  const std::int64_t before = now_ms();
  if (readable_ && !read_some()) return false;
  if (!commit()) return false;
  forgive_stall(before);
  if (!send() || !write_some()) return false;
  return check_time();
}

// A reader of standard output may stall us as long as he likes. Results have been lying in the pipe
// meanwhile, so nothing in flight is late before they have been read.
void Driver::forgive_stall(std::int64_t since_ms) {
  const std::int64_t now = now_ms();
  if (now - since_ms < kStallMs) return;
  heard_ms_ = now;
  leases_ms_ = now + options_.quiet_ms;
}

bool Driver::time_is_up() const {
  return options_.max_time_ms > 0 && now_ms() - begun_ms_ >= options_.max_time_ms;
}

// A run without end waits for what falls due, and for seeds that somebody adds.
bool Driver::exhausted() {
  if (time_is_up()) return !frontier_.pending();
  const bool idle = frontier_.exhausted() && (!options_.continuous || frontier_.limit_reached());
  if (options_.neighbours == nullptr) return idle;
  // Links may come for as long as any partition works.
  const frontier::Statistics& all = frontier_.statistics();
  return options_.neighbours->over({.idle = idle && frontier_.in_flight() == 0 &&
                                            frontier_.tail() == 0 && !has_mail(options_.inbox),
                                    .pages = all.all.pages + all.pages,
                                    .waiting = all.all.waiting,
                                    .in_flight = frontier_.in_flight()});
}

// Whether it is still ours; and what the others have sent.
bool Driver::keep_partition() {
  if (options_.neighbours == nullptr) return true;
  options_.neighbours->exchange();
  const std::string_view lost = options_.neighbours->lost();
  if (lost.empty()) return true;
  progress_.clear();
  tool_.notice(std::string(lost));
  status_ = kLeaseLostStatus;
  return false;
}

bool Driver::start() {
  if (!pipeline_) {
    Result<std::unique_ptr<Pipeline>> started =
        Pipeline::start(options_.command, options_.lock_path);
    if (!started.ok()) return fail(started.message());
    pipeline_ = started.take();
  }
  read_from(pipeline_->output());
  heard_ms_ = started_ms_ = now_ms();
  passed_ = ending_ = false;
  return true;
}

// Nothing is queued, due or in flight. A pipeline that is there is drained first.
bool Driver::finished() {
  if (phase_ == Phase::kStopping) {
    if (frontier_.in_flight() == 0 && outlet_.pending() == 0) return true;
    return plain() ? at_end_ : !pipeline_;
  }
  if (!exhausted() || frontier_.in_flight() != 0 ||
      (phase_ == Phase::kRunning && has_mail(options_.inbox))) {
    was_busy_ = true;
    return false;
  }
  if (phase_ == Phase::kDraining) return plain() && at_end_;
  if (plain()) {
    // Before the first URL there may be one still to come.
    if (at_end_ || !was_busy_) return at_end_;
    drain();
    return false;
  }
  if (pipeline_) drain();
  return !pipeline_;
}

void Driver::drain() {
  phase_ = Phase::kDraining;
  close_pipe();
}

// A stage has stopped. Those before it may not have noticed, and wait for more.
void Driver::let_end() {
  if (plain() || phase_ != Phase::kRunning || std::exchange(ending_, true)) return;
  outlet_.drop_unwritten(tool_.terminator());
}

bool Driver::wait() {
  pollfd fds[3] = {{output(), POLLIN, 0},
                   {outlet_.pending() != 0 ? input() : -1, POLLOUT, 0},
                   {phase_ == Phase::kStopping ? -1 : cli::stop_fd(), POLLIN, 0}};
  std::int64_t timeout = more_ ? 0 : kTickMs;
  if (may_send() && outlet_.pending() <= kOutletBytes) {
    const std::int64_t rest = frontier_.wait_ms();
    timeout =
        std::min(timeout, std::max(rest, valve_.may_send(now_ms()) ? 0 : valve_.wait_ms(now_ms())));
    progress_.set_rest_ms(rest);
  }
  const int ready = poll(fds, 3, static_cast<int>(timeout));
  if (ready < 0 && errno != EINTR) return fail(system_error("cannot wait", errno).message);
  readable_ = more_ || (ready > 0 && (fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0);
  return true;
}

void Driver::read_from(int fd) {
  LineReader::Options reading;
  reading.terminator = tool_.terminator();
  reading.max_line = options_.max_line;
  reading.wait = false;
  reading.unterminated = false;
  reader_.emplace(fd, std::move(reading));
  lines_ = 0;
}

bool Driver::read_some() {
  heard_ms_ = now_ms();
  more_ = true;
  std::string_view run;
  for (int i = 0; i < kReadsPerTurn; ++i) {
    switch (reader_->next_run(run)) {
      case LineReader::Event::kLine: take_lines(run); break;
      case LineReader::Event::kTooLong:
        progress_.clear();
        tool_.trouble("pipeline:" + std::to_string(++lines_) +
                      ": a line longer than --max-line: left out");
        break;
      case LineReader::Event::kWait: more_ = false; return true;
      case LineReader::Event::kEnd: more_ = false; return end_of_output();
      case LineReader::Event::kError:
        return fail(system_error("cannot read the pipeline", reader_->error_code()).message);
    }
  }
  return true;
}

void Driver::take_lines(std::string_view run) {
  while (!run.empty()) {
    std::string_view line = cut(run, tool_.terminator());
    if (tool_.terminator() == '\n' && line.ends_with('\r')) line.remove_suffix(1);
    take_line(line);
  }
  // With nothing in flight no page is half told: what came is whole.
  if (frontier_.in_flight() == 0) frontier_.seal();
}

void Driver::take_line(std::string_view line) {
  ++lines_;
  if (line.empty()) return;
  if (is_settled(line)) return take_settled(line);
  end_.add_link();
  UrlError why;
  switch (frontier_.offer(wire_.candidate(line), &why)) {
    case Frontier::Offer::kNotUrl:
      progress_.clear();
      tool_.refuse_at("pipeline", lines_, why.message, record_url(line));
      return;
    case Frontier::Offer::kNotHttp:
      shown_.assign(line);
      shown_ += "\tclass=scheme\twhy=not http or https";
      refuse_link(shown_);
      return;
    case Frontier::Offer::kElsewhere:
      return options_.neighbours->offer(frontier_.elsewhere(), line);
    default: return;
  }
}

// Links of another partition. What is none is told with its source, and kept from nobody by being sent for ever.
void Driver::admit_from(std::string_view source, std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = cut(lines, '\n');
    UrlError why;
    const Frontier::Offer offered =
        is_settled(line) ? Frontier::Offer::kNotUrl : frontier_.offer(wire_.candidate(line), &why);
    if (offered == Frontier::Offer::kStaged || offered == Frontier::Offer::kTooDeep) continue;
    if (offered == Frontier::Offer::kElsewhere) why.message = "is of another partition";
    if (why.message.empty()) why.message = "is no link";
    progress_.clear();
    tool_.refuse_at("from " + std::string(source), 0, why.message, record_url(line));
    shown_.assign(line);
    shown_ += "\tclass=url\twhy=";
    append_escaped(shown_, why.message);
    refuse_link(shown_);
  }
}

void Driver::refuse_link(std::string_view line) {
  rejected_.add(line);
  frontier_.count_refused();
}

void Driver::take_settled(std::string_view line) {
  if (!wire_.settled(line, settled_)) {
    progress_.clear();
    tool_.refuse_at("pipeline", lines_, "unknown outcome", line);
    return;
  }
  if (settled_.outcome == Outcome::kItem) return frontier_.count_item();
  // A link, and no page: what became of the page of that name, if it is in flight, is still to come.
  const bool by_policy = settled_.outcome == Outcome::kBlockedByPolicy;
  const bool is_link = by_policy && find_raw_field(line, "tag").has_value();
  if (!is_link) end_.add_sign(frontier::sign_in(settled_));
  const frontier::Settlement found = is_link ? frontier::Settlement() : frontier_.settle(settled_);
  if (by_policy && found.verdict == frontier::Verdict::kStranger) {
    return refuse_link(line);
  }
  if (frontier::is_last_word(found.verdict)) {
    end_.add_page(line, settled_);
    show(line, found.row.via);
  }
  if (settled_.outcome == Outcome::kAborted) let_end();
  if (frontier::shows_life(settled_.outcome)) {
    deaths_ = blames_ = 0;
    passed_ = true;
  }
}

// A page's last record. Where it was found is said here, once, rather than sent out with the URL: that would
// cost the queue and every hop as much again.
void Driver::show(std::string_view line, std::string_view via) {
  // A stage of the user's own may give back what was for fetch alone.
  if (!frontier::was_asked(settled_.outcome) || find_raw_field(line, "unheard")) {
    unasked_.clear();
    Wire::append_unasked(unasked_, line);
    line = unasked_;
  }
  if (!via.empty() && !find_raw_field(line, "via")) {
    shown_.clear();
    Wire::append_found(shown_, line, via);
    line = shown_;
  }
  if (!plain()) {
    progress_.clear_for_record();
    tool_.writer().write_line(line);
  }
  if (log_ != nullptr) log_->add(line, clock_.unix_ms());
}

// Records are shown first: after a crash in between a page is shown twice, not never.
bool Driver::commit() {
  deliver_given_up();
  notify();
  if (!tool_.out().flush()) {
    status_ = 2;
    return false;
  }
  for (const Status& logged : {log_ == nullptr ? Status() : log_->flush(), rejected_.flush()}) {
    if (!logged.ok()) return fail(logged.message());
  }
  // Right before the commit, which is to hold the links and that they were taken.
  if (options_.neighbours != nullptr)
    options_.neighbours->stage([this](std::string_view source, std::string_view lines) {
      admit_from(source, lines);
      frontier_.seal();
    });
  if (frontier_.pending()) {
    const Status done = frontier_.commit();
    if (!done.ok()) return fail(done.message());
  }
  if (options_.neighbours != nullptr) options_.neighbours->committed();
  return true;
}

void Driver::deliver_given_up() {
  std::string line;
  for (const Frontier::GivenUp& each : frontier_.take_given_up()) {
    line.clear();
    Wire::append(line, each.page);
    line += "\terror=";
    append_escaped(line, each.error);
    line += "\toutcome=";
    line += to_string(each.outcome);
    // Of others it is told with their hosts.
    frontier::Settled refused;
    refused.outcome = each.outcome;
    if (each.outcome == Outcome::kRefusedAddress) end_.add_page(line, refused);
    show(line, each.via);
  }
}

void Driver::notify() {
  for (const std::string& notice : frontier_.take_notices()) {
    progress_.clear();
    tool_.notice(notice);
  }
}

// Also what wait() goes by: a frontier whose pages are due while none may go would have it spin.
bool Driver::may_send() const {
  return phase_ == Phase::kRunning && input() >= 0 && !ending_ && !time_is_up() &&
         (options_.neighbours == nullptr || options_.neighbours->may_send());
}

bool Driver::send() {
  if (!may_send()) return true;
  bool any = false;
  while (outlet_.pending() <= kOutletBytes && valve_.may_send(now_ms()) &&
         frontier_.next(dispatch_)) {
    valve_.sent(now_ms());
    if (options_.neighbours != nullptr) {
      dispatch_.send_by_ms = options_.neighbours->send_by_ms();
      dispatch_.end_by_ms = options_.neighbours->end_by_ms();
    }
    Wire::append(outlet_.lines(), dispatch_);
    outlet_.lines() += tool_.terminator();
    any = true;
  }
  if (!any) return true;
  heard_ms_ = now_ms();
  const Status done = frontier_.commit_flights();
  return done.ok() || fail(done.message());
}

bool Driver::write_some() {
  if (input() < 0) return true;
  const int code = outlet_.pending() == 0 ? 0 : outlet_.write_some(input(), plain());
  if (code != 0) {
    outlet_.clear();
    if (plain()) return fail(system_error("standard output", code).message);
    // The first stage is gone; what is behind it will end too, and end_of_output() sees to the rest.
    pipeline_->close_input();
  }
  if ((phase_ == Phase::kStopping || ending_) && outlet_.pending() == 0) close_pipe();
  return true;
}

bool Driver::check_time() {
  const std::int64_t now = now_ms();
  progress_.tick(frontier_);
  for (const Status& written : {metrics_.tick(frontier_.statistics(), frontier_.in_flight()),
                                stages_.look(pipeline_ ? pipeline_->group() : -1, now)}) {
    if (!written.ok()) return fail(written.message());
  }
  bool copy =
      options_.checkpoint_every_ms > 0 && now - checkpoint_ms_ >= options_.checkpoint_every_ms;
  if (options_.neighbours != nullptr) copy = options_.neighbours->copy_due(copy);
  if (copy) {
    checkpoint_ms_ = now;
    const Status copied = write_checkpoint(store_, options_.checkpoint);
    if (!copied.ok()) return fail(copied.message());
    if (options_.neighbours != nullptr) options_.neighbours->copied(options_.checkpoint);
  }
  if (phase_ == Phase::kStopping && now >= stop_at_ms_ && pipeline_) {
    pipeline_->signal(std::exchange(killed_, true) ? SIGKILL : SIGTERM);
    stop_at_ms_ = now + kEndMs / 2;
  }
  if (phase_ == Phase::kStopping && now >= stop_at_ms_ && plain()) at_end_ = true;
  if (phase_ == Phase::kRunning && !take_mail()) return false;
  if (valve_.look(now)) {
    progress_.clear();
    tool_.notice("requests from now on: " + valve_text(valve_.setting()));
  }
  if (now - leases_ms_ < 1000) return true;
  leases_ms_ = now;
  frontier_.expire_leases();
  // Silence, and nothing that could break it but what is in flight: let the pipeline run empty, and what
  // has not come out by then was dropped on the way.
  const bool stuck = phase_ == Phase::kRunning && frontier_.in_flight() != 0 &&
                     outlet_.pending() == 0 && frontier_.wait_ms() == INT64_MAX &&
                     now - heard_ms_ >= options_.quiet_ms;
  if (stuck && pipeline_) drain();
  return true;
}

// Seeds that somebody has added meanwhile.
bool Driver::take_mail() {
  if (!has_mail(options_.inbox)) return true;
  const Status taken = empty_inbox(options_.inbox, [this](std::string_view lines) -> Status {
    std::uint64_t seeds = 0;
    while (!lines.empty()) {
      const Frontier::Offer offered = offer_seed(frontier_, wire_, cut(lines, '\n'), nullptr);
      seeds += offered == Frontier::Offer::kStaged ? 1 : 0;
    }
    frontier_.seal();
    if (Status done = frontier_.commit(); !done.ok()) return done;
    progress_.clear();
    tool_.notice(report::count_text(seeds, "seed") + " came in");
    return store_.sync();
  });
  return taken.ok() || fail(taken.message());
}

}  // namespace spinneret::loop
