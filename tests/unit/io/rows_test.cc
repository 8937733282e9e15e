// SPDX-License-Identifier: Apache-2.0
#include "io/rows.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/ascii.h"
#include "io/json_key.h"
#include "support/json.h"

namespace spinneret {
namespace {

// Returns "[begin,end) text", or the reason.
std::string found(std::string_view key, std::string_view line) {
  Result<JsonPath> path = parse_json_path(key);
  if (!path.ok()) return path.message();
  JsonString string;
  switch (find_json_string(line, *path, string)) {
    case JsonFind::kMissing: return "the JSON object lacks the key";
    case JsonFind::kNull: return "null";
    case JsonFind::kNotString: return "the key's value is not a string";
    case JsonFind::kMalformed: return "the line is not a JSON object";
    default: break;
  }
  return std::to_string(string.begin) + ',' + std::to_string(string.end) + ' ' + string.text;
}

TEST(JsonKey, FindsStrings) {
  const char* const url = "url";
  EXPECT_EQ(found(url, R"({"url":"x"})"), "7,10 x");
  EXPECT_EQ(found(url, R"( { "a" : 1 , "url" : "x" } )"), "21,24 x");
  EXPECT_EQ(found(url, R"({"u\u0072l":"a\/b\"\u00e9\ud83d\ude00\ud83d"})"),
            "12,44 a/b\"\u00E9\U0001F600\uFFFD");
}

TEST(JsonKey, LooksAtTheTopOnly) {
  const char* const url = "url";
  EXPECT_EQ(found(url, R"({"x":{"url":"no"},"y":["url",{"url":"no"}],"url":"yes"})"), "49,54 yes");
  EXPECT_EQ(found(url, R"({"x":"url","url":"yes"})"), "17,22 yes");
  EXPECT_EQ(found(url, R"({"x":{"url":"no"}})"), "the JSON object lacks the key");
}

TEST(JsonKey, SkipsEveryKindOfValue) {
  EXPECT_EQ(
      found(
          "z",
          R"({"a":null,"b":-1.5e+3,"c":true,"d":[],"e":{},"f":"}\"","g":[[1],{"h":[2]}],"z":"!"})"),
      "79,82 !");
}

TEST(JsonKey, WhatCannotBeFound) {
  const char* const url = "url";
  for (const char* line :
       {"", "[]", "x", "{", R"({"url")", R"({"url":"x)", R"({"a" 1})", R"({"a":,"url":"x"})",
        R"({"a":"\x","url":"x"})", R"({"a":[,"url":"x"})", R"({"a":]})"}) {
    EXPECT_EQ(found(url, line), "the line is not a JSON object") << line;
  }
  EXPECT_EQ(found(url, "{}"), "the JSON object lacks the key");
  EXPECT_EQ(found(url, R"({"url":1})"), "the key's value is not a string");
  EXPECT_EQ(found(url, R"({"url":{"url":"x"}})"), "the key's value is not a string");
}

// Bug: the search ended at the value, and the rest of the line was not read.
TEST(JsonKey, TheLineIsReadToItsEnd) {
  const char* const url = "url";
  for (const char* line :
       {R"({"url":"x"} garbage)", R"({"url":"x")", R"({"url":"x",})", R"({"url":"x"}})",
        R"({"url":"x" "a":1})", R"({"url":"x","a"})", R"({"url":"x","a":"\x","b":[1})",
        R"({"url":"x","a":"b)", R"({} x)", R"({"a":1} x)", R"({"url":"x"}{})"}) {
    EXPECT_EQ(found(url, line), "the line is not a JSON object") << line;
  }
  EXPECT_EQ(found(url, " {\"url\":\"x\" , \"a\" : [{}] } \r"), "8,11 x");
}

// Strings are read 16 bytes at a step: this tests every length, with an escape at every place.
TEST(JsonKey, StringsOfEveryLength) {
  for (std::size_t length = 0; length < 50; ++length) {
    for (std::size_t at = 0; at <= length; ++at) {
      const std::string before(at, 'x');
      const std::string behind(length - at, 'y');
      const std::string value = before + R"(\")" + behind;
      const std::string line = R"({"a":")" + value + R"(","url":")" + value + R"("})";
      JsonString string;
      ASSERT_EQ(find_json_string(line, {{"url", 0, false}}, string), JsonFind::kFound) << line;
      ASSERT_EQ(string.text, before + '"' + behind);
      ASSERT_EQ(string.end, line.size() - 1);
    }
  }
}

// Nesting is counted, without recursion.
TEST(JsonKey, DeepNesting) {
  const std::string deep(1000000, '[');
  EXPECT_EQ(found("u", R"({"a":)" + deep + std::string(1000000, ']') + R"(,"u":"x"})").substr(8),
            "2000013 x");
}

// Whatever a complete reader finds, this search finds, too.
TEST(JsonKey, AgreesWithAWholeReader) {
  static constexpr std::string_view kPieces[] = {
      "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "null", " ", "\"\\u0061\"", "\"x\\\"\""};
  std::uint64_t state = 88172645463325252U;
  int agreed = 0;
  for (int i = 0; i < 300000; ++i) {
    std::string line = "{\"a\"";
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::uint64_t rest = state;
    for (std::uint64_t count = rest % 7; count > 0; --count)
      line += kPieces[(rest /= 13) % std::size(kPieces)];
    line += '}';
    const Json whole = Json::parse(line);
    if (!whole.is_object()) continue;
    ++agreed;
    JsonString string;
    const JsonFind result = find_json_string(line, {{"b", 0, false}}, string);
    if (!whole.has("b")) {
      ASSERT_EQ(result, JsonFind::kMissing) << line;
    } else if (whole["b"].is_string()) {
      ASSERT_EQ(result, JsonFind::kFound) << line;
      ASSERT_EQ(string.text, whole["b"].text()) << line;
    } else {
      ASSERT_TRUE(result == JsonFind::kNotString || result == JsonFind::kNull) << line;
    }
  }
  EXPECT_GT(agreed, 100);
}

// Bug: the first of several members of one name was found, where most other programs read the last.
TEST(JsonKey, BugOfNamesThatRepeatAnotherOneWasFoundThanByOthers) {
  EXPECT_EQ(found("u", R"({"u":"a","u":"b"})"), "13,16 b");
  EXPECT_EQ(found("u", R"({"u":"a","\u0075":"b"})"), "18,21 b");
  EXPECT_EQ(found("a.u", R"({"a":{"u":"a"},"a":{"u":"b"}})"), "24,27 b");
  EXPECT_EQ(found("a.u", R"({"a":{"u":"a"},"a":{}})"), "the JSON object lacks the key");
  EXPECT_EQ(found("u", R"({"u":"a","u":null})"), "null");
}

TEST(JsonKey, Paths) {
  const char* const line = R"({"a":{"b":[{"c":"x"},["y"],"z"],"b.d":"w"},"n":null,"[0]":"v"})";
  EXPECT_EQ(found("a.b[0].c", line), "16,19 x");
  EXPECT_EQ(found("a.b[1][0]", line), "22,25 y");
  EXPECT_EQ(found("a.b[2]", line), "27,30 z");
  EXPECT_EQ(found("a[\"b.d\"]", line), "38,41 w");
  EXPECT_EQ(found("[\"[0]\"]", line), "58,61 v");
  EXPECT_EQ(found("n", line), "null");
  for (const char* path : {"a.b[3]", "a.b.c", "a[0]", "n.x", "a.b[0].d", "a.b[1][0].x"})
    EXPECT_EQ(found(path, line), "the JSON object lacks the key") << path;
  EXPECT_EQ(found("a.b", line), "the key's value is not a string");
  for (const char* path : {"", ".", "a.", "a..b", "a[", "a[x]", "a[-1]", "[0]", "a]b[0", "a[\"b"}) {
    const std::string answer = found(path, line);
    if (std::string_view(path) == "a]b[0")
      EXPECT_EQ(answer.find("a key is a name"), 0U) << path;
    else
      EXPECT_TRUE(answer.starts_with("a key is a name")) << path << ": " << answer;
  }
  EXPECT_TRUE(found(std::string(200, '.'), line).starts_with("a key is"));
}

// The result of a table where `change` works on each record that has a URL; the input comes in
// pieces of `piece` lines.
struct Passed {
  std::string out;
  std::string reports;  // "operand:line reason;"
};
using Change = std::function<std::string(std::string_view record)>;

Passed pass(const TableShape& shape, std::string_view table, std::size_t piece,
            const Change& change = {}, std::vector<std::string> added = {},
            RowWriter::OnError on_error = RowWriter::OnError::kKeep) {
  Passed result;
  RowReader reader(shape);
  RowWriter writer(shape, on_error, [&result](const RowWriter::Report& report) {
    result.reports += std::to_string(report.operand) + ':' + std::to_string(report.line) + ' ' +
                      std::string(report.reason) + ';';
  });
  writer.set_added(std::move(added), false);
  reader.begin_file(1);
  std::string records;
  while (!table.empty()) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < piece && end != std::string_view::npos; ++i) {
      end = table.find('\n', end);
      if (end != std::string_view::npos) ++end;
    }
    reader.take(table.substr(0, end), records);
    table.remove_prefix(std::min(end, table.size()));
  }
  reader.finish(records);
  for (std::string_view rest = records; !rest.empty();) {
    const std::string_view record = cut(rest, '\n');
    const bool settled = record.ends_with("\toutcome=row");
    const std::string changed = settled || !change ? std::string(record) : change(record);
    if (!changed.empty()) writer.append(result.out, changed);
  }
  return result;
}

TableShape csv(std::vector<std::string> fields, bool header = false) {
  return {.form = TableShape::Form::kCsv, .fields = std::move(fields), .header = header};
}

std::string shouted(std::string_view record) {
  std::string out(record);
  for (char& c : out) {
    if (c == '\t') break;
    c = to_upper(c);
  }
  return out;
}

TEST(Rows, EveryByteStaysWhereNothingChanges) {
  static constexpr std::string_view kPieces[] = {
      "a",         ",",    ",",    "\n",    "\n",
      "\"",        "\"\"", "\r\n", "\"x\"", "\t",
      "\"y,\nz\"", "\\",   "\xFF", " ",     std::string_view("\0", 1)};
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string table;
    for (auto count = random() % 24; count > 0; --count)
      table += kPieces[random() % std::size(kPieces)];
    for (const TableShape::Form form :
         {TableShape::Form::kCsv, TableShape::Form::kTsv, TableShape::Form::kJson}) {
      TableShape shape = csv({"1"});
      shape.form = form;
      std::string wanted = table;
      if (!wanted.empty() && wanted.back() != '\n') wanted += '\n';
      const std::string out = pass(shape, table, 1).out;
      // Column 1 of a record holds no tab and no line end: a URL that has one loses it.
      if (form == TableShape::Form::kCsv && table.find_first_of("\t\n\r") != std::string::npos &&
          out != wanted) {
        continue;
      }
      ASSERT_EQ(out, wanted) << table;
      ASSERT_EQ(pass(shape, table, 1000).out, out) << table;
    }
  }
}

TEST(Rows, QuotesStayWhereTheyWere) {
  const TableShape shape = csv({"2"});
  EXPECT_EQ(pass(shape, "\"1\",\"a\",\"b \"\"c\"\"\"\n2,b,\r\n", 1, shouted).out,
            "\"1\",\"A\",\"b \"\"c\"\"\"\n2,B,\r\n");
  const auto with_comma = [](std::string_view record) {
    return "x,\"y" + std::string(record.substr(1));
  };
  EXPECT_EQ(pass(shape, "1,a\n", 1, with_comma).out, "1,\"x,\"\"y\"\n");
}

TEST(Rows, AQuoteThatIsNotClosedCostsItsLine) {
  const Passed passed = pass(csv({"1"}), "a,\"b\nc\nd\n", 1, shouted);
  EXPECT_EQ(passed.out, "a,\"b\nC\nD\n");
  EXPECT_EQ(passed.reports, "1:1 a quote that is not closed;");
  TableShape small = csv({"1"});
  small.max_row = 10;
  EXPECT_EQ(pass(small, "a,\"b\nc\nd\neeeeeee\nf\n\"g\"\n", 1, shouted).reports,
            "1:1 a quote that is not closed;");
}

TEST(Rows, HeaderAndAddedColumns) {
  const auto with_host = [](std::string_view record) { return std::string(record) + "\thost=h,x"; };
  EXPECT_EQ(pass(csv({"url"}, true), "id,url\n1,a\n2,\n3\n4,b,c\n", 1, with_host, {"host"}).out,
            "id,url,host\n1,a,\"h,x\"\n2,,\n3,,\n4,b,c,\"h,x\"\n");
  // A column of that name exists already.
  EXPECT_EQ(pass(csv({"url"}, true), "host,url\nold,a\n", 1, with_host, {"host"}).out,
            "host,url\n\"h,x\",a\n");
}

TEST(Rows, HeadersThatDoNotHelp) {
  EXPECT_EQ(pass(csv({"url"}, true), "id,link\n1,a\n", 1).reports,
            "1:1 no column is named \"url\"; there are \"id, link\";");
  EXPECT_EQ(pass(csv({"url"}, true), "url,url\n1,a\n", 1).reports,
            "1:1 two columns are named \"url\": give the number of one;");
  EXPECT_FALSE(check_shape(csv({"url"})).ok());
  EXPECT_FALSE(check_shape(csv({"0"})).ok());
  EXPECT_TRUE(check_shape(csv({"2"})).ok());
}

TEST(Rows, SeveralUrlsARow) {
  const auto no_b = [](std::string_view record) {
    return record.starts_with('b') ? std::string() : shouted(record);
  };
  EXPECT_EQ(pass(csv({"3", "1"}), "a,1,c\nb,2,c\n,3,c\nc,4,b\nd,5,\n", 2, no_b).out,
            "A,1,C\n,3,C\nD,5,\n");
}

TEST(Rows, BadOnes) {
  using OnError = RowWriter::OnError;
  const auto refuse = [](std::string_view record) {
    std::string out(record);
    if (record.starts_with('b')) RowWriter::append_bad(out, "bad");
    return out;
  };
  const auto all = [&](OnError on_error) {
    return pass(csv({"1"}), "a\nb\nc\n", 9, refuse, {}, on_error);
  };
  EXPECT_EQ(all(OnError::kKeep).out, "a\nb\nc\n");
  EXPECT_EQ(all(OnError::kKeep).reports, "1:2 bad;");
  EXPECT_EQ(all(OnError::kDrop).out, "a\nc\n");
  EXPECT_EQ(all(OnError::kMark).out, "a,\nb,bad\nc,\n");
  EXPECT_EQ(all(OnError::kStop).out, "a\n");
}

TEST(Rows, JsonMembers) {
  TableShape shape{.form = TableShape::Form::kJson, .fields = {"u"}};
  const auto with = [](std::string_view record) {
    return shouted(record) + "\tstatus=200\tx=a\tx=b\ty=\\t";
  };
  EXPECT_EQ(
      pass(shape, "{\"u\":\"a\"}\n{ \"u\" : \"b\\u0062\", \"status\" : \"old\" } \n{}\n", 1, with)
          .out,
      "{\"u\":\"A\",\"status\":200,\"x\":[\"a\",\"b\"],\"y\":\"\\t\"}\n"
      "{ \"u\" : \"BB\", \"status\" : 200,\"x\":[\"a\",\"b\"],\"y\":\"\\t\" } \n{}\n");
}

// Members are added at once where the row has none of their names. The slow twin: the row has all
// of them, in a member in front of it.
TEST(Rows, JsonMembersAtOnceAreThoseOneByOne) {
  static constexpr std::string_view kValues[] = {
      "a",    "7", "1.50", "x=y",  "\\t\\n", "\\\\",     "\"",     "}",
      "path", "",  "{",    "\xFF", "\x01",   "\xC3\xBC", "status", "\"host\""};
  static constexpr std::string_view kKeys[] = {"status", "host", "path", "x", "size"};
  static constexpr std::string_view kRows[] = {R"("u":"h"})",
                                               R"( "u" : "h" } )",
                                               R"("a":{"u":1},"u":"h\u0062","b":[{}]})",
                                               "\"u\":\"h\"\t}\r",
                                               R"("q":"\"host\"","u":"h"})",
                                               R"("u":"\u0068","z":null	, "y" : "}" })",
                                               R"("u":"h","a":"x"})",
                                               R"("u":"h}"})"};
  const TableShape shape{.form = TableShape::Form::kJson, .fields = {"u"}};
  const std::string names = R"("n":["status","host","path","x","size"],)";
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string fields;
    for (auto count = random() % 5; count > 0; --count) {
      fields.append("\t").append(kKeys[random() % std::size(kKeys)]).append("=");
      fields += kValues[random() % std::size(kValues)];
    }
    if (random() % 16 == 0) fields += "\tcolumn";
    const auto with = [&](std::string_view record) {
      const std::string changed = random() % 2 == 0 ? std::string(record) : shouted(record);
      return changed + fields;
    };
    const std::string row(kRows[random() % std::size(kRows)]);
    const auto before = random;
    const std::string fast = pass(shape, '{' + row + '\n', 1, with).out;
    random = before;
    std::string slow = pass(shape, '{' + names + row + '\n', 1, with).out;
    ASSERT_EQ(slow.compare(1, names.size(), names), 0) << slow;
    ASSERT_EQ(fast, slow.erase(1, names.size())) << row << fields;
    ASSERT_TRUE(fast.ends_with('\n'));
  }
}

}  // namespace
}  // namespace spinneret
