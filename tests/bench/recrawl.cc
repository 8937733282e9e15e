// SPDX-License-Identifier: Apache-2.0
// How fresh a budget of visits keeps pages: --recrawl=best beside other rules and the optimum, in
// virtual time.
//
//   bench-recrawl [PAGES [SEEDS [budget|change|cold]]]     default 10,000 pages, three seeds, all
//                                                          tables: half an hour
//
// Pages change at random (Poisson), at rates that spread log-normally about once in 30 days.
// Freshness is the share of time in which the copy equalled the page, by weight, over one year; a
// year to learn in precedes it. `best` is what the frontier does: its classes, its budget, its
// estimator. Others:
//   uniform       the page visited longest ago
//   proportional  as often as a page changes, with the true rates
//   nutch         AdaptiveFetchSchedule's rule: 0.2 sooner after a change, 0.4 later after none; it
//                 starts at 30 days
//   adaptive      --recrawl=adaptive:1d..90d
//   optimum       with the true rates: each further visit gains the same (Cho, Garcia-Molina 2003)
// Where a rule has less to do than its budget, visits are idle. Where it has more, the page due
// first goes first.
//
// 10,000 pages, one seed (visits a day in the measured year; idle is adaptive's, for best idles
// 0.0 % everywhere):
//
//   sigma  visits  uniform  prop.  nutch  adaptive  best   optimum  best/optimum  idle
//     1.0     500   .685    .603   .619     .680    .696     .699       .996        0 %
//     1.0   1,430   .850    .828   .621     .726    .866     .868       .998       29 %
//     1.0   5,000   .949    .946   .621     .726    .957     .959       .998       80 %
//     1.8     500   .640    .275   .593     .640    .662     .672       .985        0 %
//     1.8   1,430   .786    .575   .653     .733    .816     .820       .995        0 %
//     1.8   5,000   .903    .843   .649     .740    .930     .932       .998       66 %
//     2.5     500   .612    .064   .573     .614    .642     .656       .978        0 %
//     2.5   1,430   .738    .182   .647     .708    .775     .781       .993        0 %
//     2.5   5,000   .854    .505   .675     .730    .892     .894       .997       55 %
//   with heavy-tailed weights:
//     1.0     500   .693    .603   .615     .695    .813     .819       .993        0 %
//     1.0   1,430   .852    .828   .616     .728    .917     .920       .997       29 %
//     1.0   5,000   .950    .946   .621     .731    .973     .975       .998       80 %
//     1.8     500   .649    .281   .593     .642    .787     .797       .987        0 %
//     1.8   1,430   .790    .581   .657     .733    .885     .890       .995        0 %
//     1.8   5,000   .907    .846   .657     .738    .956     .959       .997       66 %
//     2.5     500   .620    .070   .569     .615    .763     .776       .984        0 %
//     2.5   1,430   .742    .198   .649     .717    .856     .862       .993        0 %
//     2.5   5,000   .857    .530   .681     .734    .932     .935       .997       55 %
//
// A bound of 90 days costs nothing measurable (.642 and .643 without it, at 2.5 and 500). 10,000
// pages, one seed:
//
//   1,430 a day for a year, then 5,000
//   sigma  rule      30 d   to 90  to 360  5,000: 10 d  to 360   idle
//     1.0  uniform   .859   .850   .851       .943      .949    0 %
//     1.0  adaptive  .829   .801   .742       .726      .726   80
//     1.0  best      .863   .859   .864       .951      .957    0
//     1.8  uniform   .797   .787   .787       .895      .903    0
//     1.8  adaptive  .778   .788   .748       .749      .741   65
//     1.8  best      .807   .808   .814       .922      .930    0
//     2.5  uniform   .749   .739   .738       .846      .854    0
//     2.5  adaptive  .733   .749   .718       .754      .733   52
//     2.5  best      .760   .764   .772       .881      .891    0
//   a tenth changes at each visit, a fifth bursts (two years, none to learn in)
//   sigma  visits  uniform  nutch  adaptive  best
//     1.0    500    .612    .540    .606    .621
//     1.0  1,430    .760    .563    .669    .769
//     1.0  5,000    .850    .562    .665    .850
//     1.8    500    .573    .520    .570    .591
//     1.8  1,430    .704    .573    .658    .729
//     1.8  5,000    .809    .581    .672    .831
//     2.5    500    .548    .505    .548    .572
//     2.5  1,430    .661    .562    .632    .693
//     2.5  5,000    .765    .589    .662    .798
//
// 1,430 a day from the first visits on, 10,000 pages, twelve seeds: best minus uniform, seed by
// seed, and its standard error
//
//   sigma  0 to 30 days      30 to 90         90 to 360
//     1.0  +.0020 +- .0003  +.0086 +- .0002  +.0134 +- .0001
//     1.8  +.0098 +- .0002  +.0213 +- .0002  +.0270 +- .0002
//     2.5  +.0111 +- .0003  +.0262 +- .0002  +.0338 +- .0001
//
// With a bell of one width for all crawls (11.5 steps, see lib/frontier/freshness.cc) the first row
// began at -.0015, and best was .9902, .9827 and .9796 of the optimum at 500 visits a day, in the
// order of sigma.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "frontier/freshness.h"
#include "frontier/recrawl.h"

namespace {

using namespace spinneret;
using namespace spinneret::frontier;

constexpr std::int64_t kDayMs = 86'400'000;

struct Page {
  double rate = 0;  // changes a day
  double weight = 1;
  // From this time on the page changes 30 times as often, for a month. -1: it has no burst.
  std::int64_t burst_ms = -1;
  bool always = false;  // every visit finds a change
};

struct Web {
  std::vector<Page> pages;
  double weight = 0;
};

struct Kind {
  double sigma = 1.8;
  bool weighted = false;
  bool bursts = false;
};

Web make_web(std::size_t size, const Kind& kind, unsigned seed, std::int64_t days) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Web web;
  for (std::size_t i = 0; i < size; ++i) {
    Page page;
    page.rate = std::exp(normal(random) * kind.sigma) / 30;
    // Pareto, 1.2: the best tenth of the pages has two thirds of all weight.
    if (kind.weighted) page.weight = std::min(std::pow(1 - uniform(random), -1 / 1.2), 512.0);
    if (kind.bursts && i % 10 == 0) page.always = true;
    if (kind.bursts && i % 10 >= 8)
      page.burst_ms =
          static_cast<std::int64_t>(uniform(random) * static_cast<double>(days)) * kDayMs;
    web.weight += page.weight;
    web.pages.push_back(page);
  }
  return web;
}

// Returns when the page first changes after `from`.
std::int64_t change_after(const Page& page, std::int64_t from, std::mt19937_64& random) {
  if (page.always) return from;
  double left = std::exponential_distribution<double>()(random);
  const double per_ms = page.rate / static_cast<double>(kDayMs);
  const auto within = [&](std::int64_t end, double times) {
    const double most = static_cast<double>(end - from) * per_ms * times;
    if (left > most) {
      left -= most;
      from = end;
      return false;
    }
    from += static_cast<std::int64_t>(left / (per_ms * times));
    return true;
  };
  const std::int64_t end = page.burst_ms + 30 * kDayMs;
  if (page.burst_ms >= 0 && from < page.burst_ms && within(page.burst_ms, 1)) return from;
  if (page.burst_ms >= 0 && from < end && within(end, 30)) return from;
  within(INT64_MAX / 4, 1);
  return from;
}

// Decides which page is next.
class Rule {
 public:
  virtual ~Rule() = default;
  virtual void visited(std::size_t page, std::int64_t last_ms, std::int64_t now_ms,
                       bool changed) = 0;
  // Returns false if no page is to be visited.
  virtual bool pick(std::int64_t now_ms, std::size_t& page) = 0;
};

using Queue = std::set<std::pair<std::int64_t, std::size_t>>;

// Orders pages by the time at which they fall due.
class ByDue : public Rule {
 public:
  bool pick(std::int64_t now_ms, std::size_t& page) override {
    if (queue_.empty() || queue_.begin()->first > now_ms) return false;
    page = queue_.begin()->second;
    queue_.erase(queue_.begin());
    return true;
  }

 protected:
  void put(std::size_t page, std::int64_t due_ms) { queue_.emplace(due_ms, page); }

 private:
  Queue queue_;
};

class Uniform : public ByDue {
  void visited(std::size_t page, std::int64_t, std::int64_t now_ms, bool) override {
    put(page, now_ms);
  }
};

class Nutch : public ByDue {
 public:
  explicit Nutch(std::size_t pages) : interval_ms_(pages, 30 * kDayMs) {}
  void visited(std::size_t page, std::int64_t last_ms, std::int64_t now_ms, bool changed) override {
    std::int64_t& interval = interval_ms_[page];
    if (last_ms >= 0) interval = interval * (changed ? 8 : 14) / 10;
    interval = std::clamp<std::int64_t>(interval, 60'000, 365 * kDayMs);
    put(page, now_ms + interval);
  }

 private:
  std::vector<std::int64_t> interval_ms_;
};

class Adaptive : public ByDue {
 public:
  explicit Adaptive(std::size_t pages) : interval_ms_(pages) {}
  void visited(std::size_t page, std::int64_t last_ms, std::int64_t now_ms, bool changed) override {
    put(page, next_visit_ms(interval_ms_[page], {Outcome::kOk, last_ms < 0, !changed, 0, now_ms},
                            rules_));
  }

 private:
  Recrawl rules_ = *parse_recrawl("adaptive:1d..90d");
  std::vector<std::int64_t> interval_ms_;
};

// Does what the frontier does, over sets in place of its table.
class Best : public Rule {
 public:
  Best(const Web& web, std::int64_t most_ms)
      : web_(web),
        choice_(kDayMs / 24, most_ms),
        classes_(kVisitClasses),
        history_(web.pages.size()),
        step_(web.pages.size()) {}
  void visited(std::size_t page, std::int64_t last_ms, std::int64_t now_ms, bool changed) override {
    if (last_ms >= 0) {
      const bool is_new = history_[page].empty();
      history_[page].add(now_ms - last_ms, changed);
      step_[page] = prior_.learn(history_[page],
                                 is_new ? std::nullopt : std::optional<std::size_t>(step_[page]));
    } else {
      step_[page] = prior_.step(history_[page]);
    }
    const long doublings = std::lround(std::log2(web_.pages[page].weight));
    const VisitClass at =
        VisitClass::of(step_[page], static_cast<std::uint8_t>(std::clamp(9 - doublings, 0L, 9L)));
    classes_[at.number].emplace(now_ms, page);
    tell(at);
  }
  bool pick(std::int64_t now_ms, std::size_t& page) override {
    const std::optional<VisitClass> best = choice_.best(now_ms);
    if (!best) return false;
    Queue& queue = classes_[best->number];
    page = queue.begin()->second;
    queue.erase(queue.begin());
    tell(*best);
    return true;
  }

 private:
  void tell(VisitClass at) {
    const Queue& queue = classes_[at.number];
    choice_.set_oldest(at, queue.empty() ? VisitChoice::kNone : queue.begin()->first);
  }
  const Web& web_;
  VisitChoice choice_;
  RatePrior prior_;
  std::vector<Queue> classes_;
  std::vector<ChangeHistory> history_;
  std::vector<std::size_t> step_;
};

struct Span {
  std::int64_t days;
  std::uint64_t budget;  // visits a day
};
struct Outcomes {
  double freshness = 0;
  // Share of the budget's visits.
  double idle = 0;
};

// Runs one span after the other and returns the outcome of each. All pages were fetched at the
// beginning.
std::vector<Outcomes> simulate(const Web& web, Rule& rule, const std::vector<Span>& spans,
                               unsigned seed) {
  std::mt19937_64 random(seed);
  const std::size_t size = web.pages.size();
  std::vector<std::int64_t> last(size, 0), changes(size);
  for (std::size_t i = 0; i < size; ++i) {
    changes[i] = change_after(web.pages[i], 0, random);
    rule.visited(i, -1, 0, false);
  }
  std::vector<Outcomes> out;
  std::int64_t begin = 0;
  // Fresh time of all pages within the span, up to `now`.
  double fresh = 0;
  const auto count = [&](std::size_t page, std::int64_t now) {
    const std::int64_t from = std::max(last[page], begin);
    const std::int64_t until = std::min(changes[page], now);
    if (until > from) fresh += web.pages[page].weight * static_cast<double>(until - from);
  };
  for (const Span& span : spans) {
    const std::int64_t end = begin + span.days * kDayMs;
    Budget budget(span.budget, kDayMs);
    budget.restore(begin * 1000);
    double idle = 0;
    double all = 0;
    fresh = 0;
    for (std::int64_t now = budget.due_ms(begin); now < end; now = budget.due_ms(now)) {
      budget.take();
      ++all;
      std::size_t page = 0;
      if (!rule.pick(now, page)) {
        ++idle;
        continue;
      }
      count(page, now);
      const bool changed = changes[page] <= now;
      rule.visited(page, last[page], now, changed);
      last[page] = now;
      if (changed) changes[page] = change_after(web.pages[page], now, random);
    }
    for (std::size_t i = 0; i < size; ++i) count(i, end);
    out.push_back({fresh / web.weight / static_cast<double>(end - begin), idle / all});
    begin = end;
  }
  return out;
}

// --- by formula ---------------------------------------------------------------------------------

double freshness_at(double x) { return x == 0 ? 1 : -std::expm1(-x) / x; }

// Returns the x at which 1 - (1 + x) e^-x is `share`.
double inverse(double share) {
  double low = 0;
  double high = 60;
  for (int i = 0; i < 60; ++i) {
    const double x = (low + high) / 2;
    (-std::expm1(-x) - x * std::exp(-x) < share ? low : high) = x;
  }
  return low;
}

double optimum(const Web& web, double budget) {
  // Logarithms of what one more visit must be worth.
  double low = -40;
  double high = 40;
  double fresh = 0;
  for (int i = 0; i < 60; ++i) {
    const double worth = std::exp((low + high) / 2);
    double visits = 0;
    fresh = 0;
    for (const Page& page : web.pages) {
      const double share = worth * page.rate / page.weight;
      if (page.always || share >= 1) continue;
      const double x = inverse(share);
      visits += page.rate / x;
      fresh += page.weight * freshness_at(x);
    }
    (visits > budget ? low : high) = std::log(worth);
  }
  return fresh / web.weight;
}

double proportional(const Web& web, double budget) {
  double rates = 0;
  for (const Page& page : web.pages) rates += page.rate;
  return freshness_at(rates / budget);
}

// --- tables -------------------------------------------------------------------------------------

std::size_t pages = 10'000;
unsigned seeds = 3;

std::unique_ptr<Rule> make_rule(const std::string& name, const Web& web) {
  if (name == "uniform") return std::make_unique<Uniform>();
  if (name == "nutch") return std::make_unique<Nutch>(web.pages.size());
  if (name == "adaptive") return std::make_unique<Adaptive>(web.pages.size());
  return std::make_unique<Best>(web, (name == "best" ? 90 : 100'000) * kDayMs);
}

// Returns the outcomes of one seed, span by span.
std::vector<Outcomes> of_seed(const std::string& name, const Kind& kind,
                              const std::vector<Span>& spans, unsigned seed) {
  std::int64_t days = 0;
  for (const Span& span : spans) days += span.days;
  const Web web = make_web(pages, kind, seed, days);
  const std::unique_ptr<Rule> rule = make_rule(name, web);
  return simulate(web, *rule, spans, seed + 1000);
}

// Returns the mean over all seeds, span by span.
std::vector<Outcomes> mean(const std::string& name, const Kind& kind,
                           const std::vector<Span>& spans) {
  std::vector<Outcomes> sum(spans.size());
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const std::vector<Outcomes> one = of_seed(name, kind, spans, seed);
    for (std::size_t i = 0; i < one.size(); ++i) {
      sum[i].freshness += one[i].freshness / seeds;
      sum[i].idle += one[i].idle / seeds;
    }
  }
  return sum;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double mean_of(double (*formula)(const Web&, double), const Kind& kind, double budget) {
  double sum = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed)
    sum += formula(make_web(pages, kind, seed, 720), budget) / seeds;
  return sum;
}

// Scales a budget for 10,000 pages to `pages`.
std::uint64_t scaled(std::uint64_t visits) {
  return std::max<std::uint64_t>(visits * pages / 10'000, 1);
}

void by_budget(bool weighted) {
  std::printf(
      "\n%s\nsigma  visits  uniform  prop.   nutch   adaptive  best    90d off  optimum  best/opt. "
      " idle  adaptive's\n",
      weighted ? "Weights of Pareto's, 1.2" : "All pages count the same");
  for (const double sigma : {1.0, 1.8, 2.5}) {
    for (const std::uint64_t visits : {500U, 1430U, 5000U}) {
      const Kind kind{sigma, weighted, false};
      const std::vector<Span> spans{{360, scaled(visits)}, {360, scaled(visits)}};
      const auto budget = static_cast<double>(scaled(visits));
      const double uniform = mean("uniform", kind, spans)[1].freshness;
      const double nutch = mean("nutch", kind, spans)[1].freshness;
      const Outcomes adaptive = mean("adaptive", kind, spans)[1];
      const Outcomes best = mean("best", kind, spans)[1];
      const double unbounded = mean("best, most off", kind, spans)[1].freshness;
      const double most = mean_of(optimum, kind, budget);
      std::printf(
          "%5.1f  %6llu  %.3f    %.3f   %.3f   %.3f     %.3f   %.3f    %.3f    %.3f      %4.1f  "
          "%.1f %%\n",
          sigma, static_cast<unsigned long long>(visits), uniform,
          mean_of(proportional, kind, budget), nutch, adaptive.freshness, best.freshness, unbounded,
          most, best.freshness / most, best.idle * 100, adaptive.idle * 100);
      std::fflush(stdout);
    }
  }
}

void by_change() {
  std::puts("\nA budget of 1,430 a day for a year, then 5,000");
  std::puts(
      "sigma  rule      first 30 d  30 to 90  to 360   5,000: first 10 d  to 360  idle there");
  for (const double sigma : {1.0, 1.8, 2.5}) {
    for (const char* const name : {"uniform", "adaptive", "best"}) {
      const std::vector<Outcomes> all = mean(name, {sigma, false, false},
                                             {{30, scaled(1430)},
                                              {60, scaled(1430)},
                                              {270, scaled(1430)},
                                              {10, scaled(5000)},
                                              {350, scaled(5000)}});
      std::printf("%5.1f  %-8s  %.3f       %.3f     %.3f    %.3f              %.3f   %.1f %%\n",
                  sigma, name, all[0].freshness, all[1].freshness, all[2].freshness,
                  all[3].freshness, all[4].freshness, (all[3].idle + all[4].idle) * 50);
    }
  }
  std::puts(
      "\nA tenth changes at every visit, a fifth 30 times as often for a month, some time in two "
      "years");
  std::puts("sigma  visits  uniform  nutch   adaptive  best");
  for (const double sigma : {1.0, 1.8, 2.5}) {
    for (const std::uint64_t visits : {500U, 1430U, 5000U}) {
      const std::vector<Span> spans{{720, scaled(visits)}};
      std::printf("%5.1f  %6llu", sigma, static_cast<unsigned long long>(visits));
      for (const char* const name : {"uniform", "nutch", "adaptive", "best"})
        std::printf("  %.3f ", mean(name, {sigma, false, true}, spans)[0].freshness);
      std::puts("");
    }
  }
}

// Shows whether `best` does worse than uniform before anything is known of the pages. It cannot do
// better then.
void by_cold_start() {
  std::puts("\nA budget of 1,430 a day, from the first visits on: best less uniform, seed by seed");
  std::puts("sigma  days       uniform  best     less, standard error");
  constexpr const char* kNames[] = {"0 to 30", "30 to 90", "90 to 360"};
  const std::vector<Span> spans{{30, scaled(1430)}, {60, scaled(1430)}, {270, scaled(1430)}};
  for (const double sigma : {1.0, 1.8, 2.5}) {
    std::vector<std::vector<double>> uniform(spans.size()), less(spans.size());
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      const auto other = of_seed("uniform", {sigma, false, false}, spans, seed);
      const auto best = of_seed("best", {sigma, false, false}, spans, seed);
      for (std::size_t i = 0; i < spans.size(); ++i) {
        uniform[i].push_back(other[i].freshness);
        less[i].push_back(best[i].freshness - other[i].freshness);
      }
    }
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const double all = mean_of(uniform[i]);
      const double mean_less = mean_of(less[i]);
      double squares = 0;
      for (const double each : less[i]) squares += (each - mean_less) * (each - mean_less);
      const double error = std::sqrt(squares / std::max(1U, seeds - 1) / seeds);
      std::printf("%5.1f  %-9s  %.4f   %.4f   %+.4f, %.4f\n", sigma, kNames[i], all,
                  all + mean_less, mean_less, error);
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strspn(argv[1], "0123456789") != std::strlen(argv[1])) {
    std::puts("usage: bench-recrawl [PAGES [SEEDS [budget|change|cold]]]");
    return std::strcmp(argv[1], "--help") == 0 ? 0 : 2;
  }
  if (argc > 1) pages = std::max(1UL, std::strtoul(argv[1], nullptr, 10));
  if (argc > 2) seeds = static_cast<unsigned>(std::max(1UL, std::strtoul(argv[2], nullptr, 10)));
  const std::string table = argc > 3 ? argv[3] : "all";
  if (table == "all" || table == "budget") by_budget(false), by_budget(true);
  if (table == "all" || table == "change") by_change();
  if (table == "all" || table == "cold") by_cold_start();
  return 0;
}
