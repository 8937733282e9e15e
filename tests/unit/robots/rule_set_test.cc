// SPDX-License-Identifier: Apache-2.0
// Rules in the order of RFC 9309; then the known bugs of other implementations, a test each.
#include "robots/rule_set.h"

#include <gtest/gtest.h>

#include <string>

#include "robots/pattern.h"
#include "url/parse.h"

namespace spinneret::robots {
namespace {

struct Ask {
  RuleSet rules;
  explicit Ask(std::string_view robots, std::string_view agent = "foobot", RuleOptions options = {})
      : rules(RuleSet::compile(robots, agent, options)) {}
  Verdict verdict(std::string_view path) const {
    std::string storage;
    const std::string_view comparable = comparable_path(path, rules.mode(), storage);
    const Verdict fast = rules.check(comparable);
    const Verdict slow = rules.check_slowly(comparable);
    EXPECT_EQ(fast.rule, slow.rule) << path;
    EXPECT_EQ(fast.allowed, slow.allowed) << path;
    return fast;
  }
  bool operator()(std::string_view path) const { return verdict(path).allowed; }
};

RuleOptions mode(RobotsMode value) {
  RuleOptions options;
  options.mode = value;
  return options;
}

// --- 2.2.1, groups -------------------------------------------------------------------------------

TEST(RuleSet, NoFileNoGroupNoRuleAllowsAll) {
  EXPECT_TRUE(Ask("")("/"));
  EXPECT_TRUE(Ask("Disallow: /\n")("/"));
  EXPECT_TRUE(Ask("User-agent: barbot\nDisallow: /\n")("/"));
  EXPECT_FALSE(Ask("").rules.has_group());
  EXPECT_TRUE(RuleSet().check("/").allowed);
}

TEST(RuleSet, TheAgentsGroupReplacesEveryones) {
  const Ask ask("User-agent: *\nDisallow: /a\nUser-agent: FooBot\nDisallow: /b\n");
  EXPECT_TRUE(ask("/a"));
  EXPECT_FALSE(ask("/b"));
  EXPECT_TRUE(ask.rules.is_own_group());
  const Ask first("User-agent: foobot\nDisallow: /b\nUser-agent: *\nDisallow: /a\n");
  EXPECT_TRUE(first("/a"));
  EXPECT_FALSE(first("/b"));
}

TEST(RuleSet, AnEmptyGroupOfTheAgentsOwnAllowsAll) {
  EXPECT_TRUE(Ask("User-agent: *\nDisallow: /\nUser-agent: foobot\n")("/a"));
  EXPECT_TRUE(Ask("User-agent: *\nDisallow: /\n\nUser-agent: foobot\nDisallow:\n")("/a"));
}

TEST(RuleSet, GroupsOfOneAgentAreMerged) {
  const Ask ask(
      "User-agent: foobot\nDisallow: /a\nUser-agent: x\nDisallow: /c\nUser-agent: "
      "foobot\nDisallow: /b\n");
  EXPECT_FALSE(ask("/a"));
  EXPECT_FALSE(ask("/b"));
  EXPECT_TRUE(ask("/c"));
}

TEST(RuleSet, SaysWhatDecided) {
  const Ask ask("User-agent: *\n\n  Disallow : /pri vate/ # no\n");
  const Verdict verdict = ask.verdict("/pri%20vate/x");
  ASSERT_NE(verdict.rule, nullptr);
  EXPECT_EQ(verdict.rule->line, 3U);
  EXPECT_EQ(ask.rules.text(*verdict.rule), "Disallow: /pri vate/");
  EXPECT_EQ(ask.rules.pattern(*verdict.rule), "/pri%20vate/");
  EXPECT_EQ(ask.verdict("/x").rule, nullptr);
}

// --- 2.2.2, rules --------------------------------------------------------------------------------

TEST(RuleSet, TheMostOctetsWin) {
  const Ask ask("User-agent: *\nAllow: /a\nDisallow: /a/b\nAllow: /a/b/c\n");
  EXPECT_TRUE(ask("/a"));
  EXPECT_FALSE(ask("/a/b"));
  EXPECT_TRUE(ask("/a/b/c"));
  EXPECT_FALSE(Ask("User-agent: *\nAllow: /page\nDisallow: /*.htm\n")("/page.htm"));
  EXPECT_TRUE(Ask("User-agent: *\nAllow: /$\nDisallow: /\n")("/"));
  EXPECT_FALSE(Ask("User-agent: *\nAllow: /$\nDisallow: /\n")("/page.htm"));
}

TEST(RuleSet, RobotsTxtIsAlwaysAllowed) {
  const Ask ask("User-agent: *\nDisallow: /\n");
  EXPECT_TRUE(ask("/robots.txt"));
  EXPECT_EQ(ask.verdict("/robots.txt").rule, nullptr);
  EXPECT_FALSE(ask("/robots.txt?a"));
  EXPECT_FALSE(Ask("User-agent: *\nDisallow: /\n", "x", mode(RobotsMode::kGoogle))("/robots.txt"));
}

TEST(RuleSet, QueriesBelongToThePath) {
  const Ask ask("User-agent: *\nDisallow: /*?*q=\nDisallow: /s?x\n");
  EXPECT_FALSE(ask("/a?b=1&q=2"));
  EXPECT_FALSE(ask("/s?xy"));
  EXPECT_TRUE(ask("/s"));
}

TEST(RuleSet, PathsAreCaseSensitive) { EXPECT_TRUE(Ask("User-agent: *\nDisallow: /A\n")("/a")); }

// --- 2.2.4 and beyond, other records -------------------------------------------------------------

TEST(RuleSet, DelaysAreTheGroups) {
  EXPECT_EQ(Ask("User-agent: *\nCrawl-delay: 2\n").rules.timetable().delay_ms(), 2000);
  EXPECT_EQ(Ask("User-agent: *\nCrawl-delay: 2\nUser-agent: foobot\nDisallow:\n")
                .rules.timetable()
                .delay_ms(),
            std::nullopt);
  EXPECT_EQ(Ask("Crawl-delay: 2\nUser-agent: *\n").rules.timetable().delay_ms(), std::nullopt);
  EXPECT_EQ(Ask("User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/7\nCrawl-delay: 3\n")
                .rules.timetable()
                .delay_ms(),
            7000);
  EXPECT_EQ(Ask("User-agent: *\nRequest-rate: 1/7 0600-0800\n").rules.timetable().delay_ms(),
            std::nullopt);
  EXPECT_EQ(Ask("User-agent: *\nCrawl-delay: nan\nCrawl-delay: -1\n").rules.timetable().delay_ms(),
            std::nullopt);
}

TEST(RuleSet, EachAgentHasItsOwnDelayThoughRulesAreShared) {
  constexpr const char* kText =
      "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 2\nDisallow: /x\n";
  EXPECT_EQ(Ask(kText, "a").rules.timetable().delay_ms(), 1000);
  EXPECT_EQ(Ask(kText, "b").rules.timetable().delay_ms(), 2000);
  EXPECT_FALSE(Ask(kText, "a")("/x"));
  EXPECT_FALSE(Ask(kText, "b")("/x"));
}

// --- the other modes -----------------------------------------------------------------------------

TEST(RuleSet, GoogleTakesIndexForTheFolder) {
  const Ask ask("User-agent: *\nAllow: /a/index.html\nDisallow: /\n", "x",
                mode(RobotsMode::kGoogle));
  EXPECT_TRUE(ask("/a/"));
  EXPECT_TRUE(ask("/a/index.html"));
  EXPECT_FALSE(ask("/a/index.htm"));
  EXPECT_FALSE(ask("/a/b"));
  EXPECT_FALSE(Ask("User-agent: *\nAllow: /a/index.html\nDisallow: /\n")("/a/"));
}

TEST(RuleSet, In1994TheFirstMatchWins) {
  const Ask ask("User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*x\n", "foobot",
                mode(RobotsMode::k1994));
  EXPECT_FALSE(ask("/a/b"));
  EXPECT_TRUE(ask("/yx"));
  EXPECT_FALSE(ask("/*x"));
  const Ask all("User-agent: *\nDisallow:\nDisallow: /\n", "foobot", mode(RobotsMode::k1994));
  EXPECT_TRUE(all("/a"));
}

TEST(RuleSet, In1994BlankLinesEndGroups) {
  const Ask ask("User-agent: foobot\n\nDisallow: /a\n\nUser-agent: foo\nDisallow: /b\n", "foobot",
                mode(RobotsMode::k1994));
  EXPECT_TRUE(ask("/a"));
  const Ask comment("User-agent: foobot\n# note\nDisallow: /a\n", "foobot",
                    mode(RobotsMode::k1994));
  EXPECT_FALSE(comment("/a"));
}

TEST(RuleSet, In1994EscapesAreUndoneButTheSlash) {
  const Ask ask("User-agent: *\nDisallow: /a%3cd\nDisallow: /e%2ff\n", "foobot",
                mode(RobotsMode::k1994));
  EXPECT_FALSE(ask("/a<d"));
  EXPECT_FALSE(ask("/e%2Ff"));
  EXPECT_TRUE(ask("/e/f"));
}

// --- known bugs of others ------------------------------------------------------------------------

TEST(KnownBugs, AnchoredTailAfterAnEarlierFit) {
  const Ask ask("User-agent: *\nDisallow: /*.php$\n");
  EXPECT_FALSE(ask("/a.php.php"));
  EXPECT_TRUE(ask("/a.php.phpx"));
}

TEST(KnownBugs, ALongerRuleThatDoesNotMatchHidesNoShorterOne) {
  EXPECT_FALSE(Ask("User-agent: *\nDisallow: /a\nDisallow: /ab/c\n")("/ab/d"));
  EXPECT_FALSE(Ask("User-agent: *\nDisallow: /ab/c\nDisallow: /a\n")("/ab/d"));
}

TEST(KnownBugs, AllowWinsATieInEitherOrder) {
  EXPECT_TRUE(Ask("User-agent: *\nAllow: /a\nDisallow: /a\n")("/a"));
  EXPECT_TRUE(Ask("User-agent: *\nDisallow: /a\nAllow: /a\n")("/a"));
  EXPECT_TRUE(Ask("User-agent: *\nDisallow: /a*b\nAllow: /*ab\n")("/ab"));
}

TEST(KnownBugs, SitemapEndsNoGroup) {
  EXPECT_FALSE(Ask("User-agent: *\nSitemap: https://h/s\nDisallow: /a\n")("/a"));
  EXPECT_FALSE(
      Ask("User-agent: foobot\nSitemap: https://h/s\nUser-agent: x\nDisallow: /a\n")("/a"));
  EXPECT_FALSE(Ask("User-agent: *\nDisallow: /b\nSitemap: https://h/s\nDisallow: /a\n")("/a"));
  EXPECT_FALSE(Ask("User-agent: *\nBogus: 1\n\n\n# c\nDisallow: /a\n")("/a"));
}

TEST(KnownBugs, SpacesInPaths) {
  const Ask ask("User-agent: *\nDisallow: /sitecore modules/\n");
  EXPECT_FALSE(ask("/sitecore%20modules/a"));
  EXPECT_FALSE(ask("/sitecore modules/a"));
  EXPECT_TRUE(ask("/sitecore"));
}

TEST(KnownBugs, EscapedSlashInEitherCase) {
  const Ask ask("User-agent: *\nDisallow: /a%2fb\n");
  EXPECT_FALSE(ask("/a%2Fb"));
  EXPECT_FALSE(ask("/a%2fb"));
  EXPECT_TRUE(ask("/a/b"));
}

TEST(KnownBugs, BracketsAreNoClass) {
  const Ask ask(
      "User-agent: *\nDisallow: /a[bc]d\nDisallow: /e.f\nDisallow: /g+\nDisallow: /(h|i)\n");
  EXPECT_FALSE(ask("/a[bc]d"));
  EXPECT_TRUE(ask("/abd"));
  EXPECT_TRUE(ask("/eXf"));
  EXPECT_TRUE(ask("/gg"));
  EXPECT_FALSE(ask("/g+"));
  EXPECT_TRUE(ask("/h"));
}

TEST(KnownBugs, DoubleSlashesAreKept) {
  const Ask ask("User-agent: *\nDisallow: //\nDisallow: /a//b\n");
  EXPECT_TRUE(ask("/x"));
  EXPECT_FALSE(ask("//x"));
  EXPECT_TRUE(ask("/a/b"));
  EXPECT_FALSE(ask("/a//b"));
}

TEST(KnownBugs, NelAndLsEndNoLines) {
  EXPECT_TRUE(
      Ask("User-agent: *\nDisallow: /a\xC2\x85"
          "Disallow: /\n")("/x"));
  EXPECT_TRUE(
      Ask("User-agent: *\nDisallow: /a\xE2\x80\xA8"
          "Disallow: /\n")("/x"));
}

TEST(KnownBugs, ARuleWithoutSlashMatchesNothing) {
  const Ask ask("User-agent: *\nDisallow: a\nDisallow: index.html\nDisallow: *.gif\n");
  EXPECT_TRUE(ask("/a"));
  EXPECT_TRUE(ask("/index.html"));
  EXPECT_FALSE(ask("/x.gif"));
}

TEST(KnownBugs, AnAgentLineOfOneSpaceNamesNobody) {
  EXPECT_TRUE(Ask("User-agent: \nDisallow: /\n")("/a"));
  EXPECT_TRUE(Ask("User-agent:  \nDisallow: /\n", "")("/a"));
  EXPECT_FALSE(Ask("User-agent: \nUser-agent: *\nDisallow: /\n")("/a"));
}

TEST(KnownBugs, TwoAgentsShareTheirRules) {
  for (const char* agent : {"a", "b"}) {
    const Ask ask("User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: c\nDisallow: /y\n",
                  agent);
    EXPECT_FALSE(ask("/x")) << agent;
    EXPECT_TRUE(ask("/y")) << agent;
  }
}

TEST(KnownBugs, AGroupThatIsCutAt500KiB) {
  std::string text = "User-agent: *\n";
  while (text.size() < kRobotsSizeFloor - 30) text += "Disallow: /filler/\n";
  text += "Disallow: /a/" + std::string(100, 'b') + "\n";
  RuleOptions options;
  options.size_limit = kRobotsSizeFloor;
  const Ask ask(text, "foobot", options);
  EXPECT_FALSE(ask("/filler/x"));
  EXPECT_TRUE(ask("/a/"));  // half a rule would forbid it
  EXPECT_TRUE(ask("/a/bbbbb"));
  const Ask whole(text);
  EXPECT_FALSE(whole("/a/" + std::string(100, 'b')));
}

// Every printable byte, in path and query, and beside a wildcard: the rule "/aXb" and the URL
// "http://h/aXb".
TEST(KnownBugs, BugARuleDidNotMeetTheUrlOfItsOwnText) {
  for (char c = 0x21; c < 0x7F; ++c) {
    if (c == '#') continue;  // it begins a comment, or a fragment
    for (const std::string& head :
         {std::string("/a"), std::string("/a?x"), std::string("/q/*/a")}) {
      const std::string rule = head + c + "b";
      const Ask ask("User-agent: *\nDisallow: " + rule + "\n");
      std::string text = rule;
      if (head.starts_with("/q")) text.replace(3, 1, "x/y");
      Url url;
      ASSERT_TRUE(parse("http://h" + text, url)) << rule;
      EXPECT_FALSE(ask(url.path_and_query())) << rule << " and " << url.href();
      EXPECT_TRUE(ask("/z")) << rule;
    }
  }
}

TEST(KnownBugs, HostileFilesEnd) {
  EXPECT_TRUE(Ask("User-agent: *\nDisallow: /*$*$*$*$*$\n")("/a"));
  EXPECT_TRUE(Ask("User-agent: *\nDisallow: /**********x\n")("/" + std::string(5000, 'a')));
  EXPECT_TRUE(Ask("User-agent:*\nDisallow:/*a*a*a*a*a*a*a*b")("/" + std::string(300, 'a')));
}

TEST(KnownBugs, ARuleBehindOneThatEndsInAPercentSignKeptItsEscapes) {
  for (const char* const first : {"*+%", "/100%", "/x%4", "/%f"}) {
    const std::string rules = std::string("User-agent: *\nDisallow: ") + first + "\n";
    EXPECT_FALSE(Ask(rules + "Disallow: /%61a\n")("/aa")) << first;
    EXPECT_FALSE(Ask(rules + "Disallow: %61a\nDisallow: /b\n")("/b")) << first;
  }
}

TEST(KnownBugs, ByteOrderMarkAndLoneCr) {
  EXPECT_FALSE(Ask("\xEF\xBB\xBFUser-agent: *\rDisallow: /a\r")("/a"));
  EXPECT_TRUE(Ask("\xEF\xBB\xBFUser-agent: *\rDisallow: /a\r")("/b"));
}

}  // namespace
}  // namespace spinneret::robots
