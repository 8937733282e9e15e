// SPDX-License-Identifier: Apache-2.0
#include "io/record.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/outcome.h"

namespace spinneret {
namespace {

using Columns = std::vector<std::pair<std::string, std::string>>;

// The slow twin of Record::parse: splits at every tab, and each column by the letter of the rule.
Columns slow_parse(const std::string& line, std::string& url) {
  std::vector<std::string> cells{""};
  for (const char c : line) {
    if (c == '\t') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  url = cells.front();
  Columns out;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    std::size_t length = 0;
    const std::string& cell = cells[i];
    while (length < cell.size() && ((cell[length] >= 'a' && cell[length] <= 'z') ||
                                    (length > 0 && ((cell[length] >= '0' && cell[length] <= '9') ||
                                                    cell[length] == '.' || cell[length] == '-')))) {
      ++length;
    }
    const bool is_field = length > 0 && length < cell.size() && cell[length] == '=';
    out.emplace_back(is_field ? cell.substr(0, length) : "",
                     is_field ? cell.substr(length + 1) : cell);
  }
  return out;
}

bool slow_is_settled(const std::string& line) {
  std::string url;
  for (const auto& [key, raw] : slow_parse(line, url)) {
    if (key == "outcome") return true;
  }
  return false;
}

// The slow twin of the escapes: one byte at a time, by the table of spinneret-record(7).
std::string slow_escape(const std::string& value) {
  std::string out;
  for (const char c : value) {
    if (c == '\t')
      out += "\\t";
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\\')
      out += "\\\\";
    else if (c == '\0')
      out += "\\0";
    else
      out += c;
  }
  return out;
}

std::string slow_unescape(const std::string& raw) {
  std::string out;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char next = i + 1 < raw.size() ? raw[i + 1] : '?';
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      out += raw[i];
    } else if (next == 't' || next == 'n' || next == 'r' || next == '\\' || next == '0') {
      out += next == 't'   ? '\t'
             : next == 'n' ? '\n'
             : next == 'r' ? '\r'
             : next == '0' ? '\0'
                           : '\\';
      ++i;
    } else {
      out += raw[i];
      out += next;
      ++i;
    }
  }
  return out;
}

std::string text_of(const Record& record) {
  std::string out;
  record.append_to(out);
  return out;
}

std::string set_and_print(const std::string& line, std::string_view key, std::string_view value) {
  Record record;
  record.parse(line);
  record.set(key, value);
  return text_of(record);
}

void expect_parses_as_slow(const std::string& line) {
  // The buffer has exactly that size, so that a sanitizer sees a read beyond it.
  const auto exact = std::make_unique<char[]>(line.size());
  std::copy(line.begin(), line.end(), exact.get());
  const std::string_view view(exact.get(), line.size());
  Record record;
  record.parse(view);
  std::string url;
  const Columns want = slow_parse(line, url);
  ASSERT_EQ(record.url(), url);
  ASSERT_EQ(record_url(view), url);
  ASSERT_EQ(record.fields().size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(record.fields()[i].key, want[i].first);
    ASSERT_EQ(record.fields()[i].raw, want[i].second);
  }
  ASSERT_EQ(is_settled(view), slow_is_settled(line)) << testing::PrintToString(line);
  ASSERT_EQ(record.settled(), slow_is_settled(line));
  ASSERT_EQ(text_of(record), line) << "byte for byte";
  for (const char* key : {"a", "outcome", "o", "body"}) {
    const auto found = find_raw_field(view, key);
    ASSERT_EQ(found.has_value(), record.has(key));
    ASSERT_EQ(found.value_or(""), record.raw(key));
  }
}

TEST(Record, EveryShortLineAgainstTheSlowTwin) {
  constexpr std::string_view kAlphabet("\ta=\\0-Z.", 8);
  for (std::size_t length = 0; length <= 6; ++length) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < length; ++i) count *= kAlphabet.size();
    for (std::size_t code = 0; code < count; ++code) {
      std::string line = "u";
      for (std::size_t rest = code, i = 0; i < length; ++i, rest /= kAlphabet.size()) {
        line += kAlphabet[rest % kAlphabet.size()];
      }
      expect_parses_as_slow(line);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Record, RandomLinesOfTellingPieces) {
  const std::vector<std::string> pieces = {
      "\t", "\t",   "outcome", "=", "ok", "a", "body",       "\\t",    "\\", std::string(1, '\0'),
      "\r", "\xFF", "O",       "-", ".",  "9", "\toutcome=", "\tbody="};
  std::mt19937 random(6);
  for (int round = 0; round < 50'000; ++round) {
    std::string line;
    for (auto left = random() % 12; left > 0; --left) line += pieces[random() % pieces.size()];
    expect_parses_as_slow(line);
    if (HasFatalFailure()) return;
  }
}

TEST(Escapes, RoundTripAndAgreeWithTheSlowTwin) {
  std::mt19937 random(7);
  constexpr std::string_view kBytes("\t\n\r\\\0tnr0ax\xFF", 12);
  for (int round = 0; round < 50'000; ++round) {
    std::string value(random() % 40, '\0');
    for (char& c : value) c = kBytes[random() % kBytes.size()];
    std::string escaped;
    append_escaped(escaped, value);
    ASSERT_EQ(escaped, slow_escape(value));
    ASSERT_EQ(escaped.find_first_of(std::string_view("\t\n\r\0", 4)), std::string::npos);
    std::string back;
    append_unescaped(back, escaped);
    ASSERT_EQ(back, value);
    std::string foreign;  // what another program may have written: any bytes
    append_unescaped(foreign, value);
    ASSERT_EQ(foreign, slow_unescape(value));
  }
}

TEST(Escapes, LongValuesWithOneSpecialByteAnywhere) {
  // Vector paths look at many bytes at a time: a special byte stands at each place, with text
  // before and after.
  for (std::size_t size = 0; size < 80; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char c : {'\t', '\n', '\r', '\\', '\0', '\x01', '\x7F', '\xDC', '\x89', '\x8A'}) {
        std::string value(size, 'x');
        value[at] = c;
        std::string escaped = "before ";
        append_escaped(escaped, value);
        ASSERT_EQ(escaped, "before " + slow_escape(value));
        std::string back;
        append_unescaped(back, std::string_view(escaped).substr(7));
        ASSERT_EQ(back, value);
      }
    }
  }
}

TEST(Escapes, PiecesNeverCutAnEscape) {
  // append_unescaped works on pieces of 2,048 bytes: runs of backslashes of every length cross
  // their ends.
  for (std::size_t before = 2030; before <= 2050; ++before) {
    for (std::size_t run = 0; run <= 24; ++run) {
      for (const char* behind : {"", "n", "tail", "0"}) {
        const std::string raw = std::string(before, 'x') + std::string(run, '\\') + behind;
        std::string plain;
        append_unescaped(plain, raw);
        ASSERT_EQ(plain, slow_unescape(raw)) << before << " " << run << behind;
        std::string back;
        append_escaped(back, raw);
        ASSERT_EQ(back, slow_escape(raw));
      }
    }
  }
  const std::string slashes(10'001, '\\');
  std::string plain;
  append_unescaped(plain, slashes);
  EXPECT_EQ(plain, slow_unescape(slashes));
}

TEST(Escapes, UnknownOnesStand) {
  std::string out;
  append_unescaped(out, R"(\q\x41\)");
  EXPECT_EQ(out, R"(\q\x41\)");
}

TEST(FieldKey, FollowsTheGrammar) {
  for (const char* good : {"a", "status", "x-robots-tag", "warc.offset", "h2", "a-", "a."}) {
    EXPECT_TRUE(is_field_key(good)) << good;
  }
  for (const char* bad : {"", "A", "1a", "-a", ".a", "a_b", "a b", "a=", "\xC3\xA4", "aB"}) {
    EXPECT_FALSE(is_field_key(bad)) << bad;
  }
}

TEST(Record, UrlAloneIsARecord) {
  Record record;
  record.parse("https://a/");
  EXPECT_EQ(record.url(), "https://a/");
  EXPECT_TRUE(record.fields().empty());
  EXPECT_FALSE(record.settled());
  record.parse("");
  EXPECT_EQ(record.url(), "");
}

TEST(Record, GetsTheFirstOfARepeatedKeyUnescaped) {
  Record record;
  record.parse("u\ta=1\\t2\ta=3\tb=\tc");
  EXPECT_EQ(record.get("a"), "1\t2");
  EXPECT_EQ(record.raw("a"), "1\\t2");
  EXPECT_EQ(record.get("b"), "");
  EXPECT_EQ(record.get("c"), std::nullopt);
  EXPECT_EQ(record.raw("c"), "");
  EXPECT_FALSE(record.has(""));
  EXPECT_EQ(record.get(""), std::nullopt);
}

TEST(Record, FirstEqualsSplits) {
  Record record;
  record.parse("u\ta=b=c");
  EXPECT_EQ(record.get("a"), "b=c");
}

TEST(Record, SetReplacesTheFirstAndDropsItsRepeats) {
  EXPECT_EQ(set_and_print("u\ta=1\tx\ta=2\tb=3", "a", "n\tw"), "u\ta=n\\tw\tx\tb=3");
  EXPECT_EQ(set_and_print("u\tx", "a", ""), "u\tx\ta=");
  EXPECT_EQ(set_and_print("u\toutcome=ok", "a", "1"), "u\ta=1\toutcome=ok");
}

TEST(Record, OutcomeIsLast) {
  Record record;
  record.parse("u\ta=1");
  record.set_outcome("ok");
  record.add("b", "2");
  record.set("c", "3");
  record.set_unsigned("d", 4);
  EXPECT_EQ(text_of(record), "u\ta=1\tb=2\tc=3\td=4\toutcome=ok");
  record.set_outcome("gone");
  EXPECT_EQ(text_of(record), "u\ta=1\tb=2\tc=3\td=4\toutcome=gone");
}

// Bug: Record::set replaced an outcome where it stood, with fields behind it.
TEST(Record, SetMovesAnOutcomeOfOthersToTheEnd) {
  EXPECT_EQ(set_and_print("u\toutcome=ok\tmine=1", "outcome", "gone"), "u\tmine=1\toutcome=gone");
  EXPECT_EQ(set_and_print("u\tmine=1", "outcome", "gone"), "u\tmine=1\toutcome=gone");
  Record record;
  record.parse("u\toutcome=ok\tmine=1\toutcome=gone");
  record.add("outcome", "needs");
  EXPECT_EQ(text_of(record), "u\tmine=1\toutcome=needs");
}

// After a kill -9 in the middle of a write, whatever part of the record arrives has no valid
// outcome.
TEST(Record, TornRecordIsNeverSettled) {
  for (const OutcomeInfo& info : all_outcomes()) {
    Record record;
    record.parse("https://a/\tdepth=1\tbody=x\\ty");
    record.set("status", "200");
    record.set_outcome(info.name);
    const std::string line = text_of(record);
    for (std::size_t size = 0; size < line.size(); ++size) {
      Record torn;
      torn.parse(std::string_view(line).substr(0, size));
      ASSERT_EQ(parse_outcome(torn.raw("outcome")), std::nullopt) << size;
    }
  }
}

TEST(Record, RemoveTakesEveryRepeatAndNoOther) {
  Record record;
  record.parse("u\ta=1\tb=2\ta=3\tx");
  record.remove("a");
  record.remove("none");
  record.remove("");  // this is no key, and not that of x
  EXPECT_EQ(text_of(record), "u\tb=2\tx");
}

TEST(Record, AddKeepsOrder) {
  Record record;
  record.reset("u");
  record.add("via", "a");
  record.add("via", "b");
  record.set_unsigned("depth", 0);
  record.set_unsigned("size", UINT64_MAX);
  EXPECT_EQ(text_of(record), "u\tvia=a\tvia=b\tdepth=0\tsize=18446744073709551615");
}

TEST(Record, SetUrlKeepsTheFields) {
  Record record;
  record.parse("u\ta=1\t");
  record.set_url(std::string("https://b/"));
  EXPECT_EQ(text_of(record), "https://b/\ta=1\t");
}

TEST(Record, TakesViewsOfItself) {
  Record record;
  record.parse("u\tlocation=a\\\\b\tvia=v");
  const std::string_view location = *record.get("location");
  // Clearing first would free the block that holds `location`.
  record.reset(location);
  EXPECT_EQ(record.url(), "a\\b");
  record.set("one", record.url());
  record.set("two", *record.get("one"));
  record.set("one", record.raw("two"));
  record.set_outcome("ok");
  record.set_outcome(record.raw("outcome"));
  EXPECT_EQ(text_of(record), "a\\b\tone=a\\\\\\\\b\ttwo=a\\\\b\toutcome=ok");
}

TEST(Record, ViewsLiveWhileMuchIsSet) {
  Record record;
  record.parse("u");
  record.set("first", "value\t1");
  const std::string_view first = *record.get("first");
  for (int i = 0; i < 2000; ++i) record.set_unsigned("k" + std::to_string(i), 1);
  record.set("big", std::string(100'000, 'x'));
  EXPECT_EQ(first, "value\t1");
}

TEST(Record, IsReusedWithoutMemoryOfTheLast) {
  Record record;
  for (int round = 0; round < 100; ++round) {
    const std::string body(round % 10 == 0 ? 3 << 20 : 50, 'b');
    record.parse("u\tx");
    record.set("body", body);
    record.set_outcome("ok");
    ASSERT_EQ(text_of(record), "u\tx\tbody=" + body + "\toutcome=ok");
  }
}

TEST(IsSettled, LooksAtFieldsOnly) {
  EXPECT_TRUE(is_settled("u\toutcome=ok"));
  EXPECT_TRUE(is_settled("u\toutcome="));
  EXPECT_TRUE(is_settled("u\ta=1\toutcome=ok\tmine=1"));
  EXPECT_FALSE(is_settled("outcome=ok"));
  EXPECT_FALSE(is_settled("u outcome=ok"));
  EXPECT_FALSE(is_settled("u\toutcome"));
  EXPECT_FALSE(is_settled("u\tmy-outcome=ok"));
  EXPECT_FALSE(is_settled("u\ta=\\toutcome=ok"));
  EXPECT_FALSE(is_settled(""));
}

}  // namespace
}  // namespace spinneret
