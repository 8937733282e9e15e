// SPDX-License-Identifier: Apache-2.0
#include "robots/text.h"

#include <gtest/gtest.h>

#include <string>

namespace spinneret {
namespace {

std::string text_of(std::string_view bytes, RobotsTextFacts* facts = nullptr,
                    std::size_t limit = kRobotsSizeLimit) {
  std::string storage;
  return std::string(robots_text(bytes, limit, storage, facts));
}

std::string utf16(std::string_view ascii, bool little_endian) {
  std::string out;
  for (const char c : ascii) {
    if (!little_endian) out += '\0';
    out += c;
    if (little_endian) out += '\0';
  }
  return out;
}

TEST(RobotsText, PlainTextIsAView) {
  const std::string bytes = "User-agent: *\n";
  std::string storage;
  EXPECT_EQ(robots_text(bytes, kRobotsSizeLimit, storage).data(), bytes.data());
  EXPECT_EQ(text_of(""), "");
}

TEST(RobotsText, DropsTheByteOrderMark) {
  RobotsTextFacts facts;
  EXPECT_EQ(text_of("\xEF\xBB\xBFUser-agent: *", &facts), "User-agent: *");
  EXPECT_TRUE(facts.has_bom);
  EXPECT_EQ(text_of("\xEF\xBBx", &facts), "\xEF\xBBx");
  EXPECT_FALSE(facts.has_bom);
}

TEST(RobotsText, BridgesUtf16) {
  RobotsTextFacts facts;
  EXPECT_EQ(text_of("\xFF\xFE" + utf16("User-agent: *\n", true), &facts), "User-agent: *\n");
  EXPECT_TRUE(facts.was_utf16 && facts.has_bom);
  EXPECT_EQ(text_of("\xFE\xFF" + utf16("a: b\r\n", false), &facts), "a: b\r\n");
  EXPECT_EQ(text_of(utf16("User-agent: *\nDisallow: /\n", true), &facts),
            "User-agent: *\nDisallow: /\n");
  EXPECT_TRUE(facts.was_utf16 && !facts.has_bom);
  EXPECT_EQ(text_of(utf16("User-agent: *\n", false)), "User-agent: *\n");
}

TEST(RobotsText, BridgesSurrogatesAndTheirHalves) {
  using namespace std::string_literals;
  EXPECT_EQ(text_of("\xFF\xFE\x3D\xD8\x00\xDE"s), "\xF0\x9F\x98\x80");
  EXPECT_EQ(text_of("\xFF\xFE\x3D\xD8"s), "\xEF\xBF\xBD");
  EXPECT_EQ(text_of("\xFF\xFE\x00\xDE\x61\x00"s),
            "\xEF\xBF\xBD"
            "a");
  EXPECT_EQ(text_of("\xFF\xFE\xE9\x00\xAC\x20\x61"s), "\xC3\xA9\xE2\x82\xAC");
}

TEST(RobotsText, FewNulsAreNoUtf16) {
  using namespace std::string_literals;
  EXPECT_EQ(text_of("User\0agent"s), "User\0agent"s);
  EXPECT_EQ(text_of("\0\0\0\0"s), "\0\0\0\0"s);
  EXPECT_EQ(text_of("a\0"s), "a\0"s);
}

TEST(RobotsText, TheLastLineThatTheLimitCutsIsLeftOut) {
  RobotsTextFacts facts;
  EXPECT_EQ(text_of("a: 1\nb: 22\n", &facts, 8), "a: 1\n");
  EXPECT_TRUE(facts.was_cut);
  EXPECT_EQ(text_of("a: 1\nb: 22\n", &facts, 10), "a: 1\nb: 22");
  EXPECT_EQ(text_of("a: 1\nb: 22\n", &facts, 11), "a: 1\nb: 22\n");
  EXPECT_FALSE(facts.was_cut);
  EXPECT_EQ(text_of("a: 1\rb: 22\r", &facts, 8), "a: 1\r");
  EXPECT_EQ(text_of("abcdef", &facts, 3), "");
}

TEST(RobotsText, WholeLinesLeaveOutWhatACarrierHasCut) {
  EXPECT_EQ(whole_lines("a\nb"), "a\n");
  EXPECT_EQ(whole_lines("a\rb\n"), "a\rb\n");
  EXPECT_EQ(whole_lines("a"), "");
  EXPECT_EQ(whole_lines(""), "");
  for (const bool little_endian : {true, false}) {
    const std::string cut = utf16("ab\ncd", little_endian);
    EXPECT_EQ(whole_lines(cut), cut.substr(0, 6));
    EXPECT_EQ(whole_lines(cut.substr(0, 9)), cut.substr(0, 6));
  }
  // U+0A00 holds the byte of a line feed and ends no line.
  EXPECT_EQ(whole_lines(std::string("\xFF\xFE"
                                    "a\0\n\0b\0\0\n",
                                    10))
                .size(),
            6U);
}

TEST(RobotsText, KnowsHtml) {
  for (const char* text :
       {"<!DOCTYPE html>", "\n <html>", "<?xml version='1.0'?>", "<!-- x --><html>"}) {
    RobotsTextFacts facts;
    text_of(text, &facts);
    EXPECT_TRUE(facts.looks_html) << text;
  }
  RobotsTextFacts facts;
  text_of("User-agent: *\n# <html>", &facts);
  EXPECT_FALSE(facts.looks_html);
}

}  // namespace
}  // namespace spinneret
