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
  // Opens a writer, appends, and closes it.
  Status append(std::string_view lines) {
    Result<LineFile> file = LineFile::open(path_);
    EXPECT_TRUE(file.ok());
    return file->append(lines);
  }

  std::string path_;
};

TEST_F(LineFileTest, Appends) {
  EXPECT_TRUE(append("a\n").ok());
  EXPECT_TRUE(append("").ok());
  EXPECT_TRUE(append("b\nc\n").ok());
  EXPECT_EQ(held(), "a\nb\nc\n");
}

TEST_F(LineFileTest, EndsALineThatWasTorn) {
  put("a\nb");
  EXPECT_TRUE(append("").ok());
  EXPECT_EQ(held(), "a\nb");
  Result<LineFile> file = LineFile::open(path_);
  EXPECT_TRUE(file->append("c\n").ok());
  EXPECT_TRUE(file->append("d\n").ok());
  EXPECT_EQ(held(), "a\nb\nc\nd\n");
}

TEST_F(LineFileTest, EndsALineThatAnotherWriterHasTorn) {
  Result<LineFile> file = LineFile::open(path_);
  Result<LineFile> other = LineFile::open(path_);
  EXPECT_TRUE(file->append("a\n").ok());
  EXPECT_TRUE(other->append("b\n").ok());
  put(held() + "c");
  // The name belongs to another file now.
  Result<LineFile> first = LineFile::open(path_), second = LineFile::open(path_);
  EXPECT_TRUE(first->append("d\n").ok());
  EXPECT_TRUE(second->append("e\n").ok());
  EXPECT_EQ(held(), "a\nb\nc\nd\ne\n");
}

TEST_F(LineFileTest, IsWaitedForWhileAnotherWriterHasIt) {
  Result<LineFile> file = LineFile::open(path_);
  const Result<Fd> lock = open_file(path_, O_RDWR);
  ASSERT_EQ(flock(lock->get(), LOCK_EX), 0);
  std::thread writer([&file] { EXPECT_TRUE(file->append("second\n").ok()); });
  ASSERT_EQ(pwrite(lock->get(), "first\n", 6, 0), 6);
  ASSERT_EQ(flock(lock->get(), LOCK_UN), 0);
  writer.join();
  EXPECT_EQ(held(), "first\nsecond\n");
}

TEST_F(LineFileTest, AWriteThatFailsLeavesNothing) {
  put("a\nb");
  Result<LineFile> file = LineFile::open(path_);
  Status failed, fits;
  std::string left;
  {
    const SmallFiles small(8);
    failed = file->append("a line too long\n");
    left = held();
    fits = file->append("c\n");
  }
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.message(), system_error("cannot write " + path_, EFBIG).message);
  EXPECT_EQ(left, "a\nb");
  EXPECT_TRUE(fits.ok());
  EXPECT_EQ(held(), "a\nb\nc\n");
}

TEST_F(LineFileTest, DevicesAndWhatCannotBeOpened) {
  Result<LineFile> full = LineFile::open("/dev/full");
  ASSERT_TRUE(full.ok());
  const Status written = full->append("a\n");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.message(), system_error("cannot write /dev/full", ENOSPC).message);
  EXPECT_FALSE(LineFile::open(testing::TempDir()).ok());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Result<LineFile> pipe_file = LineFile::open("/dev/fd/" + std::to_string(ends[1]));
  ASSERT_TRUE(pipe_file.ok());
  EXPECT_TRUE(pipe_file->append("a\n").ok());
  char got[3] = {};
  EXPECT_EQ(read(ends[0], got, 2), 2);
  EXPECT_EQ(std::string(got), "a\n");
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace spinneret
