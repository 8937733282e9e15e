// SPDX-License-Identifier: Apache-2.0
// Tests each line of the tables in patience.h; outage_test.cc tests rests and pauses by themselves.
#include "frontier/patience.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/frontier/rooms_fixture.h"

namespace spinneret::frontier {
namespace {

using Fate = Patience::Fate;

class PatienceTest : public RoomsTest {
 protected:
  PatienceTest() { politeness_.patience = 4; }
  HostSlot host(const std::string& name, bool heard = false) {
    const HostSlot slot = hosts_.find("http://" + name + ".test");
    hosts_.host(slot).heard = heard;
    return slot;
  }
  void sign(HostSlot slot, Sign sign) {
    patience_.take_sign(slot, sign, sign == Sign::kLife ? Outcome::kOk : Outcome::kTimeout,
                        now_.mono_ms, now_);
  }
  // Notes so many silences in a row.
  void silence(HostSlot slot, int times = 1) {
    for (int i = 0; i < times; ++i) sign(slot, Sign::kSilence);
  }
  Fate fate(HostSlot slot, std::uint32_t failures, Sign sign = Sign::kSilence) {
    return patience_.fate_of(slot, failures, sign, now_);
  }

  static constexpr std::uint32_t kTries = 3;  // as in the fixture
};

TEST_F(PatienceTest, EachSilenceHoldsTheHostTwiceAsLongAndAnAnswerForgivesIt) {
  const HostSlot slot = host("a");
  for (const std::int64_t held : {1000, 2000, 4000}) {
    silence(slot);
    EXPECT_EQ(hosts_.host(slot).held_ms - now_.mono_ms, held);
  }
  sign(slot, Sign::kLife);
  EXPECT_EQ(hosts_.host(slot).held_ms, 0);
  EXPECT_EQ(hosts_.play(slot).row.failures, 0U);
  EXPECT_TRUE(hosts_.host(slot).heard);
}

TEST_F(PatienceTest, AnAnswerDoesNotEndWhatTheGateHolds) {
  const HostSlot slot = host("a");
  gate_.keep_back(slot, now_, 5000, "server-error");
  sign(slot, Sign::kLife);
  EXPECT_EQ(hosts_.host(slot).held_ms, now_.mono_ms + 5000);
}

TEST_F(PatienceTest, APageWithTriesLeftIsTriedAgain) {
  const HostSlot slot = host("a");
  silence(slot);
  EXPECT_EQ(fate(slot, 1), Fate::kAgain);
  EXPECT_EQ(fate(slot, kTries - 1), Fate::kAgain);
}

TEST_F(PatienceTest, APageThatFailsOtherwiseHasHadItsLastTry) {
  const HostSlot slot = host("a");
  sign(slot, Sign::kLife);
  EXPECT_EQ(fate(slot, kTries, Sign::kLife), Fate::kLast);
}

TEST_F(PatienceTest, SilenceIsThePagesWhereItsHostHasAnsweredMeanwhile) {
  const HostSlot slot = host("a");
  silence(slot, 2);  // of three tries
  EXPECT_EQ(fate(slot, kTries), Fate::kLast);
}

TEST_F(PatienceTest, SilenceIsTheHostsWhereThereWasNothingElse) {
  const HostSlot slot = host("a");
  silence(slot, kTries);
  EXPECT_EQ(fate(slot, kTries), Fate::kPutOff);
  EXPECT_TRUE(hosts_.host(slot).finished);
  EXPECT_EQ(hosts_.play(slot).row.finish, Finish::kPatience);
  EXPECT_EQ(statistics_.hosts_finished, 1U);
  EXPECT_EQ(fate(slot, 1), Fate::kPutOff);  // whatever else was on its way
  EXPECT_EQ(fate(slot, 1, Sign::kLife), Fate::kAgain);
}

TEST_F(PatienceTest, WithoutPatienceNoHostIsGivenUp) {
  politeness_.patience = 0;
  const HostSlot slot = host("a");
  silence(slot, 9);
  EXPECT_EQ(fate(slot, kTries), Fate::kLast);
  EXPECT_FALSE(patience_.finish_if_spent(slot, now_));
}

TEST_F(PatienceTest, PatienceEndsAfterSoManySilencesAndNotBeforeItsTime) {
  politeness_.give_up_ms = 60'000;
  const HostSlot slot = host("a");
  silence(slot, 3);
  EXPECT_FALSE(patience_.finish_if_spent(slot, now_));
  silence(slot);
  EXPECT_FALSE(patience_.finish_if_spent(slot, now_));
  now_.mono_ms += 60'000;
  const std::uint64_t before = patience_.changes();
  EXPECT_TRUE(patience_.finish_if_spent(slot, now_));
  EXPECT_TRUE(patience_.finish_if_spent(slot, now_));
  EXPECT_EQ(patience_.changes(), before + 1);
  EXPECT_EQ(statistics_.hosts_finished, 1U);
}

TEST_F(PatienceTest, AfterItsRestOneSilenceMoreGivesItUpAgain) {
  const HostSlot slot = host("a");
  EXPECT_EQ(patience_.next_rest_ms(), INT64_MAX);
  silence(slot, 4);
  ASSERT_TRUE(patience_.finish_if_spent(slot, now_));
  const std::int64_t rest = patience_.next_rest_ms() - now_.mono_ms;
  now_.mono_ms += rest - 1;
  patience_.end_rests(now_);
  EXPECT_TRUE(hosts_.host(slot).finished);
  ++now_.mono_ms;
  patience_.end_rests(now_);
  EXPECT_FALSE(hosts_.host(slot).finished);
  EXPECT_TRUE(lanes_.any_wanted());
  silence(slot);
  EXPECT_TRUE(patience_.finish_if_spent(slot, now_));
  EXPECT_EQ(patience_.next_rest_ms() - now_.mono_ms, 2 * rest);
  sign(slot, Sign::kLife);
  EXPECT_FALSE(hosts_.host(slot).finished);
  EXPECT_EQ(hosts_.play(slot).row.finish, Finish::kNot);
}

TEST_F(PatienceTest, InAPauseSilenceCostsNothingAndAnAnswerForgivesAll) {
  std::vector<HostSlot> slots;
  for (const char* const name : {"a", "b", "c"}) slots.push_back(host(name, /*heard=*/true));
  for (const HostSlot slot : slots) silence(slot);
  ASSERT_TRUE(patience_.is_suspicious(now_));
  patience_.weigh(/*others=*/1, now_);
  EXPECT_FALSE(patience_.paused());
  silence(slots[0]);
  patience_.weigh(0, now_);
  ASSERT_TRUE(patience_.paused());
  EXPECT_TRUE(statistics_.paused);
  silence(slots[0], 9);
  EXPECT_EQ(hosts_.play(slots[0]).row.failures, 2U);
  sign(slots[2], Sign::kLife);
  EXPECT_FALSE(patience_.paused());
  EXPECT_FALSE(statistics_.paused);
  EXPECT_EQ(hosts_.play(slots[0]).row.failures, 0U);
  ASSERT_EQ(notices_.size(), 2U);
  EXPECT_TRUE(notices_[1].starts_with("http://c.test has answered")) << notices_[1];
}

TEST_F(PatienceTest, AHostThatCouldBeAskedStandsAgainstAPause) {
  for (const char* const name : {"a", "b", "c"}) silence(host(name, true));
  const HostSlot other = host("d");
  hosts_.queued(other, Place::of(1, 1), "entry", 8);
  lanes_.want(other);
  lanes_.arrange();
  patience_.weigh(0, now_);
  EXPECT_FALSE(patience_.paused());
}

TEST_F(PatienceTest, ProbesGoToWhatFellSilentEveryOtherTimeAndThePauseEnds) {
  std::vector<HostSlot> slots;
  for (const char* const name : {"a", "b", "c"}) slots.push_back(host(name, true));
  for (const HostSlot slot : slots) {
    hosts_.queued(slot, Place::of(1, 1), "entry", 8);
    silence(slot);
  }
  patience_.weigh(0, now_);
  ASSERT_TRUE(patience_.paused());
  EXPECT_GT(patience_.probe_ms(), now_.mono_ms);
  now_.mono_ms += 100'000;
  EXPECT_FALSE(patience_.next_probe(now_).has_value());
  ASSERT_TRUE(patience_.next_probe(now_).has_value());
  patience_.probed();
  EXPECT_EQ(patience_.probe_ms(), INT64_MAX);
  patience_.landed(now_.mono_ms);
  EXPECT_LT(patience_.probe_ms(), INT64_MAX);
  patience_.end_pause_in_time(now_);
  EXPECT_TRUE(patience_.paused());
  now_.mono_ms += 300'000;
  patience_.end_pause_in_time(now_);
  EXPECT_FALSE(patience_.paused());
  EXPECT_FALSE(statistics_.paused);
  EXPECT_EQ(notices_.size(), 2U);
}

}  // namespace
}  // namespace spinneret::frontier
