// SPDX-License-Identifier: Apache-2.0
#include "cli/spelling.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace spinneret::cli {
namespace {

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
  // The nearest, and the first of those that are as near.
  EXPECT_EQ(nearest_word("field", words), "field");
  EXPECT_EQ(nearest_word("fieldx", words), "fields");
  EXPECT_EQ(nearest_word("", words), "");
  EXPECT_EQ(nearest_word(std::string(1 << 20, 'x'), words), "");
  EXPECT_EQ(nearest_word("json", {}), "");
}

TEST(UnknownOption, SaysWhatWasMeant) {
  constexpr Option kOptions[] = {{'j', "json", nullptr, ""}, {0, "fields", "LIST", ""}};
  const auto told = [&](const char* tool, std::string_view word) {
    const ToolSpec spec{tool, "", "", kOptions};
    return unknown_option(spec, kOptions, word);
  };
  EXPECT_EQ(told("x", "--feilds=url"), "unknown option \"--feilds=url\": did you mean --fields?");
  EXPECT_EQ(told("x", "--nothing"), "unknown option \"--nothing\"");
  EXPECT_EQ(told("x", "-q"), "unknown option \"-q\"");
  // An earlier spelling, of the tool that had it; an installation may put a prefix before the tool's name.
  EXPECT_EQ(told("fetch", "--slots=3"), "\"--slots\" is --in-flight now");
  EXPECT_EQ(told("sp-fetch", "--slots"), "\"--slots\" is --in-flight now");
  EXPECT_EQ(told("records", "--slots"), "unknown option \"--slots\"");
  // What curl and sort have taught.
  EXPECT_EQ(told("fetch", "--data-binary=x"),
            "unknown option \"--data-binary=x\": requests are GET, or HEAD by --head");
  EXPECT_EQ(told("records", "--sort=url"),
            "unknown option \"--sort=url\": sort(1) sorts: records --fields=status,url | sort");
  // Nothing of a stranger's reaches a terminal.
  EXPECT_EQ(told("x", "--\x1B[2J"), "unknown option \"--\\x1B[2J\"");
}

}  // namespace
}  // namespace spinneret::cli
