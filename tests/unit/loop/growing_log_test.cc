// SPDX-License-Identifier: Apache-2.0
#include "loop/growing_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "support/temporary_folder.h"

namespace spinneret::loop {
namespace {

class GrowingLogTest : public testing::Test {
 protected:
  void append(std::string_view bytes) {
    std::ofstream(path_, std::ios::app | std::ios::binary) << bytes;
  }
  // Returns the line of a page that came at this second.
  static std::string page(int number, std::int64_t at_s, std::string_view outcome = "ok") {
    return "http://h/" + std::to_string(number) + "\ttime=" + std::to_string(at_s) +
           "\tdepth=1\tstatus=200\tsize=10\ttime-ms=3\toutcome=" + std::string(outcome) + "\n";
  }
  std::uint64_t records() {
    EXPECT_TRUE(log_.read().ok());
    return log_.survey().records;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("log");
  GrowingLog log_{path_};
};

TEST_F(GrowingLogTest, IsReadAsFarAsItHasCome) {
  EXPECT_EQ(records(), 0U);  // it does not exist yet
  append(page(1, 100) + page(2, 101));
  EXPECT_EQ(records(), 2U);
  EXPECT_EQ(records(), 2U);
  append(page(3, 102, "not-found"));
  EXPECT_EQ(records(), 3U);
  EXPECT_EQ(log_.survey().bytes, 30U);
}

TEST_F(GrowingLogTest, HalfALineWaitsForItsRestAtEveryByte) {
  const std::string whole = page(1, 100);
  append(page(0, 100));
  for (const char c : whole.substr(0, whole.size() - 1)) {
    append({&c, 1});
    ASSERT_EQ(records(), 1U);
  }
  append("\n");
  EXPECT_EQ(records(), 2U);
  EXPECT_EQ(log_.survey().unreadable, 0U);
}

TEST_F(GrowingLogTest, ALineThatIsTornOrTooLongCostsThatLine) {
  append(page(1, 100) + "http://h/torn\ttime=1\n" + "http://h/" + std::string(3 << 20, 'x') +
         "\ttime=100\toutcome=ok\n" + page(2, 100));
  EXPECT_EQ(records(), 2U);
  EXPECT_EQ(log_.survey().unreadable, 2U);
}

TEST_F(GrowingLogTest, OneThatWasReplacedOrCutIsBegunAnew) {
  append(page(1, 100) + page(2, 100) + "http://h/half");
  EXPECT_EQ(records(), 2U);
  // It is another file of the same length.
  std::filesystem::copy_file(path_, path_ + ".new");
  ASSERT_EQ(std::rename((path_ + ".new").c_str(), path_.c_str()), 0);
  EXPECT_EQ(records(), 2U);
  append("\n" + page(3, 100));
  EXPECT_EQ(records(), 3U);
  // It is the same file, and shorter.
  ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
  append(page(4, 200));
  EXPECT_EQ(records(), 1U);
  EXPECT_EQ(log_.recent_rate(201'000), 0.1);
  // A file that is gone for a moment is not read from its beginning again.
  ASSERT_EQ(std::rename(path_.c_str(), (path_ + ".away").c_str()), 0);
  EXPECT_EQ(records(), 1U);
  ASSERT_EQ(std::rename((path_ + ".away").c_str(), path_.c_str()), 0);
  append(page(5, 201));
  EXPECT_EQ(records(), 2U);
}

TEST_F(GrowingLogTest, WhatCannotBeReadIsNamed) {
  ASSERT_EQ(::mkdir(path_.c_str(), 0777), 0);
  const Status folder = log_.read();
  ASSERT_FALSE(folder.ok());
  EXPECT_NE(folder.message().find(path_), std::string::npos);
  const Status below = GrowingLog(path_ + "/x/y").read();
  EXPECT_TRUE(below.ok());  // neither it nor its folder exists yet
  // A terminal or /dev/null keeps nothing that could be read.
  GrowingLog null("/dev/null");
  EXPECT_TRUE(null.read().ok());
  EXPECT_EQ(null.survey().records, 0U);
  GrowingLog zero("/dev/zero");
  EXPECT_TRUE(zero.read().ok());
}

TEST_F(GrowingLogTest, TheRateIsThatOfTheTenSecondsBefore) {
  for (int i = 0; i < 50; ++i) append(page(i, 100 + i));
  ASSERT_EQ(records(), 50U);
  // Seconds count as a whole.
  EXPECT_EQ(log_.recent_rate(149'500), 1.0);
  EXPECT_EQ(log_.recent_rate(155'000), 0.4);
  EXPECT_EQ(log_.recent_rate(159'000), 0.0);
  EXPECT_EQ(log_.recent_rate(1'000'000), 0.0);
}

// Bug: older pages counted for as long as the clock had been set back by.
TEST_F(GrowingLogTest, BugAClockThatWasSetBackMadeTheRateThatOfTheWholeCrawl) {
  for (int i = 0; i < 500; ++i) append(page(i, 10'000 + i));
  for (int i = 0; i < 20; ++i) append(page(i, 5'000 + i));
  ASSERT_EQ(records(), 520U);
  EXPECT_EQ(log_.recent_rate(5'019'000), 1.0);
}

}  // namespace
}  // namespace spinneret::loop
