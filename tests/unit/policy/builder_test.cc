// SPDX-License-Identifier: Apache-2.0
#include "policy/builder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "base/file.h"
#include "unit/policy/policy_fixture.h"

namespace spinneret::policy {
namespace {

std::vector<std::string> problems(std::string_view text) {
  PolicyBuilder builder;
  builder.add_text(text, "p");
  const Policy policy = builder.build();
  std::vector<std::string> out;
  for (const Problem& problem : builder.problems()) {
    out.push_back(problem.place.to_string() + ": " + problem.message);
  }
  return out;
}

// Each row has one mistake, and the message says what would have been right.
TEST(Builder, EveryMistakeIsNamed) {
  const std::pair<const char*, const char*> rows[] = {
      {"deny-pth x", R"(unknown directive "deny-pth"; did you mean deny-path?)"},
      {"deny /x", R"(unknown directive "deny"; did you mean deny-path, deny-url or deny-domain?)"},
      {"zzzzzzzzzz", R"(unknown directive "zzzzzzzzzz")"},
      {"max-depth", "usage: max-depth NUMBER|off"},
      {"max-depth 1 2", "usage: max-depth NUMBER|off"},
      {"max-depth -1", R"(max-depth takes a whole number or off, not "-1")"},
      {"max-depth 99999999999", R"(max-depth takes a whole number or off, not "99999999999")"},
      {"deny-path", "deny-path needs something to match"},
      {"deny-path [", R"(bad pattern "[": missing ]: [)"},
      {"deny-path *x", R"(bad pattern "*x": no argument for repetition operator: *; )"
                       "in a regular expression any text is .*"},
      {"deny-host http://x/",
       "a host is a name, .name (and all below), *.name (all below) or *, not \"http://x/\""},
      {"deny-prefix x", "a prefix is the begin of a URL: \"x\""},
      {"deny-list /nonexistent/x", "cannot open /nonexistent/x: No such file or directory"},
      {"tag-path ^/x", "tag-path ends with the fields to set, such as priority=10"},
      {"tag-path ^/x outcome=ok", "a tag may set any field but url and outcome"},
      {"tag-path priority=1", "tag-path needs something to match"},
      {"scope x", R"(scope takes any, origin, host, domain or under, not "x")"},
      {"seed x", R"(the seed "x" is not a URL)"},
      {"seed mailto:a@b", R"(the seed "mailto:a@b" has no host)"},
      {"order x", "order takes deny-allow, allow-deny, first-match or last-match, not \"x\""},
      {"default x", R"(default takes allow or deny, not "x")"},
      {"action x", R"(action takes reject or mark, not "x")"},
      {"query x", R"(query takes any, none or strip, not "x")"},
      {"query-parameters x", "query-parameters takes a path"},
      {"query-parameters /a*b x", "query-parameters takes a path"},
      {"query-parameters strip", "query-parameters takes a path"},
      {"trap x",
       "trap takes one of session-ids, repeated-segments, repeated-keys, calendar, growing, "
       "redirects, not "
       "\"x\""},
      {"trap repeated-keys 1", "a trap needs at least 2 repeats"},
      {"trap session-ids maybe", "trap session-ids takes strip, reject or off, not \"maybe\""},
      {"traps all", "traps takes default"},
      {"budget host", "usage: budget"},
      {"budget ( 3", "bad pattern \"(\""},
      {"[a]\nscope host", "scope is for all hosts: put it before the first section, or below [*]"},
      {"[a]\nbudget total 3", "budget total is for all hosts"},
      {"[a b", "a section is [HOST...] on a line of its own"},
      {"[http://x/]", "a host is a name"},
      {"include /nonexistent/x", "cannot open /nonexistent/x"},
  };
  for (const auto& [text, message] : rows) {
    const auto found = problems(text);
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_NE(found[0].find(message), std::string::npos) << found[0] << "\nnot " << message;
  }
}

TEST(Builder, AllMistakesAreReportedInOneGo) {
  const auto found = problems("scope x\nmax-depth y\n\ndeny-path [\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[2].starts_with("p:4: "));
}

// Rules under a header that names no valid host must not apply to all hosts.
TEST(Builder, RulesOfABadSectionApplyToNobody) {
  PolicyBuilder builder;
  builder.add_text("[a..b/]\ndeny-path ^/\n", "p");
  const Policy policy = builder.build();
  EXPECT_FALSE(builder.problems().empty());
  Judge judge(policy, 0);
  Url url;
  ASSERT_TRUE(parse("http://h/", url));
  EXPECT_TRUE(judge.judge(url, {}).accepted);
}

TEST(Builder, EveryDirectiveOfTheTableIsInTheManual) {
  const auto manual = read_file(std::string(SPINNERET_TEST_DATA) + "/../../man/spinneret-policy.5");
  ASSERT_TRUE(manual.ok()) << manual.message();
  for (const std::string& name : PolicyBuilder::directive_names()) {
    const std::size_t dash = name.find('-');
    const std::string verb = name.substr(0, dash);
    const bool rule = verb == "allow" || verb == "deny" || verb == "tag";
    const std::string wanted = rule ? ".It Cm " + name.substr(dash + 1) : ".It Cm " + name;
    const bool list = name.ends_with("-list");
    EXPECT_TRUE(manual->find(wanted) != std::string::npos ||
                (list && manual->find(name.substr(dash + 1)) != std::string::npos))
        << name;
  }
}

TEST(Builder, SayingASettingTwiceIsRemarked) {
  PolicyBuilder builder;
  builder.add_text("max-depth 1\nmax-depth 2\n[a]\nmax-depth 3\n", "p");
  const Policy policy = builder.build();
  ASSERT_EQ(builder.remarks().size(), 1U);
  EXPECT_EQ(builder.remarks()[0].message, R"("max-depth 1" has no effect: p:2 sets it again)");
}

TEST(Builder, SingleLinesHaveTheirPlace) {
  PolicyBuilder builder;
  builder.add_line("deny-path ^/x", {"--rule", 3});
  builder.add("deny-url", {"with blank"}, {"--exclude", 4});
  builder.add_line("nonsense", {"--rule", 5});
  builder.add_line("\"", {"--rule", 6});
  const Policy policy = builder.build();
  ASSERT_EQ(policy.lines.size(), 2U);
  EXPECT_EQ(policy.lines.place(0).to_string(), "--rule:3");
  EXPECT_EQ(policy.lines.text(1), "deny-url \"with blank\"");
  ASSERT_EQ(builder.problems().size(), 2U);
  EXPECT_EQ(builder.problems()[1].place.to_string(), "--rule:6");
}

TEST(Builder, FilesIncludeEachOtherRelativeToTheirFolder) {
  const std::string folder = ::testing::TempDir() + "/spinneret-policy-" + std::to_string(getpid());
  ASSERT_TRUE(make_directories(folder + "/sub").ok());
  std::ofstream(folder + "/main") << "[a.example]\n";
  std::ofstream(folder + "/main") << "include sub/one\ndeny-path ^/main\n";
  std::ofstream(folder + "/sub/one") << "deny-list list\n[b.example]\ndeny-path ^/one\n";
  std::ofstream(folder + "/sub/list") << "listed.example\n";
  PolicyBuilder builder;
  builder.add_file(folder + "/main");
  const Policy policy = builder.build();
  for (const Problem& problem : builder.problems()) ADD_FAILURE() << problem.message;
  Judge judge(policy, 0);
  const auto passes = [&](const char* text) {
    Url url;
    EXPECT_TRUE(parse(text, url));
    return judge.judge(url, {}).accepted;
  };
  EXPECT_FALSE(passes("http://listed.example/"));
  EXPECT_FALSE(passes("http://b.example/one"));
  EXPECT_TRUE(passes("http://c.example/one"));
  EXPECT_FALSE(passes("http://c.example/main"));
  for (const char* file : {"/main", "/sub/one", "/sub/list"}) std::remove((folder + file).c_str());
  rmdir((folder + "/sub").c_str());
  rmdir(folder.c_str());
}

// Bug: 300,000 sections of one setting took 605 MB, and 20,000 of one pattern 126 MB.
TEST(PolicyBuilder, ManySectionsTakeLittle) {
  EXPECT_LE(sizeof(Section), 40U);
  EXPECT_LE(sizeof(Line), 8U);
  EXPECT_LE(sizeof(RuleSet), 80U);
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += "[host-" + std::to_string(i) + ".example]\n" +
            (i % 2 == 0 ? "max-depth 3\n" : "deny-path ^/a\n");
  PolicyBuilder builder;
  builder.add_text(text, "p");
  const Policy policy = builder.build();
  EXPECT_TRUE(builder.problems().empty());
  EXPECT_TRUE(policy.words.empty());  // kept for lint alone
  ASSERT_EQ(policy.lines.size(), 20'000U);
  EXPECT_FALSE(policy.sections[2].rules->patterns.empty());
  EXPECT_FALSE(policy.sections[1].rules.is_made());
  EXPECT_EQ(policy.lines.text(19'999), "deny-path ^/a");
  EXPECT_EQ(policy.lines.place(19'998).to_string(), "p:39998");
}

TEST(Lint, SaysNothingOfASoundPolicy) {
  EXPECT_TRUE(remarks("scope host\nseed http://h/\ndeny-path ^/a ^/b\nallow-host h .i\n"
                      "deny-host *.i\n[h]\ndeny-path ^/a\nmax-depth 3\n")
                  .empty());
}

TEST(Lint, EveryRemark) {
  const std::pair<const char*, const char*> rows[] = {
      {"deny-path ^/a\ndeny-path ^/a", R"(p:2: "^/a" stands in p:1 (deny-path ^/a) already)"},
      {"deny-path /a/\ndeny-path ^/x/a/y", "p:2: the pattern \"^/x/a/y\" is covered by p:1"},
      {"deny-path ^/a\ndeny-path ^/ab$", "p:2: the pattern \"^/ab$\" is covered by p:1"},
      {"deny-domain a.example\ndeny-host w.a.example", "p:2: \"w.a.example\" is covered by p:1"},
      {"allow-path ^/a\ndeny-path ^/a", "p:1: \"^/a\" can allow nothing: p:2"},
      {"deny-path .*", "p:1: the pattern \".*\" matches every URL"},
      {"deny-path ^/x/*y",
       "p:1: the pattern \"^/x/*y\" asks by /* for any number of slashes: any text is .*"},
      {"deny-path caf\xC3\xA9", "URLs are compared percent-encoded"},
      {"deny-path http://a/", "p:1: the path has no scheme or host: deny-url is for whole URLs"},
      {"deny-query ^\\?a", "p:1: the query is compared without its question mark"},
      {"seed http://h/", "p:1: seeds have no effect without a scope, such as that of crawl"},
      {"max-offsite-hops 1", "p:1: max-offsite-hops has no effect"},
      {"default allow", "p:1: has no effect"},
      {"tag-type text/html a=b", "p:1: in a crawl tag-type sets nothing: the type is known when"},
      {"tag-address 10.0.0.0/8 a=b",
       "in a crawl tag-address sets nothing for hosts that are names"},
      {"deny-text .*", "p:1: the pattern \".*\" matches every text"},
      {"deny-via /a\ndeny-via /ab", "p:2: the pattern \"/ab\" is covered by p:1"},
      {"deny-rel a\ndeny-rel b a", "p:2: \"a\" stands in"},
      {"[a]\n[b]\nmax-depth 1", "p:1: the section says nothing"},
  };
  for (const auto& [text, message] : rows) {
    const auto found = remarks(text);
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_NE(found[0].find(message), std::string::npos) << found[0] << "\nnot " << message;
  }
}

TEST(Lint, CoverageIsNeverClaimedWrongly) {
  EXPECT_TRUE(remarks("deny-path ^/a\ndeny-path /a\n[x]\ndeny-path ^/ab\n").size() == 1);
  EXPECT_TRUE(remarks("deny-path ^/ab\ndeny-path ^/a\ndeny-query /ab\ndeny-path /a$\n").empty() ||
              remarks("deny-path ^/ab\ndeny-path ^/a\n").size() == 1);
  EXPECT_TRUE(remarks("deny-host w.a.example\ndeny-host *.w.a.example\n").empty());
}

}  // namespace
}  // namespace spinneret::policy
