// SPDX-License-Identifier: Apache-2.0
#include "loop/progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/file.h"

namespace spinneret::loop {
namespace {

constexpr std::int64_t kTerminalMs = 200;
constexpr std::int64_t kPlainMs = 5000;

std::string one_decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return (unit == 0 ? std::to_string(bytes) : one_decimal(value)) + " " + kUnits[unit];
}

std::string count(std::uint64_t number, const char* what) {
  return std::to_string(number) + " " + what;
}

}  // namespace

Progress::Progress(std::string name, const Clock& clock, bool terminal, bool quiet)
    : name_(std::move(name)),
      clock_(clock),
      terminal_(terminal),
      quiet_(quiet),
      start_ms_(clock.monotonic_ns() / 1'000'000),
      last_ms_(start_ms_) {}

std::string Progress::text(const frontier::Statistics& now, std::size_t in_flight) const {
  std::string out = count(now.pages, "pages") + " (" + one_decimal(rate_) + "/s), ";
  out += bytes_text(now.bytes) + "; " + count(in_flight, "in flight") + "; ";
  out += count(now.all.waiting, "waiting") + ", " + count(now.all.done, "done");
  if (now.all.error != 0) out += ", " + count(now.all.error, "failed");
  if (now.all.blocked != 0) out += ", " + count(now.all.blocked, "blocked");
  return out + " of " + count(now.hosts, now.hosts == 1 ? "host" : "hosts");
}

void Progress::tick(const frontier::Statistics& now, std::size_t in_flight) {
  if (quiet_) return;
  const std::int64_t now_ms = clock_.monotonic_ns() / 1'000'000;
  const std::int64_t since = now_ms - last_ms_;
  if (since < (terminal_ ? kTerminalMs : kPlainMs)) return;
  const double rate = static_cast<double>(now.pages - last_pages_) * 1000 / static_cast<double>(since);
  rate_ = terminal_ ? 0.8 * rate_ + 0.2 * rate : rate;
  last_ms_ = now_ms;
  last_pages_ = now.pages;
  const std::string line = text(now, in_flight);
  write_all(STDERR_FILENO, terminal_ ? "\r\x1b[K" + line : name_ + ": " + line + "\n");
  shown_ = true;
}

void Progress::clear() {
  if (terminal_ && std::exchange(shown_, false)) write_all(STDERR_FILENO, "\r\x1b[K");
}

void Progress::finish(const frontier::Statistics& now) {
  if (quiet_) return;
  clear();
  const std::int64_t took = clock_.monotonic_ns() / 1'000'000 - start_ms_;
  std::string line = name_ + ": " + count(now.pages, "pages") + ", " + bytes_text(now.bytes) + " in " +
                     one_decimal(static_cast<double>(took) / 1000) + " s";
  if (took > 0) {
    line += " (" + one_decimal(static_cast<double>(now.pages) * 1000 / static_cast<double>(took)) + "/s)";
  }
  line += "; " + count(now.all.waiting, "waiting") + ", " + count(now.all.done, "done") + ", " +
          count(now.all.error, "failed") + ", " + count(now.all.blocked, "blocked");
  write_all(STDERR_FILENO, line + "\n");
}

}  // namespace spinneret::loop
