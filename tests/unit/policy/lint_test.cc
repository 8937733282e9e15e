// SPDX-License-Identifier: Apache-2.0
#include "policy/lint.h"

#include <gtest/gtest.h>

#include <random>

#include "policy/directive.h"
#include "unit/policy/policy_fixture.h"

namespace spinneret::policy {
namespace {

// What lint says of coverage, in each order: by example, and by taking out what it says could go.

std::vector<std::string> remarks(const std::string& text) {
  PolicyBuilder builder;
  builder.add_text(text, "p");
  const Policy policy = builder.build();
  EXPECT_TRUE(builder.problems().empty()) << builder.problems()[0].message;
  std::vector<std::string> out;
  for (const Problem& problem : lint(policy)) {
    out.push_back(problem.place.to_string() + ": " + problem.message);
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(Lint, ARuleThatDecidesWasCalledCoveredInLastMatch) {
  EXPECT_EQ(remarks("order last-match\ndeny-path ^/a\nallow-path ^/ab\ndeny-path ^/abc\n"),
            Texts{});
  EXPECT_EQ(remarks("order last-match\ndeny-path ^/abc\nallow-path ^/ab\ndeny-path ^/a\n"),
            Texts{"p:2: the pattern \"^/abc\" is covered by p:4 (deny-path ^/a)"});
  EXPECT_EQ(remarks("order last-match\ndeny-path ^/a\ndeny-path ^/abc\nallow-path ^/ab\n"),
            Texts{"p:3: the pattern \"^/abc\" is covered by p:2 (deny-path ^/a)"});
  EXPECT_EQ(remarks("order last-match\ndeny-domain a.example\nallow-host b.a.example\ndeny-host "
                    "*.b.a.example\n"),
            Texts{});
}

TEST(Lint, ARuleThatDecidesWasCalledCoveredInFirstMatch) {
  EXPECT_EQ(remarks("order first-match\ndeny-path ^/ab\nallow-path ^/ab/c\ndeny-path ^/a\n"),
            Texts{});
  EXPECT_EQ(remarks("order first-match\ndeny-path ^/a\nallow-path ^/ab/c\ndeny-path ^/ab\n"),
            Texts{"p:4: the pattern \"^/ab\" is covered by p:2 (deny-path ^/a)"});
}

TEST(Lint, ARepeatThatDecidesWasCalledOneTooMany) {
  EXPECT_EQ(remarks("order last-match\ndeny-path ^/a\nallow-path ^/ab\ndeny-path ^/a\n"),
            Texts{"p:2: \"^/a\" stands in p:4 (deny-path ^/a) again, and the last match decides"});
  EXPECT_EQ(remarks("order first-match\ndeny-path ^/a\nallow-path ^/ab\ndeny-path ^/a\n"),
            Texts{"p:4: \"^/a\" stands in p:2 (deny-path ^/a) already"});
}

TEST(Lint, OfADenyAndAnAllowRuleTheOrderSaysWhichIsDead) {
  const std::pair<const char*, const char*> rows[] = {
      {"deny-allow",
       "p:3: \"x\" can allow nothing: p:2 (deny-path x) denies the same, and deny goes first"},
      {"allow-deny",
       "p:2: \"x\" can deny nothing: p:3 (allow-path x) allows the same, and allow goes first"},
      {"first-match",
       "p:3: \"x\" can allow nothing: p:2 (deny-path x) denies the same, and the first match "
       "decides"},
      {"last-match",
       "p:2: \"x\" can deny nothing: p:3 (allow-path x) allows the same, and the last match "
       "decides"},
  };
  for (const auto& [order, remark] : rows) {
    EXPECT_EQ(remarks(std::string("order ") + order + "\ndeny-path x\nallow-path x\n"),
              Texts{remark});
  }
}

TEST(Lint, ASiteIsNotCoveredByWhatIsBelowIt) {
  EXPECT_EQ(remarks("deny-host *.a.example\ndeny-site www.a.example\n"), Texts{});
}

// A rule that marks what a later one would drop.
TEST(Lint, ARuleOfAnotherActionIsNotCovered) {
  EXPECT_EQ(remarks("action mark\ndeny-path ^/ab\naction reject\ndeny-path ^/a\n"), Texts{});
}

TEST(Lint, AnEmptySectionWasPlacedAtThePolicysLastLine) {
  EXPECT_EQ(remarks("[a]\n[b]\ndeny-path ^/x\n[c]\n"),
            (Texts{"p:1: the section says nothing", "p:4: the section says nothing"}));
  EXPECT_EQ(remarks("[a]\n"), Texts{"p:1: the section says nothing"});
}

// 20,000 equal lines took 13 seconds.
TEST(Lint, ManyEqualLinesTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "deny-path a\ndeny-domain a.example\n";
  for (int i = 0; i < 20'000; ++i) text += "deny-path xay\ndeny-host b.a.example\n";
  EXPECT_EQ(remarks(text).size(), 119'996U);
}

// --- by taking out -----------------------------------------------------------------------------------

struct Rule {
  std::string name;
  std::vector<std::string> words;
};

std::string text_of(const std::string& order, const std::vector<Rule>& rules) {
  std::string out = "order " + order + "\n";
  for (const Rule& rule : rules) {
    out += rule.words.empty() ? "" : rule.name;
    if (rule.name != "[") {
      for (const std::string& word : rule.words) out += " " + word;
    } else {
      out += rule.words[0] + "]";
    }
    out += '\n';
  }
  return out;
}

// Accepted, dropped or marked, of each URL.
std::string verdicts(const std::string& text) {
  Court court(text);
  std::string out;
  for (const char* host : {"a.example", "w.a.example", "v.w.a.example", "b.example"}) {
    for (const char* path : {"a", "ab", "abc", "b", "bab", "xa", ""}) {
      const Verdict& verdict = court.judge(std::string("http://") + host + "/" + path);
      const bool mark =
          !verdict.accepted && verdict.line != kNoLine && court.policy().lines[verdict.line].mark;
      out += verdict.accepted ? 'a' : mark ? 'm' : 'd';
    }
  }
  return out;
}

TEST(Lint, WhatIsCalledCoveredCanGo) {
  std::mt19937 random(7);
  const auto one_of = [&random](const std::vector<std::string>& of) {
    return of[random() % of.size()];
  };
  std::size_t taken_out = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string order = one_of({"deny-allow", "allow-deny", "first-match", "last-match"});
    std::vector<Rule> rules;
    for (std::size_t i = 0, n = 3 + random() % 5; i < n; ++i) {
      if (random() % 8 == 0) {
        rules.push_back({"action", {one_of({"mark", "reject"})}});
      } else if (random() % 10 == 0) {
        rules.push_back({"[", {one_of({"*", ".w.a.example"})}});
      } else {
        const std::string part = one_of({"path", "path", "host", "domain", "site"});
        Rule rule{one_of({"allow-", "deny-"}) + part, {}};
        for (std::size_t words = 1 + random() % 2; words > 0; --words) {
          rule.words.push_back(part == "path"
                                   ? one_of({"^/a", "^/ab", "^/abc", "b", "^/ab$", "a", "a$"})
                                   : one_of({"a.example", "w.a.example", "v.w.a.example"}));
        }
        if (part == "host" && random() % 2 == 0) rule.words[0].insert(0, one_of({"*.", "."}));
        rules.push_back(rule);
      }
    }
    const std::string text = text_of(order, rules);
    for (const std::string& remark : remarks(text)) {
      const bool dead = remark.find(" can ") != std::string::npos;
      const bool covered = remark.find(" is covered by ") != std::string::npos ||
                           remark.find(" stands in ") != std::string::npos;
      // An allow rule that allows nothing still refuses what it does not match.
      if ((!dead && !covered) || (dead && order == "deny-allow")) continue;
      const std::size_t quote = remark.find('"') + 1;
      const std::string word = remark.substr(quote, remark.find('"', quote) - quote);
      std::vector<Rule> fewer = rules;
      Rule& rule = fewer[std::stoul(remark.substr(2)) - 2];
      ASSERT_NE(std::erase(rule.words, word), 0U) << remark;
      ASSERT_EQ(verdicts(text), verdicts(text_of(order, fewer))) << text << remark;
      ++taken_out;
    }
  }
  EXPECT_GT(taken_out, 1000U);
}

struct Read {
  std::vector<Directive> directives;
  std::vector<Problem> problems;
};
Read read(std::string_view text) {
  Read out;
  read_directives(text, "f", out.directives, out.problems);
  return out;
}

TEST(Directive, WordsCommentsAndLineNumbers) {
  const Read got = read("# c\n\n  deny-path ^/a  ^/b # why\r\nquery none");
  ASSERT_EQ(got.directives.size(), 2U);
  EXPECT_TRUE(got.problems.empty());
  EXPECT_EQ(got.directives[0].name, "deny-path");
  EXPECT_EQ(got.directives[0].arguments, (std::vector<std::string>{"^/a", "^/b"}));
  EXPECT_EQ(got.directives[0].place, (Place{"f", 3}));
  EXPECT_EQ(got.directives[1].place.to_string(), "f:4");
  EXPECT_EQ(got.directives[0].text(), "deny-path ^/a ^/b");
}

TEST(Directive, AHashInsideAWordIsNoComment) {
  const Read got = read("deny-url a#b #c");
  ASSERT_EQ(got.directives.size(), 1U);
  EXPECT_EQ(got.directives[0].arguments, (std::vector<std::string>{"a#b"}));
}

TEST(Directive, QuotedWordsKeepTheirBackslashes) {
  const Read got = read(R"(deny-path "a b\.c\"d" "" "#x")");
  ASSERT_EQ(got.directives.size(), 1U);
  EXPECT_EQ(got.directives[0].arguments, (std::vector<std::string>{R"(a b\.c"d)", "", "#x"}));
  // What text() writes is read back as the same words.
  const Read again = read(got.directives[0].text());
  ASSERT_EQ(again.directives.size(), 1U);
  EXPECT_EQ(again.directives[0].arguments, got.directives[0].arguments);
}

TEST(Directive, Sections) {
  const Read got = read("[a.example .b.example]\n[ [::1] ] # loopback\n[*]\n");
  ASSERT_EQ(got.directives.size(), 3U);
  EXPECT_EQ(got.directives[0].name, "[");
  EXPECT_EQ(got.directives[0].arguments, (std::vector<std::string>{"a.example", ".b.example"}));
  EXPECT_EQ(got.directives[1].arguments, (std::vector<std::string>{"[::1]"}));
  EXPECT_EQ(got.directives[2].text(), "[*]");
}

// The last bracket of the line closed the section.
TEST(Directive, ASectionsCommentMayHoldABracket) {
  const Read got = read("[wiki.example] # see [1]\n[[::1] a.example]#]\n");
  ASSERT_EQ(got.directives.size(), 2U);
  EXPECT_EQ(got.directives[0].arguments, (std::vector<std::string>{"wiki.example"}));
  EXPECT_EQ(got.directives[1].arguments, (std::vector<std::string>{"[::1]", "a.example"}));
  EXPECT_EQ(read("[[::1]\n[a]]\n").problems.size(), 2U);
}

TEST(Directive, TextKeepsTheQuotesOfWhatIsNoField) {
  const Read got = read(R"(tag-query "sort=" b priority=1)");
  ASSERT_EQ(got.directives.size(), 1U);
  EXPECT_EQ(got.directives[0].quoted, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(got.directives[0].text(), R"(tag-query "sort=" b priority=1)");
}

TEST(Directive, WhatCannotBeReadIsReportedAndTheRestIsRead) {
  const Read got = read("deny-path \"a\n[a\n[]\n[a] b\ndeny-path \"a\"b\nquery none\n" +
                        std::string("a\0b\n", 4));
  ASSERT_EQ(got.directives.size(), 1U);
  ASSERT_EQ(got.problems.size(), 6U);
  EXPECT_EQ(got.problems[0].message, R"(a quote is not closed: "deny-path \"a")");
  EXPECT_EQ(got.problems[1].place.line, 2U);
  EXPECT_EQ(got.problems[5].place.line, 7U);
}

TEST(Directive, AByteOrderMarkIsNoWord) {
  const Read got = read("\xEF\xBB\xBFquery none");
  ASSERT_EQ(got.directives.size(), 1U);
  EXPECT_EQ(got.directives[0].name, "query");
}

}  // namespace
}  // namespace spinneret::policy
