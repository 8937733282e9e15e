// SPDX-License-Identifier: Apache-2.0
#include "policy/directive.h"

#include <gtest/gtest.h>

namespace spinneret::policy {
namespace {

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
