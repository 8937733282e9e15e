// SPDX-License-Identifier: Apache-2.0
#include "cli/tool.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <new>
#include <string>

#include "child_tool.h"
#include "cli/signals.h"

namespace spinneret::cli {
namespace {

int pass(Tool& tool) {
  std::string_view line;
  while (tool.next(line)) tool.writer().write_line(line);
  return tool.status();
}

int refuse_b(Tool& tool) {
  std::string_view line;
  while (tool.next(line)) {
    if (line.starts_with('b')) {
      tool.refuse("begins with b", line);
    } else {
      tool.writer().write_line(line);
    }
  }
  return tool.status();
}

TEST(Tool, PassesLines) {
  EXPECT_EQ(run(pass, {}, "a\nb\r\nc"), (Outcome{"a\nb\nc\n", "", 0}));
  EXPECT_EQ(run(pass, {}, ""), (Outcome{"", "", 0}));
  EXPECT_EQ(run(pass, {"-z"}, std::string_view("a\nb\0c", 5)),
            (Outcome{std::string("a\nb\0c\0", 6), "", 0}));
}

TEST(Tool, RefusesAndGoesOn) {
  EXPECT_EQ(run(refuse_b, {}, "a\nb\x1b[2J\"\nc\n"),
            (Outcome{"a\nc\n", "tester: -:2: begins with b: \"b\\x1B[2J\\\"\"\n", 1}));
}

TEST(Tool, StrictStops) {
  EXPECT_EQ(run(refuse_b, {"--strict"}, "a\nb\nc\n"),
            (Outcome{"a\n", "tester: -:2: begins with b: \"b\"\n", 1}));
  EXPECT_EQ(run(pass, {"--strict", "--max-line=2"}, "a\nlong\nc\n"),
            (Outcome{"a\n", "tester: -:2: line is longer than --max-line (2 bytes)\n", 1}));
}

TEST(Tool, UnreadableFileIsTroubleAndOthersAreRead) {
  const Outcome got = run(pass, {"/nonexistent\x1b[31m", "-"}, "a\n");
  EXPECT_EQ(
      got, (Outcome{"a\n", "tester: cannot open /nonexistent\\x1B[31m: No such file or directory\n",
                    2}));
}

TEST(Tool, FullDiskIsTrouble) {
  EXPECT_EQ(run(pass, {}, "a\n", "/dev/full"),
            (Outcome{"", "tester: standard output: No space left on device\n", 2}));
  EXPECT_EQ(run(pass, {"--help"}, "", "/dev/full"),
            (Outcome{"", "tester: standard output: No space left on device\n", 2}));
  EXPECT_EQ(run(pass, {}, "", "/dev/full").status, 0) << "nothing was to be written";
}

TEST(Tool, StopsReadingOnceOutputFails) {
  const auto count = [](Tool& tool) {
    std::string_view line;
    std::uint64_t lines = 0;
    while (tool.next(line)) tool.writer().write_line(std::string(4096, 'x')), ++lines;
    return lines < 100 && tool.stopped() ? 0 : 7;
  };
  std::string input;
  for (int i = 0; i < 10'000; ++i) input += "line\n";
  EXPECT_EQ(run(count, {}, input, "/dev/full").status, 2);
}

TEST(Tool, StatusIsTheWorst) {
  const auto body = [](Tool& tool) {
    tool.trouble("broken");
    tool.note_refusal();
    tool.notice("by the way");
    return 0;
  };
  EXPECT_EQ(run(body, {}, ""), (Outcome{"", "tester: broken\ntester: by the way\n", 2}));
}

TEST(Tool, RefusalBeforeAnyLineNamesTheFirstInput) {
  const auto body = [](Tool& tool) {
    tool.refuse("early", {});
    return 0;
  };
  EXPECT_EQ(run(body, {}, "").status, 1);
}

TEST(Tool, MemoryThatRunsOutIsTrouble) {
  const auto body = [](Tool& tool) -> int {
    tool.writer().write_line("before");
    throw std::bad_alloc();
  };
  EXPECT_EQ(run(body, {}, ""), (Outcome{"before\n", "tester: out of memory\n", 2}));
}

TEST(Tool, Formats) {
  EXPECT_EQ(run(pass, {"--json"}, "u\tstatus=200\n").out, "{\"url\":\"u\",\"status\":200}\n");
  EXPECT_EQ(run(pass, {"--fields=status,url"}, "u\tstatus=200\n").out, "200\tu\n");
  EXPECT_EQ(run(pass, {"--json", "--fields=url"}, "").status, 2);
  for (const char* bad : {"", ",", "url,", "Url", "a=b", "url,,status"}) {
    EXPECT_EQ(run(pass, {std::string("--fields=") + bad}, "u\n").status, 2) << bad;
  }
}

TEST(Tool, OperandsCanBeReplaced) {
  const auto body = [](Tool& tool) {
    tool.set_operands({"http://a/"});
    return pass(tool);
  };
  EXPECT_EQ(run(body, {"ignored"}, "x\n"), (Outcome{"http://a/\n", "", 0}));
}

bool readable(int fd) {
  pollfd ready{fd, POLLIN, 0};
  return poll(&ready, 1, 0) == 1;
}

using SignalsDeathTest = testing::Test;

// Each test runs in a child, because handlers are for the whole process. A child that succeeds
// exits with 0.
TEST(SignalsDeathTest, FirstSignalIsAFlagAndADescriptor) {
  EXPECT_EXIT(
      {
        const bool before = stop_fd() == -1 && stop_signal() == 0;
        const bool installed = install_stop_signals().ok() && !readable(stop_fd());
        raise(SIGTERM);
        _exit(before && installed && stop_signal() == SIGTERM && readable(stop_fd()) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(SignalsDeathTest, SecondOfAKindKills) {
  EXPECT_EXIT(
      {
        signal(SIGINT, SIG_DFL);  // background jobs of a script ignore the signal
        if (!install_stop_signals().ok()) _exit(1);
        raise(SIGINT);
        raise(SIGINT);
        _exit(2);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(SignalsDeathTest, IgnoredOnesStayIgnored) {
  EXPECT_EXIT(
      {
        signal(SIGHUP, SIG_IGN);  // as nohup does
        if (!install_stop_signals().ok()) _exit(1);
        raise(SIGHUP);
        raise(SIGHUP);
        _exit(stop_signal() == 0 && !readable(stop_fd()) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace spinneret::cli
