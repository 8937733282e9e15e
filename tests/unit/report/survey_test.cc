// SPDX-License-Identifier: Apache-2.0
#include "report/survey.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace spinneret::report {
namespace {

std::string line(std::string_view url, std::int64_t wall_ms, std::string_view outcome,
                 std::string_view more = "") {
  return std::string(url) + "\ttime=" + std::to_string(wall_ms / 1000) + "." +
         std::to_string(1000 + wall_ms % 1000).substr(1) + std::string(more) +
         "\toutcome=" + std::string(outcome);
}

TEST(Histogram, PercentilesAgreeWithASortedList) {
  std::mt19937_64 random(7);
  Histogram histogram;
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(random() >> (random() % 64));
    histogram.add(values.back());
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(histogram.greatest(), values.back());
  for (const double percent : {1.0, 10.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
    const auto rank = static_cast<std::size_t>(percent / 100 * static_cast<double>(values.size()));
    const auto exact = static_cast<double>(values[rank == 0 ? 0 : rank - 1]);
    const auto got = static_cast<double>(histogram.percentile(percent));
    EXPECT_GE(got, exact) << percent;
    EXPECT_LE(got, exact * 1.04 + 1) << percent;
  }
}

TEST(Histogram, SmallValuesAreExactAndNothingIsZero) {
  Histogram histogram;
  EXPECT_EQ(histogram.percentile(50), 0U);
  for (std::uint64_t value = 1; value <= 60; ++value) histogram.add(value);
  EXPECT_EQ(histogram.percentile(50), 30U);
  EXPECT_EQ(histogram.percentile(100), 60U);
}

TEST(Top, KeepsTheGreatestInOrderAndOfEqualsTheFirst) {
  std::mt19937 random(3);
  Top<int> top(10);
  std::vector<std::pair<std::uint64_t, int>> all;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t key = random() % 700;
    all.emplace_back(key, i);
    top.add(key, i);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  all.resize(10);
  EXPECT_EQ(top.sorted(), all);
}

TEST(Timeline, MergesSpansAndLosesNothing) {
  Timeline timeline;
  std::mt19937 random(5);
  std::int64_t now = 1'000'000;
  for (int i = 0; i < 50'000; ++i) {
    timeline.add(now, static_cast<Kind>(random() % kKinds));
    now += static_cast<std::int64_t>(random() % 40);
  }
  KindCounts sum = {};
  for (const KindCounts& span : timeline.spans()) {
    for (std::size_t k = 0; k < kKinds; ++k) sum[k] += span[k];
  }
  EXPECT_EQ(std::accumulate(sum.begin(), sum.end(), std::uint64_t{0}), 50'000U);
  EXPECT_LE(timeline.spans().size(), 200U);
  EXPECT_GT(timeline.spans().size(), 99U);
  EXPECT_EQ(timeline.crawling_ms(), timeline.last_wall_ms() - timeline.first_wall_ms());
}

TEST(Timeline, APauseIsCutOutAndAClockSetBackDoesNoHarm) {
  Timeline timeline;
  timeline.add(1000, Kind::kFetched);
  timeline.add(2000, Kind::kFetched);
  timeline.add(2000 + 86'400'000, Kind::kFetched);
  timeline.add(1000, Kind::kFetched);
  timeline.add(1500, Kind::kFetched);
  ASSERT_EQ(timeline.pauses().size(), 1U);
  EXPECT_EQ(timeline.pauses()[0].at_ms, 1000);
  EXPECT_EQ(timeline.pauses()[0].length_ms, 86'400'000);
  EXPECT_EQ(timeline.crawling_ms(), 1500);
}

TEST(Timeline, ThePeakIsThatOfAWholeSecond) {
  Timeline timeline;
  for (int i = 0; i < 100; ++i) timeline.add(10'000, Kind::kFetched);
  for (int i = 0; i < 10; ++i) timeline.add(11'500 + i * 1000, Kind::kFetched);
  for (int i = 0; i < 900; ++i) timeline.add(21'000, Kind::kBlocked);
  EXPECT_NEAR(timeline.peak_per_second(), 100, 5);
}

TEST(Survey, CountsWhatTheLogHolds) {
  Survey survey;
  survey.add(line("http://h/", 1000, "ok",
                  "\tdepth=0\tstatus=200\ttype=Text/HTML; charset=x\tsize=100\ttime-ms=3"));
  survey.add(line("http://h/a", 1200, "not-found",
                  "\tvia=http://h/\\\\\tdepth=1\tstatus=404\tsize=5\ttime-ms=1500"));
  survey.add(line("http://h/b", 1300, "blocked-by-robots", "\tdepth=1"));
  survey.add(line("http://k:81/?x", 1400, "connect-failed", "\tdepth=99\terror=refused"));
  survey.add("http://h/torn\ttime=1");
  EXPECT_EQ(survey.records, 4U);
  EXPECT_EQ(survey.unreadable, 1U);
  EXPECT_EQ(survey.asked, 3U);
  EXPECT_EQ(survey.bytes, 105U);
  EXPECT_EQ(survey.types["text/html"], 1U);
  EXPECT_EQ(survey.types["none"], 1U);
  EXPECT_EQ(survey.depths[0] + survey.depths[1], 3U);
  EXPECT_EQ(survey.depths[kMostDepth], 1U);
  EXPECT_EQ(survey.hosts["http://h"].pages, 2U);
  EXPECT_EQ(survey.hosts["http://h"].errors, 1U);
  EXPECT_EQ(survey.hosts["http://k:81"].errors, 1U);
  EXPECT_EQ(survey.time_bars[2], 1U);   // up to 5 ms
  EXPECT_EQ(survey.time_bars[10], 1U);  // up to 2 s
  ASSERT_EQ(survey.dead.pages().size(), 2U);
  EXPECT_EQ(survey.dead.pages()[0]->via, "http://h/\\");
  EXPECT_EQ(survey.dead.pages()[1]->error, "refused");
  EXPECT_EQ(survey.slowest.sorted()[0].second, "http://h/a");
  EXPECT_EQ(survey.largest.sorted()[0].second, "http://h/");
}

TEST(Survey, ADeadLinkThatLivesAgainIsStruckOff) {
  Survey survey;
  survey.add(line("http://h/a", 1000, "not-found", "\tstatus=404"));
  survey.add(line("http://h/b", 1000, "server-error", "\tstatus=500"));
  survey.add(line("http://h/a", 2000, "ok", "\tstatus=200"));
  survey.add(line("http://h/b", 2000, "gone", "\tstatus=410"));
  EXPECT_TRUE(survey.failed.pages().empty());
  ASSERT_EQ(survey.dead.pages().size(), 1U);
  EXPECT_EQ(survey.dead.pages()[0]->url, "http://h/b");
}

TEST(Survey, WhatIsKeptIsBounded) {
  Survey survey;
  for (int i = 0; i < 25'000; ++i) {
    survey.add(line("http://h" + std::to_string(i) + "/", 1000 + i, "not-found",
                    "\tstatus=404\ttime-ms=1\ttype=t/" + std::to_string(i)));
  }
  EXPECT_LE(survey.hosts.size(), 20'001U);
  EXPECT_EQ(survey.hosts[""].pages, 5000U);
  EXPECT_LE(survey.types.size(), 101U);
  EXPECT_LE(survey.dead.pages().size(), 300U);
  EXPECT_EQ(survey.dead.pages().size() + survey.dead.unlisted(), 25'000U);
}

}  // namespace
}  // namespace spinneret::report
