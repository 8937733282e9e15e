// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "base/hours.h"
#include "base/moment.h"

namespace spinneret {
namespace {

TEST(Clock, SystemClockIsTheMachines) {
  const std::int64_t before = std::int64_t{std::time(nullptr)} * 1000;
  const std::int64_t now = system_clock().unix_ms();
  // time(2) may lag behind by a tick, and the test may take a few seconds.
  EXPECT_GE(now, before - 1000);
  EXPECT_LT(now, before + 60'000);
}

TEST(Clock, MonotonicNeverGoesBack) {
  std::int64_t last = system_clock().monotonic_ns();
  EXPECT_GT(last, 0);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = system_clock().monotonic_ns();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, IsOneForAll) { EXPECT_EQ(&system_clock(), &system_clock()); }

TEST(FakeClock, StandsStillUntilTold) {
  FakeClock clock(5000);
  const std::int64_t start = clock.monotonic_ns();
  EXPECT_EQ(clock.unix_ms(), 5000);
  EXPECT_EQ(clock.monotonic_ns(), start);
  clock.advance_ms(250);
  EXPECT_EQ(clock.unix_ms(), 5250);
  EXPECT_EQ(clock.monotonic_ns(), start + 250'000'000);
}

TEST(FakeClock, WallJumpsAlone) {
  FakeClock clock(5000);
  const std::int64_t start = clock.monotonic_ns();
  clock.jump_wall_ms(-4000);
  EXPECT_EQ(clock.unix_ms(), 1000);
  EXPECT_EQ(clock.monotonic_ns(), start);
}

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kDay = 1440 * kMinute;

std::int64_t at(int hour, int minute) { return 19'000 * kDay + (hour * 60 + minute) * kMinute; }

TEST(Hours, Parse) {
  EXPECT_EQ(parse_hours("22:00-06:30"), (Hours{22 * 60, 6 * 60 + 30}));
  EXPECT_EQ(parse_hours("0600-0845"), (Hours{360, 525}));
  EXPECT_EQ(parse_hours("22-06"), (Hours{1320, 360}));
  EXPECT_EQ(parse_hours("08:00-24:00"), (Hours{480, 0}));
  for (const char* const bad : {"", "22:00", "2:00-3:00", "22:60-23:00", "25:00-26:00",
                                "24:01-02:00", "aa:00-bb:00", "22:00-"}) {
    EXPECT_FALSE(parse_hours(bad)) << bad;
  }
}

TEST(Hours, WaitUntilTheyBegin) {
  const Hours day{8 * 60, 18 * 60};
  EXPECT_EQ(wait_for(day, at(8, 0), 0), 0);
  EXPECT_EQ(wait_for(day, at(17, 59), 0), 0);
  EXPECT_EQ(wait_for(day, at(18, 0), 0), 14 * 60 * kMinute);
  EXPECT_EQ(wait_for(day, at(7, 0), 0), 60 * kMinute);
}

TEST(Hours, AcrossMidnight) {
  const Hours night{22 * 60, 6 * 60};
  EXPECT_EQ(wait_for(night, at(23, 0), 0), 0);
  EXPECT_EQ(wait_for(night, at(5, 59), 0), 0);
  EXPECT_EQ(wait_for(night, at(6, 0), 0), 16 * 60 * kMinute);
  EXPECT_EQ(wait_for(night, at(12, 0), 0), 10 * 60 * kMinute);
}

TEST(Hours, InTheirOwnTime) {
  const Hours day{8 * 60, 18 * 60};
  EXPECT_EQ(wait_for(day, at(7, 0), 60 * kMinute), 0);
  EXPECT_EQ(wait_for(day, at(23, 0), -12 * 60 * kMinute), 0);
  EXPECT_EQ(wait_for(Hours{}, at(3, 0), 0), 0);
}

TEST(Day, IsADateOrSeconds) {
  EXPECT_EQ(parse_day_ms("1970-01-02"), 86'400'000);
  EXPECT_EQ(parse_day_ms("2026-11-20"), 1'795'132'800'000);
  EXPECT_EQ(parse_day_ms("253402300799"), 253'402'300'799'000);
  for (const char* bad : {"", "tomorrow", "2026-13-01", "2026-1-1", "2026-11-20x", "-1",
                          "2026-02-30", "253402300800"}) {
    EXPECT_FALSE(parse_day_ms(bad).has_value()) << bad;
  }
}

TEST(UtcText, IsRfc3339) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(1'700'000'000), "2023-11-14T22:13:20Z");
  EXPECT_EQ(utc_text(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(utc_text_ms(1'700'000'000'007), "2023-11-14T22:13:20.007Z");
  EXPECT_EQ(utc_text_ms(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(utc_text_ms(-1000), "1969-12-31T23:59:59.000Z");
  EXPECT_EQ(utc_text_ms(INT64_MAX), std::to_string(INT64_MAX / 1000));
  EXPECT_EQ(utc_text(951'782'400), "2000-02-29T00:00:00Z");
}

TEST(UtcText, BugTheLeastMomentOverflowed) {
  EXPECT_EQ(utc_text_ms(INT64_MIN), "-9223372036854776");
  EXPECT_EQ(utc_text_ms(INT64_MIN + 1), "-9223372036854776");
}

TEST(UtcText, YearsOfFourDigitsOnly) {
  EXPECT_EQ(utc_text(253'402'300'799), "9999-12-31T23:59:59Z");
  EXPECT_EQ(utc_text(253'402'300'800), "253402300800");
  EXPECT_EQ(utc_text(-62'167'219'200), "0000-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(-62'167'219'201), "-62167219201");
  EXPECT_EQ(utc_text(INT64_MIN), "-9223372036854775808");
}

TEST(UtcText, IsTheLibrarysOwn) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto seconds = static_cast<std::int64_t>(random() % 253'402'300'800);
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    char text[32];
    ASSERT_NE(gmtime_r(&time, &parts), nullptr);
    ASSERT_NE(std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts), 0U);
    ASSERT_EQ(utc_text(seconds), text);
  }
}

}  // namespace
}  // namespace spinneret
