// SPDX-License-Identifier: Apache-2.0
#include "dedupe/page_text.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>

namespace spinneret {
namespace {

std::string words(std::string_view page, bool markup = true) {
  std::string out = "left over";
  // An exact-size heap buffer, so that a sanitizer sees every byte read beyond.
  const auto copy = std::make_unique<char[]>(page.size());
  if (!page.empty()) std::memcpy(copy.get(), page.data(), page.size());
  page_text({copy.get(), page.size()}, markup, out);
  return out;
}

TEST(PageText, plain_words) {
  EXPECT_EQ(words(""), "");
  EXPECT_EQ(words("  \n"), "");
  EXPECT_EQ(words("Hello, World!"), "hello world ");
  EXPECT_EQ(words("don't"), "don t ");
}

TEST(PageText, numbers_and_dates_are_left_out) {
  EXPECT_EQ(words("seen 1,234 times"), "seen times ");
  EXPECT_EQ(words("page2 of 3rd v1x"), "of ");
  EXPECT_EQ(words("Mon, 3 March 2024 10:30 UTC"), "utc ");
  EXPECT_EQ(words("monday mondays dec deck january"), "mondays deck ");
}

TEST(PageText, markup) {
  EXPECT_EQ(words("<p class=x>a<b>c</b></p>"), "a c ");
  EXPECT_EQ(words("a<br>b<!-- c <p> -->d<!doctype html>e<?php f ?>g"), "a b d e g ");
  EXPECT_EQ(words("<img alt=\"a > b\">c"), "c ");
  EXPECT_EQ(words("<img alt='>'>c<i title=\">"), "c ");
  EXPECT_EQ(words("1 < 2 a <3 b"), "a b ");
  EXPECT_EQ(words("x<SCRIPT type=a>if (a</b/) </script >y<style>p {}</STYLE>z"), "x y z ");
  EXPECT_EQ(words("x<script>never ended"), "x ");
  EXPECT_EQ(words("x<script>a</scrip>b</script"), "x ");
  EXPECT_EQ(words("x<!-- never ended"), "x ");
  EXPECT_EQ(words("x<p never ended"), "x ");
  EXPECT_EQ(words("x<"), "x ");
}

TEST(PageText, character_references_separate) {
  EXPECT_EQ(words("a&nbsp;b&#160;c&#xA0;d&amp;e"), "a b c d e ");
  EXPECT_EQ(words("AT&T R&D &"), "at t r d ");
}

TEST(PageText, without_markup_everything_is_text) {
  EXPECT_EQ(words("<p>a&nbsp;b", false), "p a nbsp b ");
}

TEST(PageText, beyond_ascii) {
  EXPECT_EQ(words("Z\xC3\xBCrich\xC2\xA0"
                  "caf\xC3\xA9"),
            "z\xC3\xBCrich caf\xC3\xA9 ");
  EXPECT_EQ(words("a\xE2\x80\x94"
                  "b\xE2\x80\xA6"),
            "a b ");
  EXPECT_EQ(words("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E"),
            "\xE6\x97\xA5 \xE6\x9C\xAC \xE8\xAA\x9E ");
  EXPECT_EQ(words("\xE6\x97"), "\xE6\x97 ");
  EXPECT_EQ(words("\xE2\x80"), "");
  EXPECT_EQ(words("\xC2"), "\xC2 ");
}

TEST(PageText, any_bytes_end_well) {
  std::mt19937 random(2);
  const std::string alphabet =
      "<>!-/='\"&;#ascriptyle \xE6\xC2\xE2\x80\xA0"
      "01x";
  for (int round = 0; round < 200'000; ++round) {
    std::string page(random() % 40, ' ');
    for (char& c : page) c = alphabet[random() % alphabet.size()];
    const std::string out = words(page, random() % 4 != 0);
    ASSERT_LE(out.size(), page.size() * 2 + 1) << page;
    ASSERT_EQ(out.find("  "), std::string::npos);
    ASSERT_TRUE(out.empty() || (out.back() == ' ' && out.front() != ' '));
  }
}

}  // namespace
}  // namespace spinneret
