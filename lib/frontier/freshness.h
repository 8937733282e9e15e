// SPDX-License-Identifier: Apache-2.0
// Which page to visit next, where a budget limits the number of visits: pure rules, no store.
//
//   --recrawl best:5000/d                      up to 5,000 visits a day, where they are worth most
//   --recrawl best:5000/d,least=1h,most=90d    and between an hour and 90 days after the last one
//
// A page that changes at random, `rate` times a day in the mean, and was visited `age` days ago, is
// still as it was with probability e^-x, x = rate * age. The visit that adds most freshness for its
// cost is that of the page with the greatest
//
//   value = weight / rate * (1 - (1 + x) e^-x)
//
// (Azar, Horvitz, Lubetzky, Peres, Shahaf: "Tractable near-optimal policies for crawling", PNAS
// 2018). So pages that change faster than they can be followed are left out, and pages that never
// change are seldom visited. Rates are learned: 12 bytes a page (ChangeHistory), interpreted by
// what pages of this crawl do (RatePrior).
//
// There is no threshold and no controller. Pages stand in classes of rate and weight, and within a
// class by their last visit: the oldest is the one worth most, and the next page is the best of
// these heads. That costs a look at each class that has pages, whatever the number of pages: some
// 10 ns each, 9 us where all 900 have. A crawl of seeds and links has two priorities, and so 180
// classes at most. To learn from a visit costs 4 us.
//
// tests/bench/recrawl.cc measures the freshness that this reaches.
#ifndef SPINNERET_FRONTIER_FRESHNESS_H_
#define SPINNERET_FRONTIER_FRESHNESS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "frontier/keys.h"

namespace spinneret::frontier {

// What the visits of a page have shown; older ones count less and less.
struct ChangeHistory {
  std::uint32_t changes = 0;    // visits that found a change, in units of 1/256
  std::uint32_t changed_s = 0;  // seconds between those and the visits before them
  std::uint32_t same_s = 0;     // the same for visits that found none
  std::uint32_t last_s = 0;     // seconds before the visit that was added last; not stored
  void add(std::int64_t gap_ms, bool changed);
  bool empty() const { return changed_s == 0 && same_s == 0; }
};

// Steps of rates: each is 2^(1/4), 1.19 times the one before.
inline constexpr std::size_t kRateSteps = 90;
// Changes a second, from once in 20 years to once in two minutes.
double rate_of_step(std::size_t step);

// How pages of this crawl change: a bell over the logarithm of the rate. The rate of a page is the
// mean that the bell and the page's history together give. The bell's position and width are
// learned from all pages: its middle from their steps, its width from how far from the middle each
// page may be after its last visit. A visit counts by the gap before it, because pages that are
// visited often would count most otherwise.
class RatePrior {
 public:
  // What is durable of it.
  struct Learned {
    std::int64_t sum = 0;     // sum of the steps of all pages ...
    std::uint64_t pages = 0;  // ... and their number
    double days = 0;          // sum of gaps before visits; older ones fade
    double squares = 0;       // sum of squared distances from the middle, weighted by those days
  };
  RatePrior() : RatePrior(Learned()) {}
  explicit RatePrior(const Learned& learned);
  std::size_t step(const ChangeHistory& history) const;
  // Returns the step of a page to which a visit was added. `from`: its step before; none where it
  // was compared for the first time.
  std::size_t learn(const ChangeHistory& history, std::optional<std::size_t> from);
  const Learned& learned() const { return learned_; }

 private:
  struct Estimate {
    double step = 0, variance = 0;
  };
  Estimate estimate(const ChangeHistory& history) const;
  void shape();
  Learned learned_;
  double centre_ = -1;                        // the step at which weights_ peak
  double spread_ = 0;                         // width of the bell, in steps
  std::array<double, kRateSteps> weights_{};  // logarithms
};

// A class of pages: a rate, and the priority by which they count. Each step of priority counts
// twice the one below.
struct VisitClass {
  std::uint16_t number = 0;  // below kVisitClasses
  static VisitClass of(std::size_t rate_step, std::uint8_t priority);
  std::size_t rate_step() const { return number % kRateSteps; }
};
inline constexpr std::size_t kVisitClasses = kRateSteps * (kLastPriority + 1);

// Chooses the page to visit among the oldest of each class.
class VisitChoice {
 public:
  // No visit is sooner than `least_ms` after the last; a page whose last one was `most_ms` ago goes
  // before all others.
  VisitChoice(std::int64_t least_ms, std::int64_t most_ms);
  // The time of the oldest visit of a class, or a time before it; kNone: the class has no page.
  static constexpr std::int64_t kNone = INT64_MAX;
  void set_oldest(VisitClass of, std::int64_t visit_ms);
  std::int64_t oldest(VisitClass of) const { return oldest_[of.number]; }
  // The class whose oldest page is to be visited at `now_ms`, among those whose oldest visit is
  // before `before_ms`.
  std::optional<VisitClass> best(std::int64_t now_ms, std::int64_t before_ms = kNone) const;
  // When best() will give something, if nothing changes: no later than now where it does;
  // INT64_MAX: never.
  std::int64_t due_ms(std::int64_t before_ms = kNone) const;

 private:
  std::int64_t least_ms_, most_ms_;
  std::vector<std::int64_t> oldest_;    // time of the oldest visit, by class
  std::vector<std::uint16_t> present_;  // classes that have pages, in no order
  std::vector<std::uint16_t> place_;    // index into present_, by class
};

// A number of visits in a span of time. Visits not taken are saved, up to that number: a daily run
// has the whole of 5000/d.
class Budget {
 public:
  Budget(std::uint64_t visits, std::int64_t span_ms);
  // What is durable: the time up to which visits are spent, in microseconds, as if they were taken
  // evenly. 0: none was ever taken.
  std::int64_t spent_us() const { return spent_us_; }
  void restore(std::int64_t spent_us) { spent_us_ = spent_us; }
  bool has(std::int64_t now_ms) { return due_ms(now_ms) <= now_ms; }
  // When there is a visit to take: no later than `now_ms` where there is one now.
  std::int64_t due_ms(std::int64_t now_ms);
  void take() { spent_us_ += each_us_; }

 private:
  std::int64_t each_us_, saved_us_;
  std::int64_t spent_us_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_FRESHNESS_H_
