// SPDX-License-Identifier: Apache-2.0
// All parts of a file: groups, extensions, lint, canonical form.
#include "robots/contents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "robots/agent_groups.h"
#include "robots/canonical.h"
#include "robots/extensions.h"
#include "robots/lint.h"
#include "support/sanitized.h"

namespace spinneret::robots {
namespace {

TEST(Contents, GroupsHaveTheirAgentsAndRecords) {
  const RobotsContents contents = read_contents(
      "Disallow: /0\nUser-agent: a\nSitemap: s\nUser-agent: b\nDisallow: /1\nCrawl-delay: 2\n"
      "User-agent: c\nAllow: /3\nBogus: x\n",
      RobotsMode::kRfc);
  ASSERT_EQ(contents.groups.size(), 2U);
  EXPECT_EQ(contents.groups[0].agents.size(), 2U);
  EXPECT_EQ(contents.groups[0].agents[1].name, "b");
  EXPECT_EQ(contents.groups[0].agents[1].line, 4U);
  EXPECT_EQ(contents.groups[0].records.size(), 2U);
  EXPECT_EQ(contents.groups[0].records[1].last_agent, 2U);
  ASSERT_EQ(contents.ungrouped.size(), 1U);
  EXPECT_EQ(contents.ungrouped[0].line, 1U);
  ASSERT_EQ(contents.others.size(), 2U);
  EXPECT_EQ(contents.others[0].key, RobotsKey::kSitemap);
  EXPECT_EQ(contents.others[1].key_text, "Bogus");
}

TEST(Contents, ExtensionsSpeakToTheAgentsRightAbove) {
  const RobotsContents contents = read_contents(
      "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nUser-agent: c\nCrawl-delay: 2\nDisallow: /\n",
      RobotsMode::kRfc);
  ASSERT_EQ(contents.groups.size(), 1U);
  const auto& records = contents.groups[0].records;
  EXPECT_EQ(std::pair(records[0].first_agent, records[0].last_agent), std::pair(0U, 1U));
  EXPECT_EQ(std::pair(records[1].first_agent, records[1].last_agent), std::pair(1U, 3U));
  EXPECT_EQ(std::pair(records[2].first_agent, records[2].last_agent), std::pair(0U, 3U));
}

TEST(AgentGroups, NamesWithTheSameRecordsStandTogether) {
  const RobotsContents contents = read_contents(
      "User-agent: *\nDisallow: /s\nUser-agent: B\nUser-agent: a\nDisallow: /1\n"
      "User-agent: c\nDisallow: /2\nUser-agent: b\nUser-agent: A\nDisallow: /3\n",
      RobotsMode::kRfc);
  const auto groups = agent_groups(contents);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(groups[0].records.size(), 2U);
  EXPECT_EQ(groups[0].agent_lines, (std::vector<std::uint32_t>{3, 8}));
  EXPECT_EQ(groups[1].names, std::vector<std::string>{"c"});
  EXPECT_EQ(groups[2].names, std::vector<std::string>{"*"});
}

// --- extensions ----------------------------------------------------------------------------------

TEST(Extensions, AreTheAgentsOwn) {
  constexpr const char* kText =
      "User-agent: *\nContent-Usage: train-ai=y\nUser-agent: foobot\nContent-Usage: "
      "train-ai=n\nDisallow: /x\n";
  EXPECT_EQ(Extensions::compile(kText, "foobot").find(RobotsKey::kContentUsage, "/")->value,
            "train-ai=n");
  EXPECT_EQ(Extensions::compile(kText, "bar").find(RobotsKey::kContentUsage, "/")->value,
            "train-ai=y");
}

TEST(Extensions, TheLongestPathWins) {
  const Extensions extensions = Extensions::compile(
      "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\n"
      "Content-Usage: /open/not  train-ai=n, search=n\nContent-Usage: *.pdf$ search=y\n"
      "Content-Signal: ai-train=no\nContent-Signal: /a search=yes\nNoindex: /old/\nNoindex:\n",
      "foobot");
  const auto usage = [&](std::string_view path) {
    const Extensions::Item* const item = extensions.find(RobotsKey::kContentUsage, path);
    return item == nullptr ? std::string("none") : item->value;
  };
  EXPECT_EQ(usage("/"), "train-ai=n");
  EXPECT_EQ(usage("/open/x"), "train-ai=y");
  EXPECT_EQ(usage("/open/not"), "train-ai=n, search=n");
  EXPECT_EQ(usage("/x.pdf"), "search=y");
  EXPECT_EQ(extensions.find(RobotsKey::kContentSignal, "/a")->value, "search=yes");
  EXPECT_EQ(extensions.find(RobotsKey::kContentSignal, "/b")->value, "ai-train=no");
  EXPECT_NE(extensions.find(RobotsKey::kNoindex, "/old/a"), nullptr);
  EXPECT_EQ(extensions.find(RobotsKey::kNoindex, "/new"), nullptr);
  EXPECT_EQ(extensions.find(RobotsKey::kVisitTime, "/"), nullptr);
}

TEST(Extensions, ScopedValuesAreTakenApart) {
  EXPECT_EQ(parse_scoped("/a b=c").path, "/a");
  EXPECT_EQ(parse_scoped("/a b=c").value, "b=c");
  EXPECT_EQ(parse_scoped("b=c").path, "");
  EXPECT_EQ(parse_scoped("/a").value, "");
}

// --- lint ----------------------------------------------------------------------------------------

bool finds(std::string_view text, std::string_view code, std::uint32_t line) {
  const auto findings = lint_robots(text);
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.code == code && finding.line == line;
  });
}

TEST(Lint, GoodFilesHaveNoFindings) {
  EXPECT_TRUE(lint_robots("").empty());
  EXPECT_TRUE(lint_robots("# hello\nUser-agent: *\nDisallow: /a/\nAllow: /a/b\nCrawl-delay: 1\n\n"
                          "User-agent: foo\nDisallow:\n\nSitemap: https://h/s.xml\n")
                  .empty());
}

TEST(Lint, FindsWhatDoesNotWork) {
  const std::string group = "User-agent: *\n";
  EXPECT_TRUE(finds("Disallow: /\n", "no-group", 1));
  EXPECT_TRUE(finds(group + "Disalow: /\n", "misspelt-key", 2));
  EXPECT_TRUE(finds("Usr-agent: *\nDisallow: /\n", "misspelt-key", 1));
  EXPECT_TRUE(finds(group + "Disallow /a\n", "no-colon", 2));
  EXPECT_TRUE(finds(group + "hello\n", "not-a-record", 2));
  EXPECT_TRUE(finds(group + ": x\n", "no-key", 2));
  EXPECT_TRUE(finds(group + "Disallow: a\n", "no-slash", 2));
  EXPECT_TRUE(finds(group + "Disallow: \\a\n", "backslash", 2));
  EXPECT_FALSE(finds(group + "Disallow: \\a\n", "no-slash", 2));
  EXPECT_FALSE(finds(group + "Disallow: /a?b\\\n", "backslash", 2));
  EXPECT_TRUE(finds(group + "Disallow: https://h/a\n", "absolute-url", 2));
  EXPECT_TRUE(finds(group + "Disallow: $\n", "never-matches", 2));
  EXPECT_TRUE(finds(group + "Sitemap: /s.xml\n", "sitemap-url", 2));
  EXPECT_TRUE(finds(group + "Crawl-delay: nan\n", "delay", 2));
  EXPECT_TRUE(finds(group + "Crawl-delay: -1\n", "delay", 2));
  EXPECT_TRUE(finds(group + "Crawl-delay: 1e308\n", "delay", 2));
  EXPECT_TRUE(finds("User-agent:\nDisallow: /\n", "no-agent", 1));
  EXPECT_TRUE(finds("User-agent: /bot\nDisallow: /\n", "bad-agent", 1));
  EXPECT_TRUE(finds("User-agent: Foo*\nDisallow: /\n", "agent-wildcard", 1));
  EXPECT_TRUE(finds("<html></html>", "html", 0));
  EXPECT_TRUE(finds(std::string_view("\xFF\xFE\x61\x00", 4), "utf-16", 0));
  EXPECT_TRUE(finds(std::string_view("User-agent: *\nDisallow: /a\0b\n", 29), "nul", 2));
}

TEST(Lint, WarnsWhereCrawlersDiffer) {
  const std::string group = "User-agent: *\n";
  EXPECT_TRUE(finds("User-agent: Foo/1.0\nDisallow: /\n", "agent-tail", 1));
  EXPECT_TRUE(finds("User-agent: * all\nDisallow: /\n", "agent-tail", 1));
  EXPECT_TRUE(finds("User-agent: Bot9\nDisallow: /\n", "agent-digit", 1));
  EXPECT_TRUE(finds(group + "Disallow: /a b\n", "space", 2));
  EXPECT_TRUE(finds(group + "Disallow: /a$b\n", "inner-dollar", 2));
  EXPECT_TRUE(finds(group + "Disallow: /a*\n", "trailing-star", 2));
  EXPECT_TRUE(finds(group + "Disallow: /\xFF\n", "not-utf-8", 2));
  EXPECT_TRUE(finds(group + "Disallow: /\x01\n", "control", 2));
  EXPECT_TRUE(finds(group + "Noindex: /a\n", "noindex", 2));
  EXPECT_TRUE(finds(group + "Bogus: a\n", "unknown-key", 2));
  EXPECT_TRUE(finds(group + "Allow:\n", "empty-allow", 2));
  EXPECT_TRUE(finds(group, "empty-group", 1));
  EXPECT_TRUE(finds("\xEF\xBB\xBF" + group + "Disallow: /\n", "byte-order-mark", 0));
  EXPECT_TRUE(finds(group + "Disallow: /" + std::string(20'000, 'a') + "\n", "long-line", 2));
  EXPECT_TRUE(
      finds("User-agent: a\nDisallow: /\nUser-agent: b\nDisallow: /\nUser-agent: A\nDisallow: /x\n",
            "repeated-agent", 5));
}

TEST(Lint, FindsRulesThatDecideNothing) {
  const std::string group = "User-agent: *\n";
  EXPECT_TRUE(finds(group + "Disallow: /a\nDisallow: /a\n", "repeated-rule", 3));
  EXPECT_TRUE(finds(group + "Disallow: /a\nAllow: /a\n", "conflict", 2));
  EXPECT_TRUE(finds(group + "Disallow: /~a\nAllow: /%7Ea\n", "conflict", 2));
  EXPECT_TRUE(finds(group + "Disallow: /a\nAllow: /***\n", "shadowed-rule", 2));
  EXPECT_TRUE(finds(group + "Disallow: /a$\nAllow: /a\nAllow: /*a$\n", "shadowed-rule", 2));
  EXPECT_TRUE(
      finds("User-agent: a\nDisallow: /x\nUser-agent: *\nDisallow: /\nUser-agent: a\nAllow: /x\n",
            "conflict", 2));
  EXPECT_FALSE(finds(group + "Disallow: /a\nAllow: /a/b\n", "shadowed-rule", 2));
  EXPECT_FALSE(finds(group + "Disallow: /ab\nAllow: /*b$\n", "shadowed-rule", 2));
}

TEST(Lint, BugALineThatDecidesForOneOfItsAgentsNeverDecided) {
  const std::string both = "User-agent: a\nUser-agent: b\nDisallow: /x/y\n";
  EXPECT_FALSE(finds(both + "User-agent: a\nAllow: /x/y*\n", "shadowed-rule", 3));
  EXPECT_FALSE(finds("User-agent: a\nAllow: /x/y*\n" + both, "shadowed-rule", 5));
  EXPECT_FALSE(finds(both + "User-agent: a\nDisallow: /x/y\n", "repeated-rule", 3));
  EXPECT_TRUE(finds(both + "User-agent: a\nUser-agent: b\nAllow: /x/y*\n", "shadowed-rule", 3));
  EXPECT_TRUE(finds(both + "User-agent: a\nAllow: /x/y*\nUser-agent: b\nAllow: /x/y**\n",
                    "shadowed-rule", 3));
  // The new line repeats the old one for its only agent, whatever the old one does for others.
  EXPECT_TRUE(finds(both + "User-agent: a\nDisallow: /x/y\n", "repeated-rule", 5));
}

TEST(Lint, BugTheLineOfTheLimitWasTheFirstOneWhereLinesEndInCr) {
  for (const std::string& end : {std::string("\r"), std::string("\n"), std::string("\r\n")}) {
    std::string text = "User-agent: *" + end;
    while (text.size() <= kRobotsSizeFloor) text += "Disallow: /" + std::string(88, 'a') + end;
    const auto line =
        static_cast<std::uint32_t>((kRobotsSizeFloor - 13 - end.size()) / (99 + end.size()) + 2);
    EXPECT_TRUE(finds(text, "large", line)) << line;
  }
}

TEST(Lint, SizesAreReported) {
  std::string text = "User-agent: *\n";
  while (text.size() < kRobotsSizeFloor + 100)
    text += "Disallow: /" + std::to_string(text.size()) + "\n";
  const auto findings = lint_robots(text);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.back().code, "large");
  EXPECT_GT(findings.back().line, 1000U);
  const auto cut = lint_robots(text, kRobotsSizeFloor);
  ASSERT_FALSE(cut.empty());
  EXPECT_EQ(cut[0].code, "too-large");
}

// --- canonical form ------------------------------------------------------------------------------

TEST(Canonical, BugManyGroupsWithRulesOfTheirOwnTookQuadraticTime) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) {
    const std::string name = "a" + std::to_string(i);
    text += "User-agent: " + name + "\nDisallow: /" + name + "\n";
  }
  // Measured by processor time, on which no other test has an effect: it was 9 s, and is a
  // thirtieth of the bound.
  const std::clock_t begin = std::clock();
  const std::string canonical = canonical_robots(text);
  if (!kSanitized) {
    EXPECT_LT(std::clock() - begin, 3 * CLOCKS_PER_SEC);
  }
  EXPECT_EQ(std::count(canonical.begin(), canonical.end(), '\n'), 3 * 40'000 - 1);
}

TEST(Canonical, NothingInItActsOnATerminal) {
  const std::string canonical = canonical_robots(
      "User-agent: z\x1b[31m\nUser-agent: \xC3\xA4\nDisallow: /\nCrawl-delay: 1\x9b\nSitemap: "
      "/\x1b]0;x\x07\n");
  EXPECT_EQ(canonical,
            "User-agent: %c3%a4\nUser-agent: z%1b[31m\nDisallow: /\nCrawl-delay: 1%9B\n\nSitemap: "
            "/%1B]0;x%07\n");
  EXPECT_EQ(canonical_robots(canonical), canonical);
}

TEST(Canonical, IsOneForm) {
  EXPECT_EQ(
      canonical_robots("\xEF\xBB\xBFuser-AGENT : Foo # x\r\nDISALLOW:/%7ea b\rallow: /%7Ea b\n\n"
                       "User-agent: *\nDisallow: /a\nDisallow: /abc\nDisallow: /a\nCrawl-delay: "
                       "2\nUser-agent: foo\n"
                       "Disallow: /z\nSitemap: https://h/s\nSitemap: https://h/s\nBogus: 1\n"),
      "Bogus: 1\n\nUser-agent: foo\nAllow: /~a%20b\nDisallow: /z\n\n"
      "User-agent: *\nDisallow: /abc\nDisallow: /a\nCrawl-delay: 2\n\n"
      "Sitemap: https://h/s\n");
  EXPECT_EQ(canonical_robots(""), "");
  EXPECT_EQ(canonical_robots("User-agent: a\n"), "User-agent: a\nDisallow:\n");
  EXPECT_EQ(canonical_robots("User-agent:\nDisallow: /\n"), "");
}

TEST(Canonical, IsItsOwnCanonicalForm) {
  const std::string once = canonical_robots(
      "User-agent: b\nUser-agent: a\nCrawl-delay: 1\nDisallow: /*x$\nAllow: /y\nUser-agent: "
      "c\nAllow: /y\nDisallow: /*x$\nCrawl-delay: 1\n");
  EXPECT_EQ(once,
            "User-agent: a\nUser-agent: b\nUser-agent: c\n"
            "Disallow: /*x$\nAllow: /y\nCrawl-delay: 1\n");
  EXPECT_EQ(canonical_robots(once), once);
}

// Found by fuzzing: two groups, of which one had its name only after escaping, became one the
// second time.
TEST(Canonical, ANameThatIsEscapedJoinsTheGroupOfThatName) {
  EXPECT_EQ(canonical_robots("User-agent: a\x89\nAllow: /x\n\nUser-agent: a%89\nDisallow: /y\n"),
            "User-agent: a%89\nAllow: /x\nDisallow: /y\n");
}

// Found by fuzzing: a tab or form feed was escaped, and the rate was no rate any more.
TEST(Canonical, ATabInAValueIsASpace) {
  EXPECT_EQ(canonical_robots("User-agent: *\nRequest-rate: 1/\t\f5s\nVisit-time: 0600\t-\t0845\n"),
            "User-agent: *\nDisallow:\nRequest-rate: 1/  5s\nVisit-time: 0600 - 0845\n");
}

// Found by fuzzing: to the matcher "*" with a vertical tab behind it was everyone, and to the list
// of groups it was a name.
TEST(Canonical, AStarBeforeAVerticalTabIsEveryone) {
  EXPECT_EQ(canonical_robots("User-agent: *\vx\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n"),
            "User-agent: *\nDisallow: /a\nDisallow: /b\n");
}

}  // namespace
}  // namespace spinneret::robots
