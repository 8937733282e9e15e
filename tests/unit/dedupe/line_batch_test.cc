// SPDX-License-Identifier: Apache-2.0
#include "dedupe/line_batch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spinneret::dedupe {
namespace {

std::string key_of(const LineKey& key, std::string_view line) {
  std::string scratch;
  std::string_view found;
  return key.of(line, scratch, found) ? std::string(found) : "(none)";
}

TEST(LineKey, url_line_and_column) {
  constexpr std::string_view kLine = "u\tb\t\td=e";
  EXPECT_EQ(key_of(LineKey::url(), kLine), "u");
  EXPECT_EQ(key_of(LineKey::url(), ""), "");
  EXPECT_EQ(key_of(LineKey::whole_line(), kLine), kLine);
  EXPECT_EQ(key_of(LineKey::column(1), kLine), "u");
  EXPECT_EQ(key_of(LineKey::column(2), kLine), "b");
  EXPECT_EQ(key_of(LineKey::column(3), kLine), "");
  EXPECT_EQ(key_of(LineKey::column(4), kLine), "d=e");
  EXPECT_EQ(key_of(LineKey::column(5), kLine), "(none)");
  EXPECT_EQ(key_of(LineKey::column(2), "u\t"), "");
}

TEST(LineKey, fields) {
  constexpr std::string_view kLine = "x=9\txx=1\tx=2\tx=3\ty=\tplain";
  EXPECT_EQ(key_of(LineKey::fields({"x"}), kLine), "2");
  EXPECT_EQ(key_of(LineKey::fields({"y"}), kLine), "");
  EXPECT_EQ(key_of(LineKey::fields({"plain"}), kLine), "(none)");
  EXPECT_EQ(key_of(LineKey::fields({"z"}), kLine), "(none)");
  EXPECT_EQ(key_of(LineKey::fields({"url"}), kLine), "x=9");
  EXPECT_EQ(key_of(LineKey::fields({"x", "z"}), "u"), "(none)");
}

TEST(LineKey, several_fields_are_not_mixed_up) {
  const LineKey key = LineKey::fields({"a", "b"});
  const char* const lines[] = {
      "u\ta=1", "u\tb=1", "u\ta=1\tb=", "u\ta=\tb=1", "u\ta=1\tb=1", "u\ta=="};
  for (const char* one : lines) {
    for (const char* other : lines) {
      EXPECT_EQ(key_of(key, one) == key_of(key, other), one == other) << one << " " << other;
    }
  }
  EXPECT_EQ(key_of(key, "u\ta=1\tb=2"), key_of(key, "v\tb=2\tx\ta=1"));
}

TEST(LineKey, descriptions_tell_keys_apart) {
  EXPECT_EQ(LineKey::url().description(), "url");
  EXPECT_EQ(LineKey::column(1).description(), "url");
  EXPECT_EQ(LineKey::fields({"url"}).description(), "url");
  EXPECT_EQ(LineKey::whole_line().description(), "line");
  EXPECT_EQ(LineKey::column(12).description(), "column 12");
  EXPECT_EQ(LineKey::fields({"digest", "type"}).description(), "fields digest,type");
}

bool starts_with_x(std::string_view line) { return line.starts_with('x'); }

struct Taken {
  std::string text;
  std::string key;
  bool terminated;
};

std::vector<Taken> take_all(LineBatch batch, std::string_view run) {
  std::vector<Taken> out;
  while (!run.empty()) {
    batch.take(run);
    EXPECT_LE(batch.lines().size(), LineBatch::kLines);
    for (const LineBatch::Line& line : batch.lines()) {
      out.push_back({std::string(line.text),
                     line.judged() ? std::string(batch.keys()[line.key])
                     : line.exempt ? "(exempt)"
                                   : "(none)",
                     line.terminated});
    }
  }
  return out;
}

void expect(const std::vector<Taken>& taken, const std::vector<Taken>& wanted) {
  ASSERT_EQ(taken.size(), wanted.size());
  for (std::size_t i = 0; i < taken.size(); ++i) {
    EXPECT_EQ(taken[i].text, wanted[i].text);
    EXPECT_EQ(taken[i].key, wanted[i].key);
    EXPECT_EQ(taken[i].terminated, wanted[i].terminated);
  }
}

TEST(LineBatch, line_ends) {
  const LineBatch batch(LineKey::url(), '\n', nullptr);
  expect(take_all(batch, "a\n\nb\r\nc\r\r\nd"), {{"a", "a", true},
                                                 {"", "", true},
                                                 {"b", "b", false},
                                                 {"c\r", "c\r", false},
                                                 {"d", "d", false}});
  const LineBatch nul(LineKey::url(), '\0', nullptr);
  expect(take_all(nul, std::string_view("a\nb\r\0c", 6)),
         {{"a\nb\r", "a\nb\r", true}, {"c", "c", false}});
}

TEST(LineBatch, exempt_lines_and_lines_without_the_key) {
  const LineBatch by_url(LineKey::url(), '\n', starts_with_x);
  expect(take_all(by_url, "x\ty\nx\na\tb\n"),
         {{"x\ty", "(exempt)", true}, {"x", "x", true}, {"a\tb", "a", true}});
  const LineBatch by_field(LineKey::fields({"k"}), '\n', starts_with_x);
  expect(take_all(by_field, "x\tk=1\na\tk=1\na\n"),
         {{"x\tk=1", "(exempt)", true}, {"a\tk=1", "1", true}, {"a", "(none)", true}});
}

TEST(LineBatch, more_lines_than_one_batch_takes) {
  std::string run;
  std::vector<Taken> wanted;
  for (std::size_t i = 0; i < LineBatch::kLines * 2 + 5; ++i) {
    const std::string text = "line " + std::to_string(i);
    run += text + "\tk=" + std::to_string(i) + "\tl=1\n";
    wanted.push_back(
        {text + "\tk=" + std::to_string(i) + "\tl=1", "=" + std::to_string(i) + "\t=1\t", true});
  }
  expect(take_all(LineBatch(LineKey::fields({"k", "l"}), '\n', nullptr), run), wanted);
}

}  // namespace
}  // namespace spinneret::dedupe
