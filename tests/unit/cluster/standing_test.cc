// SPDX-License-Identifier: Apache-2.0
#include "cluster/standing.h"

#include <gtest/gtest.h>

#include <string>

#include "base/clock.h"
#include "lease/memory_leases.h"

namespace spinneret::cluster {
namespace {

constexpr const char* kFull = "9 2 3 1 0 100 7 4 5 1500 2500 6 80";

TEST(Standing, ComesBackAsItWasReported) {
  Standing standing;
  ASSERT_TRUE(parse_standing(kFull, standing));
  EXPECT_EQ(standing.report.epoch, 9u);
  EXPECT_EQ(standing.report.activity, 3u);
  EXPECT_TRUE(standing.report.idle);
  EXPECT_FALSE(standing.idle());
  EXPECT_EQ(standing.outbox, 5u);
  EXPECT_EQ(standing.lag_ms, 1500u);
  EXPECT_EQ(standing.pace, 2500u);
  EXPECT_EQ(standing.given_up, 6u);
  EXPECT_EQ(standing.done, 80u);
  EXPECT_EQ(format_standing(standing), kFull);
}

TEST(Standing, RowsOfOtherReleasesAreRead) {
  Standing standing;
  ASSERT_TRUE(parse_standing("9 2 3 1 1 100 7 4 5", standing));
  EXPECT_TRUE(standing.idle());
  EXPECT_EQ(standing.lag_ms + standing.pace + standing.given_up, 0u);
  ASSERT_TRUE(parse_standing(std::string(kFull) + " 77 next", standing));
  EXPECT_EQ(standing.given_up, 6u);
}

TEST(Standing, WhatIsNoneIsRefused) {
  Standing standing;
  for (const char* const bad : {"", " ", "9", "9 2 3 1 1 100 7 4", "9 2 3 1 1 100 7 4 x",
                                "9 2 3 1 1 100 7 4 5 -1", "99999999999999999999 2 3 1 1 1 1 1 1"})
    EXPECT_FALSE(parse_standing(bad, standing)) << bad;
  EXPECT_EQ(standing.report.epoch, 0u);
}

TEST(Standing, WhatWasGivenUpIsTheSumOfAllPartitions) {
  FakeClock clock;
  lease::MemoryLeaseEngine engine;
  lease::MemoryLeases leases(engine, clock, "a", 1000);
  EXPECT_EQ(*given_up_in_all(leases), 0u);
  ASSERT_TRUE(leases.claim(kReportsTable, "0", kFull).ok());
  ASSERT_TRUE(leases.claim(kReportsTable, "1", "9 2 3 1 1 100 7 4 5 0 0 2").ok());
  ASSERT_TRUE(leases.claim(kReportsTable, "2", "damaged").ok());
  EXPECT_EQ(*given_up_in_all(leases), 8u);
}

TEST(Standing, APartIsOfThePagesThatAllHave) {
  lease::Rows reports = {{"0", kFull}, {"1", "9 2 3 1 1 100 7 4 5 0 0 2 20"}};
  EXPECT_EQ(part_of_pages(reports, 0, 2).own, 80u);
  EXPECT_EQ(part_of_pages(reports, 0, 2).all, 100u);
  EXPECT_EQ(part_of_pages(reports, 1, 2).own, 20u);
  // One partition has reported nothing, because an engine forgets, or it has nothing.
  EXPECT_EQ(part_of_pages(reports, 1, 3).own, 1u);
  EXPECT_EQ(part_of_pages(reports, 1, 3).all, 3u);
  reports["1"] = "9 2 3 1 1 100 7 4 5 0 0 2 0";
  EXPECT_EQ(part_of_pages(reports, 1, 2).own, 1u);
  EXPECT_EQ(part_of_pages(reports, 0, 2).all, 80u);
}

TEST(Pace, IsOfTheLastTenSeconds) {
  Pace pace;
  // Pages from before the first report do not count.
  pace.add(1'000'000, 5000);
  EXPECT_EQ(pace.per_1000_s(), 0u);
  std::uint64_t pages = 1'000'000;
  std::int64_t now = 5000;
  for (int second = 0; second < 60; ++second) pace.add(pages += 20, now += 1000);
  EXPECT_NEAR(static_cast<double>(pace.per_1000_s()), 20'000, 100);
  for (int second = 0; second < 10; ++second) pace.add(pages, now += 1000);
  EXPECT_NEAR(static_cast<double>(pace.per_1000_s()), 20'000 / 2.718, 100);
  for (int second = 0; second < 100; ++second) pace.add(pages, now += 1000);
  EXPECT_LT(pace.per_1000_s(), 10u);
  // Two reports at the same time.
  pace.add(pages + 1, now);
  EXPECT_LT(pace.per_1000_s(), 10u);
}

// Bug: an engine restored from the end of an earlier run said that all was done, and machines ended
// in the middle of their work.
TEST(Finished, WhoHasWorkedUnderALaterEpochKnowsBetter) {
  lease::Rows crawl;
  EXPECT_FALSE(is_over(crawl, 0));
  crawl[std::string(kFinished)] = "1700";
  EXPECT_TRUE(is_over(crawl, 0));
  EXPECT_TRUE(is_over(crawl, 1700));
  EXPECT_FALSE(is_over(crawl, 1701));
  // An earlier release wrote this.
  crawl[std::string(kFinished)] = "yes";
  EXPECT_TRUE(is_over(crawl, 0));
  EXPECT_FALSE(is_over(crawl, 1));
}

}  // namespace
}  // namespace spinneret::cluster
