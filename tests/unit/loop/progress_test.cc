// SPDX-License-Identifier: Apache-2.0
#include "loop/progress.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <fstream>
#include <sstream>

#include "loop/ending.h"
#include "loop/rejected.h"

namespace spinneret::loop {
namespace {

frontier::Statistics some() {
  frontier::Statistics now;
  now.pages = 6755;
  now.bytes = 226'700'000;
  now.hosts = 12;
  now.all.waiting = 5415;
  now.all.blocked = 2;
  now.outcomes[static_cast<std::size_t>(Outcome::kOk)] = 6751;
  now.outcomes[static_cast<std::size_t>(Outcome::kNotFound)] = 3;
  now.outcomes[static_cast<std::size_t>(Outcome::kTimeout)] = 1;
  return now;
}

TEST(Progress, SaysWhatMattersAndMostOfItFirst) {
  FakeClock clock;
  Progress progress({}, clock);
  progress.set_rate(1337.4);
  EXPECT_EQ(progress.text(some(), 64, SIZE_MAX),
            "6,755 pages, 1,337/s, 5,415 queued, at least 4.0 s left, 64 in flight, 4 errors, 12 "
            "hosts, 2 blocked, "
            "216 MiB");
}

// Bug: a crawl whose last page waited for its third try showed "1 queued, 0 in flight" for a
// minute.
TEST(Progress, WhereAllWaitsItSaysForHowLong) {
  FakeClock clock;
  Progress progress({}, clock);
  frontier::Statistics now = some();
  now.all.waiting = 2;
  progress.set_rate(10);
  progress.set_rest_ms(37'000);
  EXPECT_EQ(progress.text(now, 0, 68),
            "6,755 pages, 10.0/s, 2 queued, the next in 37 s, 0 in flight");
  EXPECT_EQ(progress.text(now, 1, 44), "6,755 pages, 10.0/s, 2 queued, 1 in flight");
  // The next try of a host that rests for a day does not finish that host.
  progress.set_slowest_host_ms(86'400'000);
  EXPECT_EQ(progress.text(now, 0, 58), "6,755 pages, 10.0/s, 2 queued, at least 24 h 0 min left");
  progress.set_rest_ms(INT64_MAX);
  EXPECT_EQ(progress.text(now, 0, SIZE_MAX).find("next"), std::string::npos);
}

TEST(Progress, IsNeverWiderThanTheTerminal) {
  FakeClock clock;
  Progress progress({}, clock);
  progress.set_rate(1337.4);
  for (std::size_t width = 0; width < 140; ++width) {
    EXPECT_LE(progress.text(some(), 64, width).size(), width);
  }
  EXPECT_EQ(progress.text(some(), 64, 40), "6,755 pages, 1,337/s, 5,415 queued");
}

TEST(Progress, TheEndIsThatOfTheSlowestHostWhereRateIsHigh) {
  FakeClock clock;
  Progress progress({}, clock);
  // Nothing is measured, so that nothing is promised.
  EXPECT_EQ(progress.least_left_ms(some()), 0);
  progress.set_rate(5415);
  EXPECT_EQ(progress.least_left_ms(some()), 1000);
  progress.set_slowest_host_ms(3'600'000);
  EXPECT_EQ(progress.least_left_ms(some()), 3'600'000);
  progress.set_rate(0);
  EXPECT_EQ(progress.least_left_ms(some()), 3'600'000);
}

TEST(Progress, ALimitEndsItSooner) {
  FakeClock clock;
  Progress::Options options;
  options.max_pages = 7755;
  Progress progress(options, clock);
  progress.set_rate(100);
  progress.set_slowest_host_ms(3'600'000);
  EXPECT_EQ(progress.least_left_ms(some()), 10'000);
}

constexpr std::string_view kRecord =
    "http://a/\tvia=http://b/\ttext=pages choose this\trule=deny "
    "/x\tpolicy=p:3\toutcome=blocked-by-policy";

TEST(Rejected, CountsByRuleAndPlaceElseByClass) {
  Rejected rejected;
  rejected.add(kRecord);
  rejected.add("http://c/\tclass=same-host\toutcome=blocked-by-policy");
  rejected.add("http://d/\tclass=same-host\toutcome=blocked-by-policy");
  rejected.add("http://e/\toutcome=blocked-by-policy");
  EXPECT_EQ(rejected.total(), 4U);
  const auto top = rejected.top(2);
  ASSERT_EQ(top.size(), 2U);
  EXPECT_EQ(top[0], std::pair(std::string("same-host"), std::uint64_t{2}));
  EXPECT_EQ(top[1].first, "deny /x (p:3)");
}

// Bug: the summary doubled the backslashes of a rule, which was then not found in the policy.
TEST(Rejected, ARuleIsToldAsItStandsInThePolicy) {
  Rejected rejected;
  rejected.add("http://h/a.b\trule=deny-path ^/a\\\\.b \"c\"\tpolicy=site.policy:3");
  EXPECT_EQ(refused_text(rejected),
            R"(1 link was refused: 1 by deny-path ^/a\.b "c" (site.policy:3))");
  Rejected hostile;
  hostile.add("http://h/\trule=deny-url \x1B[31m" + std::string(96, 'x') + "\xC3\xA9" + "yyy");
  const std::string text = refused_text(hostile);
  EXPECT_EQ(text.find('\x1B'), std::string::npos);
  EXPECT_TRUE(text.ends_with("x..."));
}

TEST(Rejected, WhatPagesChooseTakesNoMemoryWithoutBound) {
  Rejected rejected;
  for (int i = 0; i < 20'000; ++i)
    rejected.add("http://a/\tclass=" + std::to_string(i) + "\toutcome=blocked-by-policy");
  EXPECT_LE(rejected.top(SIZE_MAX).size(), 10'001U);
  EXPECT_EQ(rejected.total(), 20'000U);
}

TEST(Rejected, AppendsWholeLinesBehindATornOne) {
  const std::string path = testing::TempDir() + "rejected_test." + std::to_string(getpid());
  std::ofstream(path) << "http://torn/\tvia=";
  for (int run = 0; run < 2; ++run) {
    Result<Rejected> opened = Rejected::open(path);
    ASSERT_TRUE(opened.ok()) << opened.message();
    opened->add(kRecord);
    EXPECT_TRUE(opened->flush().ok());
  }
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string line =
      "http://a/\tvia=http://b/\trule=deny /x\tpolicy=p:3\toutcome=blocked-by-policy\n";
  EXPECT_EQ(text.str(), "http://torn/\tvia=\n" + line + line);
  unlink(path.c_str());
}

TEST(Rejected, AFullDiskIsTold) {
  Result<Rejected> opened = Rejected::open("/dev/full");
  ASSERT_TRUE(opened.ok()) << opened.message();
  opened->add(kRecord);
  EXPECT_FALSE(opened->flush().ok());
}

}  // namespace
}  // namespace spinneret::loop
