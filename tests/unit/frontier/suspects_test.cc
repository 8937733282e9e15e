// SPDX-License-Identifier: Apache-2.0
// Tests each line of the table in suspects.h.
#include "frontier/suspects.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spinneret::frontier {
namespace {

using Blame = Suspects::Blame;
using Death = Suspects::Death;
using Flights = std::vector<Suspects::Flight>;

const Flights kPair{{"http://a.test/", 1}, {"http://b.test/", 2}};
const Flights kAlone{{"http://a.test/", 1}};

// Returns suspects with two deaths behind them, after something has passed.
Suspects suspicious() {
  Suspects suspects;
  suspects.note_life();
  suspects.blame(kPair, Death::kFresh);
  suspects.blame(kPair, Death::kFresh);
  return suspects;
}

TEST(SuspectsTest, OneDeathMakesNoSuspectTwoDo) {
  Suspects suspects;
  suspects.note_life();
  EXPECT_EQ(suspects.blame(kPair, Death::kFresh), Blame::kAgain);
  EXPECT_FALSE(suspects.is_suspect("http://a.test/"));
  EXPECT_EQ(suspects.blame(kPair, Death::kFresh), Blame::kAgain);
  EXPECT_TRUE(suspects.is_suspect("http://a.test/"));
  EXPECT_TRUE(suspects.is_suspect("http://b.test/"));
  EXPECT_FALSE(suspects.is_suspect("http://c.test/"));
}

TEST(SuspectsTest, AStageThatEndsBlamesNobody) {
  Suspects suspects = suspicious();
  EXPECT_EQ(suspects.blame(kAlone, Death::kEnded), Blame::kOthersFirst);
  EXPECT_EQ(suspects.deaths("http://a.test/"), 2);
}

TEST(SuspectsTest, BeforeAnythingHasPassedNobodyIsGuilty) {
  Suspects suspects;
  for (int death = 0; death < 9; ++death)
    EXPECT_EQ(suspects.blame(kAlone, Death::kFresh), Blame::kOthersFirst);
  EXPECT_FALSE(suspects.has_next());
  suspects.note_life();
  EXPECT_EQ(suspects.blame(kAlone, Death::kFresh), Blame::kGuilty);
}

TEST(SuspectsTest, AloneInAFreshPipelineASuspectIsGuilty) {
  Suspects suspects = suspicious();
  EXPECT_EQ(suspects.blame(kAlone, Death::kFresh), Blame::kGuilty);
  EXPECT_FALSE(suspects.has_next());
}

TEST(SuspectsTest, AloneInAPipelineThatOthersHadPassedItTakesFourDeaths) {
  Suspects suspects = suspicious();
  for (const int deaths : {3, 4}) {
    EXPECT_EQ(suspects.blame(kAlone, Death::kUsed), Blame::kAgain);
    EXPECT_EQ(suspects.deaths("http://a.test/"), deaths);
    EXPECT_EQ(suspects.take_next(), 1U);  // the next pipeline gets it first
  }
  EXPECT_EQ(suspects.blame(kAlone, Death::kUsed), Blame::kGuilty);
}

TEST(SuspectsTest, ASuspectWaitsForTheOthersAndHoldsThemBack) {
  Suspects suspects = suspicious();
  EXPECT_FALSE(suspects.must_go_alone({"http://a.test/", 1}, /*any_in_flight=*/false));
  EXPECT_FALSE(suspects.must_go_alone({"http://c.test/", 3}, /*any_in_flight=*/true));
  suspects.note_sent("http://c.test/");
  EXPECT_FALSE(suspects.hold_all(1));
  EXPECT_TRUE(suspects.must_go_alone({"http://a.test/", 1}, /*any_in_flight=*/true));
  EXPECT_TRUE(suspects.hold_all(1));  // until that URL is back
  EXPECT_FALSE(suspects.hold_all(0));
  EXPECT_EQ(suspects.take_next(), 1U);
  EXPECT_EQ(suspects.take_next(), std::nullopt);
  suspects.note_sent("http://a.test/");
  EXPECT_TRUE(suspects.hold_all(1));  // while it is out
  EXPECT_FALSE(suspects.hold_all(0));
}

TEST(SuspectsTest, AResultClearsAndAVerdictRemembers) {
  Suspects suspects = suspicious();
  suspects.clear("http://a.test/");
  EXPECT_FALSE(suspects.is_suspect("http://a.test/"));
  EXPECT_TRUE(suspects.is_suspect("http://b.test/"));
  suspects.convict("http://a.test/", 5);
  EXPECT_EQ(suspects.deaths("http://a.test/"), 5);
}

}  // namespace
}  // namespace spinneret::frontier
