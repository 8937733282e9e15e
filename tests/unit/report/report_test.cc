// SPDX-License-Identifier: Apache-2.0
#include "report/page_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/file.h"
#include "report/html.h"
#include "report/page.h"
#include "report/quantity.h"
#include "report/survey.h"
#include "support/small_files.h"
#include "support/temporary_folder.h"

namespace spinneret::report {
namespace {

class PageLogTest : public testing::Test {
 protected:
  void log(std::string_view record, std::int64_t wall_ms) {
    Result<PageLog> opened = PageLog::open(path_);
    ASSERT_TRUE(opened.ok()) << opened.message();
    opened->add(record, wall_ms);
    ASSERT_TRUE(opened->flush().ok());
  }
  std::string content() { return read_file(path_).take(); }

  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
  const std::string path_ = temporary_.file("log");
};

TEST_F(PageLogTest, KeepsWhatAReportNeedsAndLeavesBodiesOut) {
  log("http://h/a\tvia=http://h/\tdepth=2\trobots=allow\tstatus=404\ttype=text/"
      "html\tsize=9\ttime-ms=7"
      "\tbody=<p>\\n\tdigest=1f\terror=a\\tb\toutcome=not-found",
      1'763'730'000'123);
  EXPECT_EQ(
      content(),
      "http://h/a\ttime=1763730000.123\tvia=http://h/\tdepth=2\tstatus=404\ttype=text/html\tsize=9"
      "\ttime-ms=7\terror=a\\tb\toutcome=not-found\n");
}

TEST_F(PageLogTest, RunsAppendAndATornLineStaysAlone) {
  log("http://h/a\toutcome=ok", 1000);
  ASSERT_TRUE(write_file_atomic(path_, content() + "http://h/b\ttime=2\toutc").ok());
  log("http://h/c\toutcome=ok", 3000);
  EXPECT_EQ(
      content(),
      "http://h/a\ttime=1\toutcome=ok\nhttp://h/b\ttime=2\toutc\nhttp://h/c\ttime=3\toutcome=ok\n");
}

TEST_F(PageLogTest, BugALineCutOffByAFullDiskTookTheNextWithIt) {
  Result<PageLog> opened = PageLog::open(path_);
  ASSERT_TRUE(opened.ok()) << opened.message();
  opened->add("http://h/a\toutcome=ok", 1000);
  {
    const SmallFiles small(20);
    EXPECT_FALSE(opened->flush().ok());
  }
  opened->add("http://h/b\toutcome=ok", 2000);
  EXPECT_TRUE(opened->flush().ok());
  EXPECT_EQ(content(), "http://h/b\ttime=2\toutcome=ok\n");
}

TEST_F(PageLogTest, AFolderIsNoLog) {
  const Result<PageLog> opened = PageLog::open(folder_);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.message().find(folder_), std::string::npos);
}

TEST(PageLine, EveryPrefixOfALineIsNone) {
  const std::string line =
      "http://h/a\ttime=12.5\tvia=http://h/"
      "\tdepth=2\tstatus=404\tsize=9\ttime-ms=7\toutcome=not-found";
  PageLine page;
  for (std::size_t size = 0; size < line.size(); ++size) {
    EXPECT_FALSE(parse_page_line(std::string_view(line).substr(0, size), page)) << size;
  }
  ASSERT_TRUE(parse_page_line(line, page));
  EXPECT_EQ(page.url, "http://h/a");
  EXPECT_EQ(page.via, "http://h/");
  EXPECT_EQ(page.wall_ms, 12'500);
  EXPECT_EQ(page.depth, 2U);
  EXPECT_EQ(page.status, 404U);
  EXPECT_EQ(page.size, 9U);
  EXPECT_EQ(page.time_ms, 7);
  EXPECT_EQ(page.outcome, Outcome::kNotFound);
}

TEST(PageLine, OddValuesAreNoValues) {
  PageLine page;
  ASSERT_TRUE(parse_page_line(
      "x\ttime=1\tdepth=-1\tstatus=99999999999\tsize=x\ttime-ms=\tstray\toutcome=ok", page));
  EXPECT_EQ(page.depth, 0U);
  EXPECT_EQ(page.status, 0U);
  EXPECT_EQ(page.size, 0U);
  EXPECT_EQ(page.time_ms, -1);
  EXPECT_FALSE(parse_page_line("x\ttime=soon\toutcome=ok", page));
  EXPECT_FALSE(parse_page_line("x\ttime=1\toutcome=fine", page));
  EXPECT_FALSE(parse_page_line("\ttime=1\toutcome=ok", page));
}

std::string line(std::string_view url, std::int64_t wall_ms, std::string_view outcome,
                 std::string_view more = "") {
  return std::string(url) + "\ttime=" + std::to_string(wall_ms / 1000) + "." +
         std::to_string(1000 + wall_ms % 1000).substr(1) + std::string(more) +
         "\toutcome=" + std::string(outcome);
}

TEST(Histogram, PercentilesAgreeWithASortedList) {
  std::mt19937_64 random(7);
  Histogram histogram;
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(random() >> (random() % 64));
    histogram.add(values.back());
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(histogram.greatest(), values.back());
  for (const double percent : {1.0, 10.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
    const auto rank = static_cast<std::size_t>(percent / 100 * static_cast<double>(values.size()));
    const auto exact = static_cast<double>(values[rank == 0 ? 0 : rank - 1]);
    const auto got = static_cast<double>(histogram.percentile(percent));
    EXPECT_GE(got, exact) << percent;
    EXPECT_LE(got, exact * 1.04 + 1) << percent;
  }
}

TEST(Histogram, SmallValuesAreExactAndNothingIsZero) {
  Histogram histogram;
  EXPECT_EQ(histogram.percentile(50), 0U);
  for (std::uint64_t value = 1; value <= 60; ++value) histogram.add(value);
  EXPECT_EQ(histogram.percentile(50), 30U);
  EXPECT_EQ(histogram.percentile(100), 60U);
}

TEST(Top, KeepsTheGreatestInOrderAndOfEqualsTheFirst) {
  std::mt19937 random(3);
  Top<int> top(10);
  std::vector<std::pair<std::uint64_t, int>> all;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t key = random() % 700;
    all.emplace_back(key, i);
    top.add(key, i);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  all.resize(10);
  EXPECT_EQ(top.sorted(), all);
}

TEST(Timeline, MergesSpansAndLosesNothing) {
  Timeline timeline;
  std::mt19937 random(5);
  std::int64_t now = 1'000'000;
  for (int i = 0; i < 50'000; ++i) {
    timeline.add(now, static_cast<Kind>(random() % kKinds));
    now += static_cast<std::int64_t>(random() % 40);
  }
  KindCounts sum = {};
  for (const KindCounts& span : timeline.spans()) {
    for (std::size_t k = 0; k < kKinds; ++k) sum[k] += span[k];
  }
  EXPECT_EQ(std::accumulate(sum.begin(), sum.end(), std::uint64_t{0}), 50'000U);
  EXPECT_LE(timeline.spans().size(), 200U);
  EXPECT_GT(timeline.spans().size(), 99U);
  EXPECT_EQ(timeline.crawling_ms(), timeline.last_wall_ms() - timeline.first_wall_ms());
}

TEST(Timeline, APauseIsCutOutAndAClockSetBackDoesNoHarm) {
  Timeline timeline;
  timeline.add(1000, Kind::kFetched);
  timeline.add(2000, Kind::kFetched);
  timeline.add(2000 + 86'400'000, Kind::kFetched);
  timeline.add(1000, Kind::kFetched);
  timeline.add(1500, Kind::kFetched);
  ASSERT_EQ(timeline.pauses().size(), 1U);
  EXPECT_EQ(timeline.pauses()[0].at_ms, 1000);
  EXPECT_EQ(timeline.pauses()[0].length_ms, 86'400'000);
  EXPECT_EQ(timeline.crawling_ms(), 1500);
}

TEST(Timeline, ThePeakIsThatOfAWholeSecond) {
  Timeline timeline;
  for (int i = 0; i < 100; ++i) timeline.add(10'000, Kind::kFetched);
  for (int i = 0; i < 10; ++i) timeline.add(11'500 + i * 1000, Kind::kFetched);
  for (int i = 0; i < 900; ++i) timeline.add(21'000, Kind::kBlocked);
  EXPECT_NEAR(timeline.peak_per_second(), 100, 5);
}

TEST(Survey, CountsWhatTheLogHolds) {
  Survey survey;
  survey.add(line("http://h/", 1000, "ok",
                  "\tdepth=0\tstatus=200\ttype=Text/HTML; charset=x\tsize=100\ttime-ms=3"));
  survey.add(line("http://h/a", 1200, "not-found",
                  "\tvia=http://h/\\\\\tdepth=1\tstatus=404\tsize=5\ttime-ms=1500"));
  survey.add(line("http://h/b", 1300, "blocked-by-robots", "\tdepth=1"));
  survey.add(line("http://k:81/?x", 1400, "connect-failed", "\tdepth=99\terror=refused"));
  survey.add("http://h/torn\ttime=1");
  EXPECT_EQ(survey.records, 4U);
  EXPECT_EQ(survey.unreadable, 1U);
  EXPECT_EQ(survey.asked, 3U);
  EXPECT_EQ(survey.bytes, 105U);
  // Bug: a host's bytes included its robots.txt, which the total did not.
  EXPECT_EQ(survey.hosts["http://h"].bytes, 105U);
  EXPECT_EQ(survey.hosts["http://k:81"].bytes, 0U);
  EXPECT_EQ(survey.types["text/html"], 1U);
  EXPECT_EQ(survey.types["none"], 1U);
  EXPECT_EQ(survey.depths[0] + survey.depths[1], 3U);
  EXPECT_EQ(survey.depths[kMostDepth], 1U);
  EXPECT_EQ(survey.hosts["http://h"].pages, 2U);
  EXPECT_EQ(survey.hosts["http://h"].errors, 1U);
  EXPECT_EQ(survey.hosts["http://k:81"].errors, 1U);
  EXPECT_EQ(survey.time_bars[2], 1U);   // up to 5 ms
  EXPECT_EQ(survey.time_bars[10], 1U);  // up to 2 s
  ASSERT_EQ(survey.dead.pages().size(), 2U);
  EXPECT_EQ(survey.dead.pages()[0]->via, "http://h/\\");
  EXPECT_EQ(survey.dead.pages()[1]->error, "refused");
  EXPECT_EQ(survey.slowest.sorted()[0].second, "http://h/a");
  EXPECT_EQ(survey.largest.sorted()[0].second, "http://h/");
}

TEST(Survey, ADeadLinkThatLivesAgainIsStruckOff) {
  Survey survey;
  survey.add(line("http://h/a", 1000, "not-found", "\tstatus=404"));
  survey.add(line("http://h/b", 1000, "server-error", "\tstatus=500"));
  survey.add(line("http://h/a", 2000, "ok", "\tstatus=200"));
  survey.add(line("http://h/b", 2000, "gone", "\tstatus=410"));
  EXPECT_TRUE(survey.failed.pages().empty());
  ASSERT_EQ(survey.dead.pages().size(), 1U);
  EXPECT_EQ(survey.dead.pages()[0]->url, "http://h/b");
}

TEST(Survey, WhatIsKeptIsBounded) {
  Survey survey;
  for (int i = 0; i < 25'000; ++i) {
    survey.add(line("http://h" + std::to_string(i) + "/", 1000 + i, "not-found",
                    "\tstatus=404\ttime-ms=1\ttype=t/" + std::to_string(i)));
  }
  EXPECT_LE(survey.hosts.size(), 20'001U);
  EXPECT_EQ(survey.hosts[""].pages, 5000U);
  EXPECT_LE(survey.types.size(), 101U);
  EXPECT_LE(survey.dead.pages().size(), 300U);
  EXPECT_EQ(survey.latest[static_cast<std::size_t>(Outcome::kNotFound)], 25'000U);
}

TEST(Survey, BugAUrlThatWasVisitedTwiceCountedAsTwoThatAreDeadOrLeftOut) {
  Survey survey;
  for (int visit = 1; visit <= 3; ++visit) {
    const int time = visit * 1000;
    for (int i = 0; i < 500; ++i)
      survey.add(line("http://h/" + std::to_string(i), time, "not-found", "\tstatus=404"));
    survey.add(line("http://h/secret", time, "blocked-by-robots", ""));
    survey.add(line("http://h/mended", time, visit < 3 ? "gone" : "ok", ""));
    survey.add(line("http://10.0.0.1/", time, visit < 3 ? "refused-address" : "ok", ""));
  }
  const auto latest = [&](Outcome outcome) {
    return survey.latest[static_cast<std::size_t>(outcome)];
  };
  EXPECT_EQ(latest(Outcome::kNotFound), 500U);
  EXPECT_EQ(latest(Outcome::kGone), 0U);
  EXPECT_EQ(latest(Outcome::kBlockedByRobots), 1U);
  EXPECT_EQ(latest(Outcome::kRefusedAddress), 0U);
  EXPECT_EQ(survey.outcomes[static_cast<std::size_t>(Outcome::kNotFound)], 1500U);
  const std::string page = page_html(survey, Standing(), 4000);
  EXPECT_NE(page.find(">500</b><span>dead links<"), std::string::npos);
  EXPECT_NE(page.find("and 300 more"), std::string::npos);
  EXPECT_NE(page.find("1 URL was left out because robots.txt"), std::string::npos);
  EXPECT_EQ(page.find("addresses that are refused"), std::string::npos);
}

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
  // Bug: the crawl was called complete.
  EXPECT_NE(html.find("There is no URL in this state yet."), std::string::npos);
  EXPECT_EQ(html.find("complete"), std::string::npos);
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

TEST(Page, NamesWhatWasGivenUpAndTheCommandThatGoesOn) {
  Standing standing;
  standing.finished_hosts = 11;
  for (std::uint64_t waiting = 1; waiting <= 11; ++waiting)
    standing.given_up.add(waiting, {.origin = "http://h" + std::to_string(waiting) + ".test",
                                    .finished = "<no answer>"});
  Survey survey;
  survey.add("http://h.test/\ttime=1\tdepth=1\tstatus=500\toutcome=server-error");
  const std::string unsaid = page_html(survey, standing, 0);
  EXPECT_NE(unsaid.find("The next run asks again."), std::string::npos);
  EXPECT_EQ(unsaid.find("another chance"), std::string::npos);
  standing.again = "crawl --state='a&b' --retry-failed";
  const std::string html = page_html(survey, standing, 0);
  EXPECT_NE(html.find("11 hosts were given up, for want of an answer or of a robots.txt: "),
            std::string::npos);
  EXPECT_NE(html.find("h11.test</a> (&lt;no answer&gt;; 11 URLs wait), "), std::string::npos);
  EXPECT_EQ(html.find("h6.test<"), std::string::npos);
  EXPECT_NE(html.find("(&lt;no answer&gt;; 7 URLs wait), and 6 more. <code class=\"again\">"),
            std::string::npos);
  EXPECT_NE(html.find("--retry-failed</code> asks them again."), std::string::npos);
  EXPECT_NE(html.find("--retry-failed</code> gives them another chance"), std::string::npos);
  EXPECT_EQ(html.find("a&b"), std::string::npos);
}

HostFacts gap_of(const std::string& origin, std::int64_t gap_ms, std::int64_t owed_ms) {
  HostFacts out;
  out.origin = origin;
  out.least_gap_ms = gap_ms;
  out.least_gap_owed_ms = owed_ms;
  return out;
}

TEST(Page, SaysWhetherGapsWereKept) {
  Standing standing;
  const std::string unsaid = page_html(Survey(), standing, 0);
  EXPECT_EQ(unsaid.find("sooner than owed"), std::string::npos);
  standing.measured_hosts = 3;
  standing.closest = gap_of("http://<h>.test", 1003, 1000);
  standing.hosts = 1;
  standing.listed.add(1, standing.closest);
  Survey survey;
  survey.add("http://h.test/\ttime=1\tdepth=1\tstatus=200\toutcome=ok");
  const std::string kept = page_html(survey, standing, 0);
  EXPECT_NE(kept.find("No host was asked sooner than owed: the least to spare had "
                      "http://&lt;h&gt;.test, 1.003 s where 1 s was owed."),
            std::string::npos);
  EXPECT_NE(kept.find("data-value=\"1003\">1.003 s<br/><small>owed: 1 s</small>"),
            std::string::npos);
  standing.early_hosts = 1;
  standing.closest = gap_of("http://h.test", 400, 1000);
  EXPECT_NE(
      page_html(survey, standing, 0)
          .find("1 host was asked sooner than owed: by most http://h.test, after 400 ms where "
                "1 s was owed."),
      std::string::npos);
  // Without a delay there is no gap to keep.
  standing.early_hosts = 0;
  standing.closest = gap_of("http://h.test", 2, 0);
  EXPECT_EQ(page_html(survey, standing, 0).find("sooner than owed"), std::string::npos);
}

TEST(Page, NamesACommandForWhatItDoesNotList) {
  Survey survey;
  for (int i = 0; i < 301; ++i)
    survey.add("http://h.test/" + std::to_string(i) +
               "\ttime=1\tdepth=1\tstatus=410\toutcome=gone");
  Standing standing;
  standing.hosts = 2;
  standing.listed.add(1, {.origin = "http://h.test"});
  const std::string unknown = page_html(survey, standing, 0);
  EXPECT_NE(unknown.find("<p class=\"more\">and 101 more</p>"), std::string::npos);
  EXPECT_NE(unknown.find("<p class=\"more\">and 1 more</p>"), std::string::npos);
  standing.log = "'a&b'";
  standing.records = "spin-records";
  standing.all_hosts = "list '<all>'";
  const std::string html = page_html(survey, standing, 0);
  EXPECT_NE(html.find("and 1 more: <code class=\"again\">list &#39;&lt;all&gt;&#39;</code>"),
            std::string::npos);
  const std::size_t at = html.find(
      "and 101 more: <code class=\"again\">tac &#39;a&amp;b&#39; | awk -F&#39;\\t&#39; "
      "&#39;!seen[$1]++&#39; | spin-records --where &#39;outcome~^(");
  ASSERT_NE(at, std::string::npos);
  const std::string command = html.substr(at, html.find("</code>", at) - at);
  for (const char* dead : {"not-found", "gone", "dns-failed", "connect-failed"})
    EXPECT_NE(command.find(dead), std::string::npos) << dead;
  EXPECT_EQ(command.find("timeout"), std::string::npos);
  EXPECT_TRUE(command.ends_with("--fields=outcome,url,via")) << command;
}

TEST(Page, EndsOfAnAxisAreRound) {
  Survey survey;
  for (int i = 0; i < 60; ++i)
    survey.add("http://h.test/" + std::to_string(i) + "\ttime=" + std::to_string(i % 2) +
               "\tdepth=1\tstatus=200\toutcome=ok");
  const std::string html = page_html(survey, Standing(), 0);
  EXPECT_EQ(html.find(".0</span><span>"), std::string::npos);
  // All pages came in one minute, which is named once.
  EXPECT_NE(html.find("<p>1970-01-01 00:00 UTC, "), std::string::npos);
}

TEST(Page, NamesWhatEachStageHasCost) {
  Standing standing;
  standing.hosts = 1;
  standing.stages = {{"fetch", 3000, 10, 2048}, {"x<y>", 1000, 0, 0}};
  Survey survey;
  survey.add("http://h.test/\ttime=1\tdepth=1\tstatus=200\toutcome=ok");
  const std::string html = page_html(survey, standing, 0);
  EXPECT_NE(html.find("<section id=\"stages\">"), std::string::npos);
  EXPECT_NE(html.find("data-value=\"3000\">3.0 s</td><td class=\"n\">10 B</td><td "
                      "class=\"n\">2.0 KiB</td>"),
            std::string::npos);
  EXPECT_NE(html.find("x&lt;y&gt;"), std::string::npos);
  EXPECT_NE(html.find("75.0 %"), std::string::npos);
}

// Returns the report of a crawl with a page at each of these times.
std::string html_of_pages_at(std::initializer_list<const char*> times) {
  Survey survey;
  for (const char* const at : times) {
    survey.add(std::string("http://h.test/") + at + "\ttime=" + at +
               "\tdepth=1\tstatus=200\ttime-ms=9\toutcome=ok");
  }
  Standing standing;
  standing.hosts = 1;
  return page_html(survey, standing, 0);
}

// Three pages in 1.01 s are 2.97 a second. Bug: the best second had two, and half of three columns
// was "1".
TEST(Page, TheBestSecondIsNoWorseThanTheWholeAndNoCountIsHalved) {
  const std::string html = html_of_pages_at({"1", "1.01", "2.01"});
  EXPECT_NE(html.find("at best 3.0"), std::string::npos) << html.substr(html.find("at best"), 20);
  EXPECT_NE(html.find("<span>3</span><span></span><span>0</span>"), std::string::npos);
}

// Bug: three pages in 1 ms were "3,000 a second" in one place, and 150 in another.
TEST(Page, BugAPageNowAndThenMadeMoreASecondThanTheBestSecond) {
  Survey survey;
  for (int i = 0; i < 30; ++i)
    survey.add("http://h.test/" + std::to_string(i) + "\ttime=" + std::to_string(1000 + i * 0.3) +
               "\tdepth=1\tstatus=200\toutcome=ok");
  const std::string html = page_html(survey, Standing(), 0);
  const std::size_t rate = html.find("Pages a second");
  ASSERT_NE(rate, std::string::npos);
  // The axis ended at 15 or more, because of bars of a tenth of a second.
  EXPECT_NE(html.find("<span>4</span><span>2</span><span>0</span>", rate), std::string::npos);
}

TEST(Page, LessThanASecondHasNoPagesASecond) {
  for (const std::string& html :
       {html_of_pages_at({"1"}), html_of_pages_at({"1", "1.001", "1.999"})}) {
    EXPECT_EQ(to_lower_copy(html).find("pages a second"), std::string::npos);
    EXPECT_NE(html.find("Pages so far"), std::string::npos);
  }
  EXPECT_NE(html_of_pages_at({"1", "2"}).find("Pages a second"), std::string::npos);
}

TEST(Page, BugPagesSoFarCountedThoseThatWereNotAskedFor) {
  Survey survey;
  for (int i = 0; i < 8; ++i)
    survey.add("http://h.test/" + std::to_string(i) + "\ttime=" + std::to_string(1 + i) +
               "\tdepth=1" + (i < 3 ? "\tstatus=200\toutcome=ok" : "\toutcome=blocked-by-robots"));
  const std::string html = page_html(survey, Standing(), 0);
  const std::size_t total = html.find("Pages so far");
  ASSERT_NE(total, std::string::npos);
  EXPECT_EQ(html.find("<span>3</span><span></span><span>0</span>", total),
            html.find("<span>", total));
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
