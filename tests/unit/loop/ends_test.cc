// SPDX-License-Identifier: Apache-2.0
// Pipelines as the driver uses them: what goes in comes out, how they end, and that no process
// outlives the end.
#include "loop/ends.h"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::loop {
namespace {

constexpr std::int64_t kLongMs = 60'000;

class EndsTest : public testing::Test {
 protected:
  static std::unique_ptr<Ends> of(const std::string& script, EndsOptions options = {}) {
    return child_ends({"sh", "-c", script}, "", options);
  }
  // Reads all lines until the output ends.
  static std::string read_all(Ends& ends) {
    std::string out;
    while (true) {
      std::string_view run;
      switch (ends.read(run)) {
        case LineReader::Event::kLine: out += run; break;
        case LineReader::Event::kTooLong: out += "(too long)"; break;
        case LineReader::Event::kEnd: return out;
        case LineReader::Event::kError: return out + "(error)";
        case LineReader::Event::kWait:
          const Result<bool> ready = ends.wait(false, false, kLongMs);
          EXPECT_TRUE(ready.ok() && *ready);
          if (!ready.ok() || !*ready) return out;
          break;
      }
    }
  }
  static void write_all(Ends& ends, const std::string& bytes) {
    Outlet lines;
    lines.lines() = bytes;
    while (lines.pending() != 0) {
      ASSERT_EQ(ends.write(lines), 0);
      ASSERT_TRUE(lines.pending() == 0 || ends.wait(true, false, kLongMs).ok());
    }
  }
};

TEST_F(EndsTest, WhatGoesInComesOutAndItCanBeStartedAgain) {
  const std::unique_ptr<Ends> ends = of("cat");
  EXPECT_TRUE(ends->renewable());
  for (int life = 0; life != 2; ++life) {
    EXPECT_FALSE(ends->running());
    EXPECT_FALSE(ends->takes());
    EXPECT_EQ(ends->group(), -1);
    ASSERT_TRUE(ends->start().ok());
    EXPECT_TRUE(ends->running());
    EXPECT_GT(ends->group(), 0);
    write_all(*ends, "a\nb\n");
    ends->close_input();
    EXPECT_FALSE(ends->takes());
    EXPECT_EQ(read_all(*ends), "a\nb\n");
    const Ends::End end = ends->end(kLongMs);
    EXPECT_TRUE(end.well) << end.how;
  }
  // A second call does nothing.
  EXPECT_TRUE(ends->end(0).well);
}

TEST_F(EndsTest, HowItEndedIsToldInWords) {
  const struct {
    const char* script;
    bool well, failed;
    const char* how;
  } cases[] = {{"exit 0", true, false, "ended with status 0"},
               {"exit 1", true, false, "ended with status 1"},
               {"exit 3", false, true, "ended with status 3"},
               {"kill -TERM $$", false, false, "was killed by signal 15"}};
  for (const auto& each : cases) {
    const std::unique_ptr<Ends> ends = of(each.script);
    ASSERT_TRUE(ends->start().ok());
    EXPECT_EQ(read_all(*ends), "");
    const Ends::End end = ends->end(kLongMs);
    EXPECT_EQ(end.well, each.well) << each.script;
    EXPECT_EQ(end.failed, each.failed) << each.script;
    EXPECT_NE(end.how.find(each.how), std::string::npos) << end.how;
  }
}

TEST_F(EndsTest, OneThatDoesNotEndIsForcedTo) {
  const std::unique_ptr<Ends> ends = of("trap '' TERM; echo up; while :; do sleep 1; done");
  ASSERT_TRUE(ends->start().ok());
  std::string_view run;
  while (ends->read(run) != LineReader::Event::kLine)
    ASSERT_TRUE(ends->wait(false, false, kLongMs).ok());
  ends->signal(SIGTERM);
  const Ends::End end = ends->end(1);
  EXPECT_FALSE(end.well);
  EXPECT_NE(end.how.find("signal 9"), std::string::npos) << end.how;
  EXPECT_FALSE(ends->running());
}

TEST_F(EndsTest, HalfALineAndOneThatIsTooLongAreNoLines) {
  const std::unique_ptr<Ends> ends = of("printf 'a\\n0123456789\\nb\\nhalf'", {.max_line = 8});
  ASSERT_TRUE(ends->start().ok());
  const std::string lines = read_all(*ends);
  EXPECT_TRUE(lines.starts_with("a\n(too long)b\n")) << lines;
  EXPECT_EQ(lines.find("half"), std::string::npos);
  ends->end(kLongMs);
}

TEST_F(EndsTest, AnotherTerminator) {
  const std::unique_ptr<Ends> ends = of("printf 'a\\nb\\0c\\0'", {.terminator = '\0'});
  ASSERT_TRUE(ends->start().ok());
  EXPECT_EQ(read_all(*ends), std::string("a\nb\0c\0", 6));
  ends->end(kLongMs);
}

TEST_F(EndsTest, WritingToOneThatIsGoneIsAnErrnoAndNoSignal) {
  const std::unique_ptr<Ends> ends = of("exec <&-; echo up; cat >&2 2>/dev/null; exit 0");
  const auto before = ::signal(SIGPIPE, SIG_IGN);  // as run_tool does
  ASSERT_TRUE(ends->start().ok());
  EXPECT_EQ(read_all(*ends), "up\n");
  Outlet lines;
  int code = 0;
  for (int tries = 0; tries != 100 && code == 0; ++tries) {
    lines.lines() = std::string(100'000, 'x') + "\n";
    code = ends->write(lines);
    lines.clear();
  }
  EXPECT_EQ(code, EPIPE);
  ends->end(kLongMs);
  ::signal(SIGPIPE, before);
}

TEST_F(EndsTest, ACommandThatIsNotThereIsTold) {
  const std::unique_ptr<Ends> ends = child_ends({"/no/such/program"}, "", {});
  const Status started = ends->start();
  if (started.ok()) {
    EXPECT_EQ(read_all(*ends), "");
    EXPECT_FALSE(ends->end(kLongMs).well);
  } else {
    EXPECT_NE(started.message().find("/no/such/program"), std::string::npos);
  }
}

}  // namespace
}  // namespace spinneret::loop
