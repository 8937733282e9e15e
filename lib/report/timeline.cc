// SPDX-License-Identifier: Apache-2.0
#include "report/timeline.h"

#include <algorithm>

namespace spinneret::report {
namespace {

constexpr std::size_t kMostSpans = 200;
constexpr std::size_t kMostPauses = 20;
constexpr std::int64_t kPauseMs = 600'000;

void merge_pairs(std::vector<KindCounts>& spans) {
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (i % 2 == 0) {
      spans[i / 2] = spans[i];
    } else {
      for (std::size_t k = 0; k < kKinds; ++k) spans[i / 2][k] += spans[i][k];
    }
  }
  spans.resize((spans.size() + 1) / 2);
}

std::uint64_t asked_in(const KindCounts& span) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < kKinds; ++k) {
    if (static_cast<Kind>(k) != Kind::kBlocked) sum += span[k];
  }
  return sum;
}

}  // namespace

void Timeline::add(std::int64_t wall_ms, Kind kind) {
  if (spans_.empty()) first_wall_ms_ = last_wall_ms_ = wall_ms;
  const std::int64_t since = std::max<std::int64_t>(0, wall_ms - last_wall_ms_);
  if (since < kPauseMs) {
    active_ms_ += since;
  } else if (pauses_.size() < kMostPauses) {
    pauses_.push_back({active_ms_, since});
  }
  last_wall_ms_ = wall_ms;
  while (active_ms_ / width_ms_ >= static_cast<std::int64_t>(kMostSpans)) {
    merge_pairs(spans_);
    width_ms_ *= 2;
  }
  const auto index = static_cast<std::size_t>(active_ms_ / width_ms_);
  if (spans_.size() <= index) spans_.resize(index + 1);
  ++spans_[index][static_cast<std::size_t>(kind)];
}

double Timeline::peak_per_second() const {
  const auto together =
      static_cast<std::size_t>(std::max<std::int64_t>(1, (1000 + width_ms_ - 1) / width_ms_));
  std::uint64_t sum = 0;
  std::uint64_t best = 0;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    sum += asked_in(spans_[i]);
    if (i >= together) sum -= asked_in(spans_[i - together]);
    best = std::max(best, sum);
  }
  return static_cast<double>(best) * 1000 /
         static_cast<double>(static_cast<std::int64_t>(together) * width_ms_);
}

}  // namespace spinneret::report
