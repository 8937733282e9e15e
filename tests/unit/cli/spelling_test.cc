// SPDX-License-Identifier: Apache-2.0
#include "cli/spelling.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace spinneret::cli {
namespace {

TEST(UnknownOption, SaysWhatWasMeant) {
  constexpr Option kOptions[] = {{'j', "json", nullptr, ""}, {0, "fields", "LIST", ""}};
  const auto told = [&](const char* tool, std::string_view word) {
    const ToolSpec spec{tool, "", "", kOptions};
    return unknown_option(spec, kOptions, word);
  };
  EXPECT_EQ(told("x", "--feilds=url"), "unknown option \"--feilds=url\": did you mean --fields?");
  EXPECT_EQ(told("x", "--nothing"), "unknown option \"--nothing\"");
  EXPECT_EQ(told("x", "-q"), "unknown option \"-q\"");
  // An earlier spelling is known to the tool that had it. An installation may put a prefix before
  // the tool's name.
  EXPECT_EQ(told("fetch", "--slots=3"), "\"--slots\" is --in-flight now");
  EXPECT_EQ(told("sp-fetch", "--slots"), "\"--slots\" is --in-flight now");
  EXPECT_EQ(told("records", "--slots"), "unknown option \"--slots\"");
  // Options that people know from curl and sort.
  EXPECT_EQ(told("fetch", "--data-binary=x"),
            "unknown option \"--data-binary=x\": requests are GET, or HEAD by --head");
  EXPECT_EQ(told("records", "--sort=url"),
            "unknown option \"--sort=url\": sort(1) sorts: records --fields=status,url | sort");
  // Nothing of a stranger's bytes reaches a terminal.
  EXPECT_EQ(told("x", "--\x1B[2J"), "unknown option \"--\\x1B[2J\"");
}

}  // namespace
}  // namespace spinneret::cli
