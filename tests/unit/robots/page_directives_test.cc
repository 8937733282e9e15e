// SPDX-License-Identifier: Apache-2.0
#include "robots/page_directives.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace spinneret::robots {
namespace {

PageDirectives of_headers(std::initializer_list<std::string_view> values,
                          std::string_view agent = "examplebot") {
  PageDirectives page(agent);
  for (const std::string_view value : values) page.add_header(value);
  return page;
}

PageDirectives of_meta(std::string_view name, std::string_view content) {
  PageDirectives page("examplebot");
  page.add_meta(name, content);
  return page;
}

TEST(PageDirectives, SaysNothingOfItself) {
  const PageDirectives page("examplebot");
  EXPECT_EQ(page.refusals(), 0);
  EXPECT_FALSE(page.noindex() || page.nofollow() || page.tdm_reserved());
  EXPECT_FALSE(page.max_snippet() || page.unavailable_after());
  EXPECT_EQ(page.max_image_preview(), "");
}

TEST(PageDirectives, TakesMetaRobotsAndTheAgentsOwn) {
  EXPECT_TRUE(of_meta("robots", "noindex").noindex());
  EXPECT_EQ(of_meta("ROBOTS", " NoIndex , NOFOLLOW ").refusals(), kNoindex | kNofollow);
  EXPECT_TRUE(of_meta("ExampleBot", "nofollow").nofollow());
  EXPECT_EQ(of_meta("otherbot", "none").refusals(), 0);
  EXPECT_EQ(of_meta("description", "noindex").refusals(), 0);
  EXPECT_EQ(of_meta("", "noindex").refusals(), 0);
}

TEST(PageDirectives, TheEmptyAgentIsAddressedByNothing) {
  PageDirectives page("");
  page.add_meta("", "noindex");
  page.add_header(": nofollow");
  EXPECT_EQ(page.refusals(), 0);
  page.add_header("noarchive");
  EXPECT_TRUE(page.has(kNoarchive));
}

TEST(PageDirectives, NoneIsNoindexAndNofollow) {
  const PageDirectives page = of_meta("robots", "none");
  EXPECT_TRUE(page.noindex() && page.nofollow());
  EXPECT_FALSE(of_meta("robots", "noindex").nofollow());
}

TEST(PageDirectives, SumsWhatIsRefused) {
  PageDirectives page("examplebot");
  page.add_meta("robots", "noindex");
  page.add_meta("examplebot", "index, follow");  // this cannot take it back
  page.add_header("examplebot: nofollow");
  EXPECT_TRUE(page.noindex() && page.nofollow());
  page.add_meta("robots", "all");
  EXPECT_TRUE(page.noindex() && page.nofollow());
}

TEST(PageDirectives, KnowsEveryWord) {
  EXPECT_TRUE(of_meta("robots", "noarchive").has(kNoarchive));
  EXPECT_TRUE(of_meta("robots", "nocache").has(kNoarchive));
  EXPECT_TRUE(of_meta("robots", "nosnippet").has(kNosnippet));
  EXPECT_TRUE(of_meta("robots", "notranslate").has(kNotranslate));
  EXPECT_TRUE(of_meta("robots", "noimageindex").has(kNoimageindex));
  EXPECT_TRUE(of_meta("robots", "noindex, indexifembedded").has(kIndexifembedded));
  EXPECT_TRUE(of_meta("robots", "noai, noimageai").has(kNoai));
  EXPECT_EQ(of_meta("robots", "all, index, follow, noodp, bogus, no-index, noindexx").refusals(),
            0);
}

TEST(PageDirectives, TakesSpaceAndSemicolonForCommas) {
  EXPECT_EQ(of_meta("robots", "noindex nofollow").refusals(), kNoindex | kNofollow);
  EXPECT_EQ(of_meta("robots", "noindex;nofollow").refusals(), kNoindex | kNofollow);
  EXPECT_EQ(of_meta("robots", ",,noindex,, ,nofollow,").refusals(), kNoindex | kNofollow);
}

TEST(PageDirectives, HeaderWithoutNameAddressesAll) {
  EXPECT_EQ(of_headers({"noindex, nofollow"}).refusals(), kNoindex | kNofollow);
  EXPECT_TRUE(of_headers({"noindex"}, "").noindex());
}

TEST(PageDirectives, AgentPrefixSticksUntilTheNext) {
  EXPECT_EQ(of_headers({"otherbot: noindex, nofollow, noarchive"}).refusals(), 0);
  EXPECT_TRUE(of_headers({"otherbot: noindex, examplebot: nofollow, noarchive"}).has(kNoarchive));
  EXPECT_FALSE(of_headers({"otherbot: noindex, examplebot: nofollow"}).noindex());
  EXPECT_TRUE(of_headers({"nosnippet, otherbot: noindex"}).has(kNosnippet));
  EXPECT_TRUE(of_headers({"EXAMPLEBOT : noindex"}).noindex());
  EXPECT_TRUE(of_headers({"otherbot: examplebot: noindex"}).noindex());
}

TEST(PageDirectives, TellsWhatMeansNothing) {
  using List = std::vector<std::string>;
  EXPECT_EQ(of_headers({"noindx, nofollow, max-snippet: many, otherbot: nonsense"}).mistakes(),
            (List{"X-Robots-Tag: unknown word \"noindx\"",
                  "X-Robots-Tag: max-snippet takes a number, not \"many\""}));
  EXPECT_EQ(
      of_meta("robots", "max-image-preview:huge, unavailable_after: soon, index=no").mistakes(),
      (List{"meta robots: max-image-preview takes none, standard or large, not \"huge\"",
            "meta robots: unavailable_after takes a date, not \"soon\"",
            "meta robots: unknown word \"index=no\""}));
  EXPECT_TRUE(
      of_headers({"max-snippet:-1, max-video-preview: 0, all, unavailable_after: 2026-01-02"})
          .mistakes()
          .empty());
  PageDirectives page("examplebot");
  page.add_http_header("TDM-Reservation", "yes");
  page.add_http_header("Content-Usage", "train-ai");
  EXPECT_EQ(page.mistakes(), (List{"TDM-Reservation: takes 0 or 1, not \"yes\"",
                                   "Content-Usage: no label=y or label=n: \"train-ai\""}));
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "word" + std::to_string(i) + " ";
  EXPECT_EQ(of_headers({many}).mistakes().size(), PageDirectives::kMaxMistakes);
}

TEST(PageDirectives, PrefixEndsWithItsHeader) {
  const PageDirectives page = of_headers({"otherbot: noindex", "nofollow"});
  EXPECT_FALSE(page.noindex());
  EXPECT_TRUE(page.nofollow());
}

TEST(PageDirectives, ValuedNamesAreNoAgents) {
  const PageDirectives page = of_headers({"max-snippet: 20, noindex"});
  EXPECT_TRUE(page.noindex());
  EXPECT_EQ(page.max_snippet(), 20);
  EXPECT_TRUE(of_headers({"max-image-preview:large, nofollow"}).nofollow());
  EXPECT_TRUE(of_headers({"max-video-preview: -1, nofollow"}).nofollow());
  EXPECT_TRUE(of_headers({"unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"}).nofollow());
  EXPECT_TRUE(of_headers({"otherbot: noindex, max-snippet:0"}).max_snippet() == std::nullopt);
  EXPECT_EQ(of_headers({"examplebot: max-snippet: 5"}).max_snippet(), 5);
}

TEST(PageDirectives, DateKeepsItsCommaAndColons) {
  const PageDirectives page =
      of_headers({"unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, noarchive"});
  EXPECT_EQ(page.unavailable_after(), 1277478000);
  EXPECT_TRUE(page.has(kNoarchive));
  EXPECT_EQ(of_meta("robots", "unavailable_after: 2010-06-25T15:00:00Z").unavailable_after(),
            1277478000);
}

TEST(PageDirectives, UnavailableAfterIsNoindexFromThen) {
  const PageDirectives page = of_headers({"unavailable_after: 2010-06-25"});
  EXPECT_FALSE(page.noindex());
  EXPECT_FALSE(page.noindex(1277423999));
  EXPECT_TRUE(page.noindex(1277424000));
  EXPECT_FALSE(of_headers({"unavailable_after: never"}).noindex(INT64_MAX));
}

TEST(PageDirectives, TheStricterValueHolds) {
  PageDirectives page("examplebot");
  page.add_meta("robots", "max-snippet:50, max-image-preview:large, max-video-preview:9");
  page.add_meta("robots", "max-snippet:20, max-image-preview:standard, max-video-preview:-1");
  page.add_meta("robots", "max-snippet:30, max-image-preview:bogus");
  EXPECT_EQ(page.max_snippet(), 20);
  EXPECT_EQ(page.max_image_preview(), "standard");
  EXPECT_EQ(page.max_video_preview(), 9);
  EXPECT_FALSE(page.has(kNosnippet));
  page.add_meta("robots", "max-snippet:0");
  EXPECT_TRUE(page.has(kNosnippet));
}

TEST(PageDirectives, BadValuesAreLeftOut) {
  EXPECT_FALSE(of_meta("robots", "max-snippet:many").max_snippet());
  EXPECT_FALSE(of_meta("robots", "max-snippet:").max_snippet());
  EXPECT_FALSE(of_meta("robots", "max-snippet:99999999999999999999").max_snippet());
  EXPECT_FALSE(of_meta("robots", "googlebot: noindex").noindex());
}

TEST(PageDirectives, ReservesMining) {
  PageDirectives page("examplebot");
  page.add_http_header("TDM-Reservation", "0");
  EXPECT_FALSE(page.tdm_reserved());
  page.add_http_header("tdm-reservation", " 1 ");
  page.add_http_header("TDM-Policy", "https://example.org/policy.json");
  page.add_http_header("X-Robots-Tag", "noindex");
  page.add_http_header("Content-Type", "noindex");
  EXPECT_TRUE(page.tdm_reserved());
  EXPECT_EQ(page.tdm_policy(), "https://example.org/policy.json");
  EXPECT_TRUE(page.noindex());
  EXPECT_TRUE(of_meta("tdm-reservation", "1").tdm_reserved());
}

TEST(PageDirectives, SaysWhereARuleCameFrom) {
  PageDirectives page("ExampleBot");
  page.add_meta("Robots", "NOINDEX");
  page.add_header("examplebot: nofollow, max-snippet: 3");
  ASSERT_EQ(page.rules().size(), 3U);
  EXPECT_EQ(page.rules()[0].source, "meta robots");
  EXPECT_EQ(page.rules()[0].name, "noindex");
  EXPECT_EQ(page.rules()[1].source, "X-Robots-Tag examplebot");
  EXPECT_EQ(page.rules()[2].name, "max-snippet");
  EXPECT_EQ(page.rules()[2].value, "3");
  page.clear();
  EXPECT_TRUE(page.rules().empty());
  EXPECT_EQ(page.refusals(), 0);
  page.add_meta("examplebot", "noindex");
  EXPECT_TRUE(page.noindex());
}

// Returns "SOURCE: NAME[: VALUE]" of the rule that made noindex, or "" if none did.
std::string noindex_rule(const PageDirectives& page, std::int64_t now = 0) {
  const PageDirectives::Rule* const rule = page.noindex_rule(now);
  EXPECT_EQ(rule != nullptr, page.noindex(now));
  if (rule == nullptr) return {};
  return rule->source + ": " + rule->name + (rule->value.empty() ? "" : ": " + rule->value);
}

TEST(PageDirectives, BugNoindexWasExplainedByTheFirstRuleOfAll) {
  EXPECT_EQ(noindex_rule(of_headers({"index, follow, noindex"})), "X-Robots-Tag: noindex");
  EXPECT_EQ(noindex_rule(of_headers({"max-snippet:-1, noindex"})), "X-Robots-Tag: noindex");
  EXPECT_EQ(noindex_rule(of_meta("robots", "nofollow, NONE, noindex")), "meta robots: none");
  EXPECT_EQ(noindex_rule(of_headers({"nofollow", "examplebot: noindex"})),
            "X-Robots-Tag examplebot: noindex");
  PageDirectives page("examplebot");
  page.add_http_header("TDM-Reservation", "1");
  EXPECT_EQ(noindex_rule(page), "");
  page.add_meta("robots", "noindex");
  EXPECT_EQ(noindex_rule(page), "meta robots: noindex");
  page.clear();
  EXPECT_EQ(noindex_rule(page), "");
}

TEST(PageDirectives, TheDateThatPassedFirstIsWhatMadeNoindex) {
  PageDirectives page = of_headers(
      {"all, unavailable_after: 2030-01-01", "unavailable_after: 2010-06-25, noarchive"});
  EXPECT_EQ(noindex_rule(page, 1277423999), "");
  EXPECT_EQ(noindex_rule(page, 1277424000), "X-Robots-Tag: unavailable_after: 2010-06-25");
  page.add_meta("robots", "noindex");
  EXPECT_EQ(noindex_rule(page, 1277424000), "meta robots: noindex");
  const PageDirectives copy = page;
  EXPECT_NE(copy.noindex_rule(0), page.noindex_rule(0));
  EXPECT_EQ(noindex_rule(copy), "meta robots: noindex");
}

TEST(PageDirectives, BugOneMetaOfManyWordsTookMemoryWithoutBound) {
  std::string words;
  for (int i = 0; i < 100'000; ++i) words += "all, index nofollow, ";
  EXPECT_EQ(of_meta("robots", words).rules().size(), 3U);
  // The bound is for explanations only: directives behind it still count.
  words.clear();
  for (int i = 0; i < 100'000; ++i) words += "max-snippet:" + std::to_string(200'000 - i) + ",";
  const std::string late = words + "noindex, nofollow, unavailable_after: 2010-06-25";
  const PageDirectives page = of_meta("robots", late);
  EXPECT_EQ(page.rules().size(), PageDirectives::kMaxRules);
  EXPECT_EQ(page.max_snippet(), 100'001);
  EXPECT_EQ(page.refusals(), kNoindex | kNofollow);
  EXPECT_EQ(page.unavailable_after(), 1277424000);
  EXPECT_EQ(noindex_rule(page), "meta robots: noindex");
  const std::string policy(1'000'000, 'x');
  EXPECT_EQ(of_meta("tdm-policy", policy).rules()[0].value.size(), PageDirectives::kMaxRuleValue);
  EXPECT_EQ(of_meta("tdm-policy", policy).tdm_policy(), policy);
}

TEST(LooseDate, ReadsTheUsualForms) {
  constexpr std::int64_t kMoment = 784111777;  // RFC 9110's example
  for (const char* text :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "06 Nov 1994 08:49:37", "1994-11-06T08:49:37Z",
        "1994-11-06 08:49:37", "1994-11-06T09:49:37+01:00", "6 November 1994 00:49:37 PST",
        "06 Nov 94 03:49:37 -0500", "1994-11-06T08:49:37.250Z"}) {
    EXPECT_EQ(parse_loose_date(text), kMoment) << text;
  }
  EXPECT_EQ(parse_loose_date("1994-11-06"), 784080000);
  EXPECT_EQ(parse_loose_date("6 Nov 1994"), 784080000);
}

TEST(LooseDate, RefusesTheRest) {
  for (const char* text :
       {"", "never", "1994", "Nov 1994", "31 Feb 2020", "2020-13-01", "2020-00-10",
        "2020-01-01T25:00:00Z", "99999999999 Nov 1994", "12:00:00"}) {
    EXPECT_FALSE(parse_loose_date(text)) << text;
  }
}

}  // namespace
}  // namespace spinneret::robots
