// SPDX-License-Identifier: Apache-2.0
#include "loop/line_buffer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>
#include <string>
#include <vector>

namespace spinneret::loop {
namespace {

struct NonBlockingPipe {
  int ends[2] = {-1, -1};
  NonBlockingPipe() { EXPECT_EQ(pipe2(ends, O_NONBLOCK), 0); }
  ~NonBlockingPipe() {
    close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
  }
  void put(std::string_view bytes) {
    ASSERT_EQ(write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void end() {
    close(ends[1]);
    ends[1] = -1;
  }
};

std::vector<std::string> drain(LineBuffer& lines) {
  std::vector<std::string> out;
  std::string_view line;
  while (lines.next(line)) out.emplace_back(line);
  return out;
}

using Lines = std::vector<std::string>;

TEST(LineBuffer, WholeLinesOnlyAndNeverATornLast) {
  NonBlockingPipe pipe;
  LineBuffer lines('\n', 100);
  EXPECT_EQ(lines.fill(pipe.ends[0]), LineBuffer::Fill::kWouldBlock);
  pipe.put("one\r\ntwo\n\nthr");
  EXPECT_EQ(lines.fill(pipe.ends[0]), LineBuffer::Fill::kRead);
  EXPECT_EQ(drain(lines), (Lines{"one", "two", ""}));
  EXPECT_EQ(lines.rest(), 3U);
  pipe.put("ee\nfour");
  pipe.end();
  EXPECT_EQ(lines.fill(pipe.ends[0]), LineBuffer::Fill::kRead);
  EXPECT_EQ(drain(lines), Lines{"three"});
  EXPECT_EQ(lines.fill(pipe.ends[0]), LineBuffer::Fill::kEnd);
  EXPECT_EQ(drain(lines), Lines{});
  EXPECT_EQ(lines.rest(), 4U);
  lines.clear();
  EXPECT_EQ(lines.rest(), 0U);
}

TEST(LineBuffer, NulAsTerminatorKeepsCr) {
  NonBlockingPipe pipe;
  LineBuffer lines('\0', 100);
  pipe.put(std::string_view("a\r\0b\nc\0", 7));
  lines.fill(pipe.ends[0]);
  EXPECT_EQ(drain(lines), (Lines{"a\r", "b\nc"}));
}

TEST(LineBuffer, ALineThatIsTooLongIsLeftOutWhole) {
  NonBlockingPipe pipe;
  LineBuffer lines('\n', 5);
  for (const char* const part : {"12345\n123456\nok\n1234", "5678", "9\nlast\n"}) {
    pipe.put(part);
    lines.fill(pipe.ends[0]);
    for (const std::string& line : drain(lines)) EXPECT_TRUE(line == "12345" || line == "ok" || line == "last");
  }
  EXPECT_EQ(lines.skipped(), 2U);
}

TEST(LineBuffer, AnErrorIsOne) {
  LineBuffer lines('\n', 5);
  EXPECT_EQ(lines.fill(-1), LineBuffer::Fill::kError);
  EXPECT_EQ(lines.error_code(), EBADF);
}

// Any cutting of the bytes into reads gives the same lines.
TEST(LineBuffer, AgainstSplitting) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    NonBlockingPipe pipe;
    LineBuffer lines('\n', 12);
    std::string all;
    Lines got;
    for (int part = 0; part < 20; ++part) {
      std::string bytes;
      for (std::size_t i = random() % 10; i > 0; --i) bytes += random() % 6 == 0 ? '\n' : 'x';
      all += bytes;
      if (bytes.empty()) continue;
      pipe.put(bytes);
      ASSERT_EQ(lines.fill(pipe.ends[0]), LineBuffer::Fill::kRead);
      for (std::string& line : drain(lines)) got.push_back(std::move(line));
    }
    Lines expected;
    std::size_t begin = 0;
    for (std::size_t end = all.find('\n'); end != std::string::npos; end = all.find('\n', begin)) {
      if (end - begin <= 12) expected.push_back(all.substr(begin, end - begin));
      begin = end + 1;
    }
    ASSERT_EQ(got, expected);
  }
}

}  // namespace
}  // namespace spinneret::loop
