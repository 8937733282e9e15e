// SPDX-License-Identifier: Apache-2.0
#include "robots/delay.h"

#include <gtest/gtest.h>

namespace spinneret {
namespace {

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
  // Hours that cannot be read: at any, rather than at none.
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

// Infinity by infinity is no number, and no number is no integer.
TEST(Delay, NumbersBeyondDoublesAreHeldToADay) {
  EXPECT_EQ(parse_request_rate("1e999/1e999s").ms, kMaxCrawlDelayMs);
  EXPECT_EQ(parse_request_rate("1/1e999").ms, kMaxCrawlDelayMs);
  EXPECT_EQ(parse_crawl_delay("1e999").ms, kMaxCrawlDelayMs);
  EXPECT_EQ(parse_crawl_delay("1e-999").ms, 0);
}

}  // namespace
}  // namespace spinneret
