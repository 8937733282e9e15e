// SPDX-License-Identifier: Apache-2.0
// Work by several threads: the output, the refused lines and the status are those of one thread.
#include "cli/runs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "child_tool.h"
#include "support/temporary_folder.h"

namespace spinneret::cli {
namespace {

// Writes lines in upper case. Lines that begin with "x" are refused, and no line after "stop" is
// read.
void work(std::string_view run, RunResult& result) {
  while (!run.empty()) {
    std::string line(cut(run, '\n'));
    if (line.ends_with('\r')) line.pop_back();
    ++result.lines;
    if (line.starts_with('x')) {
      result.refuse("begins with x", line);
      continue;
    }
    for (char& c : line) c = to_upper(c);
    result.out += line + "\n";
    if (line != "STOP") continue;
    result.stop = true;
    return;
  }
}

template <unsigned kJobs>
int body(Tool& tool) {
  return for_each_run(tool, kJobs, /*records=*/true, [] { return RunWork(work); });
}

std::string lines_of(std::mt19937& random, std::size_t count) {
  std::string out;
  for (; count != 0; --count) {
    if (random() % 9 == 0) out += 'x';
    out += std::string(random() % 60, static_cast<char>('a' + random() % 26));
    out += random() % 5 == 0 ? "\r\n" : "\n";
  }
  return out;
}

TEST(Runs, OfSeveralThreadsAreThoseOfOne) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  for (int round = 0; round != 12; ++round) {
    std::vector<std::string> words;
    for (std::size_t files = random() % 4; files != 0; --files) {
      words.push_back(folder.file(std::to_string(files)));
      std::string bytes = lines_of(random, random() % 4 == 0 ? 30'000 : random() % 50);
      // The file lacks its last line end.
      if (random() % 2 == 0 && !bytes.empty()) bytes.pop_back();
      std::ofstream(words.back(), std::ios::binary) << bytes;
      if (random() % 3 == 0) words.push_back("http://h/" + std::to_string(files));
      if (random() % 4 == 0) words.push_back(folder.file("none"));
    }
    if (random() % 4 == 0) words.insert(words.begin(), "--max-line=40");
    if (random() % 4 == 0) words.insert(words.begin(), "--json");
    if (random() % 6 == 0) words.insert(words.begin(), "--strict");
    const std::string input = lines_of(random, random() % 100);
    const Outcome one = run(body<1>, words, input);
    ASSERT_EQ(run(body<2>, words, input), one) << testing::PrintToString(words);
    ASSERT_EQ(run(body<5>, words, input), one) << testing::PrintToString(words);
  }
}

TEST(Runs, RefusalsAreNumberedByTheirFile) {
  const TemporaryFolder folder;
  const std::string first = folder.file("1");
  const std::string second = folder.file("2");
  std::ofstream(first) << "a\nxb\n\nxc";
  std::ofstream(second) << "xd\ne\n";
  const Outcome expected = {"A\n\nE\n",
                            "tester: " + first + ":2: begins with x: \"xb\"\ntester: " + first +
                                ":4: begins with x: \"xc\"\ntester: " + second +
                                ":1: begins with x: \"xd\"\n",
                            1};
  EXPECT_EQ(run(body<1>, {first, second}, ""), expected);
  EXPECT_EQ(run(body<3>, {first, second}, ""), expected);
}

TEST(Runs, AWorkerThatHasEnoughEndsIt) {
  std::string input = "a\nstop\n";
  for (int i = 0; i != 200'000; ++i) input += "behind\n";
  for (const auto each : {body<1>, body<4>}) {
    const Outcome got = run(each, {}, input);
    EXPECT_EQ(got.out, "A\nSTOP\n");
    EXPECT_EQ(got.status, 0);
  }
}

TEST(Runs, AFullDiskIsTroubleAndEndsIt) {
  std::string input;
  for (int i = 0; i != 200'000; ++i) input += "line\n";
  for (const auto each : {body<1>, body<4>}) {
    const Outcome got = run(each, {}, input, "/dev/full");
    EXPECT_EQ(got.status, 2);
    EXPECT_EQ(got.err, "tester: standard output: No space left on device\n");
  }
}

}  // namespace
}  // namespace spinneret::cli
