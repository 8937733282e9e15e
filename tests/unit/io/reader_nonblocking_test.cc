// SPDX-License-Identifier: Apache-2.0
// LineReader with Options::wait == false: what event loops use.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "io/reader.h"

namespace spinneret {
namespace {

using Event = LineReader::Event;

class NonblockingReader : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe(fds_), 0); }
  void TearDown() override {
    ::close(fds_[0]);
    if (fds_[1] >= 0) ::close(fds_[1]);
  }
  void put(std::string_view bytes) {
    ASSERT_EQ(::write(fds_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void end() {
    ::close(fds_[1]);
    fds_[1] = -1;
  }
  static LineReader::Options options(std::size_t max_line = 1 << 20) {
    LineReader::Options out;
    out.wait = false;
    out.max_line = max_line;
    out.block = 16;
    return out;
  }
  int fds_[2] = {-1, -1};
};

TEST_F(NonblockingReader, SaysWaitUntilALineIsWhole) {
  LineReader reader(fds_[0], options());
  std::string_view line;
  EXPECT_EQ(reader.next(line), Event::kWait);
  put("one");
  EXPECT_EQ(reader.next(line), Event::kWait);
  EXPECT_EQ(reader.next(line), Event::kWait);
  put(" line\ntwo\nthr");
  ASSERT_EQ(reader.next(line), Event::kLine);
  EXPECT_EQ(line, "one line");
  ASSERT_EQ(reader.next(line), Event::kLine);
  EXPECT_EQ(line, "two");
  EXPECT_EQ(reader.next(line), Event::kWait);
  EXPECT_EQ(reader.line_number(), 2U);
  put("ee");
  end();
  ASSERT_EQ(reader.next(line), Event::kLine);
  EXPECT_EQ(line, "three");
  EXPECT_EQ(reader.next(line), Event::kEnd);
}

TEST_F(NonblockingReader, SkipsALongLineThatComesInPieces) {
  LineReader reader(fds_[0], options(20));
  std::string_view line;
  const std::string piece(15, 'x');
  for (int i = 0; i < 5; ++i) {
    put(piece);
    EXPECT_EQ(reader.next(line), Event::kWait);
  }
  put("\nshort\n");
  EXPECT_EQ(reader.next(line), Event::kTooLong);
  EXPECT_EQ(reader.line_number(), 1U);
  ASSERT_EQ(reader.next(line), Event::kLine);
  EXPECT_EQ(line, "short");
  EXPECT_EQ(reader.line_number(), 2U);
}

TEST_F(NonblockingReader, DropsATornLastLineWhereAskedTo) {
  LineReader::Options torn = options();
  torn.unterminated = false;
  LineReader lines(fds_[0], torn);
  std::string_view run;
  put("one\ntw");
  ASSERT_EQ(lines.next_run(run), Event::kLine);
  EXPECT_EQ(run, "one\n");
  EXPECT_EQ(lines.next_run(run), Event::kWait);
  put("o\nthree");
  end();
  ASSERT_EQ(lines.next_run(run), Event::kLine);
  EXPECT_EQ(run, "two\n");
  EXPECT_EQ(lines.next(run), Event::kEnd);
  EXPECT_EQ(lines.next_run(run), Event::kEnd);
}

TEST_F(NonblockingReader, NeverBlocksOnADescriptorThatIsNonblockingItself) {
  ASSERT_EQ(fcntl(fds_[0], F_SETFL, O_NONBLOCK), 0);
  LineReader reader(fds_[0], options());
  std::string_view line;
  EXPECT_EQ(reader.next(line), Event::kWait);
  put("a\n");
  EXPECT_EQ(reader.next(line), Event::kLine);
}

// Every way to cut a small input into pieces gives the same lines as one piece.
TEST_F(NonblockingReader, PiecesMakeNoDifference) {
  const std::string input = "a\r\n\nbcd\nefghijklmnopqrstuvwxyz0123456789\nlast";
  for (std::size_t size = 1; size <= input.size(); ++size) {
    int fds[2];
    ASSERT_EQ(pipe(fds), 0);
    LineReader reader(fds[0], options(30));
    std::vector<std::string> got;
    std::string_view line;
    const auto drain = [&] {
      while (true) {
        const Event event = reader.next(line);
        if (event == Event::kLine) got.emplace_back(line);
        if (event == Event::kTooLong) got.emplace_back("(long)");
        if (event == Event::kWait || event == Event::kEnd) break;
      }
    };
    for (std::size_t at = 0; at < input.size(); at += size) {
      const std::string piece = input.substr(at, size);
      ASSERT_EQ(::write(fds[1], piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
      drain();
    }
    ::close(fds[1]);
    drain();
    ::close(fds[0]);
    EXPECT_EQ(got, (std::vector<std::string>{"a", "", "bcd", "(long)", "last"})) << size;
  }
}

}  // namespace
}  // namespace spinneret
