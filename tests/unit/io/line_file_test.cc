// SPDX-License-Identifier: Apache-2.0
#include "io/line_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>

#include "support/small_files.h"

namespace spinneret {
namespace {

class LineFileTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/lines-" + std::to_string(getpid());
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }
  void put(std::string_view bytes) { ASSERT_TRUE(write_file_atomic(path_, bytes).ok()); }
  std::string held() { return read_file(path_).take(); }
  // One writer from its opening to its end.
  int append(std::string_view lines) {
    Result<LineFile> file = LineFile::open(path_);
    EXPECT_TRUE(file.ok());
    return file->append(lines);
  }

  std::string path_;
};

TEST_F(LineFileTest, Appends) {
  EXPECT_EQ(append("a\n"), 0);
  EXPECT_EQ(append(""), 0);
  EXPECT_EQ(append("b\nc\n"), 0);
  EXPECT_EQ(held(), "a\nb\nc\n");
}

TEST_F(LineFileTest, EndsALineThatWasTorn) {
  put("a\nb");
  EXPECT_EQ(append(""), 0);
  EXPECT_EQ(held(), "a\nb");
  Result<LineFile> file = LineFile::open(path_);
  EXPECT_EQ(file->append("c\n"), 0);
  EXPECT_EQ(file->append("d\n"), 0);
  EXPECT_EQ(held(), "a\nb\nc\nd\n");
}

TEST_F(LineFileTest, EndsALineThatAnotherWriterHasTorn) {
  Result<LineFile> file = LineFile::open(path_);
  Result<LineFile> other = LineFile::open(path_);
  EXPECT_EQ(file->append("a\n"), 0);
  EXPECT_EQ(other->append("b\n"), 0);
  put(held() + "c");
  // (The name is another file's now.)
  Result<LineFile> first = LineFile::open(path_), second = LineFile::open(path_);
  EXPECT_EQ(first->append("d\n"), 0);
  EXPECT_EQ(second->append("e\n"), 0);
  EXPECT_EQ(held(), "a\nb\nc\nd\ne\n");
}

TEST_F(LineFileTest, IsWaitedForWhileAnotherWriterHasIt) {
  Result<LineFile> file = LineFile::open(path_);
  const Result<Fd> lock = open_file(path_, O_RDWR);
  ASSERT_EQ(flock(lock->get(), LOCK_EX), 0);
  std::thread writer([&file] { EXPECT_EQ(file->append("second\n"), 0); });
  ASSERT_EQ(pwrite(lock->get(), "first\n", 6, 0), 6);
  ASSERT_EQ(flock(lock->get(), LOCK_UN), 0);
  writer.join();
  EXPECT_EQ(held(), "first\nsecond\n");
}

TEST_F(LineFileTest, AWriteThatFailsLeavesNothing) {
  put("a\nb");
  Result<LineFile> file = LineFile::open(path_);
  int failed = 0, fits = 0;
  std::string left;
  {
    const SmallFiles small(8);
    failed = file->append("a line too long\n");
    left = held();
    fits = file->append("c\n");
  }
  EXPECT_EQ(failed, EFBIG);
  EXPECT_EQ(left, "a\nb");
  EXPECT_EQ(fits, 0);
  EXPECT_EQ(held(), "a\nb\nc\n");
}

TEST_F(LineFileTest, DevicesAndWhatCannotBeOpened) {
  Result<LineFile> full = LineFile::open("/dev/full");
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->append("a\n"), ENOSPC);
  EXPECT_FALSE(LineFile::open(testing::TempDir()).ok());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Result<LineFile> pipe_file = LineFile::open("/dev/fd/" + std::to_string(ends[1]));
  ASSERT_TRUE(pipe_file.ok());
  EXPECT_EQ(pipe_file->append("a\n"), 0);
  char got[3] = {};
  EXPECT_EQ(read(ends[0], got, 2), 2);
  EXPECT_EQ(std::string(got), "a\n");
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace spinneret
