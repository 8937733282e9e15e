// SPDX-License-Identifier: Apache-2.0
#include "robots/matcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "robots/pattern.h"
#include "robots/rule_set.h"
#include "robots/wildcard.h"
#include "support/sanitized.h"

namespace spinneret::robots {
namespace {

// Compares the compiled matcher with the obvious one, over every small pattern and path, and over
// random sets of rules.

constexpr std::string_view kAlphabet = "ab/*$%2F";

// Returns the number-th text over the alphabet of exactly `size` bytes.
std::string nth_text(std::size_t number, std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i, number /= kAlphabet.size()) {
    out += kAlphabet[number % kAlphabet.size()];
  }
  return out;
}

std::vector<std::string> all_texts(std::size_t max_size) {
  std::vector<std::string> out;
  std::size_t count = 1;
  for (std::size_t size = 0; size <= max_size; ++size, count *= kAlphabet.size()) {
    for (std::size_t i = 0; i < count; ++i) out.push_back(nth_text(i, size));
  }
  return out;
}

// A set of patterns in rank order, from which a matcher can be built.
struct Set {
  std::string bytes;
  std::vector<PatternSpan> spans;
  void add(std::string_view pattern) {
    spans.push_back(
        {static_cast<std::uint32_t>(bytes.size()), static_cast<std::uint32_t>(pattern.size())});
    bytes += pattern;
  }
  std::string_view pattern(std::size_t i) const {
    return std::string_view(bytes).substr(spans[i].at, spans[i].size);
  }
  std::uint32_t find_slowly(std::string_view path) const {
    for (std::uint32_t i = 0; i < spans.size(); ++i) {
      if (slow_pattern_match(pattern(i), path)) return i;
    }
    return Matcher::kNone;
  }
};

TEST(Matcher, EveryPatternOfFourBytesOnEveryPathOfFour) {
  const std::vector<std::string> texts = all_texts(kSanitized ? 3 : 4);
  std::vector<std::string> paths;
  for (const std::string& text : texts) {
    std::string storage;
    paths.emplace_back(comparable_path("/" + text, RobotsMode::kRfc, storage));
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  for (const std::string& value : texts) {
    Set set;
    std::string pattern;
    append_comparable_pattern(pattern, "/" + value, RobotsMode::kRfc);
    set.add(pattern);
    Matcher matcher;
    matcher.build(set.bytes, set.spans, false);
    for (const std::string& path : paths) {
      ASSERT_EQ(matcher.find(set.bytes, path) == 0, slow_pattern_match(pattern, path))
          << pattern << " on " << path;
    }
  }
}

TEST(Matcher, PatternsThatBeginWithAnything) {
  const std::vector<std::string> texts = all_texts(3);
  for (const std::string& value : texts) {
    Set set;
    std::string pattern;
    append_comparable_pattern(pattern, value, RobotsMode::kRfc);
    set.add(pattern);
    Matcher matcher;
    matcher.build(set.bytes, set.spans, false);
    for (const std::string& text : texts) {
      const std::string path = "/" + text;
      ASSERT_EQ(matcher.find(set.bytes, path) == 0, slow_pattern_match(pattern, path))
          << pattern << " on " << path;
    }
  }
}

TEST(Matcher, AllRulesAtOnceGiveTheBestRank) {
  Set set;
  std::vector<std::string> values = all_texts(3);
  std::shuffle(values.begin(), values.end(), std::mt19937(7));
  for (const std::string& value : values) set.add("/" + value);
  for (const std::size_t take : {1U, 5U, 20U, 60U, 200U, 585U}) {
    Set some;
    for (std::size_t i = 0; i < take; ++i) some.add(set.pattern(i));
    Matcher matcher;
    matcher.build(some.bytes, some.spans, false);
    for (const std::string& text : all_texts(4)) {
      ASSERT_EQ(matcher.find(some.bytes, "/" + text), some.find_slowly("/" + text))
          << take << " /" << text;
    }
  }
}

// Few letters and many stars make deep tries, shared heads and common keys.
std::string random_text(std::mt19937& random, std::size_t max_size, std::string_view letters) {
  std::string out;
  for (std::size_t size = random() % (max_size + 1); size > 0; --size) {
    out += letters[random() % letters.size()];
  }
  return out;
}

TEST(Matcher, RandomSets) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    Set set;
    const std::string_view letters = round % 3 == 0   ? "ab*"
                                     : round % 3 == 1 ? "abc/**"
                                                      : "abcdefgh/*$";
    for (std::size_t i = 1 + random() % 120; i > 0; --i) {
      std::string pattern = (random() % 8 == 0 ? "" : "/") + random_text(random, 12, letters);
      if (random() % 4 == 0) pattern += '$';
      set.add(pattern);
    }
    Matcher matcher;
    matcher.build(set.bytes, set.spans, false);
    for (int i = 0; i < 60; ++i) {
      const std::string path = "/" + random_text(random, i < 50 ? 20 : 400, "abcdefgh/$");
      ASSERT_EQ(matcher.find(set.bytes, path), set.find_slowly(path)) << path;
    }
  }
}

TEST(Matcher, LiteralSetsHaveNoWildcards) {
  Set set;
  for (const char* pattern : {"/a*", "/b$", "/"}) set.add(pattern);
  Matcher matcher;
  matcher.build(set.bytes, set.spans, true);
  EXPECT_EQ(matcher.find(set.bytes, "/a*b"), 0U);
  EXPECT_EQ(matcher.find(set.bytes, "/ab"), 2U);
  EXPECT_EQ(matcher.find(set.bytes, "/b$x"), 1U);
  EXPECT_EQ(matcher.find(set.bytes, "/b"), 2U);
}

TEST(Matcher, EmptySetMatchesNothing) {
  Matcher matcher;
  EXPECT_EQ(matcher.find("", "/"), Matcher::kNone);
  matcher.build("", {}, false);
  EXPECT_EQ(matcher.find("", "/"), Matcher::kNone);
}

TEST(Matcher, ManyHeadsOnOnePath) {
  Set set;
  std::string head = "/";
  for (int i = 0; i < 100; ++i) {
    head += 'a';
    set.add(head + "*x" + std::to_string(i) + "$");
  }
  Matcher matcher;
  matcher.build(set.bytes, set.spans, false);
  EXPECT_EQ(matcher.find(set.bytes, head + "bx50"), 50U);
  EXPECT_EQ(matcher.find(set.bytes, head + "bx100"), Matcher::kNone);
}

TEST(Matcher, ManyKeysOnOnePath) {
  Set set;
  std::string path = "/";
  for (int i = 0; i < 200; ++i) {
    const std::string word = "k" + std::to_string(1000 + i);
    set.add("/*" + word + "*zz");
    path += word;
  }
  set.add("/*k1100*k1101");
  Matcher matcher;
  matcher.build(set.bytes, set.spans, false);
  EXPECT_EQ(matcher.find(set.bytes, path), 200U);
  EXPECT_EQ(matcher.find(set.bytes, path + "zz"), 0U);
}

// --- one pattern, both ways ---------------------------------------------------------------------

TEST(Wildcard, TrimsWhatIsRedundant) {
  EXPECT_EQ(trim_pattern("/a*").text, "/a");
  EXPECT_EQ(trim_pattern("/a***").text, "/a");
  EXPECT_EQ(trim_pattern("/a*$").text, "/a");
  EXPECT_FALSE(trim_pattern("/a*$").anchored);
  EXPECT_EQ(trim_pattern("/a$").text, "/a");
  EXPECT_TRUE(trim_pattern("/a$").anchored);
  EXPECT_TRUE(trim_pattern("$").anchored);
  EXPECT_EQ(trim_pattern("*").text, "");
}

TEST(Wildcard, IndexAgreesWithSearch) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    const std::string path = "/" + random_text(random, round % 10 == 0 ? 600 : 150, "ab");
    PathIndex index(path);
    const std::string segment = "a" + random_text(random, round % 5 == 0 ? 140 : 6, "ab");
    for (std::size_t from = 0; from <= path.size(); from += 1 + random() % 40) {
      ASSERT_EQ(index.find(segment, from), path.find(segment, from)) << segment << " in " << path;
    }
    const std::size_t at = random() % path.size();
    const std::string part = path.substr(at, 1 + random() % 130);
    ASSERT_EQ(index.find(part, 0), path.find(part)) << part << " in " << path;
  }
}

TEST(Wildcard, IndexOfThePathsEnd) {
  for (std::size_t size = 1; size < 200; ++size) {
    const std::string path = std::string(size - 1, 'a') + "b";
    PathIndex index(path);
    EXPECT_EQ(index.find("b", 0), size - 1);
    EXPECT_EQ(index.find("bb", 0), std::string::npos);
    EXPECT_EQ(index.find("c", 0), std::string::npos);
    EXPECT_EQ(index.find(path, 0), 0U);
    EXPECT_EQ(index.find(path + "x", 0), std::string::npos);
    EXPECT_EQ(index.find("b", size), std::string::npos);
  }
}

TEST(Wildcard, LongPathsGoWithoutIndex) {
  Set set;
  for (int i = 0; i < 20; ++i) set.add("/*q" + std::to_string(i) + "*z$");
  Matcher matcher;
  matcher.build(set.bytes, set.spans, false);
  const std::string path = "/" + std::string(PathIndex::kMaxPath + 100, 'a') + "q7";
  EXPECT_EQ(matcher.find(set.bytes, path), Matcher::kNone);
  EXPECT_EQ(matcher.find(set.bytes, path + "z"), 7U);
}

std::string path(std::string_view text, RobotsMode mode = RobotsMode::kRfc) {
  std::string storage;
  return std::string(comparable_path(text, mode, storage));
}
std::string pattern(std::string_view text, RobotsMode mode = RobotsMode::kRfc) {
  std::string out;
  append_comparable_pattern(out, text, mode);
  return out;
}

TEST(Pattern, PlainPathsAreViews) {
  const std::string text = "/a/b-c_d.e~f?g=h&i=%";
  std::string storage;
  const std::string plain = "/a/b-c_d.e~f?g=h&i=j";
  EXPECT_EQ(comparable_path(plain, RobotsMode::kRfc, storage).data(), plain.data());
  EXPECT_EQ(path(text), text);
}

TEST(Pattern, UnreservedEscapesAreUndone) {
  EXPECT_EQ(path("/%7Emak/%62%61%7A"), "/~mak/baz");
  EXPECT_EQ(pattern("/%7emak/%62"), "/~mak/b");
}

TEST(Pattern, ReservedEscapesStayAndDiffer) {
  EXPECT_EQ(path("/a%2fb"), "/a%2Fb");
  EXPECT_EQ(path("/a%2Fb"), "/a%2Fb");
  EXPECT_EQ(path("/a/b"), "/a/b");
  EXPECT_EQ(pattern("/a%3fb"), "/a%3Fb");
  EXPECT_EQ(path("/a?b"), "/a?b");
}

TEST(Pattern, WhatNoUrlHoldsIsEscaped) {
  EXPECT_EQ(pattern("/a<d>"), "/a%3Cd%3E");
  EXPECT_EQ(path("/a%3cd%3E"), "/a%3Cd%3E");
  EXPECT_EQ(pattern("/sitecore modules/"), "/sitecore%20modules/");
  EXPECT_EQ(pattern("/\xE3\x83\x84"), "/%E3%83%84");
  EXPECT_EQ(path("/%e3%83%84"), "/%E3%83%84");
  EXPECT_EQ(pattern("/\xFF"), "/%FF");
}

TEST(Pattern, StarAndDollarOfUrlsAreEscaped) {
  EXPECT_EQ(path("/a*b$"), "/a%2Ab%24");
  EXPECT_EQ(path("/a%2ab%24"), "/a%2Ab%24");
  EXPECT_EQ(pattern("/a*b$"), "/a*b$");
  EXPECT_EQ(pattern("/a%2ab%24"), "/a%2Ab%24");
  EXPECT_EQ(pattern("/a$b$"), "/a%24b$");
}

TEST(Pattern, ApostrophesAndBackslashesAreThoseOfUrls) {
  EXPECT_EQ(path("/a'b?c=%27"), "/a'b?c='");
  EXPECT_EQ(pattern("/a%27b?c='"), "/a'b?c='");
  EXPECT_EQ(pattern("\\a\\*\\b?c\\d"), "/a/*/b?c%5Cd");
  EXPECT_EQ(path("/a%5cb?c\\d"), "/a%5Cb?c%5Cd");
  EXPECT_EQ(pattern("/a%5cb"), "/a%5Cb");
}

TEST(Pattern, StrayPercentStays) {
  EXPECT_EQ(pattern("/*%"), "/*%");
  EXPECT_EQ(path("/100%/%2"), "/100%/%2");
  EXPECT_EQ(path("/%zz"), "/%zz");
}

// A comparable path does not change when it is made comparable again.
TEST(Pattern, AnUndoneEscapeMakesNoNewOne) {
  EXPECT_EQ(path("/%f%34e"), "/%f%34e");
  EXPECT_EQ(path("/%%34%31"), "/%%341");
  EXPECT_EQ(path("/%%341"), "/%%341");
  EXPECT_EQ(path("/%f4"), "/%F4");
  EXPECT_EQ(path("/%3%41"), "/%3%41");
  EXPECT_EQ(path("/%/%41"), "/%/A");
}

TEST(Pattern, SlashesAndDotsAreKept) {
  EXPECT_EQ(path("//a//../b/./"), "//a//../b/./");
  EXPECT_EQ(pattern("//"), "//");
}

TEST(Pattern, EmptyPathsGetTheirSlash) {
  EXPECT_EQ(path(""), "/");
  EXPECT_EQ(path("?a"), "/?a");
  EXPECT_EQ(path("", RobotsMode::kGoogle), "/");
  EXPECT_EQ(path("", RobotsMode::k1994), "/");
}

TEST(Pattern, GoogleNormalizesPatternsAlone) {
  EXPECT_EQ(path("/%7e<", RobotsMode::kGoogle), "/%7e<");
  EXPECT_EQ(pattern("/%7e<\xC3\xA9", RobotsMode::kGoogle), "/%7E<%C3%A9");
}

TEST(Pattern, TheFirstStandardUndoesAllButTheSlash) {
  EXPECT_EQ(path("/%7e%3C%2f%2F", RobotsMode::k1994), "/~<%2F%2F");
  EXPECT_EQ(pattern("/a%3cd", RobotsMode::k1994), "/a<d");
}

TEST(Pattern, GooglePathTakesUrlsApart) {
  std::string storage;
  const auto of = [&storage](std::string_view url) {
    return std::string(google_path(url, storage));
  };
  EXPECT_EQ(of(""), "/");
  EXPECT_EQ(of("http://www.example.com"), "/");
  EXPECT_EQ(of("http://www.example.com/a"), "/a");
  EXPECT_EQ(of("http://www.example.com/a/b?c=http://d.e/"), "/a/b?c=http://d.e/");
  EXPECT_EQ(of("http://www.example.com/a#fragment"), "/a");
  EXPECT_EQ(of("www.example.com"), "/");
  EXPECT_EQ(of("www.example.com/a?b"), "/a?b");
  EXPECT_EQ(of("www.example.com/a;b#c"), "/a;b");
  EXPECT_EQ(of("//a/b/c"), "/b/c");
  EXPECT_EQ(of("http://www.example.com?a"), "/?a");
  EXPECT_EQ(of("http://www.example.com#a/b"), "/");
}

TEST(Pattern, SlowMatchIsByTheBook) {
  // RFC 9309, section 2.2.3, and Google's table of path matching.
  const auto match = slow_pattern_match;
  EXPECT_TRUE(match("/fish", "/fish.html"));
  EXPECT_TRUE(match("/fish*", "/fishheads"));
  EXPECT_FALSE(match("/fish/", "/fish"));
  EXPECT_TRUE(match("/*.php", "/folder/filename.php?parameters"));
  EXPECT_FALSE(match("/*.php$", "/filename.php?parameters"));
  EXPECT_TRUE(match("/fish*.php", "/fishheads/catfish.php?parameters"));
  EXPECT_TRUE(match("/*.php$", "/a.php.php"));
  EXPECT_TRUE(match("", "/"));
  EXPECT_FALSE(match("$", "/"));
  EXPECT_TRUE(match("*$", "/"));
}

}  // namespace
}  // namespace spinneret::robots
