// SPDX-License-Identifier: Apache-2.0
#include "io/sink.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "feed.h"
#include "io/escape.h"
#include "io/record.h"
#include "io/writer.h"

namespace spinneret {
namespace {

TEST(Sink, WritesWhatItWasGivenInAnySizes) {
  std::mt19937 random(5);
  for (const std::size_t capacity : {1UL, 2UL, 7UL, 64UL, 4096UL}) {
    const Fd file = file_of("");
    std::string want;
    Sink sink(file.get(), capacity);
    for (int i = 0; i < 500; ++i) {
      const std::string piece(random() % (2 * capacity + 3), static_cast<char>('a' + i % 26));
      switch (random() % 4) {
        case 0: sink.put('.'), want += '.'; break;
        case 1: {
          const std::size_t size = std::min(piece.size(), capacity);
          std::copy_n(piece.data(), size, sink.reserve(size));
          sink.advance(size);
          want += piece.substr(0, size);
          break;
        }
        default: sink.write(piece), want += piece; break;
      }
      if (random() % 32 == 0) sink.flush();
      ASSERT_LE(sink.pending(), capacity);
    }
    EXPECT_TRUE(sink.flush());
    EXPECT_EQ(contents_of(file), want);
  }
}

TEST(Sink, HoldsBackUntilFullOrFlushed) {
  const Fd file = file_of("");
  Sink sink(file.get(), 8);
  sink.write("1234567");
  sink.put('8');
  EXPECT_EQ(contents_of(file), "");
  EXPECT_EQ(sink.pending(), 8U);
  sink.put('9');
  EXPECT_EQ(contents_of(file), "12345678");
  EXPECT_TRUE(sink.flush());
  EXPECT_EQ(contents_of(file), "123456789");
  EXPECT_EQ(sink.pending(), 0U);
}

TEST(Sink, CleansWhatWouldActOnATerminal) {
  const std::string given =
      "a\tb\x1B[31m\x07 \xC2\x9B \xE2\x80\xAE.\r\n\xC3\xA4\xE2\x82\xAC\xF0\x9F\x95\xB8 "
      "\xE9t\xE9\n\xE2\x82";
  const std::string want =
      "a\tb [31m    . \n\xC3\xA4\xE2\x82\xAC\xF0\x9F\x95\xB8 \xE9t\xE9\n\xE2\x82";
  for (std::size_t capacity = 1; capacity <= given.size() + 1; ++capacity) {
    const Fd file = file_of("");
    Sink sink(dup(file.get()), capacity);
    sink.clean(true);
    // The end of a character may come with the next block.
    sink.write(given);
    EXPECT_TRUE(sink.close());
    EXPECT_EQ(contents_of(file), want) << capacity;
  }
}

TEST(Sink, RemembersTheFirstFailure) {
  const Result<Fd> full = open_file("/dev/full", O_WRONLY);
  ASSERT_TRUE(full.ok());
  Sink sink(full->get(), 4);
  sink.write("ab");
  EXPECT_TRUE(sink.ok()) << "nothing was written yet";
  EXPECT_FALSE(sink.flush());
  EXPECT_EQ(sink.error_code(), ENOSPC);
  // Further writes are dropped, and cost no memory.
  for (int i = 0; i < 1000; ++i) sink.write("more than it holds"), sink.put('x');
  EXPECT_LE(sink.pending(), 4U);
  EXPECT_FALSE(sink.flush());
  EXPECT_EQ(sink.error_code(), ENOSPC);
}

TEST(Sink, CloseTellsOfALateFailure) {
  const int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
  Sink sink(fd);
  sink.write("x");
  EXPECT_TRUE(sink.ok());
  EXPECT_FALSE(sink.close());
  EXPECT_EQ(sink.error_code(), ENOSPC);
  EXPECT_EQ(fcntl(fd, F_GETFD), -1) << "closed all the same";
}

TEST(Sink, ClosedDescriptorIsAFailure) {
  Sink sink(-1);
  sink.write("x");
  EXPECT_FALSE(sink.flush());
  EXPECT_EQ(sink.error_code(), EBADF);
  Pipe pipe;
  const int fd = pipe.write_end.release();
  close(fd);
  Sink empty(fd);
  EXPECT_FALSE(empty.close()) << "even if nothing was to be written";
  EXPECT_EQ(empty.error_code(), EBADF);
}

TEST(Sink, CloseTwiceIsHarmless) {
  Pipe pipe;
  Sink sink(pipe.write_end.release());
  EXPECT_TRUE(sink.close());
  EXPECT_TRUE(sink.close());
}

TEST(Sink, BrokenPipeIsAnErrorWhereTheSignalIsIgnored) {
  const auto old = signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  pipe.read_end = Fd();
  Sink sink(pipe.write_end.get());
  sink.write("x");
  EXPECT_FALSE(sink.flush());
  EXPECT_EQ(sink.error_code(), EPIPE);
  signal(SIGPIPE, old);
}

TEST(Sink, FullNonBlockingPipeIsWaitedFor) {
  Pipe pipe;
  ASSERT_EQ(fcntl(pipe.write_end.get(), F_SETFL, O_NONBLOCK), 0);
  std::string got;
  std::thread reader([&] {
    char block[4096];
    ssize_t count = 0;
    while ((count = read(pipe.read_end.get(), block, sizeof block)) > 0) {
      got.append(block, static_cast<std::size_t>(count));
    }
  });
  std::string want;
  Sink sink(pipe.write_end.release());
  for (int i = 0; i < 40'000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    sink.write(line);
    want += line;
  }
  sink.write(std::string(1 << 20, 'z'));
  EXPECT_TRUE(sink.close());
  reader.join();
  EXPECT_EQ(got, want + std::string(1 << 20, 'z'));
}

TEST(Sink, EmptyWriteIsNothing) {
  Sink sink(-1);
  sink.write({});
  EXPECT_TRUE(sink.flush());
}

using Form = OutputFormat::Form;

// Returns what is written for `line`, by write_line or for a parsed record.
std::string written(std::string_view line, const OutputFormat& format, bool parsed) {
  const Fd file = file_of("");
  Sink sink(file.get());
  RecordWriter writer(sink, format);
  Record record;
  record.parse(line);
  if (parsed) {
    writer.write(record);
  } else {
    writer.write_line(line);
  }
  sink.flush();
  return contents_of(file);
}

void expect_both(std::string_view line, const OutputFormat& format, std::string_view want) {
  EXPECT_EQ(written(line, format, false), want);
  EXPECT_EQ(written(line, format, true), want);
}

TEST(RecordWriter, PassesLinesByteForByte) {
  const std::string odd("u\xFF\t\tUnknown\tx=\\q\\\ta=1\t\0\r", 25);
  expect_both(odd, {}, odd + "\n");
  expect_both(odd, {.terminator = '\0'}, odd + std::string(1, '\0'));
  expect_both("", {}, "\n");
}

TEST(RecordWriter, FieldsArePositional) {
  const OutputFormat format{.form = Form::kFields, .fields = {"status", "url", "none", "via"}};
  expect_both("u\tvia=a\tstatus=200\tvia=b", format, "200\tu\t\ta\n");
  expect_both("u", format, "\tu\t\t\n");
}

TEST(RecordWriter, FieldsNeverBreakTheirColumn) {
  const OutputFormat format{.form = Form::kFields, .fields = {"body", "url"}};
  expect_both("u\tbody=a\\tb\\nc", format, "a\\tb\\nc\tu\n");
}

TEST(RecordWriter, JsonEndsWithTheTerminator) {
  expect_both("u\tstatus=1", {.form = Form::kJson}, "{\"url\":\"u\",\"status\":1}\n");
  const std::string with_nul("{\"url\":\"u\"}\0", 12);
  expect_both("u", {.form = Form::kJson, .terminator = '\0'}, with_nul);
}

TEST(RecordWriter, SaysWhetherLinesPassAsTheyAre) {
  Sink sink(-1);
  EXPECT_TRUE(RecordWriter(sink, {}).plain());
  EXPECT_FALSE(RecordWriter(sink, {.form = Form::kJson}).plain());
  EXPECT_EQ(RecordWriter(sink, {.terminator = '\0'}).terminator(), '\0');
  EXPECT_EQ(&RecordWriter(sink, {}).sink(), &sink);
}

TEST(RecordWriter, HugeRecordsAmongSmallOnes) {
  const Fd file = file_of("");
  Sink sink(file.get());
  RecordWriter writer(sink, {});
  std::string want;
  Record record;
  for (int i = 0; i < 20; ++i) {
    record.reset("u");
    record.set("body", std::string(i % 5 == 0 ? 3 << 20 : 10, 'x'));
    writer.write(record);
    record.append_to(want);
    want += '\n';
  }
  EXPECT_TRUE(sink.flush());
  EXPECT_EQ(contents_of(file), want);
}

// Compares escape_to with its slow twin, append_escaped.

std::string slow(std::string_view value) {
  std::string out;
  append_escaped(out, value);
  return out;
}

// The heap buffers have exact sizes, so that a sanitizer sees reads and writes beyond them.
std::string fast(std::string_view value) {
  const auto in = std::make_unique<char[]>(value.size());
  std::copy(value.begin(), value.end(), in.get());
  const auto out = std::make_unique<char[]>(escaped_room(value.size()));
  const std::size_t size = escape_to(out.get(), {in.get(), value.size()});
  return {out.get(), size};
}

TEST(Escape, EveryByte) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string value(1, static_cast<char>(byte));
    EXPECT_EQ(fast(value), slow(value)) << byte;
  }
}

TEST(Escape, OneSpecialByteAtEveryPlaceOfEveryShortLength) {
  for (std::size_t size = 1; size <= 70; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char special : std::string_view("\t\n\r\\\0", 5)) {
        std::string value(size, 'a');
        value[at] = special;
        ASSERT_EQ(fast(value), slow(value)) << size << " " << at;
      }
    }
  }
}

TEST(Escape, RandomBytesOfEveryDensity) {
  std::mt19937 random(7);
  const std::string_view specials("\t\n\r\\\0", 5);
  for (int round = 0; round < 2000; ++round) {
    std::string value(random() % 300, 'x');
    const unsigned density = random() % 8 + 1;
    for (char& c : value) {
      c = random() % density == 0 ? specials[random() % 5] : static_cast<char>(random());
    }
    ASSERT_EQ(fast(value), slow(value));
  }
}

TEST(Escape, WriteEscapedOverManyBlocks) {
  std::string value;
  for (int i = 0; i < 20000; ++i) value += "line " + std::to_string(i) + "\r\n\tand\\more";
  char path[] = "/tmp/escape_test.XXXXXX";
  const int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  Sink sink(fd, 4096);
  sink.write("head ");
  write_escaped(sink, value);
  sink.write(" tail");
  ASSERT_TRUE(sink.flush());
  std::string got(slow(value).size() + 10, '\0');
  ASSERT_EQ(pread(fd, got.data(), got.size() + 1, 0), static_cast<ssize_t>(got.size()));
  EXPECT_EQ(got, "head " + slow(value) + " tail");
  sink.close();
  unlink(path);
}

TEST(ForPeople, FieldsAreAlignedAndNothingIsObeyedByATerminal) {
  const std::string line =
      "https://h/\x1B[31m\trobots=allow\tno column\trobots-line=2\tevil=\x1B]0;x\x07\\n\tlong=" +
      std::string(299, 'a') + "\xC3\xA9";
  Record record;
  record.parse(line);
  std::string out;
  append_for_people(out, record);
  EXPECT_EQ(out,
            "https://h/\\x1B[31m\n  robots       allow\n               no column\n"
            "  robots-line  2\n  evil         \\x1B]0;x\\x07\\n\n  long         " +
                std::string(299, 'a') + "...");
  out.clear();
  record.parse("https://h/");
  append_for_people(out, record);
  EXPECT_EQ(out, "https://h/");
}

TEST(ForPeople, TheWriterEndsEachRecordOnALineOfItsOwn) {
  for (const bool parsed : {false, true}) {
    EXPECT_EQ(written("https://h/\ta=b", {.form = Form::kPeople}, parsed), "https://h/\n  a  b\n");
  }
}

}  // namespace
}  // namespace spinneret
