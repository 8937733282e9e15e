// SPDX-License-Identifier: Apache-2.0
#include "robots/pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace spinneret {
namespace {

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

// What is comparable stays as it is when it is compared again.
TEST(Pattern, AnUndoneEscapeMakesNoNewOne) {
  EXPECT_EQ(path("/%f%34e"), "/%f%34e");
  EXPECT_EQ(path("/%%34%31"), "/%%341");
  EXPECT_EQ(path("/%%341"), "/%%341");
  EXPECT_EQ(path("/%f4"), "/%F4");
  EXPECT_EQ(path("/%3%41"), "/%3%41");
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
}  // namespace spinneret
