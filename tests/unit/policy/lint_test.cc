// SPDX-License-Identifier: Apache-2.0
#include "policy/lint.h"

#include <gtest/gtest.h>

#include <random>

#include "policy/directive.h"
#include "policy/reach.h"
#include "support/cpu_time.h"
#include "unit/policy/policy_fixture.h"
#include "url/normalize.h"

namespace spinneret::policy {
namespace {

// Tests what lint says of coverage, in each order: by examples, and by removing the rules that it
// calls superfluous.

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

// The first rule marks what a later one would drop.
TEST(Lint, ARuleOfAnotherActionIsNotCovered) {
  EXPECT_EQ(remarks("action mark\ndeny-path ^/ab\naction reject\ndeny-path ^/a\n"), Texts{});
}

TEST(Lint, AnEmptySectionWasPlacedAtThePolicysLastLine) {
  EXPECT_EQ(remarks("[a]\n[b]\ndeny-path ^/x\n[c]\n"),
            (Texts{"p:1: the section says nothing", "p:4: the section says nothing"}));
  EXPECT_EQ(remarks("[a]\n"), Texts{"p:1: the section says nothing"});
}

// Bug: nothing was reported of sections for which the allow rules for all hosts let no URL pass.
TEST(Lint, ASectionThatNoAllowRuleLetsIn) {
  const std::string why =
      ": the section is for no URL that passes: its hosts match no allow rule such as p:1 "
      "(allow-domain a.com)";
  EXPECT_EQ(remarks("allow-domain a.com\n[b.org]\nmax-depth 3\n"), Texts{"p:2" + why});
  EXPECT_EQ(remarks("allow-domain a.com\n[b.org .c.org *.com.org]\nallow-path ^/x\n"),
            Texts{"p:2" + why});
  for (const char* good : {"[a.com]", "[x.a.com]", "[b.org *.a.com]", "[.com]", "[*.com]"})
    EXPECT_EQ(remarks("allow-domain a.com\n" + std::string(good) + "\nmax-depth 3\n"), Texts{})
        << good;
  EXPECT_EQ(remarks("allow-domain a.com\nallow-host b.org\n[b.org]\nmax-depth 3\n"), Texts{});
  EXPECT_EQ(remarks("allow-domain a.com\n[b.org]\nallow-host b.org\n"), Texts{});
  EXPECT_EQ(remarks("order first-match\nallow-domain a.com\n[b.org]\nmax-depth 3\n"), Texts{});
  EXPECT_EQ(remarks("allow-host *\n[b.org]\nmax-depth 3\n"), Texts{});
  EXPECT_EQ(remarks("[b.org]\nmax-depth 3\n[c.org]\nallow-host c.org\n"), Texts{});
}

TEST(Lint, AQueryPatternThatMissesTheFirstParameter) {
  EXPECT_EQ(remarks("deny-query [?&]sid=\n"),
            Texts{"p:1: the pattern \"[?&]sid=\" misses the first parameter: the query is compared "
                  "without its question "
                  "mark, so say (^|&) for [?&]"});
  EXPECT_EQ(remarks("deny-query (^|&)sid=\ndeny-query (^|[?&])x=\ndeny-url [?&]sid=\n"), Texts{});
}

// Bug: 20,000 equal lines took 13 seconds.
TEST(Lint, ManyEqualLinesTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "deny-path a\ndeny-domain a.example\n";
  for (int i = 0; i < 20'000; ++i) text += "deny-path xay\ndeny-host b.a.example\n";
  EXPECT_EQ(remarks(text).size(), 119'996U);
}

// --- by removing rules --------------------------------------------------------------------------

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

// Returns whether each URL is accepted, dropped or marked.
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

// --- patterns that no URL can meet --------------------------------------------------------------

struct ReachRow {
  Part part;
  const char* pattern;
  Reach::Answer answer;
  const char* why;  // a part of the reason
};
constexpr auto kPossible = Reach::Answer::kPossible;
constexpr auto kNotOfTheWeb = Reach::Answer::kNotOfTheWeb;
constexpr auto kNever = Reach::Answer::kNever;
constexpr ReachRow kReaches[] = {
    {Part::kPath, "^/private/", kPossible, ""},
    {Part::kPath, "^a", kNotOfTheWeb, "begins with a slash"},
    {Part::kPath, "a", kPossible, ""},
    {Part::kPath, "\\?sid=", kNever, "before the question mark"},
    {Part::kPath, "^/a.*\\?(b|c)=", kNever, "before the question mark"},
    {Part::kPath, "(\\?|;)sid=", kPossible, ""},
    {Part::kPath, "a b", kNotOfTheWeb, "%20"},
    {Part::kPath, "^/\"a", kNotOfTheWeb, "%20"},
    {Part::kPath, "'^/a'", kNever, "single quotes"},
    {Part::kPath, "^https?://h/", kNotOfTheWeb, "whole URLs"},
    {Part::kPath, "#top", kNever, "fragment"},
    {Part::kPath, "\xC3\xBC", kNever, "percent-encoded"},
    {Part::kPath, "(\xC3\xBC)?a", kPossible, ""},
    {Part::kPath, "%c3%bc", kPossible, ""},
    {Part::kPath, "^/%2[a-f]$", kNotOfTheWeb, "upper case"},
    {Part::kPath, "%7[Ee]/", kPossible, ""},  // behind a stray '%' it stays an escape
    {Part::kPath, "$^", kNotOfTheWeb, ""},    // "foo:" has an empty path
    {Part::kQuery, "$^", kPossible, ""},
    {Part::kPath, "^/$.", kNever, ""},
    {Part::kPath, "a{0}b{2,3}\\d[[:upper:]]\\Q.+\\E", kPossible, ""},
    {Part::kPath, "[^\\x00-\\x7f]", kNever, "no URL"},
    {Part::kPath, "\\pL", kPossible, ""},
    {Part::kQuery, "^\\?a", kPossible, ""},  // "??a"
    {Part::kQuery, "[?&]sid=", kPossible, ""},
    {Part::kQuery, "it's", kNotOfTheWeb, "%20"},
    {Part::kUrl, "^HTTP://", kNever, "lower case"},
    {Part::kUrl, "(?i)^HTTP://", kPossible, ""},
    {Part::kUrl, "^http://Example\\.com/", kNotOfTheWeb, "lower case"},
    {Part::kUrl, "^example\\.com/", kNever, "begins with its scheme"},
    {Part::kUrl, "^http://h:80/", kNotOfTheWeb, "default port"},
    {Part::kUrl, "^http://h:8080/", kPossible, ""},
    {Part::kUrl, "^https://h:80/", kPossible, ""},
    {Part::kUrl, "^http://h$", kNotOfTheWeb, "has a path"},
    {Part::kUrl, "^http://h\\?a", kNotOfTheWeb, "has a path"},
    {Part::kUrl, "^http://[^/]*/a b", kNotOfTheWeb, "%20"},
    {Part::kUrl, "^(ftp|file)://", kPossible, ""},
};

TEST(Reach, SaysWhatNoUrlCanMeet) {
  for (const ReachRow& row : kReaches) {
    const Reach reach = reach_of(row.pattern, row.part);
    EXPECT_EQ(reach.answer, row.answer) << row.pattern << ": " << reach.why;
    EXPECT_NE(reach.why.find(row.why), std::string::npos) << row.pattern << ": " << reach.why;
  }
}

std::string hostile_url(std::mt19937& random) {
  const char* const kPieces[] = {
      "/",  "a",   "B", "%",  "%%", "%4",  "%41", "%c3", "%C3", "%2F", "?",        "#", ";",
      "&",  "=",   "'", "\"", " ",  "..",  ".",   "\\",  "|",   "^",   "\xC3\xBC", "{", "`",
      "//", "%7e", "1", "f",  "@",  ":80", ":",   "[",   "]",   "<",   "%0"};
  const char* const kBegins[] = {
      "http://h",     "https://h:80",       "HTTP://H:8080", "ftp://u:p@h",  "ws://[::1]",
      "file://",      "file:///C|",         "mailto:",       "foo://H%41",   "foo:/",
      "wss://h:443/", "http://\xC3\xBC.de", "data:,",        "https://h.:1/"};
  std::string out = kBegins[random() % std::size(kBegins)];
  if (random() % 4 != 0) out += '/';
  for (std::size_t i = random() % 12; i > 0; --i) out += kPieces[random() % std::size(kPieces)];
  return out;
}

// Returns a pattern that matches `text`: the text itself, or something wider.
std::string pattern_of(std::string_view text, std::mt19937& random) {
  std::string out = random() % 2 == 0 ? "^" : "";
  for (const char c : text) {
    const std::string quoted = quote_pattern(std::string_view(&c, 1));
    switch (random() % 9) {
      case 0: out += "."; break;
      case 1: out += "(?:x|" + quoted + ")"; break;
      case 2: out += quoted + "+"; break;
      case 3: out += "[^\\x00-\\x1f]"; break;
      case 4: out += quoted + "{1,2}"; break;
      case 5: out += "z*" + quoted + "?"; break;
      case 6: out += "\\b?" + quoted; break;
      default: out += quoted;
    }
  }
  return out + (random() % 2 == 0 ? "$" : "");
}

// There must be no false claim: a pattern that matches the part of a URL is possible, and not only
// outside of the web.
TEST(Reach, NeverDeniesAPatternThatMatchesAUrl) {
  std::mt19937 random(11);
  int looked_at = 0;
  for (int round = 0; round < 6000; ++round) {
    Url url;
    if (!parse(hostile_url(random), url)) continue;
    make_safe(url);
    const std::string_view texts[] = {url.href_without_fragment(), url.path(), url.query()};
    const Part parts[] = {Part::kUrl, Part::kPath, Part::kQuery};
    for (std::size_t i = 0; i < 3; ++i) {
      if (i == 2 && !url.has_query()) continue;
      std::string why;
      const std::string pattern = pattern_of(texts[i], random);
      const auto regex = compile_pattern(safe_pattern(pattern), &why);
      if (!regex || !regex(texts[i])) continue;  // such as "%4+"
      ++looked_at;
      const Reach reach = reach_of(pattern, parts[i]);
      ASSERT_NE(reach.answer, kNever) << pattern << " of " << texts[i] << ": " << reach.why;
      ASSERT_TRUE(reach.answer == kPossible || !url.is_special())
          << pattern << " of " << texts[i] << ": " << reach.why;
    }
  }
  EXPECT_GT(looked_at, 5000);
}

TEST(Reach, BugAPatternOfManyPartsTookQuadraticTime) {
  for (const std::string_view part : {"a|", "a{", "[a-z]"}) {
    const auto milliseconds_of = [&](int parts) {
      std::string pattern;
      for (int i = 0; i < parts; ++i) pattern += part;
      return least_milliseconds([&] { reach_of(pattern, Part::kPath); });
    };
    const double small = milliseconds_of(10'000);
    const double large = milliseconds_of(80'000);
    EXPECT_LT(large, 24 * small + 5) << part << ": " << small << " ms, then " << large << " ms";
  }
}

TEST(Lint, NamesRulesThatCanNeverMatch) {
  EXPECT_EQ(
      remarks("deny-path \"a b\" ^/ok\ndeny-url http://h:80/\nbudget ^/x 3\n"
              "query-parameters /a?b c\ndeny-extension gif|\xC3\xBC|a.b.c.d.e\n[h]\ndeny-via "
              "^HTTPS:\n"),
      (Texts{"p:1: the pattern \"a b\" can never match a URL of the web: such bytes are "
             "percent-encoded in a URL "
             "(a blank is %20, a double quote %22)",
             "p:2: the pattern \"http://h:80/\" can never match at the begin of a URL, but only "
             "within one: "
             "scheme and host are compared in lower case, without a default port",
             "p:3: the pattern \"^/x\" can never match: a URL begins with its scheme, such as "
             "https?://",
             "p:4: the path \"/a?b\" can never match: a path ends before the question mark; "
             "rules on query "
             "look after it",
             "p:5: the extension \"\xC3\xBC\" can never match: paths are compared percent-encoded",
             "p:5: the extension \"a.b.c.d.e\" can never match: more than 15 bytes, or four names "
             "between dots, "
             "are never an extension",
             "p:7: the pattern \"^HTTPS:\" can never match: scheme and host are compared in lower "
             "case, without "
             "a default port"}));
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
  // The words that text() writes are read back unchanged.
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

// Bug: the last bracket of the line closed the section.
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
