// SPDX-License-Identifier: Apache-2.0
// What fragments point to, strings by number, patterns against their slow twin, and the book's own corners.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "check/book.h"
#include "check/folder.h"
#include "check/fragment.h"
#include "check/ignore.h"
#include "check/strings.h"

namespace spinneret::links {
namespace {

Indicated part(std::string_view fragment, const std::set<std::string, std::less<>>& ids) {
  return indicated_part(fragment, [&ids](std::string_view id) { return ids.count(id) != 0; });
}

// HTML, 7.4.6.3, in its order.
TEST(Fragment, IndicatedPart) {
  const std::set<std::string, std::less<>> ids = {"a",  "a%20b", "c d", "user-content-gh",
                                                  "L5", "é"};
  EXPECT_EQ(part("", ids), Indicated::kTop);
  EXPECT_EQ(part("a", ids), Indicated::kElement);
  EXPECT_EQ(part("A", ids), Indicated::kNothing);
  EXPECT_EQ(part("a%20b", ids), Indicated::kElement);  // exact comes first
  EXPECT_EQ(part("c%20d", ids), Indicated::kElement);
  EXPECT_EQ(part("%C3%A9", ids), Indicated::kElement);
  EXPECT_EQ(part("top", ids), Indicated::kTop);
  EXPECT_EQ(part("t%6Fp", ids), Indicated::kTop);
  EXPECT_EQ(part("TOP", ids), Indicated::kTop);
  EXPECT_EQ(part("gh", ids), Indicated::kElement);
  EXPECT_EQ(part(":~:text=x", ids), Indicated::kTop);
  EXPECT_EQ(part("a:~:text=x", ids), Indicated::kElement);
  EXPECT_EQ(part("b:~:text=x", ids), Indicated::kNothing);
  EXPECT_EQ(part("top2", ids), Indicated::kNothing);
}

TEST(Fragment, ForScripts) {
  for (const char* const fragment :
       {"/", "/a/b", "!", "!a", "L1", "L10-L20", "L10-20", "L1C2-L3C4"})
    EXPECT_EQ(part(fragment, {}), Indicated::kUnknown) << fragment;
  for (const char* const fragment : {"L", "Lx", "L1x", "L1-", "L1-Lx", "l1", "1", "L1C", "a/b"})
    EXPECT_EQ(part(fragment, {}), Indicated::kNothing) << fragment;
  EXPECT_EQ(part("L5", {"L5"}), Indicated::kElement);
}

TEST(StringTable, KeepsEachOnce) {
  StringTable table;
  EXPECT_EQ(table.find("x"), StringTable::kNone);
  for (int round = 0; round != 2; ++round) {
    for (std::uint32_t i = 0; i != 5000; ++i)
      ASSERT_EQ(table.intern(std::string(i % 70, 'x') + std::to_string(i)), i);
  }
  const std::string large(200'000, 'y');
  EXPECT_EQ(table.view(table.intern(large)), large);
  EXPECT_EQ(table.view(table.intern("")), "");
  EXPECT_EQ(table.view(69), std::string(69, 'x') + "69");
}

bool slow_glob(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*')
    return slow_glob(pattern.substr(1), text) ||
           (!text.empty() && slow_glob(pattern, text.substr(1)));
  return !text.empty() && pattern[0] == text[0] && slow_glob(pattern.substr(1), text.substr(1));
}

// Every pattern of up to 5 of "ab*" over every text of up to 5 of "ab".
TEST(Glob, AsItsSlowTwin) {
  std::vector<std::string> patterns = {""};
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < patterns.size(); ++i)
    for (const char c : {'a', 'b', '*'})
      if (patterns[i].size() < 5) patterns.push_back(patterns[i] + c);
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (const char c : {'a', 'b'})
      if (texts[i].size() < 5) texts.push_back(texts[i] + c);
  for (const std::string& pattern : patterns)
    for (const std::string& text : texts)
      ASSERT_EQ(matches_glob(pattern, text), slow_glob(pattern, text)) << pattern << " " << text;
}

std::string verdicts(const LinkBook& book) {
  std::string out;
  book.judge([&out](const Finding& finding) {
    out.append(finding.target).append(" ").append(to_string(finding.verdict)).append("\n");
  });
  return out;
}

SettledPage page(std::string_view url, Outcome outcome, unsigned status) {
  SettledPage out;
  out.url = url;
  out.outcome = outcome;
  out.status = status;
  return out;
}

TEST(LinkBook, SpellingsOfOnePage) {
  LinkBook book;
  for (const char* const target :
       {"http://h/%7ea", "http://h/~a", "HTTP://H:80/%7Ea", "http://h/%c3%a9"})
    EXPECT_TRUE(book.add_link({.page = "http://h/", .target = target, .tag = "a@href"}));
  EXPECT_FALSE(book.add_link({.page = "http://h/", .target = "mailto:a@b", .tag = "a@href"}));
  EXPECT_TRUE(book.settle(page("http://h/~a", Outcome::kOk, 200)));
  EXPECT_TRUE(book.settle(page("http://h/%C3%A9", Outcome::kGone, 410)));
  EXPECT_EQ(verdicts(book),
            "http://h/~a ok\nhttp://h/~a ok\nhttp://h/~a ok\nhttp://h/%C3%A9 dead\n");
}

TEST(LinkBook, WhatNobodyAskedFor) {
  LinkBook book;
  book.add_link({.page = "http://h/d/", .target = "http://h/d/x", .tag = ""});
  book.add_link({.page = "http://h/d/", .target = "http://h/x", .tag = ""});
  EXPECT_EQ(verdicts(book), "http://h/d/x not-checkable\nhttp://h/x not-checkable\n");
  book.set_site("http://h/d/");
  EXPECT_EQ(verdicts(book), "http://h/d/x dead\nhttp://h/x not-checkable\n");
}

TEST(LinkBook, MoreTagsThanANumberHolds) {
  LinkBook book;
  for (int i = 0; i != 300; ++i) {
    const std::string tag = "x" + std::to_string(i);
    book.add_link({.page = "http://h/", .target = "http://h/x", .tag = tag, .column = 1u << 30});
  }
  std::vector<std::string> tags;
  book.judge([&tags](const Finding& finding) { tags.emplace_back(finding.tag); });
  EXPECT_EQ(tags[0], "x0");
  EXPECT_EQ(tags[254], "x254");
  EXPECT_EQ(tags[255], "");
}

TEST(Folder, TypesByName) {
  EXPECT_EQ(type_of_name("a.HTML"), "text/html");
  EXPECT_EQ(type_of_name("a.tar.gz"), "application/gzip");
  EXPECT_EQ(type_of_name("Makefile"), "");
  EXPECT_EQ(type_of_name("a."), "");
}

}  // namespace
}  // namespace spinneret::links
