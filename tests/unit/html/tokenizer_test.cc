// SPDX-License-Identifier: Apache-2.0
// html5lib's tokenizer tests (tree: ../shared/data/html/tokenizer), each on the whole input, on the
// input in pieces of one byte and on every cut in two.
#include "html/tokenizer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <span>

#include "base/file.h"
#include "html/entity.h"
#include "slow_tokenizer.h"
#include "support/json.h"
#include "support/sanitized.h"
#include "token_lines.h"

namespace spinneret::html {
namespace {

namespace fs = std::filesystem;

std::string optional_text(const Json& value) {
  return value.is_null() ? "-" : bracketed(value.text());
}

// Decodes \uXXXX once more.
std::string unescaped(const std::string& text, bool twice) {
  if (!twice) return text;
  return Json::parse("\"" + text + "\"").text();
}

std::vector<std::string> expected_of(const Json& test) {
  const bool twice = test["doubleEscaped"].truth();
  Lines lines;
  for (const Json& token : test["output"].items()) {
    const auto& items = token.items();
    const std::string& kind = items[0].text();
    if (kind == "Character") {
      lines.text(unescaped(items[1].text(), twice));
    } else if (kind == "StartTag") {
      std::map<std::string, std::string> attributes;
      for (const auto& [key, value] : items[2].members()) {
        attributes.emplace(key, unescaped(value.text(), twice));
      }
      lines.other(start_tag_line(unescaped(items[1].text(), twice), attributes, items.size() > 3));
    } else if (kind == "EndTag") {
      lines.other("end " + unescaped(items[1].text(), twice));
    } else if (kind == "Comment") {
      lines.other("comment " + bracketed(unescaped(items[1].text(), twice)));
    } else {
      lines.other("doctype " + items[1].text() + " " + optional_text(items[2]) + " " +
                  optional_text(items[3]) + (items[4].truth() ? "" : " quirks"));
    }
  }
  return lines.take();
}

std::optional<TextMode> mode_named(const std::string& state) {
  static const std::map<std::string, TextMode> kModes = {
      {"Data state", TextMode::kData},           {"RCDATA state", TextMode::kRcdata},
      {"RAWTEXT state", TextMode::kRawtext},     {"Script data state", TextMode::kScript},
      {"PLAINTEXT state", TextMode::kPlaintext}, {"CDATA section state", TextMode::kCdata}};
  const auto found = kModes.find(state);
  return found == kModes.end() ? std::nullopt : std::optional(found->second);
}

void check(const Json& test, const std::string& state, const std::string& where) {
  const auto mode = mode_named(state);
  ASSERT_TRUE(mode) << state;
  const std::string input = unescaped(test["input"].text(), test["doubleEscaped"].truth());
  const std::string last_start = test["lastStartTag"].text();
  const auto expected = expected_of(test);
  SCOPED_TRACE(where + ": " + test["description"].text() + ": " + input);
  ASSERT_EQ(token_lines(input, *mode, last_start, {}), expected);
  ASSERT_EQ(SlowTokenizer(input, *mode, last_start).run(), expected) << "slow twin";
  std::vector<std::size_t> each_byte;
  for (std::size_t cut = 0; cut < input.size(); ++cut) {
    each_byte.push_back(cut);
    ASSERT_EQ(token_lines(input, *mode, last_start, {cut}), expected) << "cut at " << cut;
  }
  ASSERT_EQ(token_lines(input, *mode, last_start, each_byte), expected) << "in single bytes";
}

TEST(Tokenizer, Html5libTests) {
  const fs::path folder = SPINNERET_SHARED_DATA "/html/tokenizer";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there";
  int runs = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".test") continue;
    const auto text = read_file(entry.path());
    ASSERT_TRUE(text.ok());
    const Json suite = Json::parse(*text);
    ASSERT_TRUE(suite.valid()) << entry.path();
    // "xmlViolationTests" ask for an XML infoset, which this tokenizer does not make.
    for (const Json& test : suite["tests"].items()) {
      std::vector<std::string> states;
      for (const Json& state : test["initialStates"].items()) states.push_back(state.text());
      if (states.empty()) states.emplace_back("Data state");
      for (const std::string& state : states) {
        check(test, state, entry.path().filename());
        if (HasFatalFailure()) return;
        ++runs;
      }
    }
  }
  EXPECT_GT(runs, 6000);
}

TEST(Tokenizer, OffsetsCoverTheTag) {
  Tokenizer tokenizer;
  Token token;
  tokenizer.set_input("ab<a href=x>c</a>", true);
  ASSERT_EQ(tokenizer.next(token), TokenType::kText);
  ASSERT_EQ(tokenizer.next(token), TokenType::kStartTag);
  EXPECT_EQ(token.begin, 2u);
  EXPECT_EQ(token.end, 12u);
  EXPECT_EQ(token.element, Element::kA);
  ASSERT_NE(token.find("href"), nullptr);
  EXPECT_EQ(token.find("href")->value, "x");
  EXPECT_EQ(token.find("src"), nullptr);
}

TEST(Tokenizer, SkippingAttributesFindsTheSameEnds) {
  const std::string_view pages[] = {"<div title=it's>x", "<div a=\">\" b='>'>x", "<div \"href=1>x",
                                    "<div =a=>x",        "<div a = \"x\"/>x",    "<div/a/=b>x"};
  for (const std::string_view page : pages) {
    Tokenizer keeping;
    Tokenizer skipping;
    skipping.set_wanted({});
    Token kept;
    Token skipped;
    keeping.set_input(page, true);
    skipping.set_input(page, true);
    keeping.next(kept);
    skipping.next(skipped);
    EXPECT_EQ(kept.end, skipped.end) << page;
    EXPECT_EQ(kept.self_closing, skipped.self_closing) << page;
    EXPECT_TRUE(skipped.attributes.empty());
  }
}

// Compares both tokenizers on every text of up to three of these pieces, whole and in single bytes.
TEST(Tokenizer, AgreesWithTheSlowTwinOnEverySmallInput) {
  const std::string_view pieces[] = {
      "<",       "a",       "/",        ">",         "=",
      "\"",      "'",       " ",        "!--",       "--",
      "-->",     "!>",      "?",        "&amp",      ";",
      "&#x26;",  "&lt=",    "]]>",      "<!doctype", "public",
      "</title", "<script", "</script", "<!--",      std::string_view("\0", 1),
      "\r"};
  std::vector<std::string> inputs = {""};
  std::size_t begin = 0;
  for (int length = 1; length <= (kSanitized ? 2 : 3); ++length) {
    const std::size_t end = inputs.size();
    for (; begin < end; ++begin) {
      for (const std::string_view piece : pieces)
        inputs.push_back(inputs[begin] + std::string(piece));
    }
  }
  for (const std::string& tail : inputs) {
    for (const std::string_view head : {"", "<a b", "<!--", "<a b=", "<a b='", "x&"}) {
      const std::string input = std::string(head) + tail;
      const auto expected = SlowTokenizer(input, TextMode::kData, "").run();
      ASSERT_EQ(token_lines(input, TextMode::kData, "", {}), expected) << input;
      if (!head.empty()) continue;
      for (const TextMode mode : {TextMode::kScript, TextMode::kRcdata}) {
        const std::string last = mode == TextMode::kScript ? "script" : "title";
        ASSERT_EQ(token_lines(input, mode, last, {}), SlowTokenizer(input, mode, last).run())
            << input;
      }
    }
  }
}

TEST(Tokenizer, ARowOfNothingsIsNoRecursion) {
  std::string page;
  for (int i = 0; i < 1'000'000; ++i) page += "</>";
  Tokenizer tokenizer;
  Token token;
  tokenizer.set_input(page, true);
  while (tokenizer.next(token) != TokenType::kEnd) EXPECT_EQ(token.type, TokenType::kText);
}

}  // namespace
}  // namespace spinneret::html
