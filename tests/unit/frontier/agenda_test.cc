// SPDX-License-Identifier: Apache-2.0
#include "frontier/agenda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "frontier/freshness.h"
#include "frontier/recrawl.h"

namespace spinneret::frontier {
namespace {

TEST(Agenda, GivesNothingBeforeItsTime) {
  Agenda::Turns turns;
  Agenda agenda(turns);
  LaneId lane = 99;
  EXPECT_TRUE(agenda.empty());
  EXPECT_EQ(agenda.next_due(0), INT64_MAX);
  agenda.put(3, 100, 5);
  EXPECT_FALSE(agenda.take(99, lane));
  EXPECT_EQ(agenda.next_due(50), 100);
  EXPECT_TRUE(agenda.take(100, lane));
  EXPECT_EQ(lane, 3U);
  EXPECT_TRUE(agenda.empty());
  EXPECT_FALSE(agenda.take(1000, lane));
}

TEST(Agenda, ALaneStandsThereOnceWhereItWasPutLast) {
  Agenda::Turns turns;
  Agenda agenda(turns);
  LaneId lane = 0;
  agenda.put(1, 100, 5);
  agenda.put(1, 500, 5);
  EXPECT_EQ(agenda.size(), 1U);
  EXPECT_FALSE(agenda.take(499, lane));
  EXPECT_TRUE(agenda.take(500, lane));
  agenda.put(1, 10, 5);
  agenda.put(2, 10, 5);
  agenda.remove(1);
  agenda.remove(7);
  EXPECT_TRUE(agenda.take(10, lane));
  EXPECT_EQ(lane, 2U);
  EXPECT_FALSE(agenda.take(10, lane));
}

TEST(Agenda, ALaneThatIsReadyCanBePutOff) {
  Agenda::Turns turns;
  Agenda agenda(turns);
  LaneId lane = 0;
  agenda.put(1, 0, 5);
  agenda.put(2, 0, 5);
  ASSERT_TRUE(agenda.take(10, lane));  // wakes both lanes
  EXPECT_EQ(lane, 1U);
  agenda.put(2, 100, 5);
  EXPECT_EQ(agenda.next_due(10), 100);
  EXPECT_FALSE(agenda.take(10, lane));
}

TEST(Agenda, ALaneThatStandsThereSoAlreadyKeepsItsTurn) {
  Agenda::Turns turns;
  Agenda agenda(turns);
  LaneId lane = 0;
  for (const LaneId each : {1U, 2U, 3U}) agenda.put(each, 0, 5);
  for (int i = 0; i < 1000; ++i) agenda.put(1, 0, 5);
  for (const LaneId expected : {1U, 2U, 3U}) {
    ASSERT_TRUE(agenda.take(0, lane));
    EXPECT_EQ(lane, expected);
    agenda.put(3, 0, 5);
  }
}

// Stale entries are swept out, and nothing else with them.
TEST(Agenda, LanesThatAreMovedOftenStandThereOnce) {
  Agenda::Turns turns;
  Agenda agenda(turns);
  LaneId lane = 0;
  for (std::int64_t due = 0; due < 10'000; ++due) {
    agenda.put(static_cast<LaneId>(due % 3), due, static_cast<std::uint8_t>(due % 10));
    if (due % 100 == 0) agenda.next_due(due);
  }
  EXPECT_EQ(agenda.size(), 3U);
  EXPECT_EQ(agenda.next_due(0), 9997);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(agenda.take(9999, lane));
  EXPECT_FALSE(agenda.take(9999, lane));
}

TEST(Agenda, ReadyLanesOfOnePriorityAreServedInTurn) {
  Agenda::Turns turns;
  Agenda agenda(turns);
  for (LaneId lane = 0; lane < 5; ++lane) agenda.put(lane, static_cast<std::int64_t>(lane), 5);
  for (int round = 0; round < 3; ++round) {
    for (LaneId expected = 0; expected < 5; ++expected) {
      LaneId lane = 99;
      ASSERT_TRUE(agenda.take(100, lane));
      EXPECT_EQ(lane, expected);
      agenda.put(lane, 100, 5);
    }
  }
}

// Two queues that are never empty share by weight, and the last queue is not starved.
TEST(Agenda, PrioritiesAreWeights) {
  Agenda::Turns turns;
  Agenda agenda(turns);
  for (LaneId lane = 0; lane < 10; ++lane) agenda.put(lane, 0, static_cast<std::uint8_t>(lane));
  std::map<LaneId, int> served;
  for (int i = 0; i < 5500; ++i) {
    LaneId lane = 0;
    ASSERT_TRUE(agenda.take(0, lane));
    ++served[lane];
    agenda.put(lane, 0, static_cast<std::uint8_t>(lane));
  }
  for (LaneId lane = 0; lane < 10; ++lane)
    EXPECT_NEAR(served[lane], 100 * (10 - static_cast<int>(lane)), 3) << lane;
}

TEST(Agenda, AQueueThatWasEmptyHasNotSavedUpTurns) {
  Agenda::Turns turns;
  Agenda agenda(turns);
  LaneId lane = 0;
  for (int i = 0; i < 1000; ++i) {
    agenda.put(0, 0, 0);
    ASSERT_TRUE(agenda.take(0, lane));
  }
  agenda.put(1, 0, 9);
  int in_a_row = 0;
  for (int i = 0; i < 5; ++i) {
    agenda.put(0, 0, 0);
    ASSERT_TRUE(agenda.take(0, lane));
    if (lane == 1) {
      ++in_a_row;
      agenda.put(1, 0, 9);
    }
  }
  EXPECT_LE(in_a_row, 1);
}

// Compares with the obvious twin: a list that is searched.
TEST(Agenda, NeverEarlyNeverLostAgainstAList) {
  std::mt19937 random(7);
  Agenda::Turns turns;
  Agenda agenda(turns);
  std::map<LaneId, std::int64_t> twin;
  std::int64_t now = 0;
  for (int step = 0; step < 20'000; ++step) {
    switch (random() % 4) {
      case 0:
      case 1: {
        const auto lane = static_cast<LaneId>(random() % 50);
        const std::int64_t due = now + static_cast<std::int64_t>(random() % 100);
        agenda.put(lane, due, static_cast<std::uint8_t>(random() % 10));
        twin[lane] = due;
        break;
      }
      case 2: now += static_cast<std::int64_t>(random() % 20); break;
      default: {
        LaneId lane = 0;
        const bool any =
            std::any_of(twin.begin(), twin.end(), [&](auto& each) { return each.second <= now; });
        ASSERT_EQ(agenda.take(now, lane), any);
        if (!any) break;
        ASSERT_TRUE(twin.contains(lane));
        ASSERT_LE(twin[lane], now);
        twin.erase(lane);
      }
    }
    ASSERT_EQ(agenda.size(), twin.size());
  }
}

TEST(Agenda, AheadAreTheLanesThatComeNextEachOnce) {
  Agenda::Turns turns;
  Agenda agenda(turns);
  for (LaneId lane = 0; lane < 5; ++lane) agenda.put(lane, 0, 5);
  agenda.put(5, 1000, 5);
  LaneId first = 0;
  ASSERT_TRUE(agenda.take(0, first));
  EXPECT_EQ(first, 0U);
  agenda.put(6, 0, 1);  // it is due already, and is ready at once
  agenda.remove(2);
  std::vector<LaneId> ahead;
  agenda.ahead(10, ahead);
  EXPECT_EQ(ahead, (std::vector<LaneId>{6, 1, 3, 4}));
  ahead.clear();
  agenda.ahead(2, ahead);
  EXPECT_EQ(ahead, (std::vector<LaneId>{6, 1}));
}

constexpr std::int64_t kDay = 86'400'000;
constexpr std::int64_t kNow = 1'700'000'000'000;

TEST(Recrawl, Parse) {
  EXPECT_EQ(parse_recrawl("4w")->least_ms, 28 * kDay);
  EXPECT_FALSE(parse_recrawl("4w")->adaptive());
  const auto adaptive = parse_recrawl("adaptive:1d..90d");
  ASSERT_TRUE(adaptive);
  EXPECT_EQ(adaptive->least_ms, kDay);
  EXPECT_EQ(adaptive->most_ms, 90 * kDay);
  EXPECT_EQ(parse_recrawl(order_of(*adaptive))->most_ms, 90 * kDay);
  for (const char* const bad : {"",
                                "0",
                                "weekly",
                                "adaptive:",
                                "adaptive:1d",
                                "adaptive:2d..1d",
                                "adaptive:1d..1d",
                                "best:",
                                "best:5",
                                "best:5/",
                                "best:/d",
                                "best:0/d",
                                "best:5/0",
                                "best:-5/d",
                                "best:5/day",
                                "best:5/d,",
                                "best:5/d,90d",
                                "best:5/d,most",
                                "best:5/d,most=",
                                "best:5/d,most=1m",
                                "best:5/d,least=0",
                                "best:5/d,least=91d",
                                "best:5/d,mean=1d",
                                "best:99999999999/d"}) {
    EXPECT_FALSE(parse_recrawl(bad)) << bad;
  }
}

TEST(Recrawl, ParseBest) {
  const auto best = parse_recrawl("best:5000/d");
  ASSERT_TRUE(best);
  EXPECT_TRUE(best->best() && best->enabled() && !best->adaptive());
  EXPECT_EQ(best->visits, 5000U);
  EXPECT_EQ(best->span_ms, kDay);
  EXPECT_EQ(best->least_ms, kDay / 24);
  EXPECT_EQ(best->most_ms, 90 * kDay);
  const auto bounded = parse_recrawl("best:10/1.5h,most=2d,least=5m");
  ASSERT_TRUE(bounded);
  EXPECT_EQ(bounded->span_ms, kDay / 16);
  EXPECT_EQ(bounded->least_ms, 300'000);
  EXPECT_EQ(bounded->most_ms, 2 * kDay);
  // Another budget leaves the order of pages as it is.
  EXPECT_EQ(order_of(*best), order_of(*bounded));
}

TEST(Recrawl, FixedIsFixed) {
  const Recrawl rules = *parse_recrawl("1d");
  std::int64_t interval = 0;
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, true, false, 0, kNow}, rules), kNow + kDay);
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kNotModified, false, false, 0, kNow}, rules),
            kNow + kDay);
}

TEST(Recrawl, AdaptiveFollowsTheChanges) {
  const Recrawl rules = *parse_recrawl("adaptive:1d..30d");
  std::int64_t interval = 0;
  const auto visit = [&](Outcome outcome, bool first, bool same) {
    return next_visit_ms(interval, {outcome, first, same, 0, kNow}, rules) - kNow;
  };
  EXPECT_EQ(visit(Outcome::kOk, true, false), 7 * kDay);
  EXPECT_EQ(visit(Outcome::kOk, false, false), 7 * kDay / 2);
  EXPECT_EQ(visit(Outcome::kNotModified, false, false), 7 * kDay / 2 * 3 / 2);
  for (int i = 0; i < 20; ++i) visit(Outcome::kOk, false, true);
  EXPECT_EQ(visit(Outcome::kDuplicate, false, false), 30 * kDay);
  for (int i = 0; i < 20; ++i) visit(Outcome::kOk, false, false);
  EXPECT_EQ(visit(Outcome::kOk, false, false), kDay);
}

TEST(Recrawl, ExpiresPutsOffWithinTheBound) {
  const Recrawl rules = *parse_recrawl("adaptive:1d..30d");
  std::int64_t interval = kDay;
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, false, false, kNow + 5 * kDay, kNow}, rules),
            kNow + 5 * kDay);
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, false, false, kNow + 500 * kDay, kNow}, rules),
            kNow + 30 * kDay);
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, false, false, kNow - kDay, kNow}, rules),
            kNow + kDay);
}

TEST(Recrawl, BugNewBoundsForgotWhatWasLearned) {
  const Recrawl narrow = *parse_recrawl("adaptive:1s..4s");
  const Recrawl wide = *parse_recrawl("adaptive:1s..40s");
  std::int64_t interval = 1000;
  EXPECT_EQ(next_visit_after(kNow, interval, wide), kNow + 1000);
  // An interval beyond the bounds stays as it was learned, until a visit says otherwise.
  interval = 30'000;
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kNotModified, false, false, 0, kNow}, narrow),
            kNow + 4000);
  EXPECT_EQ(interval, 30'000);
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, false, false, 0, kNow}, *parse_recrawl("1d")),
            kNow + kDay);
  EXPECT_EQ(interval, 30'000);
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, false, false, 0, kNow}, narrow), kNow + 2000);
  EXPECT_EQ(interval, 2000);
}

// --- by worth -----------------------------------------------------------------------------------

ChangeHistory history_of(int visits, int changed_of_4, std::int64_t gap_ms) {
  ChangeHistory out;
  for (int i = 0; i < visits; ++i) out.add(gap_ms, i % 4 < changed_of_4);
  return out;
}

TEST(RatePrior, FindsTheRateOfWhatChangesAtRandom) {
  const RatePrior prior;
  std::mt19937 random(7);
  for (const double days : {0.1, 1.0, 10.0, 100.0}) {
    ChangeHistory history;
    std::exponential_distribution<double> until(1 / days);
    // The gaps have all lengths around the page's own.
    std::uniform_real_distribution<double> gaps(0.2 * days, 1.5 * days);
    for (int i = 0; i < 400; ++i) {
      const double gap = gaps(random);
      history.add(static_cast<std::int64_t>(gap * kDay), until(random) < gap);
    }
    const double found = rate_of_step(prior.step(history)) * 86'400 * days;
    EXPECT_GT(found, 0.5) << days;
    EXPECT_LT(found, 2.0) << days;
  }
}

TEST(RatePrior, WhatChangesAtEachVisitHasNoInfiniteRateAndWhatNeverDoesNone) {
  const RatePrior prior;
  std::size_t last = prior.step({});
  for (const int changed : {1, 2, 3, 4}) {
    const std::size_t step = prior.step(history_of(40, changed, kDay));
    EXPECT_GT(step, last) << changed;
    last = step;
  }
  EXPECT_LT(rate_of_step(last), 20.0 / 86'400);
  EXPECT_LT(prior.step(history_of(40, 0, kDay)), prior.step({}));
  EXPECT_GT(rate_of_step(prior.step(history_of(40, 0, kDay))), 0);
  // No result depends on sane numbers.
  for (const std::uint32_t wild : {0U, 1U, 255U, UINT32_MAX}) {
    for (const std::uint32_t changes : {0U, 1U, 256U, UINT32_MAX}) {
      EXPECT_LT(prior.step({changes, wild, 0}), kRateSteps);
      EXPECT_LT(prior.step({changes, 0, wild}), kRateSteps);
      EXPECT_LT(prior.step({changes, wild, wild}), kRateSteps);
    }
  }
}

TEST(RatePrior, FollowsTheCrawl) {
  RatePrior prior;
  const std::size_t before = prior.step({});
  const ChangeHistory fast = history_of(400, 4, 3'600'000);
  const ChangeHistory slow = history_of(40, 0, 30 * kDay);
  std::size_t step = 0;
  for (int i = 0; i < 1000; ++i) step = prior.learn(fast, std::nullopt);
  EXPECT_GT(prior.step({}), before + 10);
  for (int i = 0; i < 1000; ++i) prior.learn(slow, step);
  EXPECT_LT(prior.step({}), before);
  EXPECT_EQ(prior.learned().pages, 1000U);
  // It is nearly as before, because it follows in steps.
  EXPECT_NEAR(static_cast<double>(RatePrior(prior.learned()).step({})),
              static_cast<double>(prior.step({})), 1);
}

// Pages that change once in two months and are visited day after day: all pages, or half of them,
// while the others change once in two hours.
RatePrior crawl_of(bool alike) {
  RatePrior prior;
  for (int round = 0; round < 40; ++round) {
    for (int page = 0; page < 200; ++page) {
      const bool fast = !alike && page % 2 == 0;
      ChangeHistory history;
      for (int visit = 0; visit <= round; ++visit) history.add(kDay, fast || visit % 60 == 59);
      prior.learn(history, round == 0 ? std::nullopt : std::optional(prior.step(history)));
    }
  }
  return prior;
}

TEST(RatePrior, LearnsHowFarPagesSpread) {
  const ChangeHistory once = history_of(1, 4, kDay);
  const RatePrior alike = crawl_of(true);
  const RatePrior apart = crawl_of(false);
  // A single change proves less where all pages are known to be of one kind.
  EXPECT_LT(alike.step(once) - alike.step({}), apart.step(once) - apart.step({}));
  const RatePrior::Learned& kept = apart.learned();
  EXPECT_GT(kept.squares / kept.days, 10 * 10);
  EXPECT_LT(alike.learned().squares / alike.learned().days, 10 * 10);
  // A visit without a known gap, as all have when the rules change, teaches nothing.
  RatePrior again(kept);
  ChangeHistory old = once;
  old.last_s = 0;
  for (int i = 0; i < 10; ++i) again.learn(old, again.step(old));
  EXPECT_NEAR(again.learned().squares / again.learned().days, kept.squares / kept.days, 1e-6);
}

TEST(ChangeHistory, ForgetsSlowly) {
  ChangeHistory history = history_of(1000, 0, kDay);
  const RatePrior prior;
  const std::size_t calm = prior.step(history);
  for (int i = 0; i < 20; ++i) history.add(kDay, true);
  EXPECT_GT(prior.step(history), calm + 10);
  EXPECT_FALSE(history.empty());
  history.add(INT64_MAX / 2, false);  // no overflow
  EXPECT_LT(prior.step(history), kRateSteps);
}

double worth(double rate, std::uint8_t priority, double age_s) {
  const double x = rate * age_s;
  return std::pow(2, kLastPriority - priority) / rate * (1 - (1 + x) * std::exp(-x));
}

// The slow twin looks at each page.
TEST(VisitChoice, TheBestHeadIsTheBestPage) {
  std::mt19937 random(3);
  const auto pick = [&](unsigned below) { return static_cast<std::int64_t>(random() % below); };
  for (int round = 0; round < 300; ++round) {
    VisitChoice choice(kDay / 24, 90 * kDay);
    struct Page {
      VisitClass at;
      std::uint8_t priority;
      std::int64_t visit_ms;
    };
    std::vector<Page> pages;
    const std::int64_t most_age = round % 2 == 0 ? 80 * kDay : 100 * kDay;
    for (int i = 0; i < 200; ++i) {
      const auto priority = static_cast<std::uint8_t>(pick(10));
      const VisitClass at = VisitClass::of(static_cast<std::size_t>(pick(kRateSteps)), priority);
      pages.push_back({at, priority, kNow - pick(static_cast<unsigned>(most_age / 1000)) * 1000});
      choice.set_oldest(at, std::min(choice.oldest(at), pages.back().visit_ms));
    }
    // Some pages leave.
    for (int i = 0; i < 50; ++i) {
      const VisitClass gone = pages[static_cast<std::size_t>(pick(200))].at;
      choice.set_oldest(gone, VisitChoice::kNone);
      std::erase_if(pages, [&](const Page& page) { return page.at.number == gone.number; });
      if (pages.size() < 10) break;
      pages.resize(pages.size(), pages.front());
      while (pages.size() < 200) pages.push_back(pages.front());
    }
    const Page* best = nullptr;
    double greatest = -1;
    for (const Page& page : pages) {
      const std::int64_t age = kNow - page.visit_ms;
      if (age < kDay / 24) continue;
      const double value = age >= 90 * kDay ? 1e15 + static_cast<double>(age)
                                            : worth(rate_of_step(page.at.rate_step()),
                                                    page.priority, static_cast<double>(age) / 1000);
      if (value > greatest) greatest = value, best = &page;
    }
    const std::optional<VisitClass> found = choice.best(kNow);
    ASSERT_EQ(found.has_value(), best != nullptr);
    if (!best) continue;
    const std::int64_t age = kNow - choice.oldest(*found);
    if (greatest >= 1e15) {
      EXPECT_EQ(age, kNow - best->visit_ms);
    } else {
      const auto priority = static_cast<std::uint8_t>(found->number / kRateSteps);
      EXPECT_NEAR(
          worth(rate_of_step(found->rate_step()), priority, static_cast<double>(age) / 1000) /
              greatest,
          1, 1e-6);
    }
    EXPECT_LE(choice.due_ms(), kNow);
  }
}

TEST(VisitChoice, NobodyIsVisitedTooSoon) {
  VisitChoice choice(1000, 90 * kDay);
  EXPECT_FALSE(choice.best(kNow));
  EXPECT_EQ(choice.due_ms(), INT64_MAX);
  choice.set_oldest(VisitClass::of(40, 3), kNow);
  EXPECT_FALSE(choice.best(kNow + 999));
  EXPECT_EQ(choice.due_ms(), kNow + 1000);
  EXPECT_TRUE(choice.best(kNow + 1000));
  // Visits of this run do not count.
  EXPECT_FALSE(choice.best(kNow + 1000, kNow));
  EXPECT_EQ(choice.due_ms(kNow), INT64_MAX);
}

TEST(Budget, IsSavedUpToItsNumber) {
  Budget budget(10, 1000);
  const auto left = [&](std::int64_t now_ms) {
    int taken = 0;
    for (; budget.has(now_ms); ++taken) budget.take();
    return taken;
  };
  EXPECT_EQ(left(kNow), 10);
  EXPECT_EQ(left(kNow + 99), 0);
  EXPECT_EQ(budget.due_ms(kNow + 99), kNow + 100);
  EXPECT_EQ(left(kNow + 100), 1);
  EXPECT_EQ(left(kNow + 500), 4);
  EXPECT_EQ(left(kNow + 9000), 10);
  // A clock that was set back costs the time of one visit at most.
  EXPECT_EQ(left(kNow - 50'000), 0);
  EXPECT_EQ(left(kNow - 49'900), 1);
  Budget often(5'000'000, 1000);
  EXPECT_TRUE(often.has(kNow));
}

TEST(W3cTime, TheFormsOfSitemaps) {
  EXPECT_EQ(parse_w3c_time("1970"), 0);
  EXPECT_EQ(parse_w3c_time("1970-02"), 31 * kDay);
  EXPECT_EQ(parse_w3c_time("2000-03-01"), 951'868'800'000);
  EXPECT_EQ(parse_w3c_time("2023-11-14T22:13:20Z"), kNow);
  EXPECT_EQ(parse_w3c_time("2023-11-14T23:13:20+01:00"), kNow);
  EXPECT_EQ(parse_w3c_time("2023-11-14T22:13:20.123Z"), kNow);
  EXPECT_EQ(parse_w3c_time("2023-11-14T22:13Z"), kNow - 20'000);
  for (const char* const bad :
       {"", "x", "2023-13-01", "2023-1-1", "2023-11-14T", "2023-11-14T22:13:20",
        "2023-11-14T99:13Z", "2023/11/14", "2023-11-14T22:13:20.5"}) {
    EXPECT_FALSE(parse_w3c_time(bad)) << bad;
  }
}

TEST(ChangeFrequency, Words) {
  EXPECT_EQ(change_frequency_ms("daily"), kDay);
  EXPECT_FALSE(change_frequency_ms("always"));
  EXPECT_FALSE(change_frequency_ms("Daily"));
}

}  // namespace
}  // namespace spinneret::frontier
