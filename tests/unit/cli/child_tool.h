// SPDX-License-Identifier: Apache-2.0
// Runs a whole tool in a child process, and returns what it prints, reports and exits with.
#ifndef SPINNERET_TESTS_UNIT_CLI_CHILD_TOOL_H_
#define SPINNERET_TESTS_UNIT_CLI_CHILD_TOOL_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cli/tool.h"
#include "support/sanitized.h"

namespace spinneret::cli {

inline constexpr ToolSpec kTool{"tester", "test tools", "[FILE]...", {}};

struct Outcome {
  std::string out;
  std::string err;
  int status = -1;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

inline void PrintTo(const Outcome& outcome, std::ostream* stream) {
  *stream << outcome.status << " out " << testing::PrintToString(outcome.out) << " err "
          << testing::PrintToString(outcome.err);
}

inline std::string temporary(const char* name) { return testing::TempDir() + "tool-test-" + name; }

inline void redirect(const std::string& path, int fd, int flags) {
  const int file = open(path.c_str(), flags, 0600);
  if (file < 0 || dup2(file, fd) != fd) _exit(99);
  close(file);
}

// Runs `body` as a tool. The output must be small, because it goes to files.
inline Outcome run(int (*body)(Tool&), std::vector<std::string> words, std::string_view input,
                   const char* out = nullptr) {
  const std::string in_path = temporary("in");
  const std::string out_path = out != nullptr ? out : temporary("out");
  const std::string err_path = temporary("err");
  EXPECT_TRUE(write_file_atomic(in_path, input).ok());
  words.insert(words.begin(), "tester");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    redirect(in_path, 0, O_RDONLY);
    redirect(out_path, 1, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(err_path, 2, O_WRONLY | O_CREAT | O_TRUNC);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    const int code = run_tool(kTool, static_cast<int>(words.size()), argv.data(), body);
    // A search for leaks at the exit would report those of the reading thread, for which a tool
    // does not wait.
    if (kSanitized) _exit(code);
    // A program that measures coverage writes its data at the exit.
    std::exit(code);
  }
  Outcome outcome;
  int status = 0;
  waitpid(child, &status, 0);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  outcome.err = *read_file(err_path);
  if (out == nullptr) outcome.out = *read_file(out_path);
  for (const char* name : {"in", "out", "err"}) unlink(temporary(name).c_str());
  return outcome;
}

}  // namespace spinneret::cli

#endif  // SPINNERET_TESTS_UNIT_CLI_CHILD_TOOL_H_
