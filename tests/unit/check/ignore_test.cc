// SPDX-License-Identifier: Apache-2.0
// Rules of a .linkignore, comments of a page and findings of an earlier run: what each takes out,
// and what is reported of them.
#include "check/ignore.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "check/format.h"

namespace spinneret::check {
namespace {

constexpr std::string_view kToday = "2026-11-25";

TEST(IsDate, FormAndRange) {
  for (const char* const date : {"2026-11-23", "0000-01-01", "9999-12-31"})
    EXPECT_TRUE(is_date(date)) << date;
  for (const char* const none :
       {"", "2026-11-2", "2026-11-233", "2026-1-233", "2026-00-10", "2026-13-10", "2026-10-00",
        "2026-10-32", "2026/10/10", "x026-10-10", "2026-10-1x",
        "\xB2"
        "026-10-10"})
    EXPECT_FALSE(is_date(none)) << none;
}

TEST(Glob, AStarAfterAStarIsTriedOnlyAtTheLast) {
  // Backtracking at each star would try 2^1000 ways.
  std::string pattern;
  for (int i = 0; i != 1000; ++i) pattern += "a*";
  const std::string text(2000, 'a');
  EXPECT_TRUE(matches_glob(pattern, text));
  EXPECT_FALSE(matches_glob(pattern + "b", text));
}

TEST(IgnoreRules, TheFirstLineThatIsNoneIsNamed) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"a  why\nb\n", "f:2: write after the pattern why it is ignored: \"b\""},
      {"# a\n\n  \n\tb\t\r\n", "f:4: write after the pattern why it is ignored: \"b\""},
      {"a until=2027-01-01", "f:1: write after the pattern why it is ignored: \"a\""},
      {"a until=2027-13-01 why", "f:1: until= takes a date as 2027-03-01, not \"2027-13-01\""},
      {"a until= why", "f:1: until= takes a date as 2027-03-01, not \"\""},
      {"\x1B[2J", "f:1: write after the pattern why it is ignored: \"\\x1B[2J\""},
  };
  for (const auto& each : cases) {
    IgnoreRules rules;
    const Status status = rules.add_text(each.text, "f", kToday);
    ASSERT_FALSE(status.ok()) << each.text;
    EXPECT_EQ(status.message(), each.message);
  }
}

TEST(IgnoreRules, IgnoreUntilTheEndOfTheirDayAndTellOfWhatIsOver) {
  IgnoreRules rules;
  ASSERT_TRUE(rules
                  .add_text("http://a/* until=2026-11-25 today\r\n"
                            "http://b/* until=2026-11-24 yesterday\n"
                            "http://c/*#f\tunused\n"
                            "http://b/x another\n",
                            "f", kToday)
                  .ok());
  EXPECT_TRUE(rules.ignores("http://a/"));
  EXPECT_FALSE(rules.ignores("http://b/y"));
  EXPECT_TRUE(rules.ignores("http://b/x"));  // another rule covers it
  EXPECT_FALSE(rules.ignores("http://c/"));
  EXPECT_EQ(rules.remarks(),
            (std::vector<std::string>{"f:2: its day is over: \"http://b/*\"",
                                      "f:3: no finding matches \"http://c/*#f\""}));
}

// --- comments ---

std::string covered_by(std::string_view text, std::vector<std::string>& remarks) {
  InlineIgnore rules;
  rules.begin(text);
  std::string out;
  for (std::size_t at = 0; at != text.size(); ++at) out += rules.covers(at) ? '1' : '0';
  for (const InlineIgnore::Remark& remark : rules.remarks())
    remarks.push_back(std::to_string(remark.offset) + " " + std::string(remark.what));
  return out;
}

// Applies what the header says from the start of the text, for each byte.
std::string slowly_covered(std::string_view text) {
  std::string out(text.size(), '0');
  const auto line_begin = [&](std::size_t at) {
    while (at != 0 && text[at - 1] != '\n') --at;
    return at;
  };
  const auto line_end = [&](std::size_t at) {
    while (at < text.size() && text[at] != '\n') ++at;
    return at;
  };
  const auto blank = [&](std::size_t from, std::size_t to) {
    return text.substr(from, to - from).find_first_not_of(" \t\r\n\f") == text.npos;
  };
  std::size_t off = text.npos;
  // The end of the line that the last "ignore" covers.
  std::size_t last_line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find("-->", at);
    if (!text.substr(at).starts_with("<!-- link-check ") || end == text.npos) {
      ++at;
      continue;
    }
    const std::string_view words = text.substr(at + 16, end - at - 16);
    if (words == "on ") {
      for (std::size_t i = off; i < at; ++i) out[i] = '1';
      off = text.npos;
    } else if (words == "off: x ") {
      if (off == text.npos) off = at;
    } else if (words == "ignore: x " && at >= last_line) {
      last_line = line_end(end + 3);
      const bool alone = blank(line_begin(at), at) && blank(end + 3, last_line);
      const std::size_t to =
          alone && last_line != text.size() ? line_end(last_line + 1) : last_line;
      for (std::size_t i = line_begin(at); i < to; ++i) out[i] = '1';
    }
    at = end + 3;
  }
  for (std::size_t i = off; i < text.size(); ++i) out[i] = '1';
  return out;
}

TEST(InlineIgnore, IsItsSlowTwinOnSoup) {
  constexpr std::string_view kParts[] = {"<!-- link-check ignore: x -->",
                                         "<!-- link-check off: x -->",
                                         "<!-- link-check on -->",
                                         "<!-- link-check ignore -->",
                                         "<!-- link-check ",
                                         "-->",
                                         "\n",
                                         "\n",
                                         "a",
                                         " "};
  std::mt19937 random(1);
  for (int round = 0; round != 20'000; ++round) {
    std::string text;
    for (std::size_t parts = random() % 24; parts != 0; --parts)
      text += kParts[random() % std::size(kParts)];
    std::string slow = slowly_covered(text);
    std::vector<std::string> remarks;
    std::string fast = covered_by(text, remarks);
    // No link begins at the end of a line.
    for (std::size_t i = 0; i != text.size(); ++i)
      if (text[i] == '\n') slow[i] = fast[i] = '-';
    ASSERT_EQ(fast, slow) << text;
  }
}

TEST(InlineIgnore, BugThreeCommentsWithinAnOffHidItFromTheLinksBeforeThem) {
  const std::string text =
      "<!-- link-check off: x -->\nlink\n"
      "1 <!-- link-check ignore: x -->\n2 <!-- link-check ignore: x -->\n"
      "3 <!-- link-check ignore: x -->\n4 <!-- link-check ignore: x -->\n";
  InlineIgnore rules;
  rules.begin(text);
  EXPECT_TRUE(rules.covers(text.find("link\n")));
}

TEST(InlineIgnore, CommentsThatCoverNothingOrGiveNoReasonAreTold) {
  std::vector<std::string> remarks;
  EXPECT_EQ(
      covered_by("<!-- link-check ignore: -->\n<!-- link-check off:\t-->\n<!-- link-check -->",
                 remarks)
          .find('1'),
      std::string::npos);
  EXPECT_EQ(remarks.size(), 3U);
  for (const std::string& each : remarks)
    EXPECT_NE(each.find("takes ignore: REASON, off: REASON and on here"), std::string::npos);
  InlineIgnore rules;
  rules.begin("a <!-- link-check ignore: x -->\nb");
  EXPECT_FALSE(rules.empty());
  EXPECT_FALSE(rules.covers(32));
  ASSERT_EQ(rules.remarks().size(), 1U);
  EXPECT_EQ(rules.remarks()[0].what, "there is no link that this ignores");
  rules.begin({});
  EXPECT_TRUE(rules.empty());
  EXPECT_TRUE(rules.remarks().empty());
}

// --- the findings of an earlier run ---

TEST(Baseline, KnowsWhatWasPrintedWhereverItStandsNow) {
  Finding finding;
  finding.verdict = Verdict::kDead;
  finding.target = "http://h/a#b";
  finding.page = "http://h/p";
  finding.line = 3;
  for (const std::string_view file : {std::string_view(), std::string_view("d/a\tb.md")}) {
    finding.file = file;
    Baseline known;
    EXPECT_FALSE(known.has(finding));
    Record record;
    fill_record(record, finding);
    std::string line;
    record.append_to(line);
    EXPECT_TRUE(known.add_record(line));
    Finding moved = finding;
    moved.line = 99;
    moved.column = 7;
    EXPECT_TRUE(known.has(moved));
    moved.verdict = Verdict::kTimeout;
    EXPECT_FALSE(known.has(moved));
    moved = finding;
    moved.target = "http://h/a";
    EXPECT_FALSE(known.has(moved));
  }
  Baseline none;
  EXPECT_FALSE(none.add_record("http://h/a\toutcome=ok"));
  EXPECT_FALSE(none.add_record(""));
}

}  // namespace
}  // namespace spinneret::check
