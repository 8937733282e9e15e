// SPDX-License-Identifier: Apache-2.0
// Which page to visit again next, where a budget says how many visits there are: pure rules, no store.
//
//   --recrawl best:5000/d                      up to 5,000 visits a day, each where it is worth most
//   --recrawl best:5000/d,least=1h,most=90d    none sooner than an hour after the last, none later than 90 days
//
// A page that changes at random, `rate` times a day in the mean, and was visited `age` days ago, is still as it was
// with probability e^-x, x = rate * age. Of the pages that stand in line, the visit that adds most freshness for
// what it costs is that of the greatest
//
//   value = weight / rate * (1 - (1 + x) e^-x)
//
// (Azar, Horvitz, Lubetzky, Peres, Shahaf: "Tractable near-optimal policies for crawling", PNAS 2018). So what
// changes faster than it can be followed is left, and what never changes is seldom looked at. Rates are learned: 12 bytes
// a page (ChangeHistory), read in the light of what pages of this crawl do (RatePrior).
//
// There is no threshold and no controller. Pages stand in classes of rate and weight, within a class by their last
// visit; the oldest of a class is the one worth most there, and the next page is the best of these heads. That costs a look
// at each class that has pages, whatever the number of pages: some 10 ns each, 9 us where all 900 have. A crawl of seeds and
// links has two priorities, and so 180 classes at most. To learn from a visit costs 4 us.
//
// Freshness of tests/bench/recrawl.cc, which drives what is here: see there.
#ifndef SPINNERET_FRONTIER_FRESHNESS_H_
#define SPINNERET_FRONTIER_FRESHNESS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "frontier/keys.h"

namespace spinneret::frontier {

// What the visits of a page have shown; those of long ago count less and less.
struct ChangeHistory {
  std::uint32_t changes = 0;    // visits that found a change, in 1/256
  std::uint32_t changed_s = 0;  // seconds between those and the visit before
  std::uint32_t same_s = 0;     // the same of visits that found none
  std::uint32_t last_s = 0;     // of the visit that was added last; not stored
  void add(std::int64_t gap_ms, bool changed);
  bool empty() const { return changed_s == 0 && same_s == 0; }
};

// Steps of rates: one is 2^(1/4), 1.19 times the one before.
inline constexpr std::size_t kRateSteps = 90;
// Changes a second; from once in 20 years to once in two minutes.
double rate_of_step(std::size_t step);

// How pages of this crawl change: a bell over the logarithm of the rate. The rate of a page is its mean there, as the
// bell and the page's history together have it. Where the bell stands and how wide it is are learned from all pages: the
// middle from the steps that they have, the width from how far from it each may be, as its last visit leaves that. Each
// visit counts by the gap before it, as pages that are visited often would else count most.
class RatePrior {
 public:
  // What is durable.
  struct Learned {
    std::int64_t sum = 0;     // of the steps of all pages ...
    std::uint64_t pages = 0;  // ... and their number
    double days = 0;          // the gaps before visits; those of long ago fade
    double squares = 0;       // of distances from the middle, by those days
  };
  RatePrior() : RatePrior(Learned()) {}
  explicit RatePrior(const Learned& learned);
  std::size_t step(const ChangeHistory& history) const;
  // The step of a page to which a visit was added, and whose step was `from`: none, where it was compared for the first time.
  std::size_t learn(const ChangeHistory& history, std::optional<std::size_t> from);
  const Learned& learned() const { return learned_; }

 private:
  struct Estimate {
    double step = 0, variance = 0;
  };
  Estimate estimate(const ChangeHistory& history) const;
  void shape();
  Learned learned_;
  double centre_ = -1;                        // the step at which weights_ have their top
  double spread_ = 0;                         // in steps
  std::array<double, kRateSteps> weights_{};  // logarithms
};

// A class of pages: rate, and the priority that they count by. Each step of priority counts twice the one below.
struct VisitClass {
  std::uint16_t number = 0;  // below kVisitClasses
  static VisitClass of(std::size_t rate_step, std::uint8_t priority);
  std::size_t rate_step() const { return number % kRateSteps; }
};
inline constexpr std::size_t kVisitClasses = kRateSteps * (kLastPriority + 1);

// Of the oldest of each class, the one to visit.
class VisitChoice {
 public:
  // No visit sooner than `least_ms` after the last; one that is `most_ms` late goes before all others.
  VisitChoice(std::int64_t least_ms, std::int64_t most_ms);
  // Of that class, the time of the oldest visit, or one before it; kNone: there is no page.
  static constexpr std::int64_t kNone = INT64_MAX;
  void set_oldest(VisitClass of, std::int64_t visit_ms);
  std::int64_t oldest(VisitClass of) const { return oldest_[of.number]; }
  // The class whose oldest page is to be visited at `now_ms`. Only those count whose oldest visit is before `before_ms`.
  std::optional<VisitClass> best(std::int64_t now_ms, std::int64_t before_ms = kNone) const;
  // When best() will give something, if nothing changes: no later than `now_ms` where it does; INT64_MAX: never.
  std::int64_t due_ms(std::int64_t before_ms = kNone) const;

 private:
  std::int64_t least_ms_, most_ms_;
  std::vector<std::int64_t> oldest_;    // by class
  std::vector<std::uint16_t> present_;  // classes that have pages, in no order
  std::vector<std::uint16_t> place_;    // of a class in present_
};

// So many visits in so long. What was not taken is saved, up to that number: so a run once a day has the whole of 5000/d.
class Budget {
 public:
  Budget(std::uint64_t visits, std::int64_t span_ms);
  // The time up to which visits are spent, in microseconds, as if they were taken evenly; 0: none was ever taken. What is
  // durable of it.
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
