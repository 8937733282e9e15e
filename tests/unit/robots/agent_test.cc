// SPDX-License-Identifier: Apache-2.0
#include "robots/agent.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/ascii.h"
#include "robots/known_agents.h"

namespace spinneret::robots {
namespace {

Address rfc(std::string_view value, std::string_view agent) {
  return address_of(value, agent, RobotsMode::kRfc);
}
Address strict(std::string_view value, std::string_view agent) {
  return address_of(value, agent, RobotsMode::kRfc, true);
}

TEST(Agent, ComparesTheWholeValueWithoutCase) {
  EXPECT_EQ(rfc("FooBot", "foobot"), Address::kAgent);
  EXPECT_EQ(rfc("foobot", "foo"), Address::kOther);
  EXPECT_EQ(rfc("foo", "foobot"), Address::kOther);
  EXPECT_EQ(rfc("harry potter", "Harry Potter"), Address::kAgent);
  EXPECT_EQ(rfc("j\xC3\xA4vla-bot", "j\xC3\xA4vla-bot"), Address::kAgent);
}

TEST(Agent, CutsTheTokenAtWhatCannotBeInOne) {
  EXPECT_EQ(rfc("FooBot/2.1", "foobot"), Address::kAgent);
  EXPECT_EQ(rfc("FooBot bar", "foobot"), Address::kAgent);
  EXPECT_EQ(rfc("foo*bot", "foobot"), Address::kOther);
  EXPECT_EQ(rfc("/foo", "foo"), Address::kOther);
}

TEST(Agent, DigitsCountUnlessStrict) {
  EXPECT_EQ(rfc("360Spider", "360spider"), Address::kAgent);
  EXPECT_EQ(rfc("rule2bot", "rule"), Address::kOther);
  EXPECT_EQ(strict("rule2bot", "rule"), Address::kAgent);
  EXPECT_EQ(strict("rule2bot", "rule2bot"), Address::kOther);
  EXPECT_EQ(strict("FooBot", "foobot"), Address::kAgent);
}

TEST(Agent, StarIsEveryone) {
  EXPECT_EQ(rfc("*", "foo"), Address::kEveryone);
  EXPECT_EQ(rfc("* all", "foo"), Address::kEveryone);
  EXPECT_EQ(rfc("*foo", "foo"), Address::kOther);
  EXPECT_EQ(rfc("*", "*"), Address::kEveryone);
}

TEST(Agent, EmptyNamesAddressNobody) {
  EXPECT_EQ(rfc("", "foo"), Address::kOther);
  EXPECT_EQ(rfc("", ""), Address::kOther);
  EXPECT_EQ(rfc("foo", ""), Address::kOther);
  EXPECT_EQ(address_of("2bot", "", RobotsMode::kGoogle), Address::kOther);
}

TEST(Agent, ACrawlersNameHoldsItsToken) {
  for (const char* name :
       {"GPTBot", "GPTBot/1.1", "GPTBot 1.1", " GPTBot*", "GPTBot,ClaudeBot", "GPTBot(+https://h/)",
        "Mozilla/5.0 (compatible; GPTBot/1.1; +https://h/)",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1)"}) {
    EXPECT_EQ(crawler_token(name, false), "GPTBot") << name;
  }
  EXPECT_EQ(crawler_token("go!zilla/2", false), "go!zilla");
  EXPECT_EQ(crawler_token("mj12bot/2", false), "mj12bot");
  EXPECT_EQ(crawler_token("mj12bot", true), "mj");
  for (const char* name : {"", " ", "/", "*", "Mozilla/5.0 (X11; Linux) Firefox/140.0"}) {
    EXPECT_EQ(crawler_token(name, false), "") << name;
  }
}

TEST(Agent, TheFirstStandardLooksForThePart) {
  const auto old = [](std::string_view value, std::string_view agent) {
    return address_of(value, agent, RobotsMode::k1994);
  };
  EXPECT_EQ(old("bot", "FooBot/1.0"), Address::kAgent);
  EXPECT_EQ(old("1.0", "FooBot/1.0"), Address::kOther);
  EXPECT_EQ(old("foobot", "bot"), Address::kOther);
  EXPECT_EQ(old("*", "bot"), Address::kEveryone);
  EXPECT_EQ(old("", "bot"), Address::kOther);
}

// --- the list ------------------------------------------------------------------------------------

TEST(KnownAgents, EachIsATokenOnceWithItsSource) {
  std::set<std::string> seen;
  for (const KnownAgent& agent : known_agents()) {
    EXPECT_TRUE(seen.insert(to_lower_copy(agent.token)).second) << agent.token;
    EXPECT_EQ(crawler_token(agent.token, false), agent.token);
    EXPECT_NE(agent.kinds, 0) << agent.token;
    EXPECT_TRUE(agent.source.starts_with("https://")) << agent.token;
    EXPECT_TRUE(agent.since >= 1996 && agent.since <= 2026) << agent.token;
  }
  EXPECT_GE(seen.size(), 120U);
  for (const std::string_view token : unseen_agents()) {
    EXPECT_EQ(seen.count(to_lower_copy(token)), 1U) << token;
  }
}

}  // namespace
}  // namespace spinneret::robots
