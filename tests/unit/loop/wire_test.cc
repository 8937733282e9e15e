// SPDX-License-Identifier: Apache-2.0
#include "loop/wire.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "loop/metrics.h"
#include "loop/outlet.h"
#include "loop/report.h"

namespace spinneret::loop {
namespace {

using frontier::Candidate;
using frontier::Dispatch;
using frontier::Purpose;
using frontier::Settled;

TEST(Wire, ALink) {
  Wire wire;
  const Candidate link = wire.candidate(
      "http://h/\tdepth=3\tvia=http://h/"
      "a\\tb\trel=nofollow\ttag=a@href\ttext=x\tmine=1\tpriority=9\tpurpose=sitemap");
  EXPECT_EQ(link.url, "http://h/");
  EXPECT_EQ(link.depth, 3U);
  EXPECT_EQ(link.via, "http://h/a\tb");
  EXPECT_EQ(link.priority, 0);
  EXPECT_TRUE(link.is_sitemap);
  EXPECT_EQ(link.extra, "\tmine=1");  // a policy's rules may set it
}

TEST(Wire, ASeedKeepsItsOwnFieldsByteForByte) {
  Wire wire;
  const Candidate seed =
      wire.candidate("http://h/\tid=7\tdepth=1\tstray column\tx=\\\\\t\tstatus=200");
  EXPECT_EQ(seed.extra, "\tid=7\tstray column\tx=\\\\\t");
  EXPECT_EQ(seed.priority, frontier::kLinkPriority);
}

TEST(Wire, OddValuesAreNoValues) {
  Wire wire;
  const Candidate link = wire.candidate("http://h/\tdepth=-1\tpriority=x\tlastmod=soon");
  EXPECT_EQ(link.depth, 0U);
  EXPECT_EQ(link.priority, frontier::kLinkPriority);
  EXPECT_EQ(link.modified_ms, 0);
  EXPECT_EQ(wire.candidate("").url, "");
}

// Bug: depths from 2^32 on counted as seeds, and priorities as large as that as none.
TEST(Wire, ANumberTooLargeForItsFieldIsTheGreatestThereIs) {
  Wire wire;
  for (const char* const number :
       {"4294967295", "4294967296", "18446744073709551616", "9999999999999999999999"}) {
    const std::string line = "http://h/\tdepth=" + std::string(number) + "\tpriority=" + number;
    const Candidate link = wire.candidate(line);
    EXPECT_EQ(link.depth, frontier::kIdsDepth - 1) << number;
    EXPECT_EQ(link.priority, 0) << number;
    EXPECT_TRUE(link.raises) << number;
  }
}

TEST(Wire, AResult) {
  Wire wire;
  Settled result;
  ASSERT_TRUE(wire.settled(
      "http://h/"
      "\thop=302 http://g/\thop=301 "
      "http://g/"
      "b\\\\c\tpurpose=robots\tstatus=503\tsize=12\ttime-ms=1.6\tretry-after=2.5\tcrawl-delay=0.25"
      "\tetag=\"a\\tb\"\tlast-modified=Thu\tdigest=d\tip=::1\terror=e\\\\\tneeds=http://h/"
      "robots.txt"
      "\texpires=1700000000\toutcome=rate-limited",
      result));
  EXPECT_EQ(result.url, "http://h/");
  EXPECT_EQ(result.purpose, Purpose::kRobots);
  EXPECT_EQ(result.outcome, Outcome::kRateLimited);
  EXPECT_EQ(result.status, 503);
  EXPECT_EQ(result.size, 12U);
  EXPECT_EQ(result.time_ms, 2);
  EXPECT_EQ(result.retry_after_ms, 2500);
  EXPECT_EQ(result.crawl_delay_ms, 250);
  EXPECT_EQ(result.etag, "\"a\tb\"");
  EXPECT_EQ(result.error, "e\\");
  EXPECT_EQ(result.needs, "http://h/robots.txt");
  EXPECT_EQ(result.answered_at, "http://g/b\\c");
  EXPECT_EQ(result.expires_ms, 1'700'000'000'000);
  EXPECT_FALSE(wire.settled("http://h/\toutcome=odd", result));
  EXPECT_FALSE(wire.settled("http://h/", result));
}

TEST(Wire, BugAStatusTooLargeForItsFieldPassedForAnother) {
  Wire wire;
  Settled result;
  for (const auto& [text, status] : std::map<std::string, int>{{"200", 200},
                                                               {"999", 999},
                                                               {"65535", 65535},
                                                               {"65736", 65535},  // 200 in 16 bits
                                                               {"4294967296", 65535},
                                                               {"-200", 0},
                                                               {"2e2", 0},
                                                               {"", 0}}) {
    ASSERT_TRUE(wire.settled("http://h/\tretry-after=9\tstatus=" + text + "\toutcome=ok", result));
    EXPECT_EQ(result.status, status) << text;
    EXPECT_EQ(result.retry_after_ms.has_value(), status != 200) << text;
  }
}

// If a field occurs twice the last one counts, a column without a key is ignored, and a key is
// compared as a whole.
TEST(Wire, KeysAreTakenWholeAndTheLastOfEachCounts) {
  Wire wire;
  Settled result;
  ASSERT_TRUE(wire.settled(
      "http://h/\tstatus=404\tsize=1\tstatus=200\t\t=7\tsize\tsizes=9\tSize=8\tip=1.2.3.4"
      "\tipv=x\toutcome=gone\toutcome=ok",
      result));
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.size, 1U);
  EXPECT_EQ(result.ip, "1.2.3.4");
  EXPECT_EQ(result.outcome, Outcome::kOk);
  // A value that is no number of seconds or milliseconds is ignored.
  for (const std::string bad : {"", "-1", "1e9", "nan", "x", "999999999999999"}) {
    ASSERT_TRUE(wire.settled("http://h/\ttime-ms=" + bad + "\tcrawl-delay=" + bad +
                                 "\tretry-after=" + bad + "\texpires=" + bad +
                                 "\toutcome=rate-limited",
                             result));
    EXPECT_FALSE(result.crawl_delay_ms) << bad;
    EXPECT_FALSE(result.retry_after_ms) << bad;
    EXPECT_EQ(result.expires_ms, 0) << bad;
    EXPECT_EQ(result.time_ms, Settled().time_ms) << bad;
  }
}

// Bug: a page with a Retry-After of 30 days held its host for a day.
TEST(Wire, OfAPageThatCameNoWaitIsTaken) {
  Wire wire;
  Settled result;
  for (const char* const line : {"http://h/\tretry-after=9\tstatus=200\toutcome=ok",
                                 "http://h/\tstatus=200\tretry-after=9\toutcome=noindex"}) {
    ASSERT_TRUE(wire.settled(line, result));
    EXPECT_FALSE(result.retry_after_ms.has_value()) << line;
  }
  // A redirect may say when its target is ready, an error when it is over, and the gate when
  // robots.txt is asked for again.
  for (const char* const line :
       {"http://h/\tstatus=302\tretry-after=9\toutcome=redirect",
        "http://h/\tretry-after=9\tstatus=500\toutcome=server-error",
        "http://h/\tretry-after=9\trobots-reason=503\toutcome=blocked-by-robots"}) {
    ASSERT_TRUE(wire.settled(line, result));
    EXPECT_EQ(result.retry_after_ms, 9000) << line;
  }
}

TEST(Wire, AResultWithASimilarityIsAlikeAndASeedKeepsNone) {
  Wire wire;
  Settled result;
  ASSERT_TRUE(wire.settled("http://h/\tdigest=d\tsimilarity=0.957\toutcome=ok", result));
  EXPECT_TRUE(result.is_alike);
  ASSERT_TRUE(wire.settled("http://h/\tdigest=d\tsimilarity=\toutcome=ok", result));
  EXPECT_FALSE(result.is_alike);
  ASSERT_TRUE(wire.settled("http://h/\tdigest=d\toutcome=ok", result));
  EXPECT_FALSE(result.is_alike);
  // Otherwise it would come back with each result.
  EXPECT_EQ(wire.candidate("http://h/\tsimilarity=0.957\tid=7").extra, "\tid=7");
}

TEST(Wire, WhatGoesOutComesBack) {
  Dispatch out;
  out.url = "http://h/x";
  out.depth = 4;
  out.priority = 1;
  out.extra = "\tid=7";
  out.etag = "\"a\tb\"";
  std::string line;
  Wire::append(line, out);
  EXPECT_EQ(line, "http://h/x\tid=7\tdepth=4\tpriority=8\tetag=\"a\\tb\"");
  Wire wire;
  EXPECT_EQ(wire.candidate(line).priority, 1);
  line.clear();
  out.purpose = Purpose::kRobots;
  Wire::append(line, out);
  EXPECT_EQ(line, "http://h/x\tid=7\tpurpose=robots");
}

// Otherwise it would be sent under a lease that its partition does not have.
TEST(Wire, NoLinkOrSeedSaysByWhichLeaseItGoes) {
  Wire wire;
  EXPECT_EQ(wire.candidate("http://h/x\tby-lease=7\tid=7\tend-by=1e9").extra, "\tid=7");
  EXPECT_EQ(wire.candidate("http://h/x\tvia=http://h/\tby-lease=7").extra, "");
}

TEST(Wire, WhatIsForFetchAloneIsInNoRecordOfAPageThatWasNotAsked) {
  Dispatch out;
  out.url = "http://h/x";
  out.gap_ms = 500;
  out.lane = 3;
  out.unheard = true;
  out.send_by_ms = 9'000;
  out.end_by_ms = 10'500;
  out.by_lease = 19;
  std::string line;
  Wire::append(line, out);
  EXPECT_EQ(
      line,
      "http://h/x\tgap=0.5\tlane=3\tunheard=yes\tsend-by=9\tend-by=10.5\tby-lease=19\tdepth=0");
  std::string shown;
  Wire::append_unasked(shown, line);
  EXPECT_EQ(shown, "http://h/x\tdepth=0");
}

TEST(Outlet, ATornLineIsFinishedAndTheRestDropped) {
  Outlet outlet;
  outlet.lines() = "one\ntwo\n";
  outlet.drop_unwritten('\n');
  EXPECT_EQ(outlet.pending(), 0U);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  // A shared descriptor takes at most PIPE_BUF at once, so that the cut is within a line.
  outlet.lines() = std::string(4000, 'a') + "\n" + std::string(500, 'b') + "\n" + "ccc\n";
  EXPECT_EQ(outlet.write_some(ends[1], /*shared=*/true), 0);
  outlet.drop_unwritten('\n');
  EXPECT_EQ(outlet.pending(), 4001U + 501 - 4096);
  close(ends[0]);
  close(ends[1]);
}

TEST(Report, ARowThereAndBack) {
  frontier::UrlRow row;
  row.state = frontier::UrlState::kError;
  row.depth = 3;
  row.priority = 2;
  row.via = "http://h/\t";
  row.extra = "\tid=7";
  row.added_ms = 1'700'000'000'000;
  row.visits = 2;
  row.failures = 1;
  row.last_ms = 1'700'000'000'123;
  row.status = 503;
  row.outcome = Outcome::kServerError;
  row.error = "line\nbreak";
  std::string scratch;
  Record record;
  url_record("http://h/x", row, scratch, record);
  std::string line;
  record.append_to(line);
  EXPECT_TRUE(line.starts_with("http://h/x\tid=7\tstate=error\tdepth=3\tpriority=7\t"));
  EXPECT_TRUE(line.ends_with("\toutcome=server-error"));
  const frontier::UrlRow back = row_of(line);
  EXPECT_EQ(back.state, row.state);
  EXPECT_EQ(back.priority, row.priority);
  EXPECT_EQ(back.via, row.via);
  EXPECT_EQ(back.extra, row.extra);
  EXPECT_EQ(back.last_ms, row.last_ms);
  EXPECT_EQ(back.outcome, row.outcome);
  EXPECT_EQ(back.error, row.error);
  EXPECT_EQ(classic_line("http://h/x", "http://h", row), "http://h/x http://h 2");
}

TEST(Metrics, NamesAreThoseOfPrometheus) {
  frontier::Statistics statistics;
  statistics.pages = 3;
  statistics.hosts_finished = 1;
  statistics.outcomes[static_cast<std::size_t>(Outcome::kNotFound)] = 2;
  const std::string text = prometheus_text(statistics, 4);
  EXPECT_NE(text.find("\nspinneret_in_flight 4\n"), std::string::npos);
  EXPECT_NE(text.find("\nspinneret_finished_hosts_total 1\n"), std::string::npos);
  EXPECT_NE(text.find("spinneret_outcomes_total{outcome=\"not-found\"} 2\n"), std::string::npos);
  const std::string labelled = prometheus_text(statistics, 4, "12");
  EXPECT_NE(labelled.find("\nspinneret_in_flight{partition=\"12\"} 4\n"), std::string::npos);
  EXPECT_NE(labelled.find("\nspinneret_pages_total{partition=\"12\"} 3\n"), std::string::npos);
  EXPECT_NE(labelled.find("spinneret_outcomes_total{outcome=\"not-found\",partition=\"12\"} 2\n"),
            std::string::npos);
  // Without partitions there are no figures between partitions.
  EXPECT_EQ(text.find("spinneret_lag"), std::string::npos);
  const std::string of_one =
      prometheus_text(statistics, 4, "12", {.epoch = 7, .outbox = 5, .lag_ms = 1250});
  for (const char* const value : {"epoch{partition=\"12\"} 7", "outbox{partition=\"12\"} 5",
                                  "lag_seconds{partition=\"12\"} 1.25"})
    EXPECT_NE(of_one.find("\nspinneret_" + std::string(value) + "\n"), std::string::npos) << of_one;
  EXPECT_TRUE(
      statistics_line(statistics, 4, 1500).starts_with("statistics\ttime=1.5\tin-flight=4\t"));
}

}  // namespace
}  // namespace spinneret::loop
