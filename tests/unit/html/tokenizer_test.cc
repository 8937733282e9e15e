// SPDX-License-Identifier: Apache-2.0
// html5lib's tokenizer tests (tree: ../shared/data/html/tokenizer), each on the whole input, on the input in
// pieces of one byte and on every cut in two.
#include "html/tokenizer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <span>

#include "base/file.h"
#include "html/entity.h"
#include "support/json.h"

namespace spinneret::html {
namespace {

namespace fs = std::filesystem;

// Newlines normalised, NUL as U+FFFD.
std::string plain(std::string_view raw) {
  std::string out;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\r') {
      out += '\n';
      if (raw.substr(i + 1).starts_with('\n')) ++i;
    } else if (raw[i] == '\0') {
      out += "\xEF\xBF\xBD";
    } else {
      out += raw[i];
    }
  }
  return out;
}

std::string replace_nul(const std::string& text) { return plain(text); }

std::string decoded_text(const Token& token) {
  std::string out;
  switch (token.mode) {
    case TextMode::kData: append_decoded(out, token.text, EntityRules::kText); return out;
    case TextMode::kRcdata:
      append_decoded(out, token.text, EntityRules::kText);
      return replace_nul(out);
    case TextMode::kCdata:
      for (const char c : token.text) out += c;
      return out;
    default: return plain(token.text);
  }
}

std::string name_of(std::string_view raw) {
  std::string out;
  append_decoded_name(out, raw);
  return out;
}

// One line a token, in a form that both sides are brought to.
std::string bracketed(std::string_view text) { return "[" + std::string(text) + "]"; }

std::string start_tag_line(const std::string& name, const std::map<std::string, std::string>& attributes,
                           bool self_closing) {
  std::string out = "start " + name;
  for (const auto& [key, value] : attributes) out += " " + key + "=" + bracketed(value);
  return out + (self_closing ? " /" : "");
}

std::string line_of(const Token& token) {
  switch (token.type) {
    case TokenType::kStartTag: {
      std::map<std::string, std::string> attributes;
      for (const Attribute& attribute : token.attributes) {
        std::string value;
        append_decoded(value, attribute.value, EntityRules::kAttribute);
        attributes.emplace(name_of(attribute.name), value);  // the first of them stays
      }
      return start_tag_line(name_of(token.name), attributes, token.self_closing);
    }
    case TokenType::kEndTag: return "end " + name_of(token.name);
    case TokenType::kComment: return "comment " + bracketed(plain(token.text));
    case TokenType::kDoctype: {
      std::string out = "doctype " + name_of(token.name);
      out += " " + (token.has_public_id ? bracketed(plain(token.public_id)) : "-");
      out += " " + (token.has_system_id ? bracketed(plain(token.system_id)) : "-");
      return out + (token.force_quirks ? " quirks" : "");
    }
    default: return "";
  }
}

// Collects tokens' lines, characters in a row as one.
class Lines {
 public:
  void text(const std::string& characters) { text_ += characters; }
  void other(const std::string& line) {
    flush();
    lines_.push_back(line);
  }
  std::vector<std::string> take() {
    flush();
    return std::move(lines_);
  }

 private:
  void flush() {
    if (!text_.empty()) lines_.push_back("text " + bracketed(text_));
    text_.clear();
  }
  std::string text_;
  std::vector<std::string> lines_;
};

std::vector<std::string> tokens_of(std::string_view input, TextMode mode, const std::string& last_start,
                                   std::span<const std::size_t> cuts) {
  Tokenizer tokenizer;
  tokenizer.set_text_mode(mode, last_start);
  Token token;
  Lines lines;
  std::size_t from = 0;
  for (std::size_t piece = 0; piece <= cuts.size(); ++piece) {
    const bool last = piece == cuts.size();
    const std::size_t to = last ? input.size() : cuts[piece];
    // A copy of exactly this size: a read past its end is seen by the sanitizer.
    const std::vector<char> bytes(input.begin() + static_cast<std::ptrdiff_t>(from),
                                  input.begin() + static_cast<std::ptrdiff_t>(to));
    tokenizer.set_input({bytes.data(), bytes.size()}, last);
    while (true) {
      const TokenType type = tokenizer.next(token);
      if (type == TokenType::kEnd || type == TokenType::kMore) break;
      if (type == TokenType::kText) {
        lines.text(decoded_text(token));
      } else {
        lines.other(line_of(token));
      }
    }
    from += tokenizer.position();
  }
  return lines.take();
}

std::string optional_text(const Json& value) { return value.is_null() ? "-" : bracketed(value.text()); }

// \uXXXX undone once more.
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
      {"Data state", TextMode::kData},          {"RCDATA state", TextMode::kRcdata},
      {"RAWTEXT state", TextMode::kRawtext},    {"Script data state", TextMode::kScript},
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
  ASSERT_EQ(tokens_of(input, *mode, last_start, {}), expected);
  std::vector<std::size_t> each_byte;
  for (std::size_t cut = 0; cut < input.size(); ++cut) {
    each_byte.push_back(cut);
    const std::size_t one[] = {cut};
    ASSERT_EQ(tokens_of(input, *mode, last_start, one), expected) << "cut at " << cut;
  }
  ASSERT_EQ(tokens_of(input, *mode, last_start, each_byte), expected) << "in single bytes";
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
    // "xmlViolationTests" ask for an XML infoset, which nobody asks of us.
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
                                    "<div =a=>x",       "<div a = \"x\"/>x",     "<div/a/=b>x"};
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
