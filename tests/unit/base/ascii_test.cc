// SPDX-License-Identifier: Apache-2.0
#include "base/ascii.h"

#include <gtest/gtest.h>

#include <cctype>

namespace spinneret {
namespace {

// Every class over every byte against the C locale's, whose answers are those of ASCII.
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
  EXPECT_FALSE(equals_ignore_case("[", "{"));        // differ in the case bit, and are no letters
  EXPECT_FALSE(equals_ignore_case("\xC4", "\xE4"));  // no locale
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

}  // namespace
}  // namespace spinneret
