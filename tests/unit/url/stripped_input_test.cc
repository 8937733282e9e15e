// SPDX-License-Identifier: Apache-2.0
#include "url/stripped_input.h"

#include <gtest/gtest.h>

#include <string>

namespace spinneret {
namespace {

TEST(StrippedInput, LeavesPlainTextWhereItIs) {
  const std::string input = "http://h/a b";
  const StrippedInput stripped(input);
  EXPECT_EQ(stripped.text().data(), input.data());
  EXPECT_EQ(stripped.text(), input);
  EXPECT_EQ(stripped.original_offset(9), 9U);
}

TEST(StrippedInput, TakesControlsAndBlanksOffTheEndsOnly) {
  const StrippedInput stripped(std::string_view("\x00\x1f http://h/\x01 x \x7f \x02", 19));
  EXPECT_EQ(stripped.text(), "http://h/\x01 x \x7f");
  EXPECT_EQ(stripped.original_offset(0), 3U);
}

TEST(StrippedInput, TakesTabsAndLineEndsOutOfTheMiddle) {
  const StrippedInput stripped(" ht\ttp://h\r\n/a");
  EXPECT_EQ(stripped.text(), "http://h/a");
  EXPECT_EQ(stripped.original_offset(0), 1U);
  EXPECT_EQ(stripped.original_offset(2), 4U);
  EXPECT_EQ(stripped.original_offset(8), 12U);
  EXPECT_EQ(stripped.original_offset(10), 14U);  // its end
}

// Against the obvious: every byte at every place of a word of eight and its neighbours.
TEST(StrippedInput, FindsADroppedByteAnywhere) {
  for (std::size_t size = 1; size < 20; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string input = "a" + std::string(size, 'x') + "z";
        input[at + 1] = static_cast<char>(byte);
        std::string want;
        for (const char c : input) {
          if (c != '\t' && c != '\n' && c != '\r') want += c;
        }
        EXPECT_EQ(StrippedInput(input).text(), want) << size << " " << at << " " << byte;
      }
    }
  }
}

TEST(StrippedInput, OfNothingIsNothing) {
  EXPECT_EQ(StrippedInput("").text(), "");
  EXPECT_EQ(StrippedInput(" \n\t ").text(), "");
}

}  // namespace
}  // namespace spinneret
