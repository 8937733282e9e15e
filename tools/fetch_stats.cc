// SPDX-License-Identifier: Apache-2.0
#include "fetch_stats.h"

#include <unistd.h>

#include <cstdio>

#include "base/clock.h"
#include "base/file.h"
#include "base/outcome.h"
#include "terminal.h"

namespace spinneret {
namespace {

constexpr std::int64_t kShowEveryNs = 500'000'000;

}  // namespace

FetchStats::FetchStats(bool wanted)
    : wanted_(wanted),
      progress_(wanted && takes_controls(STDERR_FILENO)),
      started_ns_(system_clock().monotonic_ns()) {}

void FetchStats::count(const http::FetchResult& result) {
  ++results_;
  bytes_ += result.size;
  ++by_outcome_[static_cast<std::size_t>(result.outcome)];
}

double FetchStats::seconds() const {
  const auto ns = static_cast<double>(system_clock().monotonic_ns() - started_ns_);
  return ns > 1e6 ? ns / 1e9 : 1e-3;
}

std::string FetchStats::line(const http::EngineStats& engine) const {
  char text[256];
  const double time = seconds();
  std::snprintf(text, sizeof text,
                "fetch: %llu URLs in %.1f s, %.0f/s; %.1f MB of bodies, %.1f MB on the wire",
                static_cast<unsigned long long>(results_), time,
                static_cast<double>(results_) / time, static_cast<double>(bytes_) / 1e6,
                static_cast<double>(engine.wire_bytes) / 1e6);
  return text;
}

void FetchStats::show_progress(const http::EngineStats& engine) {
  if (!progress_) return;
  const std::int64_t now = system_clock().monotonic_ns();
  if (now - shown_ns_ < kShowEveryNs) return;
  shown_ns_ = now;
  const std::string text = "\r" + line(engine) + "; " + std::to_string(engine.active) +
                           " active, " + std::to_string(engine.queued) + " queued\x1b[K";
  write_all(STDERR_FILENO, text);
}

void FetchStats::summarize(const http::EngineStats& engine) {
  if (!wanted_) return;
  std::string text = progress_ ? "\r\x1b[K" : "";
  text += line(engine) + "\nfetch:";
  for (const OutcomeInfo& info : all_outcomes()) {
    const std::uint64_t count = by_outcome_[static_cast<std::size_t>(info.outcome)];
    if (count != 0) text += " " + std::string(info.name) + "=" + std::to_string(count);
  }
  write_all(STDERR_FILENO, text + "\n");
}

}  // namespace spinneret
