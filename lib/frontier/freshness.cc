// SPDX-License-Identifier: Apache-2.0
#include "frontier/freshness.h"

#include <algorithm>
#include <cmath>

namespace spinneret::frontier {
namespace {

// A visit counts half as much after 22 more.
constexpr std::uint32_t kMemory = 32;
constexpr std::uint32_t kOneChange = 256;

constexpr double kSlowest = 1.0 / (20 * 365.25 * 86'400);
// The rate that is assumed before pages of this crawl have shown anything, once in two weeks, and
// the number of pages that it counts like.
constexpr double kFirstRate = 1.0 / (14 * 86'400);
constexpr double kFirstPages = 30;
// The width of the bell, in steps: at first a factor of 5.7 up or down, counted as half a day of
// each page. (Rates of real pages spread by 5 to 12. A bell that stays 11.5 wide makes too much of
// first visits: where rates spread by 2.7, the first 30 days are then .0015 below visits in turn;
// one that stays 10 wide follows worse where they spread by 12.)
constexpr double kFirstSpread = 10;
constexpr double kFirstDays = 0.5;
constexpr double kLeastSpread = 6;
constexpr double kMostSpread = 16;
// Evidence of the width fades with so many visits of each page.
constexpr double kSpreadMemory = 20;
// The weights are computed anew when the bell has changed by so much.
constexpr double kCentreMoved = 0.25;
constexpr double kSpreadMoved = 0.1;

const std::array<double, kRateSteps>& rates() {
  static const auto table = [] {
    std::array<double, kRateSteps> out{};
    for (std::size_t i = 0; i < kRateSteps; ++i)
      out[i] = kSlowest * std::exp2(static_cast<double>(i) / 4);
    return out;
  }();
  return table;
}

// The most that a visit to a page of each class is worth.
const std::array<double, kVisitClasses>& most_worth() {
  static const auto table = [] {
    std::array<double, kVisitClasses> out{};
    for (std::size_t i = 0; i < kVisitClasses; ++i) {
      const int doublings = kLastPriority - static_cast<int>(i / kRateSteps);
      out[i] = std::ldexp(1 / rates()[i % kRateSteps], doublings);
    }
    return out;
  }();
  return table;
}

std::uint32_t add_seconds(std::uint32_t sum, std::int64_t seconds) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(sum + seconds, UINT32_MAX));
}

void fade(std::uint32_t& sum) { sum -= sum / kMemory; }

}  // namespace

void ChangeHistory::add(std::int64_t gap_ms, bool changed) {
  fade(changes);
  fade(changed_s);
  fade(same_s);
  const std::int64_t gap_s = std::clamp<std::int64_t>((gap_ms + 500) / 1000, 1, UINT32_MAX);
  std::uint32_t& sum = changed ? changed_s : same_s;
  sum = add_seconds(sum, gap_s);
  last_s = static_cast<std::uint32_t>(gap_s);
  if (changed) changes += kOneChange;
}

double rate_of_step(std::size_t step) { return rates()[step]; }

RatePrior::RatePrior(const Learned& learned) : learned_(learned) { shape(); }

void RatePrior::shape() {
  const double first = 4 * std::log2(kFirstRate / kSlowest);
  const auto pages = static_cast<double>(learned_.pages);
  const double centre =
      std::clamp((static_cast<double>(learned_.sum) + first * kFirstPages) / (pages + kFirstPages),
                 0.0, static_cast<double>(kRateSteps));
  const double days = kFirstDays * std::max(pages, kFirstPages);
  const double spread = std::clamp(
      std::sqrt((learned_.squares + days * kFirstSpread * kFirstSpread) / (learned_.days + days)),
      kLeastSpread, kMostSpread);
  if (std::abs(centre - centre_) < kCentreMoved && std::abs(spread - spread_) < kSpreadMoved)
    return;
  centre_ = centre;
  spread_ = spread;
  for (std::size_t i = 0; i < kRateSteps; ++i) {
    const double off = (static_cast<double>(i) - centre) / spread;
    weights_[i] = -off * off / 2;
  }
}

std::size_t RatePrior::learn(const ChangeHistory& history, std::optional<std::size_t> from) {
  const Estimate found = estimate(history);
  const auto step = static_cast<std::size_t>(found.step + 0.5);
  const double off = found.step - centre_;
  const double days = history.last_s / 86'400.0;
  const double keep =
      1 - 1 / (kSpreadMemory * std::max(static_cast<double>(learned_.pages), kFirstPages));
  learned_.days = learned_.days * keep + days;
  learned_.squares = learned_.squares * keep + days * (off * off + found.variance);
  learned_.sum += static_cast<std::int64_t>(step) - static_cast<std::int64_t>(from.value_or(0));
  if (!from) ++learned_.pages;
  shape();
  return step;
}

std::size_t RatePrior::step(const ChangeHistory& history) const {
  return static_cast<std::size_t>(estimate(history).step + 0.5);
}

// Where all gaps of changed visits have one length, this is Cho's likelihood ("Estimating frequency
// of change", 2003). With the bell before it, what he calls bias is gone: a page that has changed
// at every visit has no infinite rate.
RatePrior::Estimate RatePrior::estimate(const ChangeHistory& history) const {
  const double changes = static_cast<double>(history.changes) / kOneChange;
  const double gap = changes > 0 ? std::max(history.changed_s, 1U) / changes : 0;
  std::array<double, kRateSteps> likely;
  double top = -INFINITY;
  for (std::size_t i = 0; i < kRateSteps; ++i) {
    const double rate = rates()[i];
    likely[i] = weights_[i] - rate * history.same_s;
    if (changes > 0) likely[i] += changes * std::log(-std::expm1(-rate * gap));
    top = std::max(top, likely[i]);
  }
  double all = 0;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < kRateSteps; ++i) {
    if (likely[i] < top - 20) continue;
    const double share = std::exp(likely[i] - top);
    const auto step = static_cast<double>(i);
    all += share;
    sum += share * step;
    squares += share * step * step;
  }
  const double mean = sum / all;
  return {std::min(mean, static_cast<double>(kRateSteps - 1)),
          std::max(squares / all - mean * mean, 0.0)};
}

VisitClass VisitClass::of(std::size_t rate_step, std::uint8_t priority) {
  const std::size_t number = std::min(priority, kLastPriority) * kRateSteps + rate_step;
  return {static_cast<std::uint16_t>(number)};
}

VisitChoice::VisitChoice(std::int64_t least_ms, std::int64_t most_ms)
    : least_ms_(least_ms),
      most_ms_(most_ms),
      oldest_(kVisitClasses, kNone),
      place_(kVisitClasses, 0) {}

void VisitChoice::set_oldest(VisitClass of, std::int64_t visit_ms) {
  std::int64_t& oldest = oldest_[of.number];
  if (oldest == kNone && visit_ms != kNone) {
    place_[of.number] = static_cast<std::uint16_t>(present_.size());
    present_.push_back(of.number);
  } else if (oldest != kNone && visit_ms == kNone) {
    const std::uint16_t last = present_.back();
    present_[place_[of.number]] = last;
    place_[last] = place_[of.number];
    present_.pop_back();
  }
  oldest = visit_ms;
}

std::optional<VisitClass> VisitChoice::best(std::int64_t now_ms, std::int64_t before_ms) const {
  const double* const rate_of = rates().data();
  const double* const most_of = most_worth().data();
  std::optional<VisitClass> found;
  std::int64_t latest = now_ms - most_ms_;
  double greatest = -1;
  for (const std::uint16_t number : present_) {
    const std::int64_t visit_ms = oldest_[number];
    if (visit_ms > now_ms - least_ms_ || visit_ms >= before_ms) continue;
    if (visit_ms <= latest) {
      latest = visit_ms - 1;
      greatest = INFINITY;
      found = VisitClass{number};
      continue;
    }
    const double most = most_of[number];
    const double x = rate_of[number % kRateSteps] * static_cast<double>(now_ms - visit_ms) / 1000;
    // The value is at most either of these; few classes get further.
    if (most <= greatest || most * x * x / 2 <= greatest) continue;
    // This is 1 - (1 + x) e^-x, in a form that does not cancel so soon where x is small.
    const double value = most * (-std::expm1(-x) - x * std::exp(-x));
    if (value <= greatest) continue;
    greatest = value;
    found = VisitClass{number};
  }
  return found;
}

std::int64_t VisitChoice::due_ms(std::int64_t before_ms) const {
  std::int64_t due = INT64_MAX;
  for (const std::uint16_t number : present_) {
    if (oldest_[number] < before_ms) due = std::min(due, oldest_[number] + least_ms_);
  }
  return due;
}

Budget::Budget(std::uint64_t visits, std::int64_t span_ms)
    : each_us_(std::max<std::int64_t>((span_ms * 1000 + static_cast<std::int64_t>(visits) - 1) /
                                          static_cast<std::int64_t>(visits),
                                      1)),
      saved_us_(each_us_ * static_cast<std::int64_t>(visits)) {}

std::int64_t Budget::due_ms(std::int64_t now_ms) {
  // The time must not lie in the future: the clock may have been set back.
  const std::int64_t now_us = now_ms * 1000;
  spent_us_ = std::clamp(spent_us_, now_us - saved_us_, now_us);
  return (spent_us_ + each_us_ + 999) / 1000;
}

}  // namespace spinneret::frontier
