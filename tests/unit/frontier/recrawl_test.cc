// SPDX-License-Identifier: Apache-2.0
#include "frontier/recrawl.h"

#include <gtest/gtest.h>

namespace spinneret::frontier {
namespace {

constexpr std::int64_t kDay = 86'400'000;
constexpr std::int64_t kNow = 1'700'000'000'000;

TEST(Recrawl, Parse) {
  EXPECT_EQ(parse_recrawl("4w")->least_ms, 28 * kDay);
  EXPECT_FALSE(parse_recrawl("4w")->adaptive());
  const auto adaptive = parse_recrawl("adaptive:1d..90d");
  ASSERT_TRUE(adaptive);
  EXPECT_EQ(adaptive->least_ms, kDay);
  EXPECT_EQ(adaptive->most_ms, 90 * kDay);
  EXPECT_EQ(parse_recrawl(to_string(*adaptive))->most_ms, 90 * kDay);
  for (const char* const bad :
       {"", "0", "weekly", "adaptive:", "adaptive:1d", "adaptive:2d..1d", "adaptive:1d..1d"}) {
    EXPECT_FALSE(parse_recrawl(bad)) << bad;
  }
}

TEST(Recrawl, FixedIsFixed) {
  const Recrawl rules = *parse_recrawl("1d");
  std::int64_t interval = 0;
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, true, false, 0, kNow}, rules), kNow + kDay);
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kNotModified, false, false, 0, kNow}, rules),
            kNow + kDay);
}

TEST(Recrawl, AdaptiveFollowsTheChanges) {
  const Recrawl rules = *parse_recrawl("adaptive:1d..30d");
  std::int64_t interval = 0;
  const auto visit = [&](Outcome outcome, bool first, bool same) {
    return next_visit_ms(interval, {outcome, first, same, 0, kNow}, rules) - kNow;
  };
  EXPECT_EQ(visit(Outcome::kOk, true, false), 7 * kDay);
  EXPECT_EQ(visit(Outcome::kOk, false, false), 7 * kDay / 2);
  EXPECT_EQ(visit(Outcome::kNotModified, false, false), 7 * kDay / 2 * 3 / 2);
  for (int i = 0; i < 20; ++i) visit(Outcome::kOk, false, true);
  EXPECT_EQ(visit(Outcome::kDuplicate, false, false), 30 * kDay);
  for (int i = 0; i < 20; ++i) visit(Outcome::kOk, false, false);
  EXPECT_EQ(visit(Outcome::kOk, false, false), kDay);
}

TEST(Recrawl, ExpiresPutsOffWithinTheBound) {
  const Recrawl rules = *parse_recrawl("adaptive:1d..30d");
  std::int64_t interval = kDay;
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, false, false, kNow + 5 * kDay, kNow}, rules),
            kNow + 5 * kDay);
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, false, false, kNow + 500 * kDay, kNow}, rules),
            kNow + 30 * kDay);
  EXPECT_EQ(next_visit_ms(interval, {Outcome::kOk, false, false, kNow - kDay, kNow}, rules),
            kNow + kDay);
}

TEST(W3cTime, TheFormsOfSitemaps) {
  EXPECT_EQ(parse_w3c_time("1970"), 0);
  EXPECT_EQ(parse_w3c_time("1970-02"), 31 * kDay);
  EXPECT_EQ(parse_w3c_time("2000-03-01"), 951'868'800'000);
  EXPECT_EQ(parse_w3c_time("2023-11-14T22:13:20Z"), kNow);
  EXPECT_EQ(parse_w3c_time("2023-11-14T23:13:20+01:00"), kNow);
  EXPECT_EQ(parse_w3c_time("2023-11-14T22:13:20.123Z"), kNow);
  EXPECT_EQ(parse_w3c_time("2023-11-14T22:13Z"), kNow - 20'000);
  for (const char* const bad :
       {"", "x", "2023-13-01", "2023-1-1", "2023-11-14T", "2023-11-14T22:13:20",
        "2023-11-14T99:13Z", "2023/11/14", "2023-11-14T22:13:20.5"}) {
    EXPECT_FALSE(parse_w3c_time(bad)) << bad;
  }
}

TEST(ChangeFrequency, Words) {
  EXPECT_EQ(change_frequency_ms("daily"), kDay);
  EXPECT_FALSE(change_frequency_ms("always"));
  EXPECT_FALSE(change_frequency_ms("Daily"));
}

}  // namespace
}  // namespace spinneret::frontier
