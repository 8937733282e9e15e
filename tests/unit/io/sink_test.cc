// SPDX-License-Identifier: Apache-2.0
#include "io/sink.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <random>
#include <string>
#include <thread>

#include "feed.h"

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

TEST(Sink, RemembersTheFirstFailure) {
  const Result<Fd> full = open_file("/dev/full", O_WRONLY);
  ASSERT_TRUE(full.ok());
  Sink sink(full->get(), 4);
  sink.write("ab");
  EXPECT_TRUE(sink.ok()) << "nothing was written yet";
  EXPECT_FALSE(sink.flush());
  EXPECT_EQ(sink.error_code(), ENOSPC);
  // What follows is dropped, and costs no memory.
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

}  // namespace
}  // namespace spinneret
