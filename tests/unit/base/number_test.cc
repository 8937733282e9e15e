// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <gtest/gtest.h>

#include <climits>

namespace spinneret {
namespace {

TEST(ParseUnsigned, TakesDigitsOnly) {
  EXPECT_EQ(parse_unsigned("0"), 0U);
  EXPECT_EQ(parse_unsigned("007"), 7U);
  EXPECT_EQ(parse_unsigned("18446744073709551615"), UINT64_MAX);
  for (const char* bad : {"", " 1", "1 ", "+1", "-1", "-0", "1.0", "0x10", "1e3", "a",
                          "18446744073709551616", "99999999999999999999999"}) {
    EXPECT_EQ(parse_unsigned(bad), std::nullopt) << bad;
  }
}

TEST(ParseDecimal, TakesFractionsWithoutSignOrExponent) {
  EXPECT_EQ(parse_decimal("0"), 0.0);
  EXPECT_EQ(parse_decimal("0.5"), 0.5);
  EXPECT_EQ(parse_decimal(".25"), 0.25);
  EXPECT_EQ(parse_decimal("2"), 2.0);
  for (const char* bad :
       {"", ".", "-1", "+1", "1e3", "1E3", "0x1", "inf", "nan", "1,5", "1.2.3", " 1", "1 ", "1s"}) {
    EXPECT_EQ(parse_decimal(bad), std::nullopt) << bad;
  }
}

TEST(ParseSize, KnowsItsUnits) {
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("4096"), 4096U);
  EXPECT_EQ(parse_size("12B"), 12U);
  for (const char* one : {"1K", "1k", "1KB", "1kB", "1kb", "1KiB", "1kib"}) {
    EXPECT_EQ(parse_size(one), 1024U) << one;
  }
  EXPECT_EQ(parse_size("10M"), 10U << 20);
  EXPECT_EQ(parse_size("2G"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_size("1T"), std::uint64_t{1} << 40);
  EXPECT_EQ(parse_size("16777215T"), std::uint64_t{16777215} << 40);
}

TEST(ParseSize, RefusesTheRest) {
  for (const char* bad : {"", "K", "1.5K", "-1", "1 K", "1X", "1KK", "5BB", "5Bi", "5iB", "5KBi",
                          "16777216T", "1K "}) {
    EXPECT_EQ(parse_size(bad), std::nullopt) << bad;
  }
}

TEST(ParseDuration, IsSecondsUnlessSaid) {
  EXPECT_EQ(parse_duration_ms("0"), 0);
  EXPECT_EQ(parse_duration_ms("1.5"), 1500);
  EXPECT_EQ(parse_duration_ms("1.5s"), 1500);
  EXPECT_EQ(parse_duration_ms("250ms"), 250);
  EXPECT_EQ(parse_duration_ms("0.5ms"), 1);  // rounded
  EXPECT_EQ(parse_duration_ms("10m"), 600'000);
  EXPECT_EQ(parse_duration_ms("2h"), 7'200'000);
  EXPECT_EQ(parse_duration_ms("7d"), 604'800'000);
  EXPECT_EQ(parse_duration_ms("4w"), 2'419'200'000);
}

TEST(ParseDuration, RefusesTheRest) {
  for (const char* bad : {"", "s", "-1", "1 s", "1S", "1M", "1y", "1.5.2s", "101000d", "1e9",
                          "999999999999999999999999w"}) {
    EXPECT_EQ(parse_duration_ms(bad), std::nullopt) << bad;
  }
}

TEST(AppendUnsigned, WritesAllDigits) {
  std::string out = "n=";
  append_unsigned(out, 0);
  append_unsigned(out, UINT64_MAX);
  EXPECT_EQ(out, "n=018446744073709551615");
}

TEST(SecondsText, IsAsShortAsExact) {
  EXPECT_EQ(seconds_text(0), "0");
  EXPECT_EQ(seconds_text(1), "0.001");
  EXPECT_EQ(seconds_text(10), "0.01");
  EXPECT_EQ(seconds_text(1500), "1.5");
  EXPECT_EQ(seconds_text(2000), "2");
  EXPECT_EQ(seconds_text(1'000'050), "1000.05");
  EXPECT_EQ(seconds_text(-1500), "-1.5");
  EXPECT_EQ(seconds_text(-500), "-0.5");
  EXPECT_EQ(seconds_text(INT64_MIN), "-9223372036854775.808");
}

TEST(SecondsText, ParsesBack) {
  for (std::int64_t ms = 0; ms < 20'000; ++ms) {
    ASSERT_EQ(parse_duration_ms(seconds_text(ms)), ms);
  }
}

}  // namespace
}  // namespace spinneret
