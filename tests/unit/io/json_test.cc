// SPDX-License-Identifier: Apache-2.0
#include "io/json.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/utf8.h"
#include "io/record.h"

namespace spinneret {
namespace {

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string json(std::string_view line) {
  Record record;
  record.parse(line);
  std::string out;
  append_json(out, record);
  return out;
}

// Checks RFC 8259 by its grammar, and no more: true where `text` is one value and nothing else.
class Checker {
 public:
  explicit Checker(std::string_view text) : rest_(text) {}
  bool check() { return value() && rest_.empty(); }

 private:
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool value() {
    if (rest_.empty()) return false;
    if (rest_.front() == '{') return object();
    if (rest_.front() == '[') return array();
    return rest_.front() == '"' ? string() : number();
  }
  bool object() {
    take('{');
    do {
      if (!string() || !take(':') || !value()) return false;
    } while (take(','));
    return take('}');
  }
  bool array() {
    take('[');
    do {
      if (!value()) return false;
    } while (take(','));
    return take(']');
  }
  bool string() {
    if (!take('"')) return false;
    while (!rest_.empty() && rest_.front() != '"') {
      if (take('\\')) {
        if (!escape()) return false;
        continue;
      }
      const std::size_t length = utf8_sequence(rest_);
      if (length == 0 || is_control(rest_.front())) return false;
      rest_.remove_prefix(length);
    }
    return take('"');
  }
  // Takes what stands behind a backslash.
  bool escape() {
    for (const char c : std::string_view("\"\\/bfnrt")) {
      if (take(c)) return true;
    }
    if (!take('u') || rest_.size() < 4) return false;
    for (int i = 0; i < 4; ++i, rest_.remove_prefix(1)) {
      if (!is_hex(rest_.front())) return false;
    }
    return true;
  }
  bool digits() {
    const std::size_t before = rest_.size();
    while (!rest_.empty() && is_digit(rest_.front())) rest_.remove_prefix(1);
    return rest_.size() != before;
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    return !take('.') || digits();
  }

  std::string_view rest_;
};

TEST(JsonString, EscapesWhatMustBe) {
  EXPECT_EQ(json_string(""), R"("")");
  EXPECT_EQ(json_string(R"(a"b\c/d)"), R"("a\"b\\c/d")");
  EXPECT_EQ(json_string(std::string_view("\t\r\n\0\x1b\x7f", 6)), R"("\t\r\n\u0000\u001b\u007f")");
}

TEST(JsonString, KeepsTextAndReplacesWhatIsNone) {
  EXPECT_EQ(json_string("\xE2\x82\xAC \xF0\x9F\x95\xB7"), "\"\xE2\x82\xAC \xF0\x9F\x95\xB7\"");
  EXPECT_EQ(json_string("a\xFF\xC3"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(json_string("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // surrogate
}

TEST(JsonString, IsSafeOnATerminal) {
  EXPECT_EQ(json_string("\xC2\x9B"), R"("\u009b")");
  EXPECT_EQ(json_string("\xE2\x80\xAE"), R"("\u202e")");
  EXPECT_EQ(json_string("\xE2\x81\xA6"), R"("\u2066")");
}

TEST(Json, NumbersAreThoseOfTheNumericFields) {
  EXPECT_EQ(json("u\tstatus=200\tetag=200"), R"({"url":"u","status":200,"etag":"200"})");
  EXPECT_EQ(json("u\tcrawl-delay=1.5\tpriority=-3"),
            R"({"url":"u","crawl-delay":1.5,"priority":-3})");
}

// Bug: "1." was passed as a number.
TEST(Json, WhatIsNoJsonNumberStaysAString) {
  for (const char* value : {"", "1.", ".5", "-", "-.5", "007", "1e3", "+1", "1.2.3", "0x1", " 1",
                            "nan", "12345678901234567890"}) {
    EXPECT_EQ(json(std::string("u\tsize=") + value),
              std::string(R"({"url":"u","size":")") + value + "\"}");
  }
  for (const char* value : {"0", "-0", "0.0", "10", "0.25", "-1.50", "123456789012345"}) {
    EXPECT_EQ(json(std::string("u\tsize=") + value),
              std::string(R"({"url":"u","size":)") + value + "}");
  }
}

TEST(Json, ValuesAreUnescapedFirst) {
  EXPECT_EQ(json("u\tbody=a\\tb\\\\c\\0"), R"({"url":"u","body":"a\tb\\c\u0000"})");
}

TEST(Json, RepeatedKeysBecomeAnArrayAtTheFirstPlace) {
  EXPECT_EQ(json("u\tvia=a\tx=1\tvia=b\tvia=c"), R"({"url":"u","via":["a","b","c"],"x":"1"})");
  EXPECT_EQ(json("u\tsize=1\tsize=two"), R"({"url":"u","size":[1,"two"]})");
}

TEST(Json, ColumnsWithoutKeyComeTogether) {
  EXPECT_EQ(json("u\tplain\ta=1\t\tOther=x"),
            R"({"url":"u","columns":["plain","","Other=x"],"a":"1"})");
}

// Bug: a field called url gave an object with two members of that name.
TEST(Json, NoMemberStandsTwice) {
  EXPECT_EQ(json("u\turl=v\tcolumns=w\tx"), R"({"url":"u","columns":["url=v","columns=w","x"]})");
}

TEST(Json, IsJsonWhateverComes) {
  std::mt19937 random(8);
  constexpr std::string_view kBytes("\t\t\tab=\\\"0123.-{\x01\x7F\x80\xC3\xA4\xFF\r\0", 24);
  for (int round = 0; round < 50'000; ++round) {
    std::string line = round % 2 == 0 ? "u\tsize=" : "";
    for (auto left = random() % 30; left > 0; --left) line += kBytes[random() % kBytes.size()];
    const std::string out = json(line);
    ASSERT_TRUE(Checker(out).check()) << excerpt(out, 1000);
  }
}

TEST(Json, ManyKeysTakeNoQuadraticTime) {
  std::string line = "u";
  for (int i = 0; i < 200'000; ++i) line += "\tk" + std::to_string(i) + "=";
  // This took minutes when each key was looked for among all.
  EXPECT_GT(json(line).size(), line.size());
}

}  // namespace
}  // namespace spinneret
