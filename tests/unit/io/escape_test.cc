// SPDX-License-Identifier: Apache-2.0
// escape_to against its slow twin, append_escaped.
#include "io/escape.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <string>

#include "io/record.h"

namespace spinneret {
namespace {

std::string slow(std::string_view value) {
  std::string out;
  append_escaped(out, value);
  return out;
}

// Exact-size heap buffers, so that a sanitizer sees reads and writes that go too far.
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

}  // namespace
}  // namespace spinneret
