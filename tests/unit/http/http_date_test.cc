// SPDX-License-Identifier: Apache-2.0
#include "http/http_date.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace spinneret {
namespace {

constexpr std::int64_t kNow = 1'700'000'000;  // 2023-11-14
constexpr std::int64_t kExample = 784'111'777;

// RFC 9110 section 5.6.7: its examples
TEST(HttpDate, TheThreeForms) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", kNow), kExample);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", kNow), kExample);
  EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994", kNow), kExample);
}

TEST(HttpDate, WhatServersSend) {
  EXPECT_EQ(parse_http_date("Sun, 06-Nov-1994 08:49:37 GMT", kNow), kExample);
  EXPECT_EQ(parse_http_date("06 Nov 1994 08:49:37", kNow), kExample);
  EXPECT_EQ(parse_http_date("Mon, 06 NOV 1994 8:49:37 UTC", kNow), kExample);
  EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT", kNow), 0);
  EXPECT_EQ(parse_http_date("Thu, 29 Feb 2024 23:59:60 GMT", kNow), 1'709'251'200);
}

TEST(HttpDate, TwoDigitYearsAreAtMostFiftyAhead) {
  const auto year_of = [](const char* text) {
    const std::time_t at = static_cast<std::time_t>(*parse_http_date(text, kNow));
    std::tm parts{};
    gmtime_r(&at, &parts);
    return parts.tm_year + 1900;
  };
  EXPECT_EQ(year_of("Sunday, 06-Nov-23 08:49:37 GMT"), 2023);
  EXPECT_EQ(year_of("Sunday, 06-Nov-73 08:49:37 GMT"), 2073);
  EXPECT_EQ(year_of("Sunday, 06-Nov-74 08:49:37 GMT"), 1974);
}

TEST(HttpDate, NoDate) {
  for (const char* text :
       {"", "0", "-1", "now", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994",
        "1994-11-06T08:49:37Z", "Sun, 06 Foo 1994 08:49:37 GMT", "06 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 ::: GMT"}) {
    EXPECT_FALSE(parse_http_date(text, kNow)) << text;
  }
  EXPECT_FALSE(parse_http_date(std::string(1000, '1'), kNow));
}

// Against the C library, over two centuries.
TEST(HttpDate, AgreesWithStrftime) {
  for (std::int64_t at = -86400LL * 365 * 60; at < 86400LL * 365 * 140; at += 86400 * 11 + 12345) {
    const std::time_t time = static_cast<std::time_t>(at);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[64];
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    EXPECT_EQ(parse_http_date(text, kNow), at) << text;
  }
}

}  // namespace
}  // namespace spinneret
