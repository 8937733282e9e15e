// SPDX-License-Identifier: Apache-2.0
#include "io/expression.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

namespace spinneret {
namespace {

// Replaces the engine of regular expressions: the pattern matches where the text contains it. "["
// is no pattern.
Expression::Matches contains(std::string_view pattern, std::string* why) {
  if (pattern == "[") {
    *why = "missing ]";
    return {};
  }
  return [text = std::string(pattern)](std::string_view in) {
    return in.find(text) != std::string_view::npos;
  };
}

constexpr std::string_view kLine =
    "http://h/"
    "?outcome=ok&x\\n\tstatus=200\tvia=a\tvia=b\ttext=one\\ttwo\tempty=\tsize=1e3\todd\tfar=-."
    "5\tword=12x\t"
    "url=other\toutcome=ok";

bool holds(std::string_view text, std::string_view line = kLine) {
  auto expression = Expression::compile(text, contains);
  EXPECT_TRUE(expression.ok()) << text << ": " << (expression.ok() ? "" : expression.message());
  if (!expression.ok()) return false;
  const bool fast = expression->holds(line);
  EXPECT_EQ(fast, expression->holds_slowly(line)) << text;
  return fast;
}

TEST(Expression, what_holds) {
  for (const std::string_view text : {"outcome=ok",
                                      "outcome = ok",
                                      "outcome=\"ok\"",
                                      "outcome='ok'",
                                      "status<300",
                                      "status>=200",
                                      "status<=200",
                                      "status>199.5",
                                      "size=1e3",
                                      "size>999",
                                      "far<0",
                                      "via=a",
                                      "via=b",
                                      "via!=c",
                                      "text=\"one\ttwo\"",
                                      "text~'ne\tt'",
                                      "empty=\"\"",
                                      "has empty",
                                      "not has none",
                                      "none!=1",
                                      "none!~1",
                                      "url~outcome=ok",
                                      "url~\\n",
                                      "not url=other",
                                      "has url",
                                      "outcome=ok and status=200",
                                      "outcome=x or status=200",
                                      "not outcome=x",
                                      "not not has via",
                                      "not (outcome=x or status=1)",
                                      "(outcome=x or status=200) and via=b",
                                      "outcome=x and status=1 or via=b",
                                      "via=b or outcome=x and status=1",
                                      "not=1 or has has or via=a",
                                      "((((via=a))))",
                                      "not not not has x",
                                      "status!=201",
                                      "text!~three",
                                      "outcome!=\"o\\\"k\"",
                                      "has via and not(has none)"}) {
    EXPECT_TRUE(holds(text)) << text;
  }
}

TEST(Expression, what_does_not) {
  for (const std::string_view text : {"outcome=o",
                                      "outcome=okk",
                                      "status<200",
                                      "status>200",
                                      "word<100",
                                      "word>0",
                                      "none<1",
                                      "none=\"\"",
                                      "none~x",
                                      "empty<1",
                                      "via!=b",
                                      "via!~a",
                                      "not has via",
                                      "odd=1",
                                      "has odd",
                                      "url=other",
                                      "text=one",
                                      "status=200.0",
                                      "outcome=ok and status=201",
                                      "outcome=x or status=201",
                                      "not (outcome=x or via=a)",
                                      "not outcome=ok or outcome=ok and has none"}) {
    EXPECT_FALSE(holds(text)) << text;
  }
}

TEST(Expression, words_of_a_page_are_in_no_other_field) {
  EXPECT_FALSE(holds("outcome=ok", "http://h/?outcome=ok"));
  EXPECT_FALSE(holds("outcome=ok", "http://h/\ttext=the outcome=ok text\tnot-outcome=ok"));
  EXPECT_FALSE(holds("outcome=ok", "http://h/\toutcome=ok\\tx"));
}

TEST(Expression, a_word_may_hold_the_parentheses_that_it_opens) {
  EXPECT_TRUE(holds("(type=f(x))", "u\ttype=f(x)"));
  EXPECT_TRUE(holds("(type=\\))", "u\ttype=\\\\)"));
  EXPECT_TRUE(holds("type=\"a b\" and x=')'", "u\ttype=a b\tx=)"));
  EXPECT_TRUE(holds("type='it\\'s \\\\ \\d'", "u\ttype=it's \\\\ \\\\d"));
}

TEST(Expression, what_is_none_is_told_by_the_column) {
  const struct {
    std::string_view text, why;
  } rows[] = {
      {"", "column 1: the name of a field expected (a-z, 0-9, \".\", \"-\")"},
      {"A=1", "column 1: the name of a field expected (a-z, 0-9, \".\", \"-\")"},
      {"a", "column 2: an operator expected (= != < <= > >= ~ !~), or \"has a\""},
      {"a=1 and", "column 8: the name of a field expected (a-z, 0-9, \".\", \"-\")"},
      {"a=1 b=2", "column 5: \"and\" or \"or\" expected"},
      {"a=1 andb=2", "column 5: \"and\" or \"or\" expected"},
      {"a=1)", "column 4: a parenthesis that was not opened"},
      {"not (a=1", "column 5: a parenthesis that is not closed"},
      {"a==1", "column 3: one = compares (put a value that begins with = in quotes)"},
      {"a=~1", "column 3: ~ alone asks for a pattern"},
      {"a!1", "column 2: an operator expected: = != < <= > >= ~ !~"},
      {"a= ", "column 4: a value expected (the empty one is \"\")"},
      {"a=\"x", "column 3: a quote that is not closed"},
      {"a='x'y", "column 6: a space expected after the quote"},
      {"a<x", "column 3: a number expected, which < <= > >= compare"},
      {"a>inf", "column 3: a number expected, which < <= > >= compare"},
      {"b=1 or a~[", "column 10: no regular expression: missing ]"},
      {"has", "column 4: the name of a field expected after \"has\""},
  };
  for (const auto& [text, why] : rows) {
    const auto expression = Expression::compile(text, contains);
    ASSERT_FALSE(expression.ok()) << text;
    EXPECT_EQ(expression.message(), why) << text;
  }
  EXPECT_FALSE(Expression::compile(std::string(100'000, '(') + "a=1", contains).ok());
}

// Random expressions and lines of few words, so that all combinations occur.
TEST(Expression, agrees_with_its_slow_twin_over_soup) {
  std::mt19937 random(7);
  const auto one_of = [&](std::initializer_list<const char*> words) {
    return std::string(words.begin()[random() % words.size()]);
  };
  const auto field = [&] { return one_of({"a", "b", "ab", "url", "a.b"}); };
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t terms = 1 + random() % 4; terms != 0; --terms) {
      text += one_of({"", "not ", "not not "}) + one_of({"has ", ""});
      if (text.ends_with("has "))
        text += field();
      else
        text += field() + one_of({"=", "!=", "<", ">=", "~", "!~"}) + one_of({"1", "2", "12"});
      if (terms != 1) text += one_of({" and ", " or "});
    }
    std::string line = one_of({"", "1", "2"});
    for (std::size_t columns = random() % 5; columns != 0; --columns) {
      line += "\t" + one_of({"a", "b", "ab", "url", "A", "", "a.b", "abc"}) +
              one_of({"=", "==", ""}) + one_of({"1", "2", "12", "x\\t1", ""});
    }
    auto expression = Expression::compile(text, contains);
    ASSERT_TRUE(expression.ok()) << text << ": " << expression.message();
    EXPECT_EQ(expression->holds(line), expression->holds_slowly(line)) << text << " of " << line;
  }
}

}  // namespace
}  // namespace spinneret
