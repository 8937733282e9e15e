// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <gtest/gtest.h>

#include <string>

#include "report/html.h"
#include "report/quantity.h"

namespace spinneret::report {
namespace {

TEST(Html, TextIsEscapedAndFit) {
  Html html;
  html.text("<a href=\"x\" b='y'>&amp;");
  EXPECT_EQ(html.str(), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;");
  for (const char* bad : {"\x1b", "\x01", "\x7f", "\xC2\x9B", "\xE2\x80\xAE", "\xFF",
                          "\xEF\xBF\xBE", "\xED\xA0\x80"}) {
    Html one;
    one.text(bad);
    EXPECT_NE(one.str().find("\xEF\xBF\xBD"), std::string::npos) << bad;
    EXPECT_EQ(one.str().find(bad), std::string::npos);
  }
  Html good;
  good.text("Gr\u00FC\u00DFe");
  EXPECT_EQ(good.str(), "Gr\u00FC\u00DFe");
}

TEST(Html, OnlyWebAddressesCanBeFollowed) {
  Html html;
  html.link("javascript:alert(1)")
      .link("data:text/html,x")
      .link("http://h/" + std::string(3000, 'a'));
  EXPECT_EQ(html.str().find("href"), std::string::npos);
  html.link("https://h/\"onclick=\"x");
  EXPECT_NE(html.str().find("href=\"https://h/&quot;onclick=&quot;x\""), std::string::npos);
}

TEST(Html, NumbersForPeople) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(UINT64_MAX), "18,446,744,073,709,551,615");
  EXPECT_EQ(rounded(0.254), "0.25");
  EXPECT_EQ(rounded(12.34), "12.3");
  EXPECT_EQ(rounded(6731.2), "6,731");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(span_text(999), "999 ms");
  EXPECT_EQ(span_text(1900), "1.9 s");
  EXPECT_EQ(span_text(3 * 3'600'000 + 20 * 60'000), "3 h 20 min");
  EXPECT_EQ(percent_text(1, 0), "");
  EXPECT_EQ(percent_text(1, 8), "12.5 %");
  EXPECT_EQ(count_text(1, "page"), "1 page");
}

TEST(Page, OfNothing) {
  const std::string html = page_html(Survey(), Standing(), 0);
  EXPECT_NE(html.find("No page has been fetched."), std::string::npos);
  EXPECT_EQ(html.find("<section"), std::string::npos);
}

TEST(Page, SaysWhatIsLeftAndForHowLongAtLeast) {
  Standing standing;
  standing.hosts = 2;
  standing.waiting = 1200;
  standing.least_left_ms = 3'600'000;
  standing.slowest_host = "http://<slow>";
  const std::string html = page_html(Survey(), standing, 0);
  EXPECT_NE(
      html.find(
          "1,200 URLs wait; the same command goes on from here. At least 60 min are left, for "
          "http://&lt;slow&gt;."),
      std::string::npos);
}

// Three pages in 0.8 s: 3.8 a second. The best second had "3.0", and half of three columns was "1".
TEST(Page, TheBestSecondIsNoWorseThanTheWholeAndNoCountIsHalved) {
  Survey survey;
  for (const char* const at : {"1", "1.01", "1.8"}) {
    survey.add(std::string("http://h.test/") + at + "\ttime=" + at +
               "\tdepth=1\tstatus=200\ttime-ms=9\toutcome=ok");
  }
  Standing standing;
  standing.hosts = 1;
  const std::string html = page_html(survey, standing, 0);
  EXPECT_EQ(html.find("at best 3.0"), std::string::npos);
  EXPECT_NE(html.find("at best 3.8"), std::string::npos) << html.substr(html.find("at best"), 20);
  EXPECT_NE(html.find("<span>3</span><span></span><span>0</span>"), std::string::npos);
}

TEST(Page, NothingFromTheNetworkIsMarkup) {
  Survey survey;
  const std::string evil = "<script>alert(1)</script><img src=x onerror=y>'\"";
  survey.add("http://" + evil + "/\ttime=1\tvia=http://v/" + evil +
             "\tstatus=404\tsize=7\ttime-ms=9\ttype=" + evil + "\terror=" + evil +
             "\toutcome=not-found");
  survey.add("http://" + evil + "/2\ttime=1\tvia=" + evil + "\terror=" + evil +
             "\toutcome=timeout");
  Standing standing;
  standing.hosts = 1;
  HostFacts host;
  host.origin = "http://" + evil;
  host.finished = evil;
  standing.listed.add(1, host);
  const std::string html = page_html(survey, standing, 0);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;"), std::string::npos);
}

}  // namespace
}  // namespace spinneret::report
