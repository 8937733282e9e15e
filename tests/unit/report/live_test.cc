// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "report/page.h"
#include "report/quantity.h"
#include "report/survey.h"

namespace spinneret::report {
namespace {

bool says(const std::string& html, const std::string& what) {
  return html.find(what) != std::string::npos;
}

Survey with_one_page() {
  Survey survey;
  survey.add("http://h.test/\ttime=1\tdepth=1\tstatus=200\toutcome=ok");
  return survey;
}

TEST(LivePage, HasButtonsForWhoeverHasTheTokenAlone) {
  const LiveView seen{.nonce = "n1"};
  EXPECT_FALSE(says(live_html(seen, "x"), "<form"));
  const LiveView steered{.nonce = "n1", .token = "a\"><script>"};
  const std::string html = live_html(steered, "x");
  EXPECT_TRUE(says(html, "action=\"control\""));
  EXPECT_TRUE(says(html, "value=\"a&quot;&gt;&lt;script&gt;\"")) << html;
  // There is one script, which the policy of the answer names.
  EXPECT_EQ(html.find("<script"), html.rfind("<script"));
  EXPECT_TRUE(says(html, "<script nonce=\"n1\">"));
  EXPECT_TRUE(says(live_policy(steered), "script-src 'nonce-n1'"));
  EXPECT_TRUE(says(live_policy(steered), "default-src 'none'"));
}

TEST(LivePage, BugBelowAPathOfAProxyItsButtonsAndEventsWentToTheProxysOwnRoot) {
  const std::string html = live_html({.nonce = "n1", .token = "t"}, "x");
  for (const char* const absolute : {"=\"/", "'/", "(\"/"}) EXPECT_FALSE(says(html, absolute));
}

TEST(LivePage, SaysHowTheCrawlIsHeldBackAndWhenItLastHadAPage) {
  LiveView view{.setting = "no limit", .recent_rate = 2.5, .idle_ms = 3000};
  const std::string running = live_main(with_one_page(), {}, view, 0);
  EXPECT_TRUE(
      says(running,
           "<b>2.5</b> pages a second in the last ten seconds, the last one 3.0 s ago; no limit"))
      << running;
  view.setting = "paused <b>";
  const std::string held = live_main(with_one_page(), {}, view, 0);
  EXPECT_TRUE(says(held, ". <span class=\"tag refused\">paused &lt;b&gt;</span>")) << held;
  // Before the first page, none can have come long ago.
  EXPECT_FALSE(says(live_main({}, {}, view, 0), "the last one"));
}

TEST(Findings, NameTheRulesThatRefusedMost) {
  Standing standing;
  standing.refusals = {{"scope host", 1}};
  EXPECT_TRUE(says(page_html(with_one_page(), standing, 0),
                   "1 link was refused by the crawl policy: 1 by scope host."));
  standing.refusals = {{"deny-path <a>", 2000}, {"b", 5}, {"c", 4}, {"d", 3}, {"e", 2}, {"f", 1}};
  EXPECT_TRUE(says(page_html(with_one_page(), standing, 0),
                   "2,015 links were refused by the crawl policy: 2,000 by deny-path &lt;a&gt;, "
                   "5 by b, 4 by c, 3 by d, 2 by e, ..."));
}

TEST(Findings, TellWhyThereAreNoPages) {
  Survey survey;
  survey.add("http://a.test/\ttime=1\tdepth=1\toutcome=refused-address");
  survey.add("http://b.test/\ttime=2\tdepth=1\toutcome=refused-address");
  Standing standing;
  standing.hosts = 2;
  standing.full_hosts = 1;
  const std::string html = page_html(survey, standing, 0);
  EXPECT_TRUE(says(html, "No page has been fetched. Most tries ended as refused-address: "));
  EXPECT_TRUE(says(html,
                   "2 URLs led to addresses that are refused: private ones, unless --allow-private "
                   "is given, or those that the policy denies."));
  EXPECT_TRUE(says(html, "1 host has had its --max-host-pages."));
  // The crawl is not called complete where a host has more.
  EXPECT_TRUE(says(html, "Nothing waits, but for what is left at hosts that are finished."));
  standing.full_hosts = 0;
  EXPECT_TRUE(says(page_html(survey, standing, 0), "Nothing waits: the crawl is complete."));
}

TEST(Hosts, SayWhyTheyAreHeldAndWhatTheirRulesAskFor) {
  Standing standing;
  standing.hosts = 1;
  HostFacts host{.origin = "http://h.test", .waiting = 3, .pages = 2, .delay_ms = 1000};
  host.crawl_delay_ms = 7000;
  host.held = "asks <us> to rest";
  standing.listed.add(1, host);
  const std::string html = page_html(with_one_page(), standing, 0);
  EXPECT_TRUE(says(html, "<span class=\"tag refused\">asks &lt;us&gt; to rest</span>"));
  EXPECT_TRUE(says(html, "<small>robots.txt: 7.0 s</small>"));
}

TEST(Quantities, OfEverySize) {
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(std::uint64_t{1} << 10), "1.0 KiB");
  EXPECT_EQ(bytes_text(std::uint64_t{1} << 20), "1.0 MiB");
  EXPECT_EQ(bytes_text(std::uint64_t{5} << 30), "5.0 GiB");
  EXPECT_TRUE(bytes_text(UINT64_MAX).ends_with(" TiB"));
  EXPECT_EQ(span_text(999), "999 ms");
  EXPECT_EQ(span_text(119 * 60'000), "119 min");
  EXPECT_EQ(span_text(121 * 60'000), "2 h 1 min");
  EXPECT_EQ(span_text(std::int64_t{47} * 3'600'000), "47 h 0 min");
  EXPECT_EQ(span_text(std::int64_t{72} * 3'600'000), "3 days");
}

}  // namespace
}  // namespace spinneret::report
