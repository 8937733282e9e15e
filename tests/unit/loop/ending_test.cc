// SPDX-License-Identifier: Apache-2.0
// Why a run was short, in sentences; what a shell takes as one word; and what a state says of a
// URL.
#include "loop/ending.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "loop/pipeline.h"
#include "loop/report.h"
#include "loop/wire.h"

namespace spinneret::loop {
namespace {

class EndingTest : public testing::Test {
 protected:
  void page(const std::string& fields) {
    const std::string line = "http://h/" + std::to_string(pages_++) + "\t" + fields;
    frontier::Settled result;
    ASSERT_TRUE(wire_.settled(line, result)) << line;
    ending_.add_page(line, result);
  }
  void answer(const std::string& line) {
    frontier::Settled result;
    ASSERT_TRUE(wire_.settled(line, result)) << line;
    ending_.add_answer(line, result);
  }
  std::string explained(std::uint64_t fetched = 0) const {
    frontier::Statistics now;
    now.sent = 1;
    now.pages = fetched;
    std::string out;
    for (const std::string& line : ending_.explain(now, rejected_)) out += line + "\n";
    return out;
  }

  Wire wire_;
  Ending ending_;
  Rejected rejected_;
  int pages_ = 0;
};

TEST_F(EndingTest, KindsWithTheirFirstUrls) {
  for (int i = 0; i != 7; ++i) page("outcome=dns-failed\terror=no such host");
  page("robots-rule=Disallow: /\toutcome=blocked-by-robots");
  page("status=200\toutcome=ok");
  const std::string text = explained();
  EXPECT_NE(text.find("dns-failed (no such host)"), std::string::npos) << text;
  EXPECT_NE(text.find("http://h/0"), std::string::npos) << text;
  EXPECT_NE(text.find(" ..."), std::string::npos) << text;
  EXPECT_NE(text.find("robots.txt forbids it by \"Disallow: /\""), std::string::npos) << text;
  EXPECT_EQ(text.find("http://h/8"), std::string::npos) << text;
}

TEST_F(EndingTest, NothingOfAStrangerReachesTheTerminal) {
  page(
      "error=\x1B[2J\xC2\x9B"
      "31m" +
      std::string(1000, 'x') + "\toutcome=tls-failed");
  page("rule=deny \x1B]0;x\toutcome=blocked-by-policy");
  page("robots-rule=\x1B[0m\toutcome=blocked-by-robots");
  const std::string text = explained();
  EXPECT_EQ(text.find('\x1B'), std::string::npos) << text;
  EXPECT_EQ(text.find("\xC2\x9B"), std::string::npos) << text;
  EXPECT_LT(text.size(), 2000U);
}

// Bug: a crawl of a site with an expired certificate said "tls-failed" and asked whether the
// machine is connected.
TEST_F(EndingTest, WhyARobotsTxtCannotBeHadInWords) {
  answer(
      "http://h/robots.txt\tpurpose=robots\terror=certificate has \x1B "
      "expired\toutcome=tls-failed");
  answer("http://i/robots.txt\tpurpose=robots\terror=refused\toutcome=connect-failed");
  page("robots-reason=tls-failed\toutcome=tls-failed");
  const std::string text = explained();
  EXPECT_NE(text.find("is unavailable (tls-failed: certificate has   expired): \"http://h/0\""),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("connected?"), std::string::npos) << text;
}

TEST_F(EndingTest, KindsThatPagesChooseTakeNoMemoryWithoutBound) {
  for (int i = 0; i != 1000; ++i) page("error=" + std::to_string(i) + "\toutcome=dns-failed");
  EXPECT_LT(explained().size(), 5000U);
}

TEST_F(EndingTest, ARunOfManyPagesNeedsNoWords) {
  page("outcome=dns-failed");
  EXPECT_EQ(explained(1000), "");
  EXPECT_NE(explained(), "");
}

TEST(GivenUp, HostsAndSeedsWithTheCommand) {
  EXPECT_EQ(given_up_text({}, "again"), "");
  EXPECT_EQ(given_up_text({.hosts = 1, .waiting = 1}, "again"),
            "1 host given up in this run, at which 1 URL waits for the next one; to go on: again");
  EXPECT_EQ(
      given_up_text({.hosts = 2, .waiting = 30, .seeds = 1}, "again"),
      "2 hosts given up in this run, at which 30 URLs wait for the next one; 1 seed never reached; "
      "to go on: again");
  EXPECT_EQ(given_up_text({.seeds = 2}, "again"), "2 seeds never reached; to go on: again");
}

// Whatever a folder's name is, a shell reads the result as one word, and that word is the name.
TEST(ShellWord, IsItsTextToAShellAndBugNothingWasNoWord) {
  EXPECT_EQ(shell_word("plain/a-b_c.1"), "plain/a-b_c.1");
  std::vector<std::string> words = {"",     " ",    "'",    "''",  "a'b",   "\\", "$HOME",
                                    "`id`", "a\nb", "~",    "*",   "-n",    "\"", "!",
                                    "#",    ";",    "\xFF", "a=b", "{a,b}", "\t"};
  std::mt19937 random(1);
  for (int round = 0; round != 60; ++round) {
    std::string word;
    for (std::size_t size = random() % 12; size != 0; --size)
      word += static_cast<char>(1 + random() % 255);
    words.push_back(word);
  }
  std::string script = "printf '%s\\0'";
  std::string expected;
  for (const std::string& word : words) {
    script += " " + shell_word(word);
    expected += word + std::string(1, '\0');
  }
  const auto shell = Pipeline::start({"sh", "-c", script}, "");
  ASSERT_TRUE(shell.ok()) << shell.message();
  const Result<std::string> said = read_descriptor((*shell)->output(), "sh");
  ASSERT_TRUE(said.ok()) << said.message();
  EXPECT_EQ(*said, expected);
}

// --- what is known of a URL ---

TEST(Judgement, EachVerdict) {
  EXPECT_EQ(judgement(""), "scope: in it, or a seed\npolicy: accepted\n");
  EXPECT_EQ(judgement("http://h/\tverdict=accept\trule=allow-path /\tpolicy=p:3\trobots=allowed"),
            "scope: in it, or a seed\npolicy: accepted by allow-path / (p:3)\nrobots: allowed\n");
  EXPECT_EQ(judgement("http://h/\tverdict=refuse\tclass=scope\twhy=another site\trule=scope host"),
            "scope: refused: another site by scope host\n");
  EXPECT_EQ(
      judgement("http://h/\tverdict=refuse\tclass=rule\twhy=denied\trule=deny-path /\tpolicy=p:1"),
      "policy: refused: denied by deny-path / (p:1)\n");
  EXPECT_EQ(
      judgement("http://h/\tneeds=http://h/robots.txt"),
      "scope: in it, or a seed\npolicy: accepted\nrobots: not known: http://h/robots.txt is asked "
      "first\n");
  EXPECT_EQ(
      judgement("http://h/\trobots=disallowed\trobots-rule=/a\trobots-line=3\trobots-reason=rule"),
      "scope: in it, or a seed\npolicy: accepted\nrobots: disallowed by /a (line 3) (rule)\n");
  EXPECT_EQ(judgement("http://h/\tverdict=refuse\twhy=\x1B[2J\\n").find('\x1B'), std::string::npos);
}

struct Waiting {
  frontier::FoundUrl found;
  frontier::Options options;
  std::string why(std::int64_t now = 1'000'000'000) {
    const std::string text = explanation(found, options, now);
    const std::size_t at = text.find("why: ");
    return at == std::string::npos ? "" : text.substr(at + 5, text.find('\n', at) - at - 5);
  }
};

TEST(Explanation, WhyAUrlWaits) {
  Waiting it;
  it.found.host.row.counts.waiting = 1;
  EXPECT_EQ(it.why(), "it is the next of its host");
  it.found.host.row.counts.waiting = 4;
  EXPECT_EQ(
      it.why(),
      "3 more wait at its host, which go out by priority and then in the order in which they came");
  it.found.host.row.next_wall_ms = 1'000'002'500;
  it.found.host.row.wait_ms = 10'000;
  EXPECT_TRUE(it.why().starts_with("its host may be asked again in 2.5 s; 3 more wait"))
      << it.why();
  it.found.host.row.held_until_ms = 1'000'060'000;
  it.found.host.row.held_reason = "timeout";
  EXPECT_EQ(it.why(),
            "its host is held until 1970-01-12T13:47:40Z: its robots.txt is unavailable (timeout)");
  it.found.host.row.held_reason = frontier::kVisitTime;
  EXPECT_TRUE(it.why().ends_with("its robots.txt asks not to be visited at this hour")) << it.why();
  it.found.row.due_ms = 1'000'061'000;
  it.found.row.outcome = Outcome::kTimeout;
  EXPECT_EQ(it.why(), "its last try failed (timeout); it is tried again at 1970-01-12T13:47:41Z");
  it.options.max_host_pages = 2;
  it.found.host.row.counts.pages = 2;
  EXPECT_EQ(it.why(), "its host is finished: it has had its --max-host-pages");
  it.found.host.row.finish = frontier::Finish::kNoRules;
  it.found.host.row.held_reason = "dns-failed";
  EXPECT_EQ(
      it.why(),
      "its host was given up in the last run: its robots.txt is unavailable (dns-failed); the next "
      "one asks it again");
  it.found.row.state = frontier::UrlState::kDone;
  EXPECT_EQ(it.why(), "");
}

}  // namespace
}  // namespace spinneret::loop
