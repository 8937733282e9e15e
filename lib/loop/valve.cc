// SPDX-License-Identifier: Apache-2.0
#include "loop/valve.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/file.h"
#include "base/number.h"

namespace spinneret::loop {
namespace {

constexpr std::int64_t kLookMs = 200;
constexpr double kLeastRate = 0.01;
constexpr double kMostRate = 1e5;

// A rate too small to be written would be read as no limit.
double rate_in_range(double rate) { return rate > 0 ? std::clamp(rate, kLeastRate, kMostRate) : 0; }

std::string rate_text(double rate) {
  // Three digits after the point.
  return seconds_text(static_cast<std::int64_t>(rate * 1000 + 0.5));
}

}  // namespace

std::string valve_text(const ValveSetting& setting) {
  if (setting.unreadable)
    return "as before: the file valve holds no setting, such as \"pause 0\" or \"run 2.5\"";
  if (setting.paused) return "paused";
  return setting.rate == 0 ? "no limit"
                           : "at most " + rate_text(setting.rate) + " requests a second";
}

Status write_valve(const std::string& path, const ValveSetting& setting) {
  return write_file_atomic(
      path, (setting.paused ? "pause " : "run ") + rate_text(rate_in_range(setting.rate)) + "\n");
}

ValveSetting read_valve(const std::string& path) {
  const Result<std::string> text = read_file(path, 100);
  if (!text.ok()) return {};
  std::string_view rest = *text;
  std::string_view line = cut(rest, '\n');
  const std::string_view word = cut(line, ' ');
  const std::optional<double> rate = line.empty() ? 0 : parse_decimal(line);
  ValveSetting out;
  out.paused = word == "pause";
  out.unreadable = (!out.paused && word != "run") || !rate || *rate < 0;
  if (!out.unreadable) out.rate = rate_in_range(*rate);
  return out;
}

Valve::Valve(std::string path) : path_(std::move(path)) {
  if (!path_.empty()) ::unlink(path_.c_str());
}

bool Valve::look(std::int64_t now_ms) {
  if (path_.empty() || now_ms - looked_ms_ < kLookMs) return false;
  looked_ms_ = now_ms;
  ValveSetting now = read_valve(path_);
  if (now.unreadable) {
    now.paused = setting_.paused;
    now.rate = setting_.rate;
  }
  const ValveSetting before = std::exchange(setting_, now);
  if (before == setting_) return false;
  next_ms_ = 0;
  debt_ms_ = 0;
  return true;
}

void Valve::sent(std::int64_t now_ms) {
  if (setting_.rate == 0) return;
  // At most one second of missed requests is made up for.
  const std::int64_t from = std::max(next_ms_, now_ms - 1000);
  debt_ms_ += 1000 / setting_.rate;
  const auto whole = static_cast<std::int64_t>(debt_ms_);
  debt_ms_ -= static_cast<double>(whole);
  next_ms_ = from + whole;
}

std::int64_t Valve::wait_ms(std::int64_t now_ms) const {
  const std::int64_t look = std::max<std::int64_t>(looked_ms_ + kLookMs - now_ms, 0);
  return setting_.paused ? look : std::min(look, std::max<std::int64_t>(next_ms_ - now_ms, 0));
}

}  // namespace spinneret::loop
