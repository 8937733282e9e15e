// SPDX-License-Identifier: Apache-2.0
// Findings for other programs: whatever stands in a page, the output is well-formed, and says the
// same.
#include "check/format.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"
#include "support/json.h"

namespace spinneret::check {
namespace {

constexpr std::string_view kHostile[] = {
    "http://h/a?b&c#d",
    "\"'<>&--></failure>]]>",
    "::error title=x::y%0A,a:b\r\n::stop",
    std::string_view("a\0b\x01\x1B[2J\x7F", 9),
    "\xFF\xC0\x80\xED\xA0\x80\xF4\x90\x80\x80",
    "\xEF\xBF\xBE\xEF\xBF\xBF\xE2\x80\xAE",
    "\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80",
    "C:\\d\\%41 b.html",
};

std::vector<Finding> hostile_findings() {
  std::vector<Finding> out;
  for (std::size_t i = 0; i != std::size(kHostile); ++i) {
    Finding finding;
    finding.verdict = static_cast<Verdict>(1 + i % (kVerdictCount - 1));
    finding.target = kHostile[i];
    finding.page = kHostile[(i + 1) % std::size(kHostile)];
    if (i % 2 == 0) finding.file = kHostile[(i + 2) % std::size(kHostile)];
    finding.tag = kHostile[(i + 3) % std::size(kHostile)];
    finding.reason = kHostile[(i + 4) % std::size(kHostile)];
    finding.location = kHostile[(i + 5) % std::size(kHostile)];
    finding.line = i * 7;
    finding.column = i % 3;
    out.push_back(finding);
  }
  return out;
}

std::string written(ReportFormat& format, const std::vector<Finding>& findings) {
  std::string out;
  format.begin(out, findings.size(), findings.size() / 2);
  for (std::size_t i = 0; i != findings.size(); ++i) format.add(out, findings[i], i % 2 == 0);
  format.end(out);
  return out;
}

Finding plain() {
  Finding out;
  out.verdict = Verdict::kDead;
  out.target = "http://h/x";
  out.page = "http://h/";
  out.file = "d/a b.html";
  out.tag = "a@href";
  out.reason = "404 not-found";
  out.line = 3;
  out.column = 7;
  return out;
}

TEST(Format, JunitByExample) {
  EXPECT_EQ(
      written(*ReportFormat::junit(), {plain()}),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"link-check\" "
      "tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\">\n<testcase "
      "classname=\"d/a b.html\" name=\"d/a b.html:3:7 http://h/x\"><failure type=\"dead\" "
      "message=\"dead: http://h/x: 404 not-found\"/></testcase>\n</testsuite>\n</testsuites>\n");
}

// Checks against XML 1.0: characters (2.2), and no bare '<' or '&' in a value (2.4).
void expect_well_formed(std::string_view xml) {
  EXPECT_TRUE(is_valid_utf8(xml));
  std::vector<std::string> open;
  for (std::size_t at = 0; at != xml.size();) {
    char32_t code = 0;
    const std::size_t length = utf8_sequence(xml.substr(at), &code);
    ASSERT_NE(length, 0U);
    EXPECT_TRUE(code == '\n' || (code >= 0x20 && code != 0x7F && code != 0xFFFE && code != 0xFFFF))
        << static_cast<std::uint32_t>(code);
    if (code != '<') {
      EXPECT_TRUE(code != '&' || xml.find(';', at) < at + 6);
      at += length;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    ASSERT_NE(end, xml.npos);
    const std::string_view tag = xml.substr(at + 1, end - at - 1);
    EXPECT_EQ(tag.find('<'), tag.npos) << tag;
    EXPECT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    const std::string name(tag.substr(0, tag.find_first_of(" /?")));
    if (tag.starts_with('/')) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(tag.substr(1), open.back());
      open.pop_back();
    } else if (!tag.ends_with('/') && !tag.ends_with('?')) {
      open.push_back(name);
    }
    at = end + 1;
  }
  EXPECT_TRUE(open.empty());
}

TEST(Format, JunitIsWellFormedWhateverStandsInIt) {
  const std::vector<Finding> findings = hostile_findings();
  const std::string xml = written(*ReportFormat::junit(), findings);
  expect_well_formed(xml);
  std::size_t cases = 0;
  for (std::size_t at = 0; (at = xml.find("<testcase ", at)) != xml.npos; ++at) ++cases;
  EXPECT_EQ(cases, findings.size());
}

TEST(Format, SarifIsJsonWithAnAddressForEach) {
  const std::vector<Finding> findings = hostile_findings();
  const std::string text = written(*ReportFormat::sarif("1.2\"3"), findings);
  ASSERT_TRUE(is_valid_utf8(text));
  const Json json = Json::parse(text);
  ASSERT_TRUE(json.valid());
  const Json& run = json["runs"].items().at(0);
  EXPECT_EQ(run["tool"]["driver"]["version"].text(), "1.2\"3");
  std::set<std::string> rules;
  for (const Json& rule : run["tool"]["driver"]["rules"].items()) rules.insert(rule["id"].text());
  EXPECT_EQ(rules.size(), kVerdictCount);
  ASSERT_EQ(run["results"].items().size(), findings.size());
  for (std::size_t i = 0; i != findings.size(); ++i) {
    const Json& result = run["results"].items()[i];
    EXPECT_EQ(rules.count(result["ruleId"].text()), 1U);
    EXPECT_EQ(result["level"].text(), i % 2 == 0 ? "error" : "note");
    const Json& place = result["locations"].items().at(0)["physicalLocation"];
    // RFC 3986 allows only unreserved and reserved bytes, and escapes.
    for (const char c : place["artifactLocation"]["uri"].text())
      EXPECT_TRUE(c > 0x20 && c < 0x7F &&
                  std::string_view("\"<>\\^`{|}").find(c) == std::string::npos)
          << place["artifactLocation"]["uri"].text();
    EXPECT_EQ(place.has("region"), findings[i].line != 0);
    EXPECT_EQ(place["region"]["startLine"].integer(), static_cast<std::int64_t>(findings[i].line));
    EXPECT_EQ(place["region"].has("startColumn"), findings[i].line != 0 && findings[i].column != 0);
  }
}

TEST(Format, GithubHasALineForEachThatOnlyItsOwnCommandsBegin) {
  EXPECT_EQ(written(*ReportFormat::github(), {plain()}),
            "::error title=dead,file=d/a b.html,line=3,col=7::dead: http://h/x: 404 not-found\n");
  const std::vector<Finding> findings = hostile_findings();
  std::string text = written(*ReportFormat::github(), findings);
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), findings.size());
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = cut(rest, '\n');
    EXPECT_TRUE(line.starts_with("::error title=") || line.starts_with("::warning title="));
    EXPECT_EQ(line.find_first_of(std::string_view("\r\0\x1B\x7F", 4)), line.npos) << line;
    // A property ends at ',' or at the second "::".
    const std::string_view properties = line.substr(0, line.find("::", 2));
    EXPECT_LE(std::count(properties.begin(), properties.end(), ','), 3);
  }
}

TEST(Format, GitlabIsJsonWhoseFingerprintsTellPlacesApart) {
  std::vector<Finding> findings = hostile_findings();
  findings.push_back(plain());
  findings.push_back(plain());
  findings.back().column = 8;
  findings.push_back(plain());
  findings.back().line = 4;
  findings.push_back(plain());
  findings.back().file = {};
  findings.push_back(plain());
  findings.back().line = findings.back().column = 0;
  const Json json = Json::parse(written(*ReportFormat::gitlab(), findings));
  ASSERT_TRUE(json.valid());
  std::set<std::string> known;
  for (const Json& each : json.items()) {
    EXPECT_TRUE(known.insert(each["fingerprint"].text()).second);
    EXPECT_GE(each["location"]["lines"]["begin"].integer(), 1);
  }
  EXPECT_EQ(known.size(), findings.size());
  EXPECT_EQ(written(*ReportFormat::gitlab(), {}), "[\n]\n");
}

TEST(Format, ARecordOfAFindingComesBack) {
  for (const Finding& finding : hostile_findings()) {
    Record record;
    fill_record(record, finding);
    std::string line;
    record.append_to(line);
    Record back;
    back.parse(line);
    EXPECT_EQ(back.get("verdict"), to_string(finding.verdict));
    EXPECT_EQ(back.get("reason"), finding.reason);
    EXPECT_EQ(back.get("via"), finding.page);
    EXPECT_EQ(back.get("location"), finding.location);
    EXPECT_EQ(back.has("file"), !finding.file.empty());
    EXPECT_EQ(back.has("line"), finding.line != 0);
  }
}

}  // namespace
}  // namespace spinneret::check
