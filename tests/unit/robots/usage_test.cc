// SPDX-License-Identifier: Apache-2.0
// What may be done with a page, and the files beside robots.txt that say so.
#include "robots/usage.h"

#include <gtest/gtest.h>

#include <string>

namespace spinneret::robots {
namespace {

HostRules rules_of(std::string_view text) {
  RobotsEntry entry;
  entry.state = RobotsState::kRules;
  entry.body = text;
  HostRules::Options options;
  options.agents = {"foobot"};
  return HostRules(entry, options, 0);
}

struct Asked {
  Usage usage;
  std::string operator()(Use use) const {
    const UseAnswer& answer = usage.of(use);
    std::string out(to_string(answer.word));
    if (answer.word != UseAnswer::kUnknown) out += " " + answer.source;
    if (answer.line != 0) out += ":" + std::to_string(answer.line);
    return out;
  }
};

Asked of_robots(std::string_view text, std::string_view path) {
  const HostRules rules = rules_of(text);
  Asked out;
  out.usage.read_robots(rules, 0, path);
  return out;
}

TEST(Usage, NobodySpeaksOfWhatIsUnknown) {
  const Asked asked = of_robots("", "/");
  EXPECT_EQ(asked(Use::kCrawl), "yes robots.txt");
  for (const Use use : {Use::kIndex, Use::kFollow, Use::kSnippet, Use::kArchive, Use::kSearch,
                        Use::kTrainAi, Use::kAiInput}) {
    EXPECT_EQ(asked(use), "unknown");
  }
}

TEST(Usage, RobotsTxtIsReadWithItsLines) {
  const std::string_view text =
      "User-agent: *\nDisallow: /no\nContent-Usage: train-ai=n\nContent-Signal: ai-input=yes, "
      "search=yes\nNoindex: /x\nDisallowAITraining: /\n";
  EXPECT_EQ(of_robots(text, "/")(Use::kTrainAi), "no robots.txt:3");
  EXPECT_EQ(of_robots(text, "/")(Use::kAiInput), "yes robots.txt:4");
  EXPECT_EQ(of_robots(text, "/")(Use::kSearch), "yes robots.txt:4");
  EXPECT_EQ(of_robots(text, "/")(Use::kIndex), "unknown");
  EXPECT_EQ(of_robots(text, "/x")(Use::kIndex), "no robots.txt:5");
  EXPECT_EQ(of_robots(text, "/").usage.of(Use::kTrainAi).rule, "Content-Usage: train-ai=n");
}

TEST(Usage, OfTrainingTheLongerPathDecides) {
  const std::string_view text =
      "User-agent: *\nDisallowAITraining: /d\nAllowAITraining: /d/ok\nAllowAITraining: /e\n"
      "DisallowAITraining: /e\n";
  EXPECT_EQ(of_robots(text, "/d/x")(Use::kTrainAi), "no robots.txt:2");
  EXPECT_EQ(of_robots(text, "/d/ok")(Use::kTrainAi), "yes robots.txt:3");
  EXPECT_EQ(of_robots(text, "/e")(Use::kTrainAi), "yes robots.txt:4");
  EXPECT_EQ(of_robots(text, "/")(Use::kTrainAi), "unknown");
  const HostRules rules = rules_of(text);
  EXPECT_NE(rules.stated(0, RobotsKey::kDisallowAiTraining, "/d/x"), nullptr);
  EXPECT_EQ(rules.stated(0, RobotsKey::kDisallowAiTraining, "/d/ok"), nullptr);
}

TEST(Usage, NothingIsImpliedOfWhatMayNotBeCrawled) {
  const std::string_view text =
      "User-agent: *\nDisallow: /no\nContent-Usage: train-ai=n\nDisallowAITraining: /\n";
  EXPECT_EQ(of_robots(text, "/no")(Use::kCrawl), "no robots.txt:2");
  EXPECT_EQ(of_robots(text, "/no")(Use::kTrainAi), "unknown");
}

TEST(Usage, ANoCountsBeforeAYesWhoeverSaysIt) {
  const std::string_view text = "User-agent: *\nContent-Usage: train-ai=y, search=y\n";
  Asked asked = of_robots(text, "/");
  PageDirectives page("foobot");
  page.add_http_header("Content-Usage", "train-ai=n");
  page.add_meta("robots", "noindex, noarchive");
  asked.usage.read_page(page, 0, false);
  asked.usage.assume_allowed();
  EXPECT_EQ(asked(Use::kTrainAi), "no header");
  EXPECT_EQ(asked(Use::kSearch), "no meta robots");
  EXPECT_EQ(asked(Use::kIndex), "no meta robots");
  EXPECT_EQ(asked(Use::kArchive), "no meta robots");
  EXPECT_EQ(asked(Use::kFollow), "yes page");
  EXPECT_EQ(asked.usage.of(Use::kArchive).rule, "noarchive");
}

TEST(Usage, BroadLabelsCountWhereNoneIsNarrower) {
  const Asked asked = of_robots("User-agent: *\nContent-Usage: bots=n, search=y, tdm=n\n", "/");
  EXPECT_EQ(asked(Use::kSearch), "yes robots.txt:2");
  EXPECT_EQ(asked(Use::kTrainAi), "no robots.txt:2");
  EXPECT_EQ(asked(Use::kAiInput), "no robots.txt:2");
}

TEST(Usage, TheLongerPathOfTrainingRulesDecides) {
  const std::string_view text =
      "User-agent: *\nDisallowAITraining: /\nAllowAITraining: /free/\nDisallowAITraining: "
      "/free/x\n";
  EXPECT_EQ(of_robots(text, "/a")(Use::kTrainAi), "no robots.txt:2");
  EXPECT_EQ(of_robots(text, "/free/a")(Use::kTrainAi), "yes robots.txt:3");
  EXPECT_EQ(of_robots(text, "/free/x")(Use::kTrainAi), "no robots.txt:4");
}

TEST(Usage, ImagesHaveWordsOfTheirOwn) {
  for (const bool is_image : {false, true}) {
    Asked asked;
    PageDirectives page("");
    page.add_header("noimageai, noimageindex");
    asked.usage.read_page(page, 0, is_image);
    asked.usage.assume_allowed();
    EXPECT_EQ(asked(Use::kTrainAi), is_image ? "no X-Robots-Tag" : "unknown");
    EXPECT_EQ(asked(Use::kIndex), is_image ? "no X-Robots-Tag" : "yes page");
  }
}

TEST(Usage, ThePageSupersedesItsHeaderInTdm) {
  PageDirectives page("");
  page.add_http_header("TDM-Reservation", "1");
  page.add_http_header("TDM-Policy", "https://h/p.json");
  EXPECT_EQ(page.tdm_source(), "TDM-Reservation");
  page.add_meta("tdm-reservation", "0");
  EXPECT_EQ(page.tdm_reservation(), false);
  EXPECT_EQ(page.tdm_policy(), "");
  page.add_http_header("TDM-Reservation", "1");
  EXPECT_FALSE(page.tdm_reserved());
  Asked asked;
  asked.usage.read_page(page, 0, false);
  asked.usage.assume_allowed();
  EXPECT_EQ(asked(Use::kTrainAi), "yes meta tdm-reservation");
}

TEST(Usage, AiTxtIsAboutTraining) {
  const RuleSet rules =
      RuleSet::compile("User-Agent: *\nDisallow: *.jpg\nAllow: *.txt\n", "foobot");
  Asked asked;
  asked.usage.read_ai_txt(rules, "/a/b.jpg");
  EXPECT_EQ(asked(Use::kTrainAi), "no ai.txt:2");
  EXPECT_EQ(asked(Use::kCrawl), "unknown");
  Asked other;
  other.usage.read_ai_txt(rules, "/a");
  EXPECT_EQ(other(Use::kTrainAi), "unknown");
}

TEST(PageDirectives, LicensesAndPreferencesAreBounded) {
  PageDirectives page("");
  for (int i = 0; i < 1000; ++i) {
    page.add_license("https://h/" + std::to_string(i), "Link");
    page.add_http_header("Content-Usage", "label" + std::to_string(i) + "=n");
  }
  EXPECT_EQ(page.licenses().size(), PageDirectives::kMaxLicenses);
  EXPECT_EQ(page.preferences().size(), PageDirectives::kMaxPreferences);
}

TEST(PageDirectives, PreferencesOfOneHeaderAreBounded) {
  std::string value;
  for (int i = 0; i < 1000; ++i) value += "label" + std::to_string(i) + "=n, ";
  PageDirectives page("");
  page.add_http_header("Content-Usage", value + "last=n");
  ASSERT_EQ(page.preferences().size(), PageDirectives::kMaxPreferences);
}

TEST(TdmFile, TheLongestLocationHolds) {
  const TdmFile file = read_tdm_file(
      "[\n{\"location\": \"/\", \"tdm-reservation\": 1},\n {\"tdm-reservation\":0, "
      "\"location\":\"/free/*.jpg\", \"tdm-policy\":\"https:\\/\\/h/\\u0070\"}\n]\n");
  ASSERT_TRUE(file.findings.empty());
  ASSERT_EQ(file.rules.size(), 2U);
  EXPECT_EQ(file.rules[1].policy, "https://h/p");
  ASSERT_NE(file.find("/a"), nullptr);
  EXPECT_EQ(file.find("/a")->line, 2U);
  EXPECT_TRUE(file.find("/a")->reserved);
  EXPECT_FALSE(file.find("/free/a.jpg")->reserved);
  Asked asked;
  asked.usage.read_tdm(file, "/free/a.jpg");
  EXPECT_EQ(asked(Use::kTrainAi), "yes tdmrep.json:3");
}

std::string codes_of(std::string_view json) {
  std::string out;
  for (const Finding& finding : read_tdm_file(json).findings) {
    out += std::to_string(finding.line) + ":" + std::string(finding.code) + " ";
  }
  return out;
}

TEST(TdmFile, WhatIsWrongIsTold) {
  EXPECT_EQ(codes_of("[]"), "");
  EXPECT_EQ(codes_of("{\"location\":\"/\",\"tdm-reservation\":1}"), "1:tdm-array ");
  EXPECT_EQ(codes_of("[{\"location\":\"/\",\n\"tdm-reservation\":\"1\"}]"), "2:tdm-reservation ");
  EXPECT_EQ(codes_of("[{\"location\":\"/\",\"tdm-reservation\":2}]"),
            "1:tdm-reservation 1:tdm-reservation ");
  EXPECT_EQ(codes_of("[{\"tdm-reservation\":1}]"), "1:tdm-location ");
  EXPECT_EQ(codes_of("[{\"location\":\"x\",\"tdm-reservation\":1}]"), "1:tdm-location ");
  EXPECT_EQ(codes_of("[{\"location\":[\"/\"],\"tdm-reservation\":1}]"),
            "1:tdm-type 1:tdm-location ");
  EXPECT_EQ(codes_of("[{\"a\":{\"b\":[1,\"x\"]},\"location\":\"/\",\"tdm-reservation\":1}"),
            "1:tdm-json ");
  EXPECT_EQ(codes_of("[]x"), "1:tdm-json ");
  EXPECT_EQ(read_tdm_file("{\"location\":\"/\",\"tdm-reservation\":1}").rules.size(), 1U);
}

TEST(TdmFile, AnyBytesEnd) {
  EXPECT_TRUE(looks_like_json(" \n["));
  EXPECT_FALSE(looks_like_json("User-agent: *"));
  read_tdm_file(std::string(1 << 20, '['));
  read_tdm_file("[" + std::string(1 << 20, '{'));
  read_tdm_file("[{\"a\":" + std::string(1 << 20, '['));
  const std::string whole =
      "[{\"location\":\"/a\\u00e9\",\"tdm-reservation\":1,\"x\":[{},2.5,true]}]";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut(whole.data(), size);  // ASan sees reads beyond it
    EXPECT_FALSE(read_tdm_file(cut).findings.empty()) << cut;
  }
}

}  // namespace
}  // namespace spinneret::robots
