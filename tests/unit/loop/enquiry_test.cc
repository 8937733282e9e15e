// SPDX-License-Identifier: Apache-2.0
// What a state answers, and what can be changed in it by hand: over a store in memory, through a
// tool's own options and output.
#include "loop/enquiry.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/number.h"
#include "frontier/memory_store.h"
#include "frontier/meta.h"
#include "loop/report.h"
#include "loop/seeds.h"
#include "loop/wire.h"
#include "support/temporary_folder.h"

namespace spinneret::loop {
namespace {

constexpr cli::Option kOptions[] = {
    {0, "state", "DIR", ""},
    {0, "log", "FILE", ""},
    {0, "host", "HOST", ""},
    {0, "with-state", "STATE", "", "waiting|done|error|blocked"},
    {0, "form", "FORM", "", "record|classic"},
    {0, "export", nullptr, ""},
    {0, "show", "URL", ""},
    {0, "judged", "RECORD", ""},
    {0, "forget", "PATTERN", ""},
    {0, "clear-outcome", "LIST", ""},
    {0, "again", "COMMAND", ""},
    {0, "max-host-pages", "N", ""},
};
constexpr cli::ToolSpec kTool{"sched", "", "", kOptions};

class EnquiryTest : public testing::Test {
 protected:
  EnquiryTest() {
    options_.politeness.delay_ms = 1000;
    options_.tries = 1;
  }
  struct Answer {
    int status = 0;
    std::string out, said;
  };
  // Returns the answer to a question; operands are read from a file with these lines.
  Answer ask(int (*question)(const Enquiry&), frontier::Store& store,
             std::vector<std::string> words = {}, std::string_view lines = {}) {
    if (!lines.empty()) {
      words.push_back(folder_.file("lines"));
      EXPECT_TRUE(write_file_atomic(words.back(), lines).ok());
    }
    words.insert(words.begin(), "sched");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    cli::Tool tool(kTool, cli::Options::parse(kTool, static_cast<int>(argv.size()), argv.data()));
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Answer out;
    out.status = question({tool, store, clock_, options_});
    out.status = std::max(out.status, tool.status());
    tool.out().flush();
    out.out = testing::internal::GetCapturedStdout();
    out.said = testing::internal::GetCapturedStderr();
    return out;
  }
  Answer ask(int (*question)(const Enquiry&), std::vector<std::string> words = {},
             std::string_view lines = {}) {
    return ask(question, store_, std::move(words), lines);
  }
  // Crawls these URLs, each of which ends with an outcome ("URL OUTCOME") or waits ("URL").
  void crawl(const std::vector<std::string>& urls) {
    auto opened = frontier::Frontier::open(store_, clock_, options_);
    ASSERT_TRUE(opened.ok()) << opened.message();
    frontier::Frontier& frontier = **opened;
    frontier.assume_rules();
    Wire wire;
    // The URLs with an outcome come first, because one in flight would hold back the others of its
    // host.
    for (const bool asked : {true, false}) {
      std::map<std::string, std::string> ends;
      for (const std::string& each : urls) {
        const std::string url = each.substr(0, each.find(' '));
        if ((url.size() != each.size()) != asked) continue;
        ends[url] = each.substr(url.size());
        ASSERT_EQ(frontier.offer({.url = url, .via = "http://v/"}),
                  frontier::Frontier::Offer::kStaged);
      }
      frontier.seal();
      ASSERT_TRUE(frontier.commit().ok());
      for (std::size_t left = asked ? ends.size() : 0; left != 0; --left) {
        frontier::Dispatch out;
        while (!frontier.next(out)) {
          ASSERT_NE(frontier.wait_ms(), INT64_MAX);
          clock_.advance_ms(std::max<std::int64_t>(frontier.wait_ms(), 1));
        }
        const std::string line = std::string(out.url) +
                                 "\tstatus=200\toutcome=" + ends.at(std::string(out.url)).substr(1);
        frontier::Settled settled;
        ASSERT_TRUE(wire.settled(line, settled)) << line;
        frontier.settle(settled);
      }
      frontier.seal();
      ASSERT_TRUE(frontier.commit().ok());
    }
    ASSERT_TRUE(frontier.close().ok());
  }
  static std::set<std::string> urls_of(std::string_view lines) {
    std::set<std::string> out;
    while (!lines.empty()) {
      const std::string_view line = cut(lines, '\n');
      out.emplace(line.substr(0, line.find_first_of("\t ")));
    }
    return out;
  }

  FakeClock clock_;
  frontier::MemoryStore store_;
  frontier::Options options_;
  TemporaryFolder folder_;
};

using Urls = std::set<std::string>;

TEST_F(EnquiryTest, ListsByStateAndHost) {
  crawl(
      {"http://a/1 ok", "http://a/2 server-error", "http://b:81/1", "https://[::1]/1 dns-failed"});
  const auto list = [this](std::vector<std::string> words) {
    return urls_of(ask(list_urls, std::move(words)).out);
  };
  EXPECT_EQ(list({}), (Urls{"http://a/1", "http://a/2", "http://b:81/1", "https://[::1]/1"}));
  EXPECT_EQ(list({"--with-state=waiting"}), (Urls{"http://b:81/1"}));
  EXPECT_EQ(list({"--with-state=done"}), (Urls{"http://a/1"}));
  for (const char* const host : {"--host=a", "--host=http://a", "--host=http://a/"})
    EXPECT_EQ(list({host}), (Urls{"http://a/1", "http://a/2"})) << host;
  for (const char* const host : {"--host=b", "--host=b:81", "--host=http://b:81"})
    EXPECT_EQ(list({host}), (Urls{"http://b:81/1"})) << host;
  EXPECT_EQ(list({"--host=[::1]"}), (Urls{"https://[::1]/1"}));
  for (const char* const host : {"--host=c", "--host=b:80", "--host=https://a", "--host=::1"})
    EXPECT_EQ(list({host}), Urls()) << host;
  const std::string classic = ask(list_urls, {"--form=classic", "--host=b"}).out;
  EXPECT_EQ(classic, "http://b:81/1 http://b:81 0\n");
}

TEST_F(EnquiryTest, AStateOfALaterFormatIsNeitherListedNorExported) {
  crawl({"http://a/ ok", "http://b/"});
  store_.put(frontier::Table::kMeta, frontier::kFormatKey,
             frontier::encode_number(frontier::kFormat + 1));
  ASSERT_TRUE(store_.commit().ok());
  for (const std::vector<std::string>& words : {std::vector<std::string>(), {"--export"}}) {
    const Answer answer = ask(list_urls, words);
    EXPECT_EQ(answer.status, 2);
    EXPECT_EQ(answer.out, "");
    EXPECT_NE(answer.said.find("use the version that wrote it"), std::string::npos) << answer.said;
  }
}

// One state imports what another exports, and then exports the same.
TEST_F(EnquiryTest, AnExportIsTheStateThatItIsImportedInto) {
  crawl({"http://a/1 ok", "http://a/2 not-found", "http://a/3", "http://b/1 server-error",
         "http://b/2?a=b&c", "http://c/1 blocked-by-robots"});
  const std::string exported = ask(list_urls, {"--export"}).out;
  frontier::MemoryStore other;
  const Answer taken = ask(import_urls, other, {}, exported);
  EXPECT_EQ(taken.status, 0) << taken.said;
  EXPECT_EQ(taken.said, "sched: 6 URLs taken in\n");
  EXPECT_EQ(ask(list_urls, other, {}).out, ask(list_urls).out);
  EXPECT_EQ(ask(verify_state, other).out, "6 URLs, 0 problems\n");
  const Answer again = ask(import_urls, other, {}, exported);
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.said.find("is known, or not an http URL: \"http://a/1\""), std::string::npos);
  EXPECT_EQ(ask(list_urls, other, {}).out, ask(list_urls).out);
}

TEST_F(EnquiryTest, WhatCannotBeImportedIsRefusedWithItsLine) {
  const Answer taken = ask(import_urls, {},
                           "ftp://a/\n\nhttp://a/\tstate=done\tvisits=1\tvisited=5\tx\\=\n"
                           "mailto:a\twaiting=3\nno url\nhttp://b/\tdepth=99999999999999999999\n");
  EXPECT_EQ(taken.status, 1);
  for (const char* const what :
       {":1: is known, or not an http URL: \"ftp://a/\"", ":4: is not an http URL: \"mailto:a\"",
        ":5: is known, or not an http URL: \"no url\""})
    EXPECT_NE(taken.said.find(what), std::string::npos) << taken.said;
  EXPECT_EQ(urls_of(ask(list_urls).out), (Urls{"http://a/", "http://b/"}));
  EXPECT_EQ(ask(verify_state).out, "2 URLs, 0 problems\n");
}

// Bug: a host whose record has a date far in the future got no request, and a page that was visited
// there was never visited again, without a notice.
TEST_F(EnquiryTest, WhatIsImportedFromTheFutureIsToldOrOfToday) {
  const std::string next = std::to_string(clock_.unix_ms() / 1000 + 3600);
  const Answer taken =
      ask(import_urls, {},
          "http://a/\twaiting=1\tnext=99999999999\tbackoff=99999999999\n"
          "http://b/\twaiting=1\tnext=" +
              next +
              "\n"
              "http://c/\twaiting=1\tnext=88888888888\n"
              "http://a/1\tstate=done\tadded=99999999999\tvisits=1\tvisited=99999999999\n");
  EXPECT_EQ(taken.status, 0);
  EXPECT_EQ(
      taken.said,
      "sched: 1 URLs taken in\n"
      "sched: 2 hosts will be left alone for more than a day, as next= of their records says: "
      "\"http://a/\" until 5138-11-16T09:46:39Z\n");
  const std::string now = seconds_text(clock_.unix_ms());
  EXPECT_NE(ask(list_urls).out.find("added=" + now + "\tvisited=" + now), std::string::npos);
  EXPECT_NE(ask(list_hosts).out.find("\tbackoff=3600\t"), std::string::npos);
}

TEST_F(EnquiryTest, ForgetsWhatAPatternMatchesAndShowsIt) {
  crawl({"http://a/1 ok", "http://a/2", "http://b/1"});
  Answer gone = ask(forget_urls, {"--forget=http://a/*", "--forget=*/nothing"});
  EXPECT_EQ(gone.status, 0);
  EXPECT_EQ(urls_of(gone.out), (Urls{"http://a/1", "http://a/2"}));
  EXPECT_EQ(urls_of(ask(list_urls).out), (Urls{"http://b/1"}));
  EXPECT_EQ(ask(verify_state).out, "1 URLs, 0 problems\n");
  gone = ask(forget_urls, {"--forget=http://a/*"});
  EXPECT_EQ(gone.status, 1);
  EXPECT_EQ(gone.out, "");
}

TEST_F(EnquiryTest, ClearedErrorsWaitAgain) {
  crawl({"http://a/1 server-error", "http://a/2 ok", "http://b/1 dns-failed"});
  ASSERT_EQ(urls_of(ask(list_urls, {"--with-state=error"}).out),
            (Urls{"http://a/1", "http://b/1"}));
  EXPECT_EQ(ask(clear_errors).said, "sched: 2 URLs wait again\n");
  EXPECT_EQ(urls_of(ask(list_urls, {"--with-state=waiting"}).out),
            (Urls{"http://a/1", "http://b/1"}));
  EXPECT_EQ(ask(clear_errors).said, "sched: 0 URLs wait again\n");
}

TEST_F(EnquiryTest, WhatWasBlockedIsJudgedAgain) {
  crawl({"http://a/1 blocked-by-robots", "http://a/2 ok", "http://b/1 dns-failed",
         "http://b/2 blocked-by-policy"});
  EXPECT_EQ(ask(clear_outcomes, {"--clear-outcome=blocked-by-robots,blocked-by-policy"}).said,
            "sched: 2 URLs wait again\n");
  EXPECT_EQ(urls_of(ask(list_urls, {"--with-state=waiting"}).out),
            (Urls{"http://a/1", "http://b/2"}));
  EXPECT_EQ(urls_of(ask(list_urls, {"--with-state=error"}).out), (Urls{"http://b/1"}));
  EXPECT_EQ(ask(clear_outcomes, {"--clear-outcome=blocked-by-robots,blocked-by-policy"}).said,
            "sched: 0 URLs wait again\n");
}

TEST_F(EnquiryTest, ShowsAUrlAndSaysWhichIsNotThere) {
  crawl({"http://a/1 ok", "http://a/2"});
  const Answer shown = ask(
      show_urls, {"--show=http://a/1", "--show=HTTP://A:80/2", "--show=http://a/3\x1B[2J",
                  "--judged=http://a/\tverdict=refuse\trule=deny-path /\tpolicy=p:3\twhy=path"});
  EXPECT_EQ(shown.status, 1);
  EXPECT_NE(
      shown.out.find("url: http://a/1\npolicy: refused: path by deny-path / (p:3)\nstate: done"),
      std::string::npos)
      << shown.out;
  EXPECT_NE(shown.out.find("url: http://a/2\n"), std::string::npos);
  EXPECT_NE(shown.out.find("why: "), std::string::npos);
  EXPECT_EQ((shown.out + shown.said).find('\x1B'), std::string::npos);
  EXPECT_NE(shown.said.find("sched: not in this state: http://a/3"), std::string::npos);
}

TEST_F(EnquiryTest, HostsSayWhyNothingOfThemGoesOut) {
  crawl({"http://a/1 ok", "http://a/2", "http://b/1 ok", "http://c/1", "http://c/2 ok"});
  options_.max_host_pages = 1;
  std::string hosts = ask(list_hosts, {"--max-host-pages=1"}).out;
  EXPECT_EQ(ask(verify_state).out, "5 URLs, 0 problems\n");
  EXPECT_EQ(urls_of(hosts), (Urls{"http://a/", "http://b/", "http://c/"}));
  EXPECT_NE(hosts.find("reason=finished"), std::string::npos) << hosts;
  options_.max_host_pages = 0;
  hosts = ask(list_hosts).out;
  EXPECT_NE(hosts.find("reason=nothing waits"), std::string::npos) << hosts;
  clock_.advance_ms(10'000'000);
  hosts = ask(list_hosts).out;
  EXPECT_NE(hosts.find("reason=ready"), std::string::npos) << hosts;
}

TEST_F(EnquiryTest, ADryRunSendsInOrderAndChangesNothing) {
  crawl({"http://a/1", "http://a/2", "http://b/1 ok"});
  const std::string before = ask(list_urls).out;
  frontier::MemoryStore copy = store_;
  const Answer dry = ask(dry_run, copy, {}, "http://c/\nnot a url\nhttp://a/1\n");
  EXPECT_EQ(dry.status, 1);
  EXPECT_NE(dry.said.find(":2: "), std::string::npos);
  EXPECT_EQ(urls_of(dry.out), (Urls{"http://a/1", "http://a/2", "http://c/"}));
  EXPECT_EQ(ask(list_urls).out, before);
  // The second page of a host comes a delay after its first.
  std::map<std::string, double> after;
  for (std::string_view rest = dry.out; !rest.empty();) {
    const std::string_view line = cut(rest, '\n');
    after[std::string(record_url(line))] = std::stod(std::string(*find_raw_field(line, "after")));
    EXPECT_EQ(find_raw_field(line, "delay"), "1");
  }
  EXPECT_EQ(after["http://c/"], 0);
  EXPECT_EQ(std::abs(after["http://a/1"] - after["http://a/2"]), 1);
}

TEST_F(EnquiryTest, SeedsForARunningCrawlAreCheckedBeforeTheyAreKept) {
  const std::string inbox = folder_.file("inbox");
  const std::string lines = folder_.file("seeds");
  ASSERT_TRUE(write_file_atomic(lines, "http://a/\tid=1\n\nftp://b/\nno url\nhttps://c/\n").ok());
  std::string words[] = {"sched", lines};
  char* argv[] = {words[0].data(), words[1].data()};
  cli::Tool tool(kTool, cli::Options::parse(kTool, 2, argv));
  testing::internal::CaptureStderr();
  add_seeds(tool, inbox);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(tool.status(), 1);
  EXPECT_NE(said.find(lines + ":3: is not http or https: \"ftp://b/\""), std::string::npos) << said;
  EXPECT_NE(said.find(lines + ":4: "), std::string::npos) << said;
  EXPECT_NE(said.find("2 seeds wait for the crawl that runs, or for the next one"),
            std::string::npos);
  EXPECT_EQ(*read_file(inbox), "http://a/\tid=1\nhttps://c/\n");
}

TEST_F(EnquiryTest, AReportOfAStateAndItsLog) {
  crawl({"http://a/%3Cb%3E ok", "http://b/1 server-error", "http://b/2"});
  const std::string log = folder_.file("log");
  ASSERT_TRUE(
      write_file_atomic(log, std::string("http://a/\tstatus=200\toutcome=ok\n\0\xFF\n", 35) +
                                 std::string(1 << 20, 'x'))
          .ok());
  const Answer whole = ask(print_report, {"--state=" + folder_.path(), "--log=" + log});
  EXPECT_EQ(whole.status, 0) << whole.said;
  EXPECT_TRUE(whole.out.starts_with("<!")) << whole.out.substr(0, 40);
  EXPECT_NE(whole.out.find("</html>"), std::string::npos);
  // A log that does not exist is an empty one; one that cannot be read is an error.
  EXPECT_EQ(ask(print_report, {"--log=" + folder_.file("none")}).status, 0);
  const Answer bad = ask(print_report, {"--log=" + folder_.path()});
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.said.find(folder_.path()), std::string::npos);
}

// Bug: each partition of a machine read the log.
TEST_F(EnquiryTest, BugALogOfSeveralStatesWasReadForEachReport) {
  crawl({"http://a/ ok", "http://b/"});
  static SharedLog shared(folder_.file("log"));
  ASSERT_TRUE(write_file_atomic(folder_.file("log"), "http://a/\ttime=1\toutcome=ok\n").ok());
  const std::string alone = ask(print_report, {"--log=" + folder_.file("log")}).out;
  for (int state = 0; state < 3; ++state) {
    const auto question = [](const Enquiry& in) {
      return print_report({in.tool, in.store, in.clock, in.options, {}, {}, &shared});
    };
    EXPECT_EQ(ask(question, {"--log=" + folder_.file("log")}).out, alone);
  }
  EXPECT_EQ(shared.log.survey().records, 1U);
}

// --- rows as records ---

// Tests every row that a state may have, with fields of the user's own that have our names.
TEST(UrlRecord, WrittenAndReadTheSameAgain) {
  std::mt19937_64 random(1);
  const auto pick = [&random](std::initializer_list<std::string_view> from) {
    return std::string(from.begin()[random() % from.size()]);
  };
  const auto large = [&random] { return random() >> random() % 64; };
  for (int round = 0; round != 20'000; ++round) {
    frontier::UrlRow row;
    row.state = static_cast<frontier::UrlState>(random() % 4);
    row.priority = static_cast<std::uint8_t>(random() % (frontier::kLastPriority + 1));
    row.depth = static_cast<std::uint32_t>(random() % 5);
    row.is_sitemap = random() % 5 == 0;
    row.via = pick({"", "http://v/", "http://v/\ta\n", "\\", "\xFF"});
    row.extra = pick({"", "\tid=7", "\tid=7\tid=8", "\tx", "\thistory=1,2,3", "\tinlinks=x",
                      "\trealm=\\t", "\tinlinks=1,2,0\thistory=a"});
    row.added_ms = static_cast<std::int64_t>(large() % 1'000'000'000) * 1000;
    row.visits = static_cast<std::uint32_t>(random() % 3);
    if (row.visits != 0) {
      row.failures = static_cast<std::uint32_t>(random() % 3);
      row.outcome = static_cast<Outcome>(random() % all_outcomes().size());
      row.status = static_cast<std::uint16_t>(large());
      row.last_ms = static_cast<std::int64_t>(large() % 4'000'000'000'000);
      row.interval_ms = static_cast<std::int64_t>(large() % 4'000'000'000'000);
      row.history = {static_cast<std::uint32_t>(large()), static_cast<std::uint32_t>(large()),
                     static_cast<std::uint32_t>(large())};
      row.etag = pick({"", "\"x\"", "W/\"\t\"", std::string_view("\0", 1)});
      row.error = pick({"", "why\nnot", "\\n"});
    }
    if (random() % 2 == 0)
      row.votes = {large(), static_cast<std::uint32_t>(large()), random() % 2 == 0};
    std::string scratch, line, again;
    Record record;
    url_record("http://h/x", row, scratch, record);
    record.append_to(line);
    const frontier::UrlRow back = row_of(line);
    url_record("http://h/x", back, scratch, record);
    record.append_to(again);
    ASSERT_EQ(again, line);
    ASSERT_EQ(back.extra, row.extra) << line;
  }
}

TEST(UrlRecord, BugANumberTooLargeForItsFieldCameBackSmall) {
  const frontier::UrlRow row = row_of(
      "http://h/\tstate=done\tvisits=4294967296\tfailures=99999999999\tstatus=65736\toutcome=ok");
  EXPECT_EQ(row.visits, UINT32_MAX);
  EXPECT_EQ(row.failures, UINT32_MAX);
  EXPECT_EQ(row.status, UINT16_MAX);
  const auto host = host_row_of(
      "http://h/\twaiting=1\tcalm=4294967297\tfailures=4294967296\tdelay-factor-percent=1000000\t"
      "time-ms=18446744073709551615",
      0);
  ASSERT_TRUE(host);
  EXPECT_EQ(host->calm, UINT32_MAX);
  EXPECT_EQ(host->failures, UINT32_MAX);
  EXPECT_EQ(host->factor_percent, 100'000U);
  EXPECT_EQ(host->response_ms, 86'400'000);
}

// Other values in place of numbers are ignored.
TEST(UrlRecord, WhatIsNoNumberIsNone) {
  for (const std::string_view bad :
       {"", "-1", "x", "1x", " 1", "0x10", "1e3", "18446744073709551616"}) {
    std::string line = "http://h/\tstate=lost\tdepth=1";
    for (const char* const key :
         {"visits", "failures", "status", "added", "visited", "interval", "history", "inlinks"})
      line.append("\t").append(key).append("=").append(bad);
    const frontier::UrlRow row = row_of(line);
    EXPECT_EQ(row.state, frontier::UrlState::kWaiting) << bad;
    EXPECT_EQ(row.visits, 0U) << bad;
    EXPECT_EQ(row.failures, 0U) << bad;
    EXPECT_EQ(row.status, 0) << bad;
    // This value is too large for a number of seconds.
    EXPECT_EQ(row.added_ms, 0) << bad;
    EXPECT_EQ(row.last_ms, 0) << bad;
    EXPECT_EQ(row.interval_ms, 0) << bad;
    EXPECT_TRUE(row.history.empty()) << bad;
    EXPECT_TRUE(row.votes.empty()) << bad;
    // These are then fields of the user's own.
    EXPECT_EQ(row.extra, "\thistory=" + std::string(bad) + "\tinlinks=" + std::string(bad)) << bad;
  }
}

// Everything on which a host's politeness rests goes to another machine and is the same there.
TEST(HostRecord, WrittenAndReadTheSameAgain) {
  std::mt19937_64 random(1);
  const auto number = [&random](std::uint64_t below) {
    return random() % 3 == 0 ? 0 : random() % below;
  };
  const auto span = [&number](std::uint64_t below) {
    return static_cast<std::int64_t>(number(below));
  };
  const frontier::Options options;
  for (int round = 0; round != 20'000; ++round) {
    frontier::HostEntry host{.origin = "http://h", .row = {}};
    frontier::HostRow& row = host.row;
    row.counts.waiting = number(3);
    row.counts.pages = number(1'000'000);
    row.counts.visits = number(1'000'000);
    row.counts.bytes = number(UINT64_MAX);
    row.crawl_delay_ms = span(100'000) - 1;
    row.backoff_ms = span(3'600'000);
    row.no_easing = row.backoff_ms != 0 || random() % 2 == 0;
    row.factor_percent = static_cast<std::uint32_t>(number(100'001));
    row.response_ms = span(60'000);
    row.calm = static_cast<std::uint32_t>(number(11));
    row.span_count = number(100);
    row.span_start_ms = span(4'000'000'000'000);
    row.next_wall_ms = span(4'000'000'000'000);
    if (random() % 2 == 0) {
      row.least_gap_ms = span(10'000);
      row.least_gap_owed_ms = span(10'000);
    }
    if (random() % 2 == 0) row.ip = "2001:db8::1";
    row.failures = static_cast<std::uint32_t>(number(9));
    if (row.failures != 0) {
      row.failure = static_cast<Outcome>(random() % all_outcomes().size());
      row.finish = random() % 2 == 0 ? frontier::Finish::kPatience : frontier::Finish::kNot;
    }
    const auto text = [&options](const frontier::HostEntry& of) {
      Record record;
      host_record(of, options, record);
      add_pace(of.row, record);
      std::string out;
      record.append_to(out);
      return out;
    };
    const std::string line = text(host);
    const std::int64_t wall_ms = span(4'000'000'000'000);
    const auto back = host_row_of(line, wall_ms);
    ASSERT_TRUE(back) << line;
    ASSERT_EQ(back->finish, row.finish) << line;
    ASSERT_EQ(back->no_easing, row.no_easing) << line;
    // A longer wait than before is polite, a shorter one is not.
    ASSERT_EQ(back->wait_ms, std::max<std::int64_t>(row.next_wall_ms - wall_ms, 0)) << line;
    // URLs are counted when they are imported.
    frontier::HostEntry again{.origin = host.origin, .row = *back};
    again.row.counts.waiting = row.counts.waiting;
    ASSERT_EQ(text(again), line);
  }
  EXPECT_FALSE(host_row_of("http://h/", 0));
  EXPECT_FALSE(host_row_of("http://h/\tstate=waiting\twaiting=1", 0));
}

}  // namespace
}  // namespace spinneret::loop
