// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/completion.h"

namespace spinneret::cli {
namespace {

constexpr Option kOptions[] = {
    {'b', "base", "URL", "resolve relative URLs against URL"},
    {0, "allow", "CIDR", "allow these addresses"},
    {'k', "keep", nullptr, "keep them"},
    {0, "delay", "TIME", "wait so long"},
    {0, "form", "FORM", "write this", "one|two"},
};
constexpr ToolSpec kTool{"tester", "test options", "[OPTION]... [FILE]...", kOptions};

Options parse(std::vector<std::string> words, bool takes_command = false) {
  words.insert(words.begin(), "tester");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return Options::parse(kTool, static_cast<int>(words.size()), argv.data(), takes_command);
}

using Words = std::vector<std::string>;
using Given = std::vector<std::pair<std::string, std::string>>;

TEST(Options, NothingGiven) {
  const Options options = parse({});
  EXPECT_TRUE(options.operands().empty());
  EXPECT_TRUE(options.in_order().empty());
  EXPECT_FALSE(options.has("base"));
  EXPECT_EQ(options.get("base"), "");
  EXPECT_EQ(options.get("base", "x"), "x");
  EXPECT_TRUE(options.all("base").empty());
}

TEST(Options, EveryWayToGiveAValue) {
  for (const Words& words : {Words{"--base=v"},
                             {"--base", "v"},
                             {"-b", "v"},
                             {"-bv"},
                             {"-kbv"},
                             {"-kb", "v"},
                             {"-k", "-bv"}}) {
    EXPECT_EQ(parse(words).get("base"), "v") << words.front();
    EXPECT_TRUE(parse(words).operands().empty());
  }
}

TEST(Options, ValuesAreTakenAsTheyAre) {
  for (const char* value : {"-", "--", "--keep", "-k", "a b", "a,b", "https://h/?a=1,2&b=3",
                            "bot/1.0", "=", "a=b", "line\nend", "\x1b[31m", "\xFF", "-1.5", "*"}) {
    EXPECT_EQ(parse({"--base", value}).get("base"), value);
    EXPECT_EQ(parse({"-b", value}).get("base"), value);
    EXPECT_EQ(parse({std::string("--base=") + value}).get("base"), value);
    EXPECT_FALSE(parse({"--base", value}).has("keep"));
    EXPECT_EQ(parse({std::string("-b") + value}).get("base"), value);
  }
}

// Bug: cxxopts' std::regex overflowed the stack here.
TEST(Options, HugeArguments) {
  const std::string value(3 << 20, 'v');
  EXPECT_EQ(parse({"--base=" + value}).get("base"), value);
  EXPECT_EQ(parse({"-b" + value}).get("base"), value);
  EXPECT_EQ(parse({value}).operands(), Words{value});
}

TEST(Options, RepeatsKeepTheirOrder) {
  const Options options = parse({"--allow=1", "-b", "2", "x", "--allow", "3,4", "-k", "--base=5"});
  EXPECT_EQ(options.all("allow"), (Words{"1", "3,4"}));
  EXPECT_EQ(options.get("base"), "5") << "the last one counts";
  EXPECT_EQ(
      options.in_order(),
      (Given{{"allow", "1"}, {"base", "2"}, {"allow", "3,4"}, {"keep", "true"}, {"base", "5"}}));
  EXPECT_EQ(options.operands(), Words{"x"});
}

TEST(Options, OperandsStandAnywhere) {
  EXPECT_EQ(parse({"a", "-k", "-", "b"}).operands(), (Words{"a", "-", "b"}));
  EXPECT_EQ(parse({"a", "--", "-k", "--help"}).operands(), (Words{"a", "-k", "--help"}));
  EXPECT_FALSE(parse({"--", "-k"}).has("keep"));
  EXPECT_EQ(parse({"--", "a", "--", "b"}).operands(), (Words{"a", "--", "b"}));
}

TEST(Options, CommandStandsBehindTheDashes) {
  const Options options = parse({"seed", "-k", "--", "sh", "-c", "--", "x"}, true);
  EXPECT_EQ(options.operands(), Words{"seed"});
  EXPECT_EQ(options.command(), (Words{"sh", "-c", "--", "x"}));
  EXPECT_TRUE(parse({"seed"}, true).command().empty());
}

TEST(Options, TypedValues) {
  EXPECT_EQ(parse({}).unsigned_value("base", 7), 7U);
  EXPECT_EQ(parse({"--base=5"}).unsigned_value("base", 7, 5, 5), 5U);
  EXPECT_EQ(parse({"--base=0.5"}).decimal("base", 1, 0, 1), 0.5);
  EXPECT_EQ(parse({"--base=2K"}).size("base", 1), 2048U);
  EXPECT_EQ(parse({"--delay=1.5"}).duration_ms("delay", 1), 1500);
  EXPECT_EQ(parse({}).duration_ms("delay", 1), 1);
  EXPECT_EQ(parse({"--form=two"}).choice("form", 0), 1U);
  EXPECT_EQ(parse({}).choice("form", 0), 0U);
}

using OptionsDeathTest = testing::Test;

// A usage error prints `tool: reason` and a hint, and ends with status 2.
void expect_usage_error(const Words& words, const std::string& reason) {
  EXPECT_EXIT(parse(words), testing::ExitedWithCode(2),
              "tester: " + reason + ".*\nTry 'tester --help' or 'man tester'")
      << words.front();
}

TEST(OptionsDeathTest, WrongUsage) {
  expect_usage_error({"--nope"}, "unknown option \"--nope\"");
  expect_usage_error({"--nope=3"}, "unknown option \"--nope=3\"");
  expect_usage_error({"-q"}, "unknown option \"-q\"");
  expect_usage_error({"-kq"}, "unknown option \"-q\"");
  expect_usage_error({"-k-"}, "unknown option \"--\"");
  expect_usage_error({"--x"}, "unknown option \"--x\"");
  expect_usage_error({"---keep"}, "unknown option \"---keep\"");
  expect_usage_error({"--kee"}, "unknown option \"--kee\"");
  expect_usage_error({"--base"}, "--base needs a value: URL");
  expect_usage_error({"-kb"}, "--base needs a value: URL");
  expect_usage_error({"--base="}, "--base needs a value: URL");
  expect_usage_error({"-b", "", "--base=x"}, "--base needs a value: URL");
  expect_usage_error({"a", ""}, "an operand is empty: a variable that nobody has set?");
  expect_usage_error({"--", ""}, "an operand is empty: a variable that nobody has set?");
  expect_usage_error({"--keep=false"}, "--keep takes no value");
  expect_usage_error({"--keep="}, "--keep takes no value");
  expect_usage_error({"--completions=tcsh"}, "--completions takes bash, zsh or fish");
}

// Where many options exclude each other, only the two that were given are named.
TEST(OptionsDeathTest, WhatExcludesEachOtherIsNamedAsGiven) {
  constexpr std::string_view kNames[] = {"base", "allow", "keep", "delay"};
  parse({"--keep"}).refuse_together(kNames);
  parse({"--keep", "--keep", "--form=one"}).refuse_together(kNames);
  EXPECT_EXIT(parse({"--delay=1", "--base=u"}).refuse_together(kNames), testing::ExitedWithCode(2),
              "tester: --base and --delay exclude each other");
  EXPECT_EXIT(parse({"--delay=1", "-k", "--base=u"}).refuse_together(kNames),
              testing::ExitedWithCode(2), "tester: --base, --keep and --delay exclude each other");
}

TEST(OptionsDeathTest, MessagesHoldNoControlByte) {
  expect_usage_error({"--nope\x1b[31m"}, "unknown option \"--nope.x1B.31m\"");
  expect_usage_error({"--keep=\x1b[31m"}, "--keep takes no value");
}

TEST(OptionsDeathTest, BadTypedValuesNameTheOption) {
  const auto dies = [](const std::string& reason) { return "tester: --base takes " + reason; };
  const auto with_2 = testing::ExitedWithCode(2);
  EXPECT_EXIT(parse({"--base=x"}).unsigned_value("base", 0), with_2,
              dies("a whole number from 0 up"));
  EXPECT_EXIT(parse({"--base=9"}).unsigned_value("base", 0, 1, 8), with_2,
              dies(".*from 1 to 8, not"));
  EXPECT_EXIT(parse({"--base=2"}).decimal("base", 0, 0, 1), with_2, dies("a number from 0 to 1"));
  EXPECT_EXIT(parse({"--base=x"}).size("base", 0), with_2, dies("a size such as"));
  EXPECT_EXIT(parse({"--base=1y"}).duration_ms("base", 0), with_2, dies("a duration such as"));
  EXPECT_EXIT(parse({"--form=x"}).choice("form", 0), with_2,
              "tester: --form takes one of one, two");
}

TEST(OptionsDeathTest, HelpAndVersionEndWithZero) {
  for (const char* word : {"--help", "-h", "--version", "-V", "--completions=bash"}) {
    EXPECT_EXIT(parse({word}), testing::ExitedWithCode(0), "") << word;
  }
}

TEST(AllOptions, HoldTheToolsOwnAndTheCommonOnes) {
  Words names;
  for (const Option& option : all_options(kTool)) names.emplace_back(option.name);
  EXPECT_EQ(names, (Words{"base", "allow", "keep", "delay", "form", "null", "json", "fields",
                          "max-line", "strict", "refused-ok", "help", "version"}));
}

TEST(AllOptions, AToolsWordingReplacesTheCommonOne) {
  constexpr Option kOwn[] = {{'z', "null", nullptr, "otherwise"}};
  const auto options = all_options({"tester", "test", "", kOwn});
  EXPECT_EQ(std::count_if(options.begin(), options.end(),
                          [](const Option& o) { return std::string_view(o.name) == "null"; }),
            1);
  EXPECT_STREQ(options.front().help, "otherwise");
}

TEST(HelpText, NamesEveryOptionOnALineOfItsOwn) {
  const std::string help = help_text(kTool, /*whole=*/true);
  EXPECT_TRUE(help.starts_with("Usage: tester [OPTION]... [FILE]...\nTest options.\n\n"));
  for (const Option& option : all_options(kTool)) {
    const std::string flag = std::string(" --") + option.name + (option.argument ? "=" : " ");
    EXPECT_NE(help.find(flag), std::string::npos) << option.name;
    EXPECT_NE(help.find(option.help), std::string::npos) << option.name;
  }
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(HelpTextDeathTest, FitsAScreenWhereItsToolSaysWhatThatHas) {
  constexpr ToolSpec kMany{"tester", "test", "", kOptions, nullptr, false, "", "keep form"};
  const std::string help = help_text(kMany, /*whole=*/false);
  for (const char* shown : {" --keep", " --form=", " --json", " --fields=", " --help "})
    EXPECT_NE(help.find(shown), std::string::npos) << shown;
  for (const char* hidden : {" --base", " --allow", " --delay", " --strict", " --version"})
    EXPECT_EQ(help.find(hidden), std::string::npos) << hidden;
  EXPECT_NE(help.find("\n7 more options: tester --help=all\n"), std::string::npos) << help;
  EXPECT_EQ(help_text(kTool, false), help_text(kTool, true));
  EXPECT_EXIT(parse({"--help=all"}), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(parse({"--help=no"}), testing::ExitedWithCode(2), "--help takes no value but all");
}

// Tests what the scripts contain; tests/cli/completions.bats has the shells run them.

constexpr Option kCompleted[] = {
    {'b', "base", "HOST:PORT", "resolve [relative] URLs: it's \\ done"},
    {0, "keep", nullptr, "keep"},
    {0, "form", "FORM", "write so", "text|text/*|"},
    {0, "show", "LIST", "these", "dead,ok"},
    {0, "cache", "FILE", "there"},
    {0, "root", "DIR", "below"},
    {0, "agents", "WHICH|FILE", "which", "ai|"},
    {0, "by", "FIELD", "by it"},
};
constexpr ToolSpec kCompletedTool{"url-tester", "test", "", kCompleted};

TEST(Completion, KnowsThreeShells) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_TRUE(completion_script(kCompletedTool, shell).has_value()) << shell;
  }
  for (const char* shell : {"", "tcsh", "BASH"}) {
    EXPECT_FALSE(completion_script(kCompletedTool, shell).has_value()) << shell;
  }
}

TEST(Completion, NamesEveryOption) {
  for (const Option& option : all_options(kCompletedTool)) {
    const std::string name(option.name);
    EXPECT_NE(completion_script(kCompletedTool, "bash")->find("--" + name), std::string::npos)
        << name;
    EXPECT_NE(completion_script(kCompletedTool, "zsh")->find("--" + name), std::string::npos)
        << name;
    EXPECT_NE(completion_script(kCompletedTool, "fish")->find(" -l " + name), std::string::npos)
        << name;
  }
}

TEST(Completion, OffersWhatAnOptionTakes) {
  const std::string values = *completion_script(kCompletedTool, "values");
  for (const char* row : {"--base\t\t\n", "--form\ttext|text/*|\t\n", "--show\tdead,ok\t\n",
                          "--cache\t\tfiles\n", "--root\t\tfolders\n", "--agents\tai|\tfiles\n",
                          "--by\turl|added|", "--fields\turl,added,"}) {
    EXPECT_NE(values.find(row), std::string::npos) << row << values;
  }
  EXPECT_EQ(values.find("--keep"), std::string::npos);
}

TEST(Completion, BashFunctionNameIsAnIdentifier) {
  EXPECT_TRUE(completion_script(kCompletedTool, "bash")->starts_with("_url_tester() {"));
  EXPECT_TRUE(
      completion_script(kCompletedTool, "bash")->ends_with("complete -F _url_tester url-tester\n"));
}

TEST(Completion, QuotesWhatTheShellsReadAsTheirOwn) {
  const std::string zsh = *completion_script(kCompletedTool, "zsh");
  EXPECT_NE(zsh.find(R"([resolve \[relative\] URLs\: it'\''s \\ done]:HOST\:PORT: )"),
            std::string::npos)
      << zsh;
  const std::string fish = *completion_script(kCompletedTool, "fish");
  EXPECT_NE(fish.find(R"(-l base -s b -x -d 'resolve [relative] URLs: it'\''s \ done')"),
            std::string::npos)
      << fish;
}

}  // namespace
}  // namespace spinneret::cli
