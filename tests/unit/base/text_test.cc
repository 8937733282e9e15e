// SPDX-License-Identifier: Apache-2.0
#include "base/ascii.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <string>
#include <vector>

#include "base/edit_distance.h"
#include "base/json_text.h"
#include "base/number.h"
#include "base/utf8.h"

namespace spinneret {
namespace {

// Compares every class over every byte with the C locale, whose answers are those of ASCII.
TEST(Ascii, ClassesAgreeWithTheCLocale) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool ascii = byte < 0x80;
    EXPECT_EQ(is_digit(c), ascii && std::isdigit(byte) != 0) << byte;
    EXPECT_EQ(is_upper(c), ascii && std::isupper(byte) != 0) << byte;
    EXPECT_EQ(is_lower(c), ascii && std::islower(byte) != 0) << byte;
    EXPECT_EQ(is_alpha(c), ascii && std::isalpha(byte) != 0) << byte;
    EXPECT_EQ(is_alnum(c), ascii && std::isalnum(byte) != 0) << byte;
    EXPECT_EQ(is_control(c), ascii && std::iscntrl(byte) != 0) << byte;
    EXPECT_EQ(is_hex(c), ascii && std::isxdigit(byte) != 0) << byte;
    // HTML's white space is C's without the vertical tab.
    EXPECT_EQ(is_space(c), ascii && byte != '\v' && std::isspace(byte) != 0) << byte;
    EXPECT_EQ(to_lower(c), ascii ? static_cast<char>(std::tolower(byte)) : c) << byte;
    EXPECT_EQ(to_upper(c), ascii ? static_cast<char>(std::toupper(byte)) : c) << byte;
  }
}

TEST(Ascii, HexValueIsTheDigitsPlace) {
  for (int value = 0; value < 16; ++value) {
    EXPECT_EQ(hex_value(kHexUpper[value]), value);
    EXPECT_EQ(hex_value(kHexLower[value]), value);
  }
  for (const char c : {'g', 'G', '/', ':', '@', '`', ' ', '\0', '\xC1'})
    EXPECT_EQ(hex_value(c), -1);
}

TEST(Ascii, ComparesWithoutCase) {
  EXPECT_TRUE(equals_ignore_case("", ""));
  EXPECT_TRUE(equals_ignore_case("User-Agent", "uSER-aGENT"));
  EXPECT_FALSE(equals_ignore_case("ab", "abc"));
  EXPECT_FALSE(equals_ignore_case("[", "{"));  // they differ in the case bit, and are no letters
  EXPECT_FALSE(equals_ignore_case("\xC4", "\xE4"));  // no locale has a say
  EXPECT_TRUE(starts_with_ignore_case("Disallow: /", "disallow:"));
  EXPECT_TRUE(starts_with_ignore_case("x", ""));
  EXPECT_FALSE(starts_with_ignore_case("dis", "disallow"));
}

TEST(Ascii, TrimsBothEndsOnly) {
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim(" \t\r\n\f"), "");
  EXPECT_EQ(trim("  a b\t"), "a b");
  EXPECT_EQ(trim("\va\v"), "\va\v");
}

TEST(Ascii, CutTakesTheHeadAndLeavesTheRest) {
  std::string_view rest = "a,b,,c";
  EXPECT_EQ(cut(rest, ','), "a");
  EXPECT_EQ(cut(rest, ','), "b");
  EXPECT_EQ(cut(rest, ','), "");
  EXPECT_EQ(rest, "c");
  EXPECT_EQ(cut(rest, ','), "c");
  EXPECT_EQ(rest, "");
  EXPECT_EQ(cut(rest, ','), "");
}

TEST(Ascii, LowerCopyLeavesTheOriginal) {
  const std::string text = "HTTP://\xC4.Example";
  EXPECT_EQ(to_lower_copy(text), "http://\xC4.example");
  EXPECT_EQ(text.front(), 'H');
}

TEST(EditDistance, CountsLetters) {
  EXPECT_EQ(edit_distance("", "", 3), 0U);
  EXPECT_EQ(edit_distance("disallow", "Disallow", 3), 0U);
  EXPECT_EQ(edit_distance("dissallow", "disallow", 3), 1U);
  EXPECT_EQ(edit_distance("disalow", "disallow", 3), 1U);
  EXPECT_EQ(edit_distance("disallwo", "disallow", 3), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting", 9), 3U);
  EXPECT_EQ(edit_distance("", "abc", 9), 3U);
}

TEST(EditDistance, StopsAtTheLimit) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 2U);
  EXPECT_EQ(edit_distance("abc", "xyz", 3), 3U);
  EXPECT_EQ(edit_distance("same", "same", 0), 0U);
  // A difference of lengths beyond the bound is not computed at all.
  EXPECT_EQ(edit_distance(std::string(10'000'000, 'x'), "disallow", 3), 3U);
}

// The slow twin: the definition of the distance.
std::size_t slow(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::size_t change = a.back() == b.back() ? 0 : 1;
  const auto less = [](std::string_view text, std::size_t n) {
    return text.substr(0, text.size() - n);
  };
  std::size_t best = std::min(
      {slow(less(a, 1), b) + 1, slow(a, less(b, 1)) + 1, slow(less(a, 1), less(b, 1)) + change});
  if (a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && a[a.size() - 2] == b.back()) {
    best = std::min(best, slow(less(a, 2), less(b, 2)) + 1);
  }
  return best;
}

TEST(EditDistance, IsItsDefinitionForAllSmallWords) {
  std::vector<std::string> words{""};
  for (std::size_t at = 0; words[at].size() < 4; ++at) {
    for (const char c : {'a', 'b', 'c'}) words.push_back(words[at] + c);
  }
  for (const std::string& a : words) {
    for (const std::string& b : words) {
      const std::size_t expected = slow(a, b);
      for (const std::size_t limit : {std::size_t{2}, std::size_t{9}}) {
        ASSERT_EQ(edit_distance(a, b, limit), std::min(expected, limit)) << a << ' ' << b;
      }
    }
  }
}

TEST(NearestWord, OneWrongLetterInShortWordsAndTwoInLongOnes) {
  const std::vector<std::string_view> words = {"json", "fields", "max-line", "field"};
  EXPECT_EQ(nearest_word("jsn", words), "json");
  EXPECT_EQ(nearest_word("josn", words), "json");
  EXPECT_EQ(nearest_word("JSON", words), "json");
  EXPECT_EQ(nearest_word("joon", words), "json");
  EXPECT_EQ(nearest_word("jaan", words), "");
  EXPECT_EQ(nearest_word("max-lin", words), "max-line");
  EXPECT_EQ(nearest_word("mx-lne", words), "max-line");
  EXPECT_EQ(nearest_word("mx-le", words), "");
  // The nearest word is named, and the first of several that are equally near.
  EXPECT_EQ(nearest_word("field", words), "field");
  EXPECT_EQ(nearest_word("fieldx", words), "fields");
  EXPECT_EQ(nearest_word("", words), "");
  EXPECT_EQ(nearest_word(std::string(1 << 20, 'x'), words), "");
  EXPECT_EQ(nearest_word("json", {}), "");
  EXPECT_EQ(did_you_mean("josn", words), ": did you mean json?");
  EXPECT_EQ(did_you_mean("jaan", words), "");
}

TEST(ParseUnsigned, TakesDigitsOnly) {
  EXPECT_EQ(parse_unsigned("0"), 0U);
  EXPECT_EQ(parse_unsigned("007"), 7U);
  EXPECT_EQ(parse_unsigned("18446744073709551615"), UINT64_MAX);
  for (const char* bad : {"", " 1", "1 ", "+1", "-1", "-0", "1.0", "0x10", "1e3", "a",
                          "18446744073709551616", "99999999999999999999999"}) {
    EXPECT_EQ(parse_unsigned(bad), std::nullopt) << bad;
  }
}

TEST(ParseDecimal, TakesFractionsWithoutSignOrExponent) {
  EXPECT_EQ(parse_decimal("0"), 0.0);
  EXPECT_EQ(parse_decimal("0.5"), 0.5);
  EXPECT_EQ(parse_decimal(".25"), 0.25);
  EXPECT_EQ(parse_decimal("2"), 2.0);
  for (const char* bad :
       {"", ".", "-1", "+1", "1e3", "1E3", "0x1", "inf", "nan", "1,5", "1.2.3", " 1", "1 ", "1s"}) {
    EXPECT_EQ(parse_decimal(bad), std::nullopt) << bad;
  }
}

TEST(ParseSize, KnowsItsUnits) {
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("4096"), 4096U);
  EXPECT_EQ(parse_size("12B"), 12U);
  for (const char* one : {"1K", "1k", "1KB", "1kB", "1kb", "1KiB", "1kib"}) {
    EXPECT_EQ(parse_size(one), 1024U) << one;
  }
  EXPECT_EQ(parse_size("10M"), 10U << 20);
  EXPECT_EQ(parse_size("2G"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_size("1T"), std::uint64_t{1} << 40);
  EXPECT_EQ(parse_size("16777215T"), std::uint64_t{16777215} << 40);
}

TEST(ParseSize, RefusesTheRest) {
  for (const char* bad : {"", "K", "1.5K", "-1", "1 K", "1X", "1KK", "5BB", "5Bi", "5iB", "5KBi",
                          "16777216T", "1K "}) {
    EXPECT_EQ(parse_size(bad), std::nullopt) << bad;
  }
}

TEST(ParseDuration, IsSecondsUnlessSaid) {
  EXPECT_EQ(parse_duration_ms("0"), 0);
  EXPECT_EQ(parse_duration_ms("1.5"), 1500);
  EXPECT_EQ(parse_duration_ms("1.5s"), 1500);
  EXPECT_EQ(parse_duration_ms("250ms"), 250);
  EXPECT_EQ(parse_duration_ms("0.5ms"), 1);  // rounded
  EXPECT_EQ(parse_duration_ms("10m"), 600'000);
  EXPECT_EQ(parse_duration_ms("2h"), 7'200'000);
  EXPECT_EQ(parse_duration_ms("7d"), 604'800'000);
  EXPECT_EQ(parse_duration_ms("4w"), 2'419'200'000);
}

TEST(ParseDuration, RefusesTheRest) {
  for (const char* bad : {"", "s", "-1", "1 s", "1S", "1M", "1y", "1.5.2s", "101000d", "1e9",
                          "999999999999999999999999w"}) {
    EXPECT_EQ(parse_duration_ms(bad), std::nullopt) << bad;
  }
}

TEST(AppendUnsigned, WritesAllDigits) {
  std::string out = "n=";
  append_unsigned(out, 0);
  append_unsigned(out, UINT64_MAX);
  EXPECT_EQ(out, "n=018446744073709551615");
}

TEST(SecondsText, IsAsShortAsExact) {
  EXPECT_EQ(seconds_text(0), "0");
  EXPECT_EQ(seconds_text(1), "0.001");
  EXPECT_EQ(seconds_text(10), "0.01");
  EXPECT_EQ(seconds_text(1500), "1.5");
  EXPECT_EQ(seconds_text(2000), "2");
  EXPECT_EQ(seconds_text(1'000'050), "1000.05");
  EXPECT_EQ(seconds_text(-1500), "-1.5");
  EXPECT_EQ(seconds_text(-500), "-0.5");
  EXPECT_EQ(seconds_text(INT64_MIN), "-9223372036854775.808");
}

TEST(SecondsText, ParsesBack) {
  for (std::int64_t ms = 0; ms < 20'000; ++ms) {
    ASSERT_EQ(parse_duration_ms(seconds_text(ms)), ms);
  }
}

// Checks character by character, with the table of RFC 3629, section 4.
bool is_valid_slowly(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = utf8_sequence(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

// Whole blocks of ASCII are skipped at once. Each beginning of a character, valid or not, stands at
// each place of a block.
TEST(Utf8, ValidityAgreesWithTheSlowTwinAtEveryPlaceOfABlock) {
  const std::string_view pieces[] = {"\xC3\xA9",
                                     "\xE2\x82\xAC",
                                     "\xF0\x9F\x98\x80",
                                     "\xED\x9F\xBF",
                                     "\xEE\x80\x80",
                                     "\xF4\x8F\xBF\xBF",
                                     "\x80",
                                     "\xC3",
                                     "\xC0\x80",
                                     "\xC1\xBF",
                                     "\xE0\x9F\xBF",
                                     "\xED\xA0\x80",
                                     "\xF0\x8F\xBF\xBF",
                                     "\xF4\x90\x80\x80",
                                     "\xF5\x80\x80\x80",
                                     "\xE2\x82",
                                     "\xF0\x9F\x98",
                                     "\xFF"};
  EXPECT_TRUE(is_valid_utf8(""));
  for (const std::string_view piece : pieces) {
    for (std::size_t size = piece.size(); size < 100; ++size) {
      for (std::size_t at = 0; at + piece.size() <= size; ++at) {
        std::string text(size, 'a');
        text.replace(at, piece.size(), piece);
        ASSERT_EQ(is_valid_utf8(text), is_valid_slowly(text)) << testing::PrintToString(text);
      }
    }
  }
}

// Bug: four readers of JSON strings gave four different answers to these.
TEST(JsonText, Escapes) {
  const struct {
    std::string_view rest;
    std::size_t taken;
    std::string_view text;
  } rows[] = {
      {"n", 1, "\n"},
      {"b", 1, "\b"},
      {"\"x", 1, "\""},
      {"/", 1, "/"},
      {"u00fc!", 5, "\xC3\xBC"},
      {"u00FC", 5, "\xC3\xBC"},
      {"u0000", 5, std::string_view("\0", 1)},
      {"ud83d\\ude00x", 11, "\xF0\x9F\x98\x80"},
      {"ud83d", 5, "\xEF\xBF\xBD"},
      {"ud83d\\n", 5, "\xEF\xBF\xBD"},
      {"ud83d\\u0041", 5, "\xEF\xBF\xBD"},
      {"ud83d\\ude0", 5, "\xEF\xBF\xBD"},
      {"ude00\\ud83d", 5, "\xEF\xBF\xBD"},
      {"", 0, ""},
      {"u00f", 0, ""},
      {"u00fg", 0, ""},
      {"u+123", 0, ""},
      {"U00fc", 0, ""},
      {"x41", 0, ""},
      {"'", 0, ""},
  };
  for (const auto& row : rows) {
    std::string out;
    EXPECT_EQ(append_json_escape(out, row.rest), row.taken) << row.rest;
    EXPECT_EQ(out, row.text) << row.rest;
  }
}

// A string that is written is read back, except for bytes that are not UTF-8.
TEST(JsonText, WrittenAndReadBack) {
  for (char32_t c = 0; c < 0x11000; ++c) {
    std::string text;
    append_utf8(text, c);
    std::string json;
    append_json_string(json, text);
    ASSERT_TRUE(json.size() >= 3 && json.front() == '"' && json.back() == '"');
    std::string_view inner = std::string_view(json).substr(1, json.size() - 2);
    std::string back;
    if (inner.front() == '\\') {
      ASSERT_EQ(append_json_escape(back, inner.substr(1)), inner.size() - 1);
    } else {
      back = inner;
    }
    ASSERT_EQ(back, text);
  }
  std::string json;
  append_json_string(json, "a\xE9z\"\\");
  EXPECT_EQ(json, "\"a\xEF\xBF\xBDz\\\"\\\\\"");
}

}  // namespace
}  // namespace spinneret
