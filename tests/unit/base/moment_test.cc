// SPDX-License-Identifier: Apache-2.0
#include "base/moment.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

namespace spinneret {
namespace {

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
