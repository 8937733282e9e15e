// SPDX-License-Identifier: Apache-2.0
// What the scripts hold; tests/cli/completions.bats has the shells read them.
#include "cli/completion.h"

#include <gtest/gtest.h>

namespace spinneret::cli {
namespace {

constexpr Option kOptions[] = {
    {'b', "base", "HOST:PORT", "resolve [relative] URLs: it's \\ done"},
    {0, "keep", nullptr, "keep"},
};
constexpr ToolSpec kTool{"url-tester", "test", "", kOptions};

TEST(Completion, KnowsThreeShells) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_TRUE(completion_script(kTool, shell).has_value()) << shell;
  }
  for (const char* shell : {"", "tcsh", "BASH"}) {
    EXPECT_FALSE(completion_script(kTool, shell).has_value()) << shell;
  }
}

TEST(Completion, NamesEveryOption) {
  for (const Option& option : all_options(kTool)) {
    const std::string name(option.name);
    EXPECT_NE(completion_script(kTool, "bash")->find("--" + name), std::string::npos) << name;
    EXPECT_NE(completion_script(kTool, "zsh")->find("--" + name), std::string::npos) << name;
    EXPECT_NE(completion_script(kTool, "fish")->find(" -l " + name), std::string::npos) << name;
  }
}

TEST(Completion, BashFunctionNameIsAnIdentifier) {
  EXPECT_TRUE(completion_script(kTool, "bash")->starts_with("_url_tester() {"));
  EXPECT_TRUE(completion_script(kTool, "bash")->ends_with("complete -F _url_tester url-tester\n"));
}

TEST(Completion, QuotesWhatTheShellsReadAsTheirOwn) {
  const std::string zsh = *completion_script(kTool, "zsh");
  EXPECT_NE(zsh.find(R"([resolve \[relative\] URLs\: it'\''s \\ done]:HOST\:PORT:_files)"),
            std::string::npos)
      << zsh;
  const std::string fish = *completion_script(kTool, "fish");
  EXPECT_NE(fish.find(R"(-l base -s b -r -d 'resolve [relative] URLs: it'\''s \ done')"),
            std::string::npos)
      << fish;
}

}  // namespace
}  // namespace spinneret::cli
