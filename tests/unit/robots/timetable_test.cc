// SPDX-License-Identifier: Apache-2.0
#include "robots/timetable.h"

#include <gtest/gtest.h>

#include <string>

#include "robots/delay.h"
#include "robots/rule_set.h"

namespace spinneret::robots {
namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kDay = 1440 * kMinute;

std::int64_t at(int hour, int minute = 0) { return 20'000 * kDay + (hour * 60 + minute) * kMinute; }

Timetable of(const std::string& lines) {
  return RuleSet::compile("User-agent: *\n" + lines, "foobot").timetable();
}

TEST(Timetable, ARateHoldsAtItsHoursBesideTheOthers) {
  const Timetable table =
      of("Crawl-delay: 2\nRequest-rate: 1/10 0600-0845\nRequest-rate: 10/1 0600-0845\n");
  EXPECT_EQ(table.delay_ms(), 2000);
  EXPECT_EQ(table.delay_ms_at(at(5, 59)), 2000);
  EXPECT_EQ(table.delay_ms_at(at(6)), 10'000);
  EXPECT_EQ(table.delay_ms_at(at(8, 44)), 10'000);
  EXPECT_EQ(table.delay_ms_at(at(8, 45)), 2000);
  const Timetable night = of("Request-rate: 1/5m 2200-0600\n");
  EXPECT_EQ(night.delay_ms_at(at(12)), std::nullopt);
  EXPECT_EQ(night.delay_ms_at(at(23)), 300'000);
  EXPECT_EQ(night.delay_ms_at(at(3)), 300'000);
}

TEST(Timetable, AnyOfSeveralVisitTimesWillDo) {
  EXPECT_EQ(of("").closed_ms_at(at(3)), 0);
  const Timetable table = of("Visit-time: 0600-0845\nVisit-time: 23:00-01:00\n");
  EXPECT_EQ(table.closed_ms_at(at(7)), 0);
  EXPECT_EQ(table.closed_ms_at(at(0, 30)), 0);
  EXPECT_EQ(table.closed_ms_at(at(8, 45)), (23 * 60 - 525) * kMinute);
  EXPECT_EQ(table.closed_ms_at(at(4)), 120 * kMinute);
}

TEST(Timetable, HoursThatCannotBeReadCloseNothing) {
  for (const char* const value : {"", "always", "0600", "0600-", "2500-2600", "0600-0660", "-"}) {
    EXPECT_EQ(of("Visit-time: " + std::string(value) + "\n").closed_ms_at(at(3)), 0) << value;
  }
  EXPECT_EQ(of("Visit-time: 0000-2400\n").closed_ms_at(at(3)), 0);
}

TEST(Timetable, OnlyItsOwnGroupCounts) {
  const RuleSet rules = RuleSet::compile(
      "User-agent: *\nVisit-time: 0100-0200\nRequest-rate: 1/9 0000-1200\nUser-agent: "
      "foobot\nDisallow: /x\n",
      "foobot");
  EXPECT_EQ(rules.timetable().closed_ms_at(at(3)), 0);
  EXPECT_EQ(rules.timetable().delay_ms_at(at(3)), std::nullopt);
}

TEST(Timetable, AFileOfNothingButHoursIsBounded) {
  std::string lines;
  for (int i = 0; i < 10'000; ++i) lines += "Visit-time: 0100-0101\nRequest-rate: 1/1 0100-0200\n";
  const Timetable table = of(lines);
  EXPECT_LT(table.memory(), 10'000U);
  EXPECT_EQ(table.delay_ms_at(at(1)), 1000);
}

TEST(Delay, ReadsSeconds) {
  EXPECT_EQ(parse_crawl_delay("10").ms, 10'000);
  EXPECT_EQ(parse_crawl_delay(" 0.5 ").ms, 500);
  EXPECT_EQ(parse_crawl_delay("1,5").ms, 1'500);
  EXPECT_EQ(parse_crawl_delay("0").ms, 0);
  EXPECT_EQ(parse_crawl_delay("0.0001").ms, 1);
  EXPECT_EQ(parse_crawl_delay("1e1").ms, 10'000);
  EXPECT_EQ(parse_crawl_delay("10").fault, DelayFault::kNone);
}

TEST(Delay, ReportsWhatIsNoDelay) {
  for (const char* text : {"nan", "", "soon", "inf", "[5]", "NaN", "e5", "."}) {
    EXPECT_FALSE(parse_crawl_delay(text).ms) << text;
    EXPECT_EQ(parse_crawl_delay(text).fault, DelayFault::kNotANumber) << text;
  }
  EXPECT_FALSE(parse_crawl_delay("-5").ms);
  EXPECT_EQ(parse_crawl_delay("-5").fault, DelayFault::kNegative);
}

TEST(Delay, IsBounded) {
  for (const char* text : {"1e308", "1e999", "99999999999999999999999999", "86401"}) {
    EXPECT_EQ(parse_crawl_delay(text).ms, kMaxCrawlDelayMs) << text;
    EXPECT_EQ(parse_crawl_delay(text).fault, DelayFault::kTooLong) << text;
  }
  EXPECT_EQ(parse_crawl_delay("86400").ms, kMaxCrawlDelayMs);
  EXPECT_EQ(parse_crawl_delay("86400").fault, DelayFault::kNone);
}

TEST(Delay, TheNumberCountsAheadOfATail) {
  EXPECT_EQ(parse_crawl_delay("10 seconds").ms, 10'000);
  EXPECT_EQ(parse_crawl_delay("10s").fault, DelayFault::kTail);
  EXPECT_EQ(parse_crawl_delay("1.2.3").fault, DelayFault::kTail);
}

TEST(Delay, ReadsRates) {
  Hours hours{1, 2};
  EXPECT_EQ(parse_request_rate("1/5", &hours).ms, 5'000);
  EXPECT_TRUE(hours.always());
  EXPECT_EQ(parse_request_rate("1/10s").ms, 10'000);
  EXPECT_EQ(parse_request_rate("30/1m").ms, 2'000);
  EXPECT_EQ(parse_request_rate("1 / 2h").ms, 7'200'000);
  EXPECT_EQ(parse_request_rate("1/10 0600-0845", &hours).ms, 10'000);
  EXPECT_EQ(hours, (Hours{360, 525}));
  EXPECT_EQ(parse_request_rate("1/10m 22:00 - 06:00", &hours).ms, 600'000);
  EXPECT_EQ(hours, (Hours{1320, 360}));
  // Hours that cannot be read mean any time, rather than none.
  EXPECT_EQ(parse_request_rate("1/10 9999-0845", &hours).fault, DelayFault::kTail);
  EXPECT_TRUE(hours.always());
}

TEST(Delay, ReportsWhatIsNoRate) {
  for (const char* text : {"", "5", "0/5", "a/b", "1/", "/5", "1/x"}) {
    EXPECT_FALSE(parse_request_rate(text).ms) << text;
  }
  EXPECT_EQ(parse_request_rate("1/-5").fault, DelayFault::kNegative);
  EXPECT_EQ(parse_request_rate("1/999999999").fault, DelayFault::kTooLong);
}

// Infinity divided by infinity is NaN, and NaN has no integer.
TEST(Delay, NumbersBeyondDoublesAreHeldToADay) {
  EXPECT_EQ(parse_request_rate("1e999/1e999s").ms, kMaxCrawlDelayMs);
  EXPECT_EQ(parse_request_rate("1/1e999").ms, kMaxCrawlDelayMs);
  EXPECT_EQ(parse_crawl_delay("1e999").ms, kMaxCrawlDelayMs);
  EXPECT_EQ(parse_crawl_delay("1e-999").ms, 0);
}

}  // namespace
}  // namespace spinneret::robots
