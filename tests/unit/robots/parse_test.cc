// SPDX-License-Identifier: Apache-2.0
#include "robots/parse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spinneret {
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

}  // namespace
}  // namespace spinneret
