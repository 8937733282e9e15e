// SPDX-License-Identifier: Apache-2.0
#include "robots/timetable.h"

#include <gtest/gtest.h>

#include <string>

#include "robots/rule_set.h"

namespace spinneret {
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

}  // namespace
}  // namespace spinneret
