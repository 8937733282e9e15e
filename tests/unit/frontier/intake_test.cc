// SPDX-License-Identifier: Apache-2.0
// Tests each arrow of the drawing in intake.h, and the clocks of timepiece.h.
#include "frontier/intake.h"

#include <gtest/gtest.h>

#include <string>

#include "base/clock.h"
#include "frontier/timepiece.h"
#include "unit/frontier/rooms_fixture.h"

namespace spinneret::frontier {
namespace {

class IntakeTest : public RoomsTest {
 protected:
  Offer offer(std::string_view url, std::uint32_t depth = 1) {
    return intake_.offer({.url = url, .depth = depth}, nullptr);
  }
  void admit_sealed() {
    intake_.links().seal();
    intake_.admit(now_.wall_ms);
    commit();
  }

  Options options_;
  Later later_{store_, {}};
  Intake intake_{store_,   hosts_,     backlog_, {hosts_, backlog_, flights_, later_},
                 options_, statistics_};
};

TEST_F(IntakeTest, WhatIsNotKeptIsToldWhy) {
  options_.max_depth = 2;
  UrlError why = {};
  EXPECT_EQ(intake_.offer({.url = "http://["}, &why), Offer::kNotUrl);
  EXPECT_EQ(offer("mailto:a@b.test"), Offer::kNotHttp);
  EXPECT_EQ(offer("http://a.test/", 3), Offer::kTooDeep);
  EXPECT_EQ(statistics_.too_deep, 1U);
  EXPECT_EQ(intake_.links().tail(), 0U);
}

TEST_F(IntakeTest, WhatIsAnothersIsToldWhose) {
  const Partitions parts(1000);
  const std::uint32_t owner = parts.of_host("a.test");
  options_.partitions = &parts;
  options_.partition = owner;
  EXPECT_EQ(offer("http://a.test/"), Offer::kStaged);
  options_.partition = owner + 1;
  for (int turn = 0; turn < 2; ++turn) {  // the remembered host gives the same answer
    EXPECT_EQ(offer("http://a.test/"), Offer::kElsewhere);
    EXPECT_EQ(intake_.elsewhere(), owner);
  }
}

TEST_F(IntakeTest, WhatIsSealedIsAdmittedAndTheTailIsNot) {
  ASSERT_EQ(offer("http://a.test/1"), Offer::kStaged);
  intake_.links().seal();
  ASSERT_EQ(offer("http://a.test/2"), Offer::kStaged);
  intake_.admit(now_.wall_ms);
  commit();
  EXPECT_EQ(queue(), std::vector<std::string>{"/1"});
  EXPECT_EQ(intake_.links().tail(), 1U);
  intake_.links().drop_tail();
  admit_sealed();
  EXPECT_EQ(queue().size(), 1U);
}

TEST_F(IntakeTest, ALinkToWhatIsKnownIsCountedAndImprovesIt) {
  ASSERT_EQ(offer("http://a.test/1", 5), Offer::kStaged);
  admit_sealed();
  ASSERT_EQ(offer("http://a.test/1#part", 2), Offer::kStaged);
  ASSERT_EQ(offer("http://a.test/1", 3), Offer::kStaged);
  admit_sealed();
  EXPECT_EQ(statistics_.admitted, 1U);
  EXPECT_EQ(statistics_.known, 2U);
  EXPECT_EQ(row("/1").depth, 2U);
}

// --- timepiece.h --------------------------------------------------------------------------------

TEST(Timepiece, TheSteadyClockGoesOnOverRunsWhateverTheWallClockSays) {
  MemoryStore store;
  FakeClock clock;
  Timepiece first(clock);
  first.begin(store, 0);
  ASSERT_TRUE(store.commit().ok());
  const Moment before = first.now();
  clock.advance_ms(5000);
  clock.jump_wall_ms(-3'000'000);
  Timepiece second(clock);
  second.begin(store, 0);
  EXPECT_EQ(second.now().steady_ms - before.steady_ms, 5000);
  EXPECT_EQ(second.now().boot, before.boot);
}

TEST(Timepiece, TheSteadyClockIsNeverBehindWhatItIsToldAtLeast) {
  MemoryStore store;
  FakeClock clock;
  Timepiece time(clock);
  const std::int64_t least = clock.unix_ms() + 1'000'000;
  time.begin(store, least);
  EXPECT_EQ(time.now().steady_ms, least);
}

TEST(Timepiece, APartOfAMillisecondIsToldSoThatGapsAreRoundedUp) {
  FakeClock clock;
  const Timepiece time(clock);
  const Moment whole = time.now();
  clock.advance_ns(1);
  const Moment cut = time.now();
  EXPECT_EQ(cut.after(10), whole.after(10) + 1);
}

}  // namespace
}  // namespace spinneret::frontier
