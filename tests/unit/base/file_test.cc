// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <thread>

#include "support/temporary_folder.h"

namespace spinneret {
namespace {

class FileTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      out.push_back(entry.path().filename());
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
};

TEST_F(FileTest, FdMovesAndCloses) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  Fd other = std::move(write_end);
  EXPECT_FALSE(write_end);  // NOLINT: moved from on purpose
  EXPECT_TRUE(other);
  other = Fd();  // closes the write end
  char byte = 0;
  EXPECT_EQ(read(read_end.get(), &byte, 1), 0);
  EXPECT_TRUE(read_end.close().ok());
  EXPECT_TRUE(read_end.close().ok());  // closing it again is no failure
  EXPECT_EQ(fcntl(ends[0], F_GETFD), -1);
}

TEST_F(FileTest, FdCloseReportsFailure) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[1]);
  close(ends[0]);
  EXPECT_FALSE(Fd(ends[0]).close().ok());
}

TEST_F(FileTest, OpenNamesThePath) {
  const Result<Fd> file = open_file(path("none"), O_RDONLY);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.message(), "cannot open " + path("none") + ": No such file or directory");
}

TEST_F(FileTest, APipeThatNobodyReadsIsNotWaitedForNorReadByItsWriter) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (const int flags : {O_WRONLY, O_RDWR | O_CREAT | O_APPEND}) {
    const Result<Fd> none = open_file(path("pipe"), flags);
    ASSERT_FALSE(none.ok());
    EXPECT_NE(none.message().find("nobody reads"), std::string::npos) << none.message();
    const Fd reader(open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK));
    Result<Fd> writer = open_file(path("pipe"), flags);
    ASSERT_TRUE(writer.ok());
    EXPECT_EQ(fcntl(writer->get(), F_GETFL) & (O_NONBLOCK | O_ACCMODE), O_WRONLY);
    EXPECT_EQ(write_all(writer->get(), "x"), 0);
  }
  EXPECT_FALSE(write_file_atomic(path("pipe"), "x").ok());
}

TEST_F(FileTest, OpenedFilesAreNotInherited) {
  const Result<Fd> file = open_file("/dev/null", O_RDONLY);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(fcntl(file->get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST_F(FileTest, ReadsBackWhatWasWritten) {
  for (const std::size_t size : {0UL, 1UL, 4095UL, 4096UL, 4097UL, 1UL << 20}) {
    std::string bytes(size, 'x');
    if (size != 0) bytes[size / 2] = '\0';
    ASSERT_TRUE(write_file_atomic(path("file"), bytes).ok());
    const Result<std::string> got = read_file(path("file"));
    ASSERT_TRUE(got.ok());
    EXPECT_EQ(*got, bytes);
  }
}

TEST_F(FileTest, ReadsFilesThatHideTheirSize) {
  const Result<std::string> got = read_file("/proc/self/status");
  ASSERT_TRUE(got.ok());
  EXPECT_TRUE(got->starts_with("Name:"));
}

TEST_F(FileTest, ADescriptorIsReadFromWhereItStands) {
  ASSERT_TRUE(write_file_atomic(path("file"), "first\nsecond\n").ok());
  Result<Fd> file = open_file(path("file"), O_RDONLY);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(lseek(file->get(), 6, SEEK_SET), 6);
  EXPECT_EQ(*read_descriptor(file->get(), "x"), "second\n");
  EXPECT_EQ(*read_descriptor(file->get(), "x"), "");
  EXPECT_TRUE(read_descriptor(-1, "a name").message().starts_with("cannot read a name: "));
}

TEST_F(FileTest, ReadStopsAtTheLimit) {
  ASSERT_TRUE(write_file_atomic(path("file"), std::string(100, 'x')).ok());
  EXPECT_TRUE(read_file(path("file"), 100).ok());
  const Result<std::string> got = read_file(path("file"), 99);
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.message().find("larger than 99 bytes"), std::string::npos);
  EXPECT_FALSE(read_file("/dev/zero", 1 << 20).ok());
}

TEST_F(FileTest, ReadOfAFolderFails) {
  const Result<std::string> got = read_file(folder_);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.message(), "cannot read " + folder_ + ": Is a directory");
}

TEST_F(FileTest, ReadWaitsForAPipeThatDoesNotBlock) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
  Result<std::string> got = std::string();
  std::thread reader([&] { got = read_descriptor(ends[0], "pipe"); });
  for (const char* part : {"a", "b"}) EXPECT_EQ(write_all(ends[1], part), 0);
  close(ends[1]);
  reader.join();
  close(ends[0]);
  ASSERT_TRUE(got.ok()) << got.message();
  EXPECT_EQ(*got, "ab");
}

TEST_F(FileTest, ReadAtWantsAllOfIt) {
  ASSERT_TRUE(write_file_atomic(path("file"), "abcdef").ok());
  const Result<Fd> file = open_file(path("file"), O_RDONLY);
  char into[4] = {};
  EXPECT_EQ(read_at(file->get(), into, 3, 3), 0);
  EXPECT_STREQ(into, "def");
  EXPECT_EQ(read_at(file->get(), into, 3, 4), EIO);
  EXPECT_EQ(read_at(file->get(), into, 0, 9), 0);
  EXPECT_EQ(read_at(-1, into, 1, 0), EBADF);
}

TEST_F(FileTest, WriteAllGoesOnAfterShortWrites) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  // The pipe is non-blocking and far smaller than what is written, which gives short writes and
  // EAGAIN.
  ASSERT_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  const std::string bytes(3 << 20, 'y');
  std::string got;
  std::thread reader([&] {
    char block[7001];
    ssize_t count = 0;
    while ((count = read(ends[0], block, sizeof block)) > 0) {
      got.append(block, static_cast<std::size_t>(count));
    }
  });
  EXPECT_EQ(write_all(ends[1], bytes), 0);
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_EQ(got, bytes);
}

TEST_F(FileTest, WriteAllReportsErrno) {
  EXPECT_EQ(write_all(-1, "x"), EBADF);
  EXPECT_EQ(write_all(-1, ""), 0);
  const Result<Fd> full = open_file("/dev/full", O_WRONLY);
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(write_all(full->get(), "x"), ENOSPC);
}

TEST_F(FileTest, AtomicWriteReplacesAndLeavesNothingElse) {
  ASSERT_TRUE(write_file_atomic(path("file"), "old").ok());
  ASSERT_TRUE(write_file_atomic(path("file"), "new", Durability::kDurable).ok());
  EXPECT_EQ(*read_file(path("file")), "new");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(FileTest, AtomicWriteTakesTheUmask) {
  const mode_t old = umask(027);
  ASSERT_TRUE(write_file_atomic(path("file"), "x").ok());
  umask(old);
  struct stat info {};
  ASSERT_EQ(stat(path("file").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640U);
}

// Regression: a cookie file that only its owner could read was readable by all after the first run.
TEST_F(FileTest, AtomicWriteKeepsTheModeOfWhatItReplaces) {
  for (const mode_t mode : {0600U, 0640U, 0666U}) {
    ASSERT_TRUE(write_file_atomic(path("file"), "x").ok());
    ASSERT_EQ(chmod(path("file").c_str(), mode), 0);
    ASSERT_TRUE(write_file_atomic(path("file"), "y").ok());
    struct stat info {};
    ASSERT_EQ(stat(path("file").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, mode);
  }
}

TEST_F(FileTest, AtomicWriteReplacesTheTargetOfALinkAndNotTheLink) {
  ASSERT_TRUE(write_file_atomic(path("target"), "old").ok());
  std::filesystem::create_symlink("target", path("link"));
  ASSERT_TRUE(write_file_atomic(path("link"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(*read_file(path("target")), "new");
}

TEST_F(FileTest, AtomicWriteToAPipeWritesIntoItAndPutsNoFileInItsPlace) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  Result<Fd> reader = open_file(path("pipe"), O_RDONLY | O_NONBLOCK);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(check_replaceable(path("pipe")).ok());
  ASSERT_TRUE(write_file_atomic(path("pipe"), "bytes").ok());
  char got[8] = {};
  EXPECT_EQ(read(reader->get(), got, sizeof got), 5);
  EXPECT_EQ(names(), std::vector<std::string>{"pipe"});
}

TEST_F(FileTest, WhatCannotBeReplacedIsKnownBeforehand) {
  EXPECT_TRUE(check_replaceable(path("new")).ok());
  ASSERT_TRUE(write_file_atomic(path("old"), "old").ok());
  EXPECT_TRUE(check_replaceable(path("old")).ok());
  EXPECT_TRUE(check_replaceable("/dev/null").ok());
  EXPECT_EQ(check_replaceable(path("none/file")).message(),
            "cannot write " + path("none/file") + ": No such file or directory");
  EXPECT_EQ(check_replaceable(path("")).message(),
            "cannot replace " + path("") + ": Is a directory");
  EXPECT_EQ(names(), std::vector<std::string>{"old"});
}

TEST_F(FileTest, AtomicWriteTakesTheLongestName) {
  // The temporary name must not be longer than the target's, because a name has 255 bytes at most.
  EXPECT_TRUE(write_file_atomic(path(std::string(255, 'n')), "x").ok());
}

TEST_F(FileTest, AtomicWriteInTheWorkingFolder) {
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  EXPECT_TRUE(write_file_atomic("plain", "x", Durability::kDurable).ok());
  std::filesystem::current_path(before);
  EXPECT_EQ(*read_file(path("plain")), "x");
}

TEST_F(FileTest, FailedAtomicWriteLeavesTheOldBytes) {
  ASSERT_TRUE(write_file_atomic(path("file"), "old").ok());
  // Writes in a child, whose files may not grow past 100 bytes.
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Status status = write_file_atomic(path("file"), std::string(1000, 'x'));
    _exit(!status.ok() && status.message().ends_with("File too large") ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*read_file(path("file")), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(FileTest, AtomicWriteFailsWhereThereIsNoFolder) {
  const Status status = write_file_atomic(path("none/file"), "x");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find(path("none/")), std::string::npos);
  // A folder is not replaced either.
  ASSERT_TRUE(make_directories(path("folder/inner")).ok());
  EXPECT_FALSE(write_file_atomic(path("folder"), "x").ok());
  EXPECT_EQ(names(), std::vector<std::string>{"folder"});
}

TEST_F(FileTest, MakesFoldersAllTheWay) {
  EXPECT_TRUE(make_directories(path("a/b//c/")).ok());
  EXPECT_TRUE(std::filesystem::is_directory(path("a/b/c")));
  EXPECT_TRUE(make_directories(path("a/b/c")).ok());  // they exist already
  EXPECT_TRUE(make_directories("/").ok());
  EXPECT_TRUE(make_directories(".").ok());
  ASSERT_TRUE(write_file_atomic(path("file"), "x").ok());
  EXPECT_FALSE(make_directories(path("file")).ok());
  EXPECT_FALSE(make_directories(path("file/inner")).ok());
  EXPECT_FALSE(make_directories("").ok());
}

TEST_F(FileTest, LockKeepsOthersOutAndNamesItsHolder) {
  {
    const Result<FileLock> first = FileLock::acquire(path("lock"));
    ASSERT_TRUE(first.ok());
    // flock belongs to the open file, so that a second open in this process competes with the
    // first.
    const Result<FileLock> second = FileLock::acquire(path("lock"));
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.message(), path("lock") + " is held by process " + std::to_string(getpid()));
  }
  EXPECT_TRUE(FileLock::acquire(path("lock")).ok());
}

TEST_F(FileTest, LockNamesTheMachineOfItsHolder) {
  const Result<FileLock> first = FileLock::acquire(path("lock"), "a-7");
  ASSERT_TRUE(first.ok());
  bool is_held = false;
  const Result<FileLock> second = FileLock::acquire(path("lock"), "b", &is_held);
  ASSERT_FALSE(second.ok());
  EXPECT_TRUE(is_held);
  EXPECT_EQ(second.message(),
            path("lock") + " is held by process " + std::to_string(getpid()) + " of a-7");
  is_held = false;
  EXPECT_FALSE(FileLock::acquire(path("none/lock"), "b", &is_held).ok());
  EXPECT_FALSE(is_held);
}

TEST_F(FileTest, LockOfAKilledProcessIsFree) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Result<FileLock> lock = FileLock::acquire(path("lock"));
    const char byte = lock.ok() ? 'y' : 'n';
    if (write(ends[1], &byte, 1) != 1) _exit(1);
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  const Result<FileLock> held = FileLock::acquire(path("lock"));
  ASSERT_FALSE(held.ok());
  EXPECT_NE(held.message().find(std::to_string(child)), std::string::npos);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(FileLock::acquire(path("lock")).ok());
  close(ends[0]);
  close(ends[1]);
}

// Bug: a process started right after a kill -9 was refused, because the dead process had not
// released the lock yet.
TEST_F(FileTest, LockOfAProcessThatIsEndingIsWaitedFor) {
  Result<Fd> dying = open_file(path("lock"), O_RDWR | O_CREAT);
  ASSERT_TRUE(dying.ok());
  ASSERT_EQ(flock(dying->get(), LOCK_EX), 0);
  const Result<Fd> other = open_file(path("lock"), O_RDWR);
  ASSERT_TRUE(other.ok());
  EXPECT_FALSE(*lock_file(other->get(), path("lock"), /*wait_ms=*/0));
  std::thread ends([&dying] {
    poll(nullptr, 0, 30);
    static_cast<void>(dying->close());
  });
  EXPECT_TRUE(*lock_file(other->get(), path("lock"), /*wait_ms=*/60'000));
  ends.join();
}

TEST_F(FileTest, LockWhoseFolderIsMissingSaysSo) {
  EXPECT_FALSE(FileLock::acquire(path("none/lock")).ok());
}

}  // namespace
}  // namespace spinneret
