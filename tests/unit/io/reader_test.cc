// SPDX-License-Identifier: Apache-2.0
#include "io/reader.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "feed.h"

namespace spinneret {
namespace {

using Event = LineReader::Event;

// What a reader gave: a line, or the number of a line that was too long.
struct Got {
  std::string line;
  std::uint64_t number;
  bool too_long;
  friend bool operator==(const Got&, const Got&) = default;
};

void PrintTo(const Got& got, std::ostream* out) {
  *out << got.number << (got.too_long ? " too long" : ": " + testing::PrintToString(got.line));
}

// Applies the rules of io/reader.h, one after the other, to the whole text at once.
std::vector<Got> slow_lines(std::string_view text, char terminator, std::size_t max_line) {
  std::vector<Got> out;
  while (!text.empty()) {
    const std::size_t end = text.find(terminator);
    std::string line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (terminator == '\n' && line.ends_with('\r')) line.pop_back();
    const bool too_long = line.size() > max_line;
    out.push_back({too_long ? "" : line, out.size() + 1, too_long});
  }
  return out;
}

std::vector<Got> read_lines(int fd, const LineReader::Options& options) {
  LineReader reader(fd, options);
  std::vector<Got> out;
  std::string_view line;
  while (true) {
    const Event event = reader.next(line);
    if (event == Event::kEnd || event == Event::kError) break;
    const bool too_long = event == Event::kTooLong;
    out.push_back({too_long ? "" : std::string(line), reader.line_number(), too_long});
  }
  EXPECT_EQ(reader.next(line), Event::kEnd) << "the end comes as often as one asks";
  return out;
}

// Reads the same by runs, each divided into lines here.
std::vector<Got> read_runs(int fd, const LineReader::Options& options) {
  LineReader reader(fd, options);
  std::vector<Got> out;
  std::string_view run;
  bool unterminated = false;
  while (true) {
    const Event event = reader.next_run(run);
    if (event == Event::kEnd || event == Event::kError) break;
    EXPECT_FALSE(unterminated) << "only the last run may lack its terminator";
    if (event == Event::kTooLong) {
      out.push_back({"", reader.line_number(), true});
      continue;
    }
    EXPECT_FALSE(run.empty());
    unterminated = run.back() != options.terminator;
    std::uint64_t count = 0;
    for (Got& got : slow_lines(run, options.terminator, SIZE_MAX)) {
      got.number = reader.line_number() + ++count;
      out.push_back(std::move(got));
    }
    reader.add_lines(count);
  }
  return out;
}

void expect_all_agree(std::string_view text, const LineReader::Options& options) {
  const std::vector<Got> want = slow_lines(text, options.terminator, options.max_line);
  ASSERT_EQ(read_lines(file_of(text).get(), options), want)
      << "block " << options.block << " max " << options.max_line;
  ASSERT_EQ(read_runs(file_of(text).get(), options), want)
      << "runs, block " << options.block << " max " << options.max_line;
}

TEST(LineReader, EveryShortTextAtEveryBlockSize) {
  constexpr std::string_view kAlphabet("a\r\n\0", 4);
  for (std::size_t length = 0; length <= 6; ++length) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < length; ++i) count *= kAlphabet.size();
    for (std::size_t code = 0; code < count; ++code) {
      std::string text;
      for (std::size_t rest = code, i = 0; i < length; ++i, rest /= kAlphabet.size()) {
        text += kAlphabet[rest % kAlphabet.size()];
      }
      for (const char terminator : {'\n', '\0'}) {
        expect_all_agree(text, {.terminator = terminator, .max_line = 2, .block = 1 + code % 8});
        if (HasFatalFailure()) return;
      }
    }
  }
}

std::string random_text(std::mt19937& random, std::size_t lines, std::size_t longest) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    text.append(random() % (longest + 1), static_cast<char>('a' + i % 26));
    if (random() % 8 == 0) text += '\0';
    if (random() % 3 == 0) text += '\r';
    if (i + 1 < lines || random() % 2 == 0) text += '\n';
  }
  return text;
}

TEST(LineReader, BlockSweepAgainstTheSlowTwin) {
  std::mt19937 random(3);
  for (std::size_t block = 1; block <= 64; ++block) {
    for (int round = 0; round < 12; ++round) {
      const std::string text = random_text(random, 20, round % 2 == 0 ? 12 : 90);
      for (const std::size_t max_line : {0UL, 1UL, 7UL, 64UL, 1UL << 20, SIZE_MAX}) {
        for (const char terminator : {'\n', '\0'}) {
          expect_all_agree(text, {.terminator = terminator, .max_line = max_line, .block = block});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Tests the limit itself: lengths around it, with and without CR, at every place of the input and
// block size.
TEST(LineReader, LongLineAtEveryPlace) {
  constexpr std::size_t kMax = 10;
  for (std::size_t length = kMax - 2; length <= kMax * 4; ++length) {
    for (const char* end : {"\n", "\r\n", "", "\r"}) {
      for (std::size_t before = 0; before < 4; ++before) {
        std::string text;
        for (std::size_t i = 0; i < before; ++i) text += "short\n";
        text += std::string(length, 'x') + end;
        if (text.ends_with('\n')) text += "after\nlast";
        for (std::size_t block = 1; block <= 48; ++block) {
          expect_all_agree(text, {.max_line = kMax, .block = block});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(LineReader, RunNeverHoldsALongLineInItsMiddle) {
  // One block holds all three lines; the limit is far below the block size.
  expect_all_agree("ok\nmuch too long\nfine\n", {.max_line = 5});
  expect_all_agree("ok\nmuch too long", {.max_line = 5});
  expect_all_agree("much too long\nmuch too long\n", {.max_line = 5});
}

TEST(LineReader, LinesAndRunsMix) {
  const Fd file = file_of("a\nb\nc\nd\n");
  LineReader reader(file.get(), {.block = 4});
  std::string_view view;
  ASSERT_EQ(reader.next(view), Event::kLine);
  EXPECT_EQ(view, "a");
  ASSERT_EQ(reader.next_run(view), Event::kLine);
  EXPECT_EQ(view, "b\n");
  reader.add_lines(1);
  ASSERT_EQ(reader.next(view), Event::kLine);
  EXPECT_EQ(view, "c");
  EXPECT_EQ(reader.line_number(), 3U);
}

TEST(LineReader, CarriesEveryByte) {
  std::string text;
  for (int byte = 0; byte < 256; ++byte) {
    if (byte != '\n') text += static_cast<char>(byte);
  }
  const std::vector<Got> got = read_lines(file_of(text + "\n").get(), {});
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].line, text);
}

TEST(LineReader, OneCarriageReturnAlone) {
  EXPECT_EQ(read_lines(file_of("a\r\r\n").get(), {})[0].line, "a\r");
  EXPECT_EQ(read_lines(file_of("a\rb\n").get(), {})[0].line, "a\rb");
  const std::string with_nul("a\r\0", 3);
  EXPECT_EQ(read_lines(file_of(with_nul).get(), {.terminator = '\0'})[0].line, "a\r");
}

TEST(LineReader, LongLineFromAPipeGrowsTheBufferAndGivesItBack) {
  // Pipes give 64 KiB a read at most: a line of 24 MiB is gathered from hundreds of reads, and each
  // byte may be moved a few times only (this test took minutes when each read moved all).
  constexpr std::size_t kLong = std::size_t{24} << 20;
  Pipe pipe;
  std::thread writer([&] {
    write_all(pipe.write_end.get(), std::string(kLong, 'x') + "\nshort\n");
    pipe.write_end = Fd();
  });
  LineReader reader(pipe.read_end.get(), {.block = 4096});
  std::string_view line;
  ASSERT_EQ(reader.next(line), Event::kLine);
  EXPECT_EQ(line.size(), kLong);
  EXPECT_EQ(line.find_first_not_of('x'), std::string_view::npos);
  ASSERT_EQ(reader.next(line), Event::kLine);
  EXPECT_EQ(line, "short");
  EXPECT_EQ(reader.next(line), Event::kEnd);
  writer.join();
}

TEST(LineReader, AnyChunksOfAPipeGiveTheSameLines) {
  std::mt19937 random(4);
  for (int round = 0; round < 40; ++round) {
    const std::string text = random_text(random, 30, 40);
    Pipe pipe;
    std::thread writer([&, seed = random()] {
      std::mt19937 sizes(static_cast<unsigned>(seed));
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = std::min<std::size_t>(1 + sizes() % 20, text.size() - at);
        write_all(pipe.write_end.get(), std::string_view(text).substr(at, size));
        at += size;
        if (sizes() % 4 == 0) std::this_thread::yield();
      }
      pipe.write_end = Fd();
    });
    const std::vector<Got> got = read_lines(pipe.read_end.get(), {.max_line = 30, .block = 16});
    writer.join();
    ASSERT_EQ(got, slow_lines(text, '\n', 30));
  }
}

// A writer pauses: every line is given before the reader waits, and before_wait is called first.
TEST(LineReader, CallsBeforeWaitOnlyWhereItWouldBlock) {
  Pipe pipe;
  std::vector<std::string> log;
  LineReader reader(pipe.read_end.get(), {.before_wait = [&] {
                      log.emplace_back("wait");
                      // The pause is over.
                      if (log.size() < 6) {
                        write_all(pipe.write_end.get(), "c\nd");
                      } else {
                        pipe.write_end = Fd();
                      }
                    }});
  ASSERT_EQ(write_all(pipe.write_end.get(), "a\nb\n"), 0);
  std::string_view line;
  while (reader.next(line) == Event::kLine) log.emplace_back(line);
  EXPECT_EQ(log, (std::vector<std::string>{"a", "b", "wait", "c", "wait", "dc", "wait", "d"}));
}

TEST(LineReader, NeverWaitsForAFile) {
  int waits = 0;
  const Fd file = file_of("a\nb\n");
  const auto got = read_lines(file.get(), {.block = 1, .before_wait = [&] { ++waits; }});
  EXPECT_EQ(got.size(), 2U);
  EXPECT_EQ(waits, 0);
}

TEST(LineReader, NonBlockingDescriptorIsWaitedFor) {
  Pipe pipe;
  ASSERT_EQ(fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK), 0);
  std::atomic<bool> waiting = false;
  std::thread writer([&] {
    while (!waiting) std::this_thread::yield();
    write_all(pipe.write_end.get(), "late\n");
    pipe.write_end = Fd();
  });
  const auto got = read_lines(pipe.read_end.get(), {.before_wait = [&] { waiting = true; }});
  writer.join();
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].line, "late");
}

TEST(LineReader, InterruptedReadGoesOn) {
  struct sigaction action {};
  struct sigaction old {};
  action.sa_handler = [](int) {};  // without SA_RESTART
  ASSERT_EQ(sigaction(SIGUSR1, &action, &old), 0);
  Pipe pipe;
  const pthread_t self = pthread_self();
  std::atomic<bool> waiting = false;
  std::thread writer([&] {
    while (!waiting) std::this_thread::yield();
    for (int i = 0; i < 200; ++i) {
      pthread_kill(self, SIGUSR1);
      std::this_thread::yield();
    }
    write_all(pipe.write_end.get(), "line\n");
    pipe.write_end = Fd();
  });
  const auto got = read_lines(pipe.read_end.get(), {.before_wait = [&] { waiting = true; }});
  writer.join();
  sigaction(SIGUSR1, &old, nullptr);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].line, "line");
}

// The mark may come in pieces, and may be all that there is. Bug: an input that was only the
// beginning of a mark gave an empty line.
TEST(LineReader, AByteOrderMarkIsDroppedInPiecesOfEverySize) {
  const struct {
    std::string_view text;
    std::vector<std::string> lines;
  } rows[] = {{"\xEF\xBB\xBF"
               "a\nb",
               {"a", "b"}},
              {"\xEF\xBB\xBF", {}},
              {"\xEF\xBB", {"\xEF\xBB"}},
              {"\xEF\xBB\xBF\n", {""}},
              {"a\xEF\xBB\xBF\n", {"a\xEF\xBB\xBF"}},
              {"\xEF\xBB\xBF\xEF\xBB\xBFx", {"\xEF\xBB\xBFx"}},
              {"\xFE", {"\xFE"}}};
  for (const auto& row : rows) {
    for (const std::size_t block : {1UL, 2UL, 3UL, 4UL, 64UL}) {
      const Fd file = file_of(row.text);
      std::vector<std::string> lines;
      for (const Got& got : read_lines(file.get(), {.block = block, .drop_mark = true}))
        lines.push_back(got.line);
      EXPECT_EQ(lines, row.lines) << testing::PrintToString(row.text) << " by " << block;
    }
  }
}

TEST(LineReader, Utf16IsNoTextUnlessRecordsEndWithNul) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"\xFF\xFEh\0\n\0"sv, "\xFE\xFF\0h\0\n"sv}) {
    for (const std::size_t block : {1UL, 2UL, 3UL, 64UL}) {
      const Fd file = file_of(text);
      LineReader reader(file.get(), {.block = block, .drop_mark = true});
      std::string_view line;
      EXPECT_EQ(reader.next(line), Event::kError);
      EXPECT_EQ(reader.error_code(), EILSEQ);
      EXPECT_EQ(reader.next_run(line), Event::kError);
    }
    const Fd file = file_of(text);
    EXPECT_FALSE(read_lines(file.get(), {.terminator = '\0', .drop_mark = true}).empty());
  }
}

// A signal at stop_fd ends the input, and an incomplete line is dropped; complete lines that are
// there already come first.
TEST(LineReader, AWordToStopEndsTheInput) {
  Pipe pipe;
  Pipe stop;
  LineReader reader(pipe.read_end.get(),
                    {.before_wait = [&] { write_all(stop.write_end.get(), "x"); },
                     .stop_fd = stop.read_end.get()});
  ASSERT_EQ(write_all(pipe.write_end.get(), "a\nhalf"), 0);
  std::string_view line;
  EXPECT_EQ(reader.next(line), Event::kLine);
  EXPECT_EQ(line, "a");
  EXPECT_EQ(reader.next(line), Event::kEnd);
  EXPECT_EQ(reader.next(line), Event::kEnd);
}

TEST(LineReader, FailedReadIsAnErrorForGood) {
  const Result<Fd> folder = open_file("/", O_RDONLY);
  ASSERT_TRUE(folder.ok());
  for (const int fd : {folder->get(), -1}) {
    LineReader reader(fd, {});
    std::string_view line;
    EXPECT_EQ(reader.next(line), Event::kError);
    EXPECT_EQ(reader.error_code(), fd == -1 ? EBADF : EISDIR);
    EXPECT_EQ(reader.next(line), Event::kError);
    EXPECT_EQ(reader.next_run(line), Event::kError);
  }
}

TEST(LineReader, EmptyInputIsNoLine) {
  EXPECT_TRUE(read_lines(file_of("").get(), {}).empty());
  EXPECT_TRUE(read_runs(file_of("").get(), {}).empty());
  EXPECT_EQ(read_lines(file_of("\n").get(), {}).size(), 1U);
}

// LineReader with Options::wait == false, as event loops use it.

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
