// SPDX-License-Identifier: Apache-2.0
#include "policy/pattern_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "base/ascii.h"
#include "policy/literal_scan.h"
#include "support/cpu_time.h"

namespace spinneret::policy {
namespace {

using Ids = std::vector<std::uint32_t>;
using Field = PatternSet::Field;

PatternSet make(const std::vector<std::string>& patterns) {
  PatternSet set;
  for (std::uint32_t i = 0; i < patterns.size(); ++i) {
    std::string why;
    EXPECT_TRUE(set.add(patterns[i], i, &why)) << patterns[i] << ": " << why;
  }
  set.compile();
  return set;
}

Ids match(const PatternSet& set, std::string_view text) {
  Ids ids;
  set.match(text, ids);
  Ids slow;
  set.match_slow({text, {}, {}}, slow);
  EXPECT_EQ(ids, slow) << text;
  return ids;
}

TEST(PatternSet, Anchors) {
  const PatternSet set = make({"^http://a/", "x$", "^http://a/x$", "a/", "", "^", "^$"});
  EXPECT_EQ(match(set, "http://a/x"), (Ids{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(match(set, "http://b/"), (Ids{4, 5}));
  EXPECT_EQ(match(set, ""), (Ids{4, 5, 6}));
}

// Sections of a policy have such sets: the texts are compared without a scan, up to the number for
// which that is cheaper.
TEST(PatternSet, AFewTexts) {
  const std::vector<std::string> all = {"^/a", "b$", "^/ab$", "\\.x", "", "ab", "/A"};
  for (std::size_t count = 1; count <= all.size(); ++count) {
    const PatternSet set = make({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)});
    for (const char* text : {"", "/a", "/ab", "/A.x", "x/ab", "/abb", ".xb"}) match(set, text);
  }
  PatternSet prefixes;
  prefixes.add_prefix("http://h/a.b", 3);
  prefixes.compile();
  EXPECT_EQ(match(prefixes, "http://h/a.bc"), (Ids{3}));
  EXPECT_EQ(match(prefixes, "http://h/axb"), (Ids{}));
  const PatternSet fields = [] {
    PatternSet out;
    EXPECT_TRUE(out.add("^/a", 0, nullptr, Field::kFirst));
    EXPECT_TRUE(out.add("^q", 1, nullptr, Field::kSecond));
    out.compile();
    return out;
  }();
  Ids ids;
  fields.match({"http://h/a?q", "/a", "q"}, ids);
  EXPECT_EQ(ids, (Ids{0, 1}));
}

TEST(PatternSet, CaseMattersUnlessThePatternSaysNot) {
  const PatternSet set = make({"/Ads/", "(?i)/ads/", "/ads/[0-9]"});
  EXPECT_EQ(match(set, "/ads/"), (Ids{1}));
  EXPECT_EQ(match(set, "/Ads/1"), (Ids{0, 1}));
  EXPECT_EQ(match(set, "/ADS/ads/7"), (Ids{1, 2}));
}

TEST(PatternSet, AlternativesAndOptionalParts) {
  const PatternSet set = make({"(foo|barbaz)qux", "(gif|jpe?g)$", "/a(bc)?d",
                               "[?&](sid|session)=", "colou?r", "(abc|x)", "(?:)", "a{3}b{2,}"});
  EXPECT_EQ(match(set, "fooqux"), (Ids{0, 5, 6}));
  EXPECT_EQ(match(set, "x.jpg"), (Ids{1, 5, 6}));
  EXPECT_EQ(match(set, "/ad /abcd"), (Ids{2, 5, 6}));
  EXPECT_EQ(match(set, "h?session=1"), (Ids{3, 6}));
  EXPECT_EQ(match(set, "color colour"), (Ids{4, 6}));
  EXPECT_EQ(match(set, "aaabb"), (Ids{6, 7}));
}

TEST(PatternSet, FieldsAreLookedAtApart) {
  PatternSet set;
  ASSERT_TRUE(set.add("^/private", 0, nullptr, Field::kFirst));
  ASSERT_TRUE(set.add("private", 1, nullptr, Field::kSecond));
  ASSERT_TRUE(set.add("private", 2, nullptr));
  ASSERT_TRUE(set.add("^$", 3, nullptr, Field::kSecond));
  ASSERT_TRUE(set.add("[0-9]{2}", 4, nullptr, Field::kFirst));
  set.compile();
  const auto ids = [&](std::string_view whole, std::string_view first, std::string_view second) {
    Ids out;
    set.match({whole, first, second}, out);
    Ids slow;
    set.match_slow({whole, first, second}, slow);
    EXPECT_EQ(out, slow);
    return out;
  };
  EXPECT_EQ(ids("http://h/private", "/private", ""), (Ids{0, 2, 3}));
  EXPECT_EQ(ids("http://h/?private", "/", "private"), (Ids{1, 2}));
  EXPECT_EQ(ids("http://private77/", "/", ""), (Ids{2, 3}));
  EXPECT_EQ(ids("http://h/77?x", "/77", "x"), (Ids{4}));
}

TEST(PatternSet, PrefixesAreTextAndNoPattern) {
  PatternSet set;
  set.add_prefix("http://a.example/x?y", 5);
  set.compile();
  EXPECT_EQ(match(set, "http://a.example/x?yz"), (Ids{5}));
  EXPECT_EQ(match(set, "http://aXexample/x?yz"), (Ids{}));
  EXPECT_EQ(match(set, "https://a.example/x"), (Ids{}));
}

TEST(PatternSet, WrongPatternsAreRefusedWithTheReason) {
  PatternSet set;
  std::string why;
  EXPECT_FALSE(set.add("a(", 0, &why));
  EXPECT_EQ(why, "missing ): a(");
  EXPECT_FALSE(set.add("(?P<x", 0, &why));
  // Back-references are refused, because without them matching is linear.
  EXPECT_FALSE(set.add(R"((a)\1)", 0, &why));
  EXPECT_TRUE(set.empty());
}

TEST(PatternSet, ManyPatternsOnOneLiteralAreOneSet) {
  std::vector<std::string> patterns;
  for (int i = 0; i < 500; ++i) patterns.push_back("/shared/[a-z0-9]+" + std::to_string(i) + "$");
  const PatternSet set = make(patterns);
  EXPECT_EQ(set.unfiltered(), 0U);
  EXPECT_EQ(match(set, "http://h/shared/x499"), (Ids{9, 99, 499}));
}

TEST(PatternSet, PatternsWithoutLiteralsAreFoundToo) {
  const PatternSet set = make({"[0-9]{8}", "[a-f]{4}[0-9]", "x.y", "..$", "a"});
  EXPECT_GE(set.unfiltered(), 4U);
  EXPECT_EQ(match(set, "20261120"), (Ids{0, 3}));
  EXPECT_EQ(match(set, "abcd1 x-y"), (Ids{1, 2, 3, 4}));
}

TEST(PatternSet, QuotedTextMatchesItself) {
  const std::string odd = R"(a.b*c[d](e)\f^$|?+{1}")";
  const PatternSet set = make({quote_pattern(odd)});
  EXPECT_EQ(match(set, "x" + odd + "y"), (Ids{0}));
}

// Compares the set with each pattern by itself, over random patterns and texts.
TEST(PatternSet, AgreesWithSinglePatterns) {
  std::mt19937 random(7);
  const char* const kPieces[] = {"abc",   "ab",       "b/",       "[ab]",   "(abc|bab)", "c?",
                                 "a+",    "\\.",      "(?i:ABC)", "b{2,3}", "/a/b",      ".*",
                                 "x|abc", "(ab|ba)c", "\\b",      "[^a]"};
  for (int round = 0; round < 150; ++round) {
    std::vector<std::string> patterns;
    for (std::size_t i = 0, n = 1 + random() % 30; i < n; ++i) {
      std::string pattern = random() % 6 == 0 ? "^" : "";
      for (std::size_t k = 0, parts = 1 + random() % 4; k < parts; ++k) {
        pattern += kPieces[random() % std::size(kPieces)];
      }
      if (random() % 6 == 0) pattern += "$";
      patterns.push_back(std::move(pattern));
    }
    const PatternSet set = make(patterns);
    for (int i = 0; i < 25; ++i) {
      std::string text(random() % 24, ' ');
      for (char& c : text) c = "abcABC/."[random() % 8];
      match(set, text);
    }
  }
}

std::set<std::uint32_t> found(const LiteralScan& scan, std::string_view text) {
  std::set<std::uint32_t> out;
  scan.find(text, [&](std::uint32_t value) { out.insert(value); });
  return out;
}

// Bug: a pattern was tried again at each occurrence of its literal, once nine literals took turns.
TEST(PatternSet, BugAUrlThatHasLiteralsInTurnTookQuadraticTime) {
  std::vector<std::string> patterns;
  std::string round;
  for (char c = 'a'; c <= 'l'; ++c) {
    patterns.push_back(std::string("/cat") + c + ".*[vwxyz][0-9]y");
    round += std::string("/cat") + c;
  }
  const PatternSet set = make(patterns);
  const auto milliseconds_of = [&](int rounds) {
    std::string text;
    for (int i = 0; i < rounds; ++i) text += round;
    return least_milliseconds([&] { EXPECT_EQ(match(set, text), Ids{}); });
  };
  const double small = milliseconds_of(200);
  const double large = milliseconds_of(1600);
  EXPECT_LT(large, 24 * small + 5) << small << " ms, then " << large << " ms";
}

TEST(LiteralScan, FindsLiteralsWhereverTheyStand) {
  LiteralScan scan;
  scan.add("/ads/", 0);
  scan.add("sid", 1);
  scan.add("example.com", 2);
  scan.add("example.com", 3);
  scan.compile();
  EXPECT_EQ(found(scan, "http://h/ads/"), (std::set<std::uint32_t>{0}));
  EXPECT_EQ(found(scan, "sid"), (std::set<std::uint32_t>{1}));
  EXPECT_EQ(found(scan, "http://EXAMPLE.com/ADS/?SID"), (std::set<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(found(scan, "http://h/adz/si"), (std::set<std::uint32_t>{}));
}

TEST(LiteralScan, ShortAndEmptyTexts) {
  LiteralScan scan;
  scan.compile();
  EXPECT_TRUE(found(scan, "anything").empty());
  LiteralScan four;
  four.add("abcd", 7);
  four.compile();
  for (const std::string_view text : {"", "a", "ab", "abc", "xabc", "bcd"}) {
    EXPECT_TRUE(found(four, text).empty()) << text;
  }
  EXPECT_EQ(found(four, "abcd").size(), 1U);
}

// The slow twin is find(). Small alphabets make hits, repeats and shared grams likely; texts are
// heap buffers of exact size, for the sanitizers.
TEST(LiteralScan, AgreesWithPlainSearch) {
  std::mt19937 random(1);
  const auto word = [&](std::size_t least, std::size_t most) {
    std::string out(least + random() % (most - least + 1), ' ');
    for (char& c : out) c = "abAB/."[random() % 6];
    return out;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> literals;
    LiteralScan scan;
    for (std::uint32_t i = 0, n = static_cast<std::uint32_t>(random() % 40); i < n; ++i) {
      literals.push_back(word(3, 9));
      scan.add(literals.back(), i);
    }
    scan.compile();
    for (int i = 0; i < 30; ++i) {
      const std::string text = word(0, 40);
      const std::vector<char> exact(text.begin(), text.end());
      std::set<std::uint32_t> expected;
      for (std::uint32_t at = 0; at < literals.size(); ++at) {
        if (to_lower_copy(text).find(to_lower_copy(literals[at])) != std::string::npos) {
          expected.insert(at);
        }
      }
      ASSERT_EQ(found(scan, {exact.data(), exact.size()}), expected) << text;
    }
  }
}

TEST(SafePattern, WritesEscapesAsSafeUrlsHaveThem) {
  const std::pair<const char*, const char*> cases[] = {
      {"^/%7Euser", "^/~user"},
      {"%c3%bc", "%C3%BC"},
      {"%C3%BC", "%C3%BC"},
      {"a%2egif$", "a\\.gif$"},
      {"\\%70", "p"},
      {"%2f|%2F", "%2F|%2F"},
      // The operator applies to the last digit alone.
      {"%41+ %2f{2} %2f* %2f?", "%41+ %2f{2} %2f* %2f?"},
      {"[%2f]%2f", "[%2f]%2F"},
      {"[]%2f]%2f[^]%2f]%2f", "[]%2f]%2F[^]%2f]%2F"},
      {"[[:alpha:]%2f]%2f[\\]%2f]%2f", "[[:alpha:]%2f]%2F[\\]%2f]%2F"},
      {"\\Q%2e.\\E%2e", "\\Q..\\E\\."},
      {"\\d%zz%", "\\d%zz%"},
      {"[", "["},
      {"\\", "\\"},
      {"[[:", "[[:"},
  };
  for (const auto& [pattern, wanted] : cases) EXPECT_EQ(safe_pattern(pattern), wanted) << pattern;
}

}  // namespace
}  // namespace spinneret::policy
