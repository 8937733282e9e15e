// SPDX-License-Identifier: Apache-2.0
#include "robots/parse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "robots/text.h"

namespace spinneret::robots {
namespace {

using namespace std::string_literals;

std::vector<RobotsLine> lines_of(std::string_view text, RobotsMode mode = RobotsMode::kRfc) {
  std::vector<RobotsLine> out;
  RobotsParser parser(text, mode);
  RobotsLine line;
  while (parser.next(line)) out.push_back(line);
  return out;
}

RobotsLine line_of(std::string_view text, RobotsMode mode = RobotsMode::kRfc) {
  const auto lines = lines_of(text, mode);
  EXPECT_EQ(lines.size(), 1U) << text;
  return lines.empty() ? RobotsLine() : lines[0];
}

TEST(RobotsParser, EndsLinesWithLfCrAndCrlf) {
  const auto lines = lines_of("a: 1\nb: 2\rc: 3\r\nd: 4\n\re: 5");
  ASSERT_EQ(lines.size(), 6U);
  const char* const values[] = {"1", "2", "3", "4", "", "5"};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(lines[i].value, values[i]);
    EXPECT_EQ(lines[i].number, i + 1);
  }
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_EQ(lines_of("\n\n").size(), 2U);
  EXPECT_EQ(lines_of("\r").size(), 1U);
}

TEST(RobotsParser, NelLsAndVerticalTabAreNoLineEnds) {
  EXPECT_EQ(line_of("Disallow: /a\xC2\x85 b").value, "/a\xC2\x85 b");
  EXPECT_EQ(line_of("Disallow: /a\xE2\x80\xA8 b").value, "/a\xE2\x80\xA8 b");
  EXPECT_EQ(line_of("Disallow: /a\v\fb").value, "/a\v\fb");
}

TEST(RobotsParser, TakesKeysWithoutCaseAndTrims) {
  for (const char* text : {"Disallow:/a", "DISALLOW : /a", " \tdisallow\t:\t/a \t",
                           "disallow: /a # b", "disallow: /a#b"}) {
    const RobotsLine line = line_of(text);
    EXPECT_EQ(line.key, RobotsKey::kDisallow) << text;
    EXPECT_EQ(line.value, "/a") << text;
  }
}

TEST(RobotsParser, KnowsEveryKey) {
  for (const char* name :
       {"User-agent", "Allow", "Disallow", "Sitemap", "Crawl-delay", "Request-rate", "Visit-time",
        "Host", "Clean-param", "Noindex", "Content-Usage", "Content-Signal"}) {
    const std::string text = std::string(name) + ": x";
    const RobotsLine line = line_of(text);
    EXPECT_EQ(to_string(line.key), name);
    EXPECT_EQ(line.key_text, name);
  }
  EXPECT_EQ(to_string(RobotsKey::kUnknown), "");
}

TEST(RobotsParser, TellsWhatIsNoRecord) {
  EXPECT_EQ(line_of("\n").key, RobotsKey::kBlank);
  EXPECT_EQ(line_of(" \t\n").key, RobotsKey::kBlank);
  EXPECT_EQ(line_of(" # a: b").key, RobotsKey::kComment);
  EXPECT_EQ(line_of("words").key, RobotsKey::kNoKey);
  EXPECT_EQ(line_of(": /a").key, RobotsKey::kNoKey);
  EXPECT_EQ(line_of("disallow /a").key, RobotsKey::kNoKey);
  EXPECT_EQ(line_of("disallow# : /a").key, RobotsKey::kNoKey);
  EXPECT_EQ(line_of("disalow: /a").key, RobotsKey::kUnknown);
  EXPECT_EQ(line_of("disallowed: /a").key, RobotsKey::kUnknown);
}

TEST(RobotsParser, KeepsWhatValuesHold) {
  EXPECT_EQ(line_of("Disallow: /sitecore modules/").value, "/sitecore modules/");
  EXPECT_EQ(line_of("Sitemap: https://h:1/a:b").value, "https://h:1/a:b");
  EXPECT_EQ(line_of("Disallow:").value, "");
  EXPECT_EQ(line_of("User-agent: ").value, "");
}

TEST(RobotsParser, NulsAtTheEndsArePadding) {
  EXPECT_EQ(line_of("\0Disallow: /a\0\0"s).value, "/a");
  EXPECT_EQ(line_of("\0Disallow: /a\0\0"s).key, RobotsKey::kDisallow);
  EXPECT_EQ(line_of("Disallow: /a\0b"s).value, "/a\0b"s);
}

TEST(RobotsParser, GoogleTakesTyposAndTails) {
  for (const char* text : {"dissallow: /a", "dissalow: /a", "disalow: /a", "diasllow: /a",
                           "disallaw: /a", "disallowed: /a"}) {
    const RobotsLine line = line_of(text, RobotsMode::kGoogle);
    EXPECT_EQ(line.key, RobotsKey::kDisallow) << text;
    EXPECT_TRUE(line.typo) << text;
  }
  EXPECT_EQ(line_of("useragent: x", RobotsMode::kGoogle).key, RobotsKey::kUserAgent);
  EXPECT_EQ(line_of("user agent: x", RobotsMode::kGoogle).key, RobotsKey::kUserAgent);
  EXPECT_EQ(line_of("site-map: x", RobotsMode::kGoogle).key, RobotsKey::kSitemap);
  EXPECT_FALSE(line_of("disallow: /a", RobotsMode::kGoogle).typo);
}

TEST(RobotsParser, GoogleTakesSpaceForTheColon) {
  const RobotsLine line = line_of("disallow /a", RobotsMode::kGoogle);
  EXPECT_EQ(line.key, RobotsKey::kDisallow);
  EXPECT_TRUE(line.no_colon);
  EXPECT_EQ(line_of("disallow /a b", RobotsMode::kGoogle).key, RobotsKey::kNoKey);
  EXPECT_EQ(line_of("disallow", RobotsMode::kGoogle).key, RobotsKey::kNoKey);
}

TEST(RobotsParser, GoogleCutsLongLinesAndAtNul) {
  const std::string text = "disallow: /" + std::string(20000, 'a');
  EXPECT_EQ(line_of(text, RobotsMode::kGoogle).value.size(), 2083U * 8 - 1 - 10);
  EXPECT_EQ(line_of(text).value.size(), 20001U);
  EXPECT_EQ(line_of("disallow: /a\0b"s, RobotsMode::kGoogle).value, "/a");
}

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
  // U+0A00 contains the byte of a line feed and ends no line.
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
}  // namespace spinneret::robots
