// SPDX-License-Identifier: Apache-2.0
#include "base/paced_sync.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace spinneret {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// Counts the calls of one side: of the test itself, or of the thread of the PacedSync.
struct Side {
  std::atomic<int> begun = 0;
  std::atomic<int> over = 0;
  // The errno with which further calls fail. 0: they succeed.
  std::atomic<int> failing = 0;
};

const std::thread::id test_thread = std::this_thread::get_id();
Side here;
Side in_thread;
std::atomic<int> last_fd;
std::atomic<bool> held;  // while this is set, no call of the thread returns

int record(int fd) {
  const bool is_here = std::this_thread::get_id() == test_thread;
  Side& side = is_here ? here : in_thread;
  last_fd = fd;
  ++side.begun;
  while (!is_here && held) std::this_thread::yield();
  const int code = side.failing;
  ++side.over;
  errno = code;
  return code == 0 ? 0 : -1;
}

// Waits, however long that takes on a busy machine.
void wait_for(const std::atomic<int>& number, int least) {
  while (number < least) std::this_thread::yield();
}

class PacedSyncTest : public testing::Test {
 protected:
  void SetUp() override {
    for (Side* const side : {&here, &in_thread}) side->begun = side->over = side->failing = 0;
    last_fd = -1;
    held = false;
  }
  // Writes until the thread is to sync. On a very busy machine a write may come so late that it is
  // synced at once; then it writes once more.
  static void write_until_the_thread_begins(PacedSync& sync) {
    const int before = in_thread.begun;
    while (in_thread.begun == before) EXPECT_EQ(sync.written(7), 0);
  }
  static void fail_in_the_thread(PacedSync& sync) {
    in_thread.failing = EIO;
    held = true;
    write_until_the_thread_begins(sync);
    held = false;
  }
};

TEST_F(PacedSyncTest, SyncsTheFirstWriteAtOnceAndTheNextNotBeforeItsTime) {
  PacedSync sync(record, hours(1));
  EXPECT_EQ(sync.written(7), 0);
  EXPECT_EQ(here.over, 1);
  EXPECT_EQ(last_fd, 7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(sync.written(7), 0);
  EXPECT_EQ(here.over + in_thread.begun, 1);
}

TEST_F(PacedSyncTest, SyncsEachWriteThatComesLateEnough) {
  PacedSync sync(record, milliseconds(0));
  for (int i = 1; i <= 3; ++i) {
    sync.written(7);
    EXPECT_EQ(here.over, i);
  }
}

TEST_F(PacedSyncTest, SyncsAtTheEndWhatIsNotOnDiskAndNothingElse) {
  PacedSync sync(record, hours(1));
  EXPECT_EQ(sync.end(), 0);
  EXPECT_EQ(here.over, 0);
  sync.written(7);
  EXPECT_EQ(sync.end(), 0);
  EXPECT_EQ(here.over, 1);
  sync.written(8);
  EXPECT_EQ(sync.end(), 0);
  EXPECT_EQ(here.over, 2);
  EXPECT_EQ(last_fd, 8);
  {
    PacedSync moved = std::move(sync);
    moved.written(9);
  }
  EXPECT_EQ(here.over, 3);
  EXPECT_EQ(last_fd, 9);
}

TEST_F(PacedSyncTest, SyncsAWriteThatNoneFollows) {
  PacedSync sync(record, milliseconds(20));
  for (int i = 1; in_thread.over == 0; ++i) {
    sync.written(7);
    sync.written(7);
    // The second write is either synced at once, too, or by the thread.
    while (here.over < 2 * i && in_thread.over == 0) std::this_thread::yield();
  }
  EXPECT_EQ(last_fd, 7);
}

TEST_F(PacedSyncTest, NoWriteWaitsForTheThreadAndWhatComesMeanwhileIsSyncedBehindIt) {
  PacedSync sync(record, milliseconds(1));
  held = true;
  write_until_the_thread_begins(sync);
  for (int i = 0; i < 100; ++i) sync.written(8);
  EXPECT_EQ(in_thread.over, 0);
  EXPECT_EQ(last_fd, 7);
  held = false;
  wait_for(in_thread.over, 2);
  EXPECT_EQ(last_fd, 8);
}

TEST_F(PacedSyncTest, TheEndWaitsForTheThread) {
  PacedSync sync(record, milliseconds(1));
  held = true;
  write_until_the_thread_begins(sync);
  std::thread opener([] { held = false; });
  EXPECT_EQ(sync.end(), 0);
  EXPECT_EQ(in_thread.over, in_thread.begun);
  opener.join();
}

TEST_F(PacedSyncTest, TheEndDoesNotWaitForTheTimeOfTheNextSync) {
  PacedSync sync(record, hours(1));
  sync.written(7);
  sync.written(7);
  EXPECT_EQ(sync.end(), 0);
  EXPECT_EQ(here.over, 2);
}

TEST_F(PacedSyncTest, TellsOnceOfASyncThatFailed) {
  for (const int code : {EIO, ENOSPC, EROFS, EDQUOT}) {
    PacedSync sync(record, milliseconds(0));
    here.failing = code;
    EXPECT_EQ(sync.written(7), code);
    here.failing = 0;
    EXPECT_EQ(sync.written(7), 0);
    EXPECT_EQ(sync.end(), 0);
  }
}

// The system has reported the failure to the thread, and reports it to nobody else.
TEST_F(PacedSyncTest, TellsOfAFailureInItsThreadThoughLaterSyncsSucceed) {
  PacedSync sync(record, milliseconds(1));
  fail_in_the_thread(sync);
  wait_for(in_thread.over, 1);
  in_thread.failing = 0;
  int code = 0;
  while (code == 0) code = sync.written(7);
  EXPECT_EQ(code, EIO);
  EXPECT_EQ(sync.end(), 0);
}

TEST_F(PacedSyncTest, TellsAtItsEndOfAFailureInItsThreadOrOfTheLastSync) {
  PacedSync sync(record, milliseconds(1));
  fail_in_the_thread(sync);
  EXPECT_EQ(sync.end(), EIO);
  EXPECT_EQ(sync.end(), 0);
  PacedSync other(record, hours(1));
  other.written(7);
  other.written(7);
  here.failing = ENOSPC;
  EXPECT_EQ(other.end(), ENOSPC);
}

int record_the_third(int fd) {
  if (++here.begun % 3 == 0) return record(fd);
  errno = EINTR;
  return -1;
}

TEST_F(PacedSyncTest, GoesOnWhereASyncIsInterrupted) {
  PacedSync sync(record_the_third, hours(1));
  EXPECT_EQ(sync.written(7), 0);
  EXPECT_EQ(here.over, 1);
}

TEST_F(PacedSyncTest, WhatCannotBeSyncedIsNoFailureAndNotTriedAgain) {
  for (const int code : {EINVAL, ENOSYS, ENOTSUP}) {
    here.over = 0;
    here.failing = code;
    PacedSync sync(record, milliseconds(0));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(sync.written(7), 0);
    EXPECT_EQ(sync.end(), 0);
    EXPECT_EQ(here.over, 1);
  }
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  PacedSync sync;
  EXPECT_EQ(sync.written(ends[1]), 0);
  EXPECT_EQ(sync.end(), 0);
  close(ends[0]);
  close(ends[1]);
}

bool takes_signals() {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGCHLD})
    if (sigismember(&blocked, number) == 0) return true;
  return false;
}

std::atomic<bool> thread_takes_signals;

int look_at_signals(int fd) {
  if (std::this_thread::get_id() != test_thread && takes_signals()) thread_takes_signals = true;
  return record(fd);
}

TEST_F(PacedSyncTest, ItsThreadTakesNoSignal) {
  PacedSync sync(look_at_signals, milliseconds(1));
  write_until_the_thread_begins(sync);
  EXPECT_EQ(sync.end(), 0);
  EXPECT_FALSE(thread_takes_signals);
  EXPECT_TRUE(takes_signals());
}

TEST_F(PacedSyncTest, AFileSystemIsSyncedByAnyDescriptorOfIt) {
  const int folder = open(testing::TempDir().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(folder, 0);
  PacedSync sync(PacedSync::sync_file_system);
  EXPECT_EQ(sync.written(folder), 0);
  EXPECT_EQ(sync.end(), 0);
  close(folder);
  constexpr int kClosed = 1'000'000;
  const int code = sync.written(kClosed);
  EXPECT_EQ(code != 0 ? code : sync.end(), EBADF);
}

}  // namespace
}  // namespace spinneret
