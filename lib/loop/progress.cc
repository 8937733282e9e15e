// SPDX-License-Identifier: Apache-2.0
#include "loop/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/file.h"
#include "base/outcome.h"
#include "report/quantity.h"
#include "report/survey.h"

namespace spinneret::loop {
namespace {

using report::bytes_text;
using report::count_text;
using report::grouped;
using report::Kind;
using report::rounded;
using report::span_text;

constexpr std::int64_t kTerminalMs = 200;
constexpr std::int64_t kPlainMs = 5000;
// The recent rate covers about this time.
constexpr double kRateMs = 3000;
// How often hosts are looked at.
constexpr std::int64_t kLookMs = 2000;
// A shorter remaining time is not shown.
constexpr std::int64_t kShortMs = 1000;

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

// Counts results that were refused by the server, or failed on the way.
std::uint64_t errors_in(const frontier::Statistics& now) {
  std::uint64_t sum = 0;
  for (const OutcomeInfo& info : all_outcomes()) {
    const Kind kind = report::kind_of(info.outcome);
    if (kind != Kind::kRefused && kind != Kind::kFailed) continue;
    sum += now.outcomes[static_cast<std::size_t>(info.outcome)];
  }
  return sum;
}

}  // namespace

Progress::Progress(Options options, const Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      start_ms_(clock.monotonic_ns() / 1'000'000),
      last_ms_(start_ms_) {}

std::int64_t Progress::least_left_ms(const frontier::Statistics& now) const {
  std::uint64_t left = now.all.waiting;
  const bool limited = options_.max_pages != 0 && options_.max_pages < now.pages + left;
  if (limited) left = options_.max_pages - std::min(options_.max_pages, now.pages);
  // While all URLs wait, say for a retry, the recent rate falls towards zero, which predicts
  // nothing.
  const auto run_ms = static_cast<double>(last_ms_ - start_ms_);
  const double rate =
      std::max(rate_, run_ms > 0 ? static_cast<double>(now.pages) * 1000 / run_ms : 0);
  const double by_rate = rate > 0 ? static_cast<double>(left) * 1000 / rate : -1;
  // A limit may be reached long before the slowest host is done.
  const double by_host = limited ? -1 : static_cast<double>(slowest_host_ms_);
  const double least = std::max(by_rate, by_host);
  return least < 1e15 ? static_cast<std::int64_t>(least) : -1;
}

std::string Progress::text(const frontier::Statistics& now, std::size_t in_flight,
                           std::size_t width) const {
  std::string out = count_text(now.pages, "page") + ", " + rounded(std::max(rate_, 0.0)) + "/s";
  if (now.paused) out = "paused: nothing answers; " + out;
  // The most important parts come first, so that a narrow terminal shows them.
  const auto add = [&](const std::string& part) {
    if (out.size() + 2 + part.size() <= width) out += ", " + part;
  };
  add(grouped(now.all.waiting) + " queued");
  const std::int64_t left = least_left_ms(now);
  const bool rests = in_flight == 0 && rest_ms_ > left && rest_ms_ != INT64_MAX;
  if (std::max(left, rests ? rest_ms_ : 0) >= kShortMs)
    add(rests ? "the next in " + span_text(rest_ms_) : "at least " + span_text(left) + " left");
  add(grouped(in_flight) + " in flight");
  add(count_text(errors_in(now), "error"));
  add(count_text(now.hosts, "host"));
  if (now.all.blocked != 0) add(grouped(now.all.blocked) + " blocked");
  if (now.refused != 0) add(count_text(now.refused, "link") + " refused");
  if (now.items != 0) add(count_text(now.items, "item"));
  add(bytes_text(now.bytes));
  return out.substr(0, width);
}

void Progress::look_at_hosts(const frontier::HostTable& hosts, std::int64_t now_ms) {
  if (now_ms - looked_ms_ < kLookMs) return;
  looked_ms_ = now_ms;
  slowest_host_ms_ =
      static_cast<std::int64_t>(std::min(slowest_host_.left_ms(hosts, now_ms), 1e15));
}

bool Progress::due() const {
  return !options_.quiet && clock_.monotonic_ns() / 1'000'000 - last_ms_ >=
                                (options_.terminal ? kTerminalMs : kPlainMs);
}

void Progress::tick(const frontier::Frontier& frontier) {
  if (!due()) return;
  look_at_hosts(frontier.hosts(), clock_.monotonic_ns() / 1'000'000);
  show(frontier.statistics(), frontier.in_flight());
}

void Progress::show(const frontier::Statistics& now, std::size_t in_flight) {
  const std::int64_t now_ms = clock_.monotonic_ns() / 1'000'000;
  const auto since = static_cast<double>(now_ms - last_ms_);
  const double rate = static_cast<double>(now.pages - last_pages_) * 1000 / since;
  rate_ = rate_ < 0 ? rate : rate + (rate_ - rate) * std::exp(-since / kRateMs);
  last_ms_ = now_ms;
  last_pages_ = now.pages;
  if (options_.terminal) {
    // One column stays free, since some terminals begin a new line when the last one is filled.
    write_all(STDERR_FILENO, "\r\x1b[K" + text(now, in_flight, terminal_width() - 1));
  } else {
    write_all(STDERR_FILENO, options_.name + ": " + text(now, in_flight, SIZE_MAX) + "\n");
  }
  shown_ = true;
}

void Progress::clear() {
  if (options_.terminal && std::exchange(shown_, false)) write_all(STDERR_FILENO, "\r\x1b[K");
}

void Progress::finish(const frontier::Statistics& now) {
  if (options_.quiet) return;
  clear();
  const std::int64_t took = clock_.monotonic_ns() / 1'000'000 - start_ms_;
  std::string line = options_.name + ": " + count_text(now.pages, "page") + ", " +
                     bytes_text(now.bytes) + " in " + span_text(took);
  if (took > 0) {
    line +=
        " (" + rounded(static_cast<double>(now.pages) * 1000 / static_cast<double>(took)) + "/s)";
  }
  line += "; " + grouped(now.all.waiting) + " waiting, " + grouped(now.all.done) + " done, " +
          grouped(now.all.error) + " failed, " + grouped(now.all.blocked) + " blocked";
  write_all(STDERR_FILENO, line + "\n");
}

}  // namespace spinneret::loop
