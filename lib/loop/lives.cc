// SPDX-License-Identifier: Apache-2.0
#include "loop/lives.h"

#include <algorithm>

namespace spinneret::loop {
namespace {

constexpr int kMostDeaths = 5;
constexpr std::int64_t kFirstPauseMs = 100;
constexpr int kMostDoublings = 6;
// A pipeline that lived this long has not died quickly.
constexpr std::int64_t kLongLifeMs = 10'000;
// A pipeline that cannot start has ended by then.
constexpr std::int64_t kStartMs = 2000;

}  // namespace

void Lives::begin(std::int64_t now_ms) {
  begun_ms_ = now_ms;
  passed_ = false;
}

void Lives::note_result() {
  deaths_ = blames_ = 0;
  passed_ = ever_passed_ = true;
  on_trial_ = false;
}

bool Lives::has_started(std::int64_t now_ms) const { return now_ms - begun_ms_ >= kStartMs; }

Lives::After Lives::die(std::int64_t now_ms, bool guilty) {
  ++deaths_;
  quick_deaths_ = now_ms - begun_ms_ < kLongLifeMs ? quick_deaths_ + 1 : 1;
  on_trial_ = ever_passed_ && !passed_ && !guilty;
  passed_ = false;
  if (guilty && ++blames_ < kMostDeaths) deaths_ = quick_deaths_ = 0;
  After out;
  out.deaths = deaths_;
  out.give_up = deaths_ >= kMostDeaths;
  if (quick_deaths_ > 1)
    out.pause_ms = kFirstPauseMs << std::min(quick_deaths_ - 2, kMostDoublings);
  begin_at_ms_ = now_ms + out.pause_ms;
  return out;
}

}  // namespace spinneret::loop
