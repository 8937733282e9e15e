// SPDX-License-Identifier: Apache-2.0
#include "io/locator.h"

#include <gtest/gtest.h>

#include <string>

#include "io/json_key.h"
#include "support/json.h"

namespace spinneret {
namespace {

// "[begin,end) text", or the reason.
std::string found(const Locator& locator, std::string_view line) {
  Locator::Place place;
  std::string_view why;
  if (!locator.find(line, place, why)) return std::string(why);
  return std::to_string(place.begin) + ',' + std::to_string(place.end) + ' ' +
         std::string(place.text);
}

std::string replaced(const Locator& locator, std::string_view line, std::string_view text) {
  Locator::Place place;
  std::string_view why;
  EXPECT_TRUE(locator.find(line, place, why)) << line;
  std::string out;
  locator.append_replaced(out, line, place, text);
  return out;
}

TEST(Column, CountsFromOne) {
  EXPECT_EQ(found(Locator::column(1), "a\tb\tc"), "0,1 a");
  EXPECT_EQ(found(Locator::column(2), "a\tb\tc"), "2,3 b");
  EXPECT_EQ(found(Locator::column(3), "a\tb\tc"), "4,5 c");
  EXPECT_EQ(found(Locator::column(2), "a\t"), "2,2 ");
  EXPECT_EQ(found(Locator::column(1), ""), "0,0 ");
  EXPECT_EQ(found(Locator::column(2), "a"), "the line has fewer columns");
  EXPECT_EQ(found(Locator::column(4), "a\tb\tc"), "the line has fewer columns");
}

TEST(Column, RewritesInPlace) {
  EXPECT_EQ(replaced(Locator::column(2), "a\tb\tc\xFF", "new"), "a\tnew\tc\xFF");
  EXPECT_EQ(replaced(Locator::column(1), "a", "new"), "new");
}

TEST(JsonKey, FindsStrings) {
  const Locator url = Locator::json_key("url");
  EXPECT_EQ(found(url, R"({"url":"x"})"), "7,10 x");
  EXPECT_EQ(found(url, R"( { "a" : 1 , "url" : "x" } )"), "21,24 x");
  EXPECT_EQ(found(url, R"({"u\u0072l":"a\/b\"\u00e9\ud83d\ude00\ud83d"})"),
            "12,44 a/b\"\u00E9\U0001F600\uFFFD");
}

TEST(JsonKey, LooksAtTheTopOnly) {
  const Locator url = Locator::json_key("url");
  EXPECT_EQ(found(url, R"({"x":{"url":"no"},"y":["url",{"url":"no"}],"url":"yes"})"), "49,54 yes");
  EXPECT_EQ(found(url, R"({"x":"url","url":"yes"})"), "17,22 yes");
  EXPECT_EQ(found(url, R"({"x":{"url":"no"}})"), "the JSON object lacks the key");
}

TEST(JsonKey, TheFirstOfSeveral) {
  EXPECT_EQ(found(Locator::json_key("a"), R"({"a":"1","a":"2"})"), "5,8 1");
}

TEST(JsonKey, SkipsEveryKindOfValue) {
  EXPECT_EQ(
      found(
          Locator::json_key("z"),
          R"({"a":null,"b":-1.5e+3,"c":true,"d":[],"e":{},"f":"}\"","g":[[1],{"h":[2]}],"z":"!"})"),
      "79,82 !");
}

TEST(JsonKey, WhatCannotBeFound) {
  const Locator url = Locator::json_key("url");
  for (const char* line :
       {"", "[]", "x", "{", R"({"url")", R"({"url":"x)", R"({"a" 1})", R"({"a":,"url":"x"})",
        R"({"a":"\x","url":"x"})", R"({"a":[,"url":"x"})", R"({"a":]})"}) {
    EXPECT_EQ(found(url, line), "the line is no JSON object") << line;
  }
  EXPECT_EQ(found(url, "{}"), "the JSON object lacks the key");
  EXPECT_EQ(found(url, R"({"url":1})"), "the key's value is no string");
  EXPECT_EQ(found(url, R"({"url":{"url":"x"}})"), "the key's value is no string");
}

// The search once ended at the value, and what stood behind it was passed unread.
TEST(JsonKey, TheLineIsReadToItsEnd) {
  const Locator url = Locator::json_key("url");
  for (const char* line :
       {R"({"url":"x"} garbage)", R"({"url":"x")", R"({"url":"x",})", R"({"url":"x"}})",
        R"({"url":"x" "a":1})", R"({"url":"x","a"})", R"({"url":"x","a":"\x","b":[1})",
        R"({"url":"x","a":"b)", R"({} x)", R"({"a":1} x)", R"({"url":"x"}{})"}) {
    EXPECT_EQ(found(url, line), "the line is no JSON object") << line;
  }
  EXPECT_EQ(found(url, " {\"url\":\"x\" , \"a\" : [{}] } \r"), "8,11 x");
}

// Strings are read 16 bytes at a step: every length, and an escape at every place.
TEST(JsonKey, StringsOfEveryLength) {
  for (std::size_t length = 0; length < 50; ++length) {
    for (std::size_t at = 0; at <= length; ++at) {
      const std::string before(at, 'x');
      const std::string behind(length - at, 'y');
      const std::string value = before + R"(\")" + behind;
      const std::string line = R"({"a":")" + value + R"(","url":")" + value + R"("})";
      JsonString string;
      ASSERT_EQ(find_json_string(line, "url", string), JsonFind::kFound) << line;
      ASSERT_EQ(string.text, before + '"' + behind);
      ASSERT_EQ(string.end, line.size() - 1);
    }
  }
}

TEST(JsonKey, RewritesInPlace) {
  const std::string line = R"({ "a":1.0, "url" : "http:\/\/h" ,"b":"\u00e9" })";
  EXPECT_EQ(replaced(Locator::json_key("url"), line, "x\"y"),
            R"({ "a":1.0, "url" : "x\"y" ,"b":"\u00e9" })");
}

// Deep nesting is counted, not recursed into.
TEST(JsonKey, DeepNesting) {
  const std::string deep(1000000, '[');
  EXPECT_EQ(
      found(Locator::json_key("u"), R"({"a":)" + deep + std::string(1000000, ']') + R"(,"u":"x"})")
          .substr(8),
      "2000013 x");
}

// Whatever a whole reader finds, this finds too.
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
    const JsonFind result = find_json_string(line, "b", string);
    if (!whole.has("b")) {
      ASSERT_EQ(result, JsonFind::kMissing) << line;
    } else if (whole["b"].is_string()) {
      ASSERT_EQ(result, JsonFind::kFound) << line;
      ASSERT_EQ(string.text, whole["b"].text()) << line;
    } else {
      ASSERT_EQ(result, JsonFind::kNotString) << line;
    }
  }
  EXPECT_GT(agreed, 100);
}

}  // namespace
}  // namespace spinneret
