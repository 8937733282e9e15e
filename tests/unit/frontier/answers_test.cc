// SPDX-License-Identifier: Apache-2.0
// Tests each line of the tables in answers.h.
#include "frontier/answers.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "unit/frontier/rooms_fixture.h"

namespace spinneret::frontier {
namespace {

using Held = Answers::Held;

constexpr std::string_view kUrl = "http://a.test/1";
constexpr std::string_view kRobots = "http://a.test/robots.txt";
constexpr std::string_view kDown = "server-error";

class AnswersTest : public RoomsTest {
 protected:
  AnswersTest() {
    politeness_.delay_ms = 2000;
    politeness_.patience = 4;
    admit("/1", {});
    lanes_.arrange();
  }
  // Sends something of the host and lets it land; the test chooses the answer.
  Flight fly(Purpose purpose = Purpose::kPage) {
    const std::string_view url = purpose == Purpose::kPage ? kUrl : kRobots;
    std::string key = Flights::key_of(purpose, url);
    if (purpose == Purpose::kPage) {
      RoomsTest::fly(key, now_);
    } else {
      gate_.send(slot_);
      flights_.begin(key, slot_, purpose, {}, {}, now_);
    }
    return flights_.land(key).value();
  }
  void take(Settled result, Purpose purpose = Purpose::kPage) {
    result.url = purpose == Purpose::kPage ? kUrl : kRobots;
    result.purpose = purpose;
    const Flight flight = fly(purpose);
    answers_.take(flight, result, now_);
    if (purpose == Purpose::kPage) hosts_.play(slot_).queue.returned(flight.place);
  }
  Held hold(std::string_view reason, std::int64_t ms) {
    const Settled result{.url = kUrl, .retry_after_ms = ms, .robots_reason = reason};
    return answers_.hold(fly(), result, now_);
  }
  Host& host() { return hosts_.host(slot_); }
  HostRow& host_row() { return hosts_.play(slot_).row; }
  std::int64_t gap() { return hosts_.lane(host().lane).next_ms - now_.mono_ms; }

  const Settled ok_{.url = {}, .status = 200, .size = 70, .ip = "10.0.0.1"};
  const Settled silent_{.url = {}, .outcome = Outcome::kTimeout};
  Answers answers_{hosts_, gate_, lanes_, patience_, politeness_, random_, statistics_, notices_};
};

TEST_F(AnswersTest, WhatDidNotAskTheHostOwesNoGapAndIsNoVisit) {
  take({.url = {}, .outcome = Outcome::kBlockedByRobots, .size = 70});
  EXPECT_LE(gap(), 0);
  EXPECT_EQ(host_row().counts.visits, 0U);
  EXPECT_EQ(statistics_.bytes, 0U);
}

TEST_F(AnswersTest, AnAnswerOwesItsGapAndIsCounted) {
  take(ok_);
  EXPECT_EQ(gap(), 2000);
  EXPECT_EQ(hosts_.play(slot_).owed_ms, 2000);
  EXPECT_TRUE(host().heard);
  EXPECT_EQ(host_row().counts.visits, 1U);
  EXPECT_EQ(host_row().counts.bytes, 70U);
  EXPECT_EQ(statistics_.all.bytes, 70U);
  EXPECT_EQ(host_row().ip, "10.0.0.1");
}

TEST_F(AnswersTest, WithSeveralAtOnceAnAnswerBeginsNoGap) {
  politeness_.per_host = 2;
  take(ok_);
  EXPECT_EQ(hosts_.play(slot_).owed_ms, 0);
}

TEST_F(AnswersTest, APauseThatIsAskedForIsKeptAndTold) {
  Settled busy{.url = {}, .outcome = Outcome::kServerError, .status = 503};
  busy.retry_after_ms = 30'000;
  take(busy);
  EXPECT_EQ(gap(), 30'000);
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_EQ(notices_[0], "http://a.test asks to be left alone for 30 s: held for 30 s");
}

// By its name: it is known by another scheme.
TEST_F(AnswersTest, BugAHostThatARobotsTxtHadLedToWasNotHeldWhenItAskedForAPause) {
  const HostSlot other = hosts_.find("http://b.test");
  Settled busy{.url = {}, .outcome = Outcome::kRateLimited, .status = 429, .ip = "10.0.0.2"};
  busy.answered_at = "https://b.test/robots.txt";
  busy.retry_after_ms = 30'000;
  take(busy, Purpose::kRobots);
  EXPECT_EQ(hosts_.lane(hosts_.host(other).lane).next_ms - now_.mono_ms, 30'000);
  EXPECT_GT(hosts_.play(other).row.backoff_ms, 0);
  // Its rules are what the first host needs, which is as quick as it was.
  EXPECT_EQ(gap(), 30'000);
  EXPECT_EQ(host_row().backoff_ms, 0);
  EXPECT_EQ(host_row().ip, "");
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_EQ(notices_[0], "http://b.test asks to be left alone for 30 s: held for 30 s");
}

TEST_F(AnswersTest, BugAHostThatARobotsTxtHadLedToOwedNoGap) {
  const HostSlot other = hosts_.find("http://b.test");
  hosts_.play(other).row.crawl_delay_ms = 9000;
  Settled led = ok_;
  led.answered_at = "http://b.test/robots.txt";
  take(led, Purpose::kRobots);
  EXPECT_EQ(hosts_.lane(hosts_.host(other).lane).next_ms - now_.mono_ms, 9000);
  EXPECT_EQ(gap(), 2000);
  // What nobody knows, and what leads to the host itself.
  for (const char* const at : {"http://c.test/robots.txt", "https://a.test/robots.txt", "no URL"}) {
    led.answered_at = at;
    take(led, Purpose::kRobots);
    EXPECT_EQ(gap(), 2000) << at;
  }
}

TEST_F(AnswersTest, SilenceOfAPageMayBeTheLastButThatOfARobotsTxtIsNot) {
  for (std::uint32_t i = 0; i < politeness_.patience; ++i) {
    ASSERT_FALSE(gate_.need(slot_, kRobots));
    take(silent_, Purpose::kRobots);
    host().rules = Rules::kUntried;
    host().rules_tries = 0;
  }
  EXPECT_FALSE(host().finished);
  take(silent_);
  EXPECT_TRUE(host().finished);
}

TEST_F(AnswersTest, ARobotsTxtTellsTheGateWhatItMetWith) {
  ASSERT_FALSE(gate_.need(slot_, kRobots));
  take(silent_, Purpose::kRobots);
  EXPECT_TRUE(host().rules_down);
  EXPECT_EQ(host().rules, Rules::kUntried);
  ASSERT_FALSE(gate_.need(slot_, kRobots));
  take(ok_, Purpose::kRobots);
  EXPECT_FALSE(host().rules_down);
  EXPECT_EQ(statistics_.robots, 2U);
}

TEST_F(AnswersTest, ACrawlDelayHoldsUntilRulesComeWithoutOne) {
  Settled slow = ok_;
  slow.crawl_delay_ms = 9000;
  take(slow);
  EXPECT_EQ(host_row().crawl_delay_ms, 9000);
  EXPECT_EQ(gap(), 9000);
  take(ok_);  // nobody has looked at the rules
  EXPECT_EQ(host_row().crawl_delay_ms, 9000);
  Settled free = ok_;
  free.has_rules = true;
  take(free);
  EXPECT_EQ(host_row().crawl_delay_ms, -1);
  EXPECT_TRUE(notices_.empty());
}

TEST_F(AnswersTest, ACrawlDelayThatIsCappedIsToldOnce) {
  Settled slow = ok_;
  slow.crawl_delay_ms = politeness_.crawl_delay_cap_ms + 1000;
  take(slow);
  take(slow);
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_NE(notices_[0].find("--crawl-delay-cap"), std::string::npos);
}

// --- what the gate says -------------------------------------------------------------------------

TEST_F(AnswersTest, WhatTheGateHoldsWaitsAsLongAsItAsks) {
  EXPECT_EQ(hold(kDown, 60'000), Held::kWaits);
  EXPECT_EQ(host().held_ms, now_.mono_ms + 60'000);
  EXPECT_EQ(host_row().held_reason, kDown);
  EXPECT_TRUE(in_window());
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_EQ(hold(kDown, 90'000), Held::kWaits);  // several were on their way
  EXPECT_EQ(host().held_ms, now_.mono_ms + 60'000);
}

TEST_F(AnswersTest, NoHoldIsLongerThanADay) {
  EXPECT_EQ(hold(kVisitTime, std::int64_t{1} << 40), Held::kWaits);
  EXPECT_EQ(host().held_ms, now_.mono_ms + 86'400'000);
}

TEST_F(AnswersTest, AHostWithoutRulesForTooOftenIsGivenUpWithTheReason) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(hold(kDown, 1000), Held::kWaits);
    now_.mono_ms += 1000;
  }
  EXPECT_EQ(hold(kDown, 1000), Held::kPutOff);
  EXPECT_TRUE(host().finished);
  EXPECT_EQ(host_row().finish, Finish::kNoRules);
  EXPECT_EQ(host_row().held_reason, kDown);
  EXPECT_TRUE(in_window());
}

TEST_F(AnswersTest, ASilentHostRestsAsItsPatienceHasIt) {
  ASSERT_FALSE(gate_.need(slot_, kRobots));
  take(silent_, Purpose::kRobots);
  now_.mono_ms = host().held_ms;
  EXPECT_EQ(hold(kDown, 60'000), Held::kWaits);
  EXPECT_EQ(host().held_ms - now_.mono_ms, 2000);
  EXPECT_EQ(host().rules, Rules::kWanted);
}

TEST_F(AnswersTest, ASilentHostWhosePatienceIsSpentIsGivenUp) {
  host_row().failures = politeness_.patience;
  EXPECT_EQ(hold(kDown, 60'000), Held::kPutOff);
  EXPECT_EQ(host_row().finish, Finish::kPatience);
}

TEST_F(AnswersTest, APageThatNeedsRulesWaitsForThem) {
  const Settled needs{.url = kUrl, .outcome = Outcome::kNeeds, .needs = kRobots};
  EXPECT_EQ(answers_.need(fly(), needs, now_), std::nullopt);
  EXPECT_EQ(host().rules, Rules::kWanted);
  EXPECT_TRUE(in_window());
}

TEST_F(AnswersTest, APageWhoseRulesCannotBeHadHasFailedAndDoesNotWait) {
  const Settled needs{.url = kUrl, .outcome = Outcome::kNeeds, .needs = "mailto:a"};
  const std::optional<Gate::Failed> failed = answers_.need(fly(), needs, now_);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->outcome, Outcome::kAborted);
  EXPECT_FALSE(in_window());
}

}  // namespace
}  // namespace spinneret::frontier
