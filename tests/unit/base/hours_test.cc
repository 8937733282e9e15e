// SPDX-License-Identifier: Apache-2.0
#include "base/hours.h"

#include <gtest/gtest.h>

namespace spinneret {
namespace {

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

}  // namespace
}  // namespace spinneret
