// SPDX-License-Identifier: Apache-2.0
// The compiled matcher against the obvious one: over every small pattern and path, and over random sets
// of rules.
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

namespace spinneret {
namespace {

constexpr std::string_view kAlphabet = "ab/*$%2F";

// Every text over the alphabet of exactly `size` bytes, by its number.
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

// A set of patterns in rank order, with what builds a matcher of them.
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

// Few letters, many stars: deep tries, shared heads, keys in common.
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

}  // namespace
}  // namespace spinneret
