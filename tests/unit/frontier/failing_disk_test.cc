// SPDX-License-Identifier: Apache-2.0
// A disk that fails under a state. The N-th call that writes, syncs, renames, makes or lengthens a
// file fails, once or from then on, at each N that a small crawl reaches: while its state is made,
// in a commit, in a flush, a compaction and a copy, and at its end. Whatever happens then, what was
// reported as kept is there when the disk works again, the tables are in order, the crawl comes to
// its end, and a full disk says what to do.
//
// The calls of this program, including RocksDB's, come to functions of this file: the test needs
// neither root nor ptrace. SPINNERET_FAULTS=long tests every N; otherwise fewer the further on.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "frontier/frontier.h"
#include "frontier/inspect.h"
#include "frontier/rocks_store.h"

namespace {

// Kinds of calls, as bits.
enum Call : unsigned { kWrite = 1, kSync = 2, kRename = 4, kMake = 8, kLengthen = 16 };
constexpr unsigned kAllThatNeedsRoom = kWrite | kMake | kLengthen;
// O_CREAT and AT_FDCWD of open(2), whose header has an open() of its own that allows no definition.
constexpr int kCreate = 0100;
constexpr int kHere = -100;

struct Disk {
  std::string root;  // only files below this folder fail
  std::array<std::atomic<bool>, 1024> ours = {};
  std::atomic<bool> armed = false;
  unsigned calls = 0;
  int error = 0;
  long at = 0;          // the first call that fails, from 1
  bool lasting = true;  // all calls after it fail, too
  std::atomic<long> count = 0;
};
Disk disk;

bool is_below(const char* path) {
  return disk.armed && std::strncmp(path, disk.root.c_str(), disk.root.size()) == 0;
}
bool is_ours(int fd) {
  return disk.armed && fd >= 0 && fd < static_cast<int>(disk.ours.size()) &&
         disk.ours[static_cast<std::size_t>(fd)];
}
bool fails(Call call) {
  if ((disk.calls & call) == 0) return false;
  const long number = ++disk.count;
  if (number < disk.at || (number > disk.at && !disk.lasting)) return false;
  errno = disk.error;
  return true;
}
int open_file(const char* path, int flags, unsigned mode) {
  const bool below = is_below(path);
  if (below && (flags & kCreate) != 0 && access(path, F_OK) != 0 && fails(kMake)) return -1;
  const auto fd = static_cast<int>(syscall(SYS_openat, kHere, path, flags, mode));
  if (fd >= 0 && fd < static_cast<int>(disk.ours.size()))
    disk.ours[static_cast<std::size_t>(fd)] = below;
  return fd;
}
ssize_t put(int fd, const void* data, std::size_t size, off_t at) {
  if (is_ours(fd) && fails(kWrite)) return -1;
  return at < 0 ? syscall(SYS_write, fd, data, size) : syscall(SYS_pwrite64, fd, data, size, at);
}
// A sync that should succeed is left out: it would take a real disk's time, and no machine dies
// here.
int sync_file(long call, int fd) {
  if (!is_ours(fd)) return static_cast<int>(syscall(call, fd));
  return fails(kSync) ? -1 : 0;
}

}  // namespace

extern "C" {
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & kCreate) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return open_file(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & kCreate) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return open_file(path, flags, mode);
}
ssize_t write(int fd, const void* data, std::size_t size) { return put(fd, data, size, -1); }
ssize_t pwrite(int fd, const void* data, std::size_t size, off_t at) {
  return put(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void* data, std::size_t size, off_t at) {
  return put(fd, data, size, at);
}
int fsync(int fd) { return sync_file(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_file(SYS_fdatasync, fd); }
int ftruncate(int fd, off_t size) noexcept {
  if (is_ours(fd) && fails(kLengthen)) return -1;
  return static_cast<int>(syscall(SYS_ftruncate, fd, size));
}
// Outside the fault tests, and so in all other tests, this behaves like a file system without that
// call: in memory RocksDB's 4 MB for each manifest would be written out as zeros, which took a
// third of the CPU time of tests that open thousands of states.
int fallocate(int fd, int mode, off_t at, off_t size) {
  if (!disk.armed) {
    errno = EOPNOTSUPP;
    return -1;
  }
  if (is_ours(fd) && fails(kLengthen)) return -1;
  return static_cast<int>(syscall(SYS_fallocate, fd, mode, at, size));
}
int rename(const char* from, const char* to) noexcept {
  if (is_below(to) && fails(kRename)) return -1;
  return static_cast<int>(syscall(SYS_renameat2, kHere, from, kHere, to, 0));
}
int link(const char* from, const char* to) noexcept {
  if (is_below(to) && fails(kMake)) return -1;
  return static_cast<int>(syscall(SYS_linkat, kHere, from, kHere, to, 0));
}
int mkdir(const char* path, mode_t mode) noexcept {
  if (is_below(path) && fails(kMake)) return -1;
  return static_cast<int>(syscall(SYS_mkdirat, kHere, path, mode));
}
}

namespace spinneret::frontier {
namespace {

namespace fs = std::filesystem;

constexpr int kPages = 40;
constexpr int kHosts = 4;

std::string url_of(int page) {
  return "http://h" + std::to_string(page % kHosts) + ".test/" + std::to_string(page);
}

class FailingDiskTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "failing_disk_test." + std::to_string(getpid());
    fs::remove_all(root_);
  }
  void TearDown() override {
    disk.armed = false;
    fs::remove_all(root_);
  }

  // Offers three links a page, which make a tree of all pages.
  static void settle(Frontier& frontier, const std::string& url) {
    const int page = std::stoi(url.substr(url.rfind('/') + 1));
    for (int link = page * 3 + 1; link <= page * 3 + 3 && link < kPages; ++link)
      frontier.offer({.url = url_of(link), .depth = 1, .via = url});
    EXPECT_EQ(frontier.settle({.url = url, .status = 200}).verdict, Verdict::kFinal);
  }

  // Crawls in batches of at most `batch` pages, and ends with the first failure. Notes what was
  // reported as kept.
  Status crawl(int batch, bool copies) {
    Result<std::unique_ptr<Store>> store = open_rocks_store(root_ + "/db", {.sync_every_ms = 0});
    if (!store.ok()) return store.error();
    Options options;
    options.politeness.delay_ms = 0;
    options.politeness.per_host = 10;
    Result<std::unique_ptr<Frontier>> opened = Frontier::open(**store, clock_, options);
    if (!opened.ok()) return opened.error();
    Frontier& frontier = **opened;
    frontier.offer({.url = url_of(0)});
    frontier.seal();
    if (Status done = frontier.commit(); !done.ok()) return done;
    begun_ = true;
    for (int turn = 0; !frontier.exhausted() && turn < 1000; ++turn) {
      std::vector<std::string> sent;
      for (Dispatch out; static_cast<int>(sent.size()) < batch && frontier.next(out);)
        sent.push_back(out.url);
      if (Status done = frontier.commit_flights(); !done.ok()) return done;
      for (const std::string& url : sent) settle(frontier, url);
      if (Status done = frontier.commit(); !done.ok()) return done;
      done_.insert(sent.begin(), sent.end());
      clock_.advance_ms(1);
      if (!copies) continue;
      // There are so many files that RocksDB merges them.
      if (turn % 2 == 1) (*store)->settle_down();
      if (turn % 8 == 3) {
        fs::remove_all(root_ + "/copy");
        if (Status done = (*store)->checkpoint(root_ + "/copy"); !done.ok()) return done;
      }
      if (Status done = (*store)->sync(); !done.ok()) return done;
    }
    EXPECT_TRUE(frontier.exhausted());
    return frontier.close();
  }

  static bool is_done(Store& store, const std::string& url) {
    const Result<std::optional<FoundUrl>> found = find_url(store, url);
    return found.ok() && found->has_value() && (*found)->row.state == UrlState::kDone;
  }

  void expect_kept() {
    const Result<std::unique_ptr<Store>> store = open_rocks_store(root_ + "/db", {});
    ASSERT_TRUE(store.ok()) << store.message();
    const Result<std::uint64_t> urls =
        verify(**store, [](const std::string& problem) { ADD_FAILURE() << problem; });
    ASSERT_TRUE(urls.ok()) << urls.message();
    if (begun_) {
      EXPECT_NE(*urls, 0U);
    }
    for (const std::string& url : done_) EXPECT_TRUE(is_done(**store, url)) << url;
  }

  // Returns whether the fault was reached.
  bool fail_at(long at) {
    fs::remove_all(root_);
    fs::create_directory(root_);
    begun_ = false;
    done_.clear();
    disk.root = root_;
    disk.at = at;
    disk.count = 0;
    for (std::atomic<bool>& each : disk.ours) each = false;
    disk.armed = true;
    const Status ended = crawl(8, /*copies=*/true);
    disk.armed = false;
    const bool met = disk.count >= at;
    felt_ += ended.ok() ? 0 : 1;
    if (!ended.ok() && disk.error == ENOSPC) {
      EXPECT_NE(ended.message().find("No space left on device"), std::string::npos)
          << ended.message();
      EXPECT_NE(ended.message().find("make room there, and run the same again"), std::string::npos)
          << ended.message();
    }
    EXPECT_TRUE(met || ended.ok()) << ended.message();
    expect_kept();
    const Status again = crawl(8, /*copies=*/false);
    EXPECT_TRUE(again.ok()) << again.message();
    EXPECT_EQ(done_.size() >= kPages || !HasFailure(), true);
    for (int page = 0; page < kPages; ++page) done_.insert(url_of(page));
    expect_kept();
    return met;
  }

  void sweep(unsigned calls, int error, bool lasting) {
    const char* const faults = std::getenv("SPINNERET_FAULTS");
    const bool all = faults != nullptr && std::string_view(faults) == "long";
    disk.calls = calls;
    disk.error = error;
    disk.lasting = lasting;
    felt_ = 0;
    long at = 1;
    for (bool met = true; met && !HasFailure(); at += all ? 1 : std::max<long>(at / 2, 1)) {
      SCOPED_TRACE("call " + std::to_string(at));
      met = fail_at(at);
    }
    EXPECT_GT(at, 2);
    EXPECT_GT(felt_, 0);
    if (std::getenv("SPINNERET_VERBOSE")) std::printf("%ld calls, %d felt\n", at, felt_);
  }

  std::string root_;
  FakeClock clock_;
  bool begun_ = false;          // a seed is kept
  std::set<std::string> done_;  // pages that are kept as done
  int felt_ = 0;
};

TEST_F(FailingDiskTest, WithoutAFaultAllIsDone) {
  disk.calls = ~0U;
  disk.at = LONG_MAX;
  EXPECT_FALSE(fail_at(LONG_MAX));
  EXPECT_EQ(felt_, 0);
}
TEST_F(FailingDiskTest, FullFromTheNthOn) { sweep(kAllThatNeedsRoom, ENOSPC, /*lasting=*/true); }
TEST_F(FailingDiskTest, FullForAMoment) { sweep(kAllThatNeedsRoom, ENOSPC, /*lasting=*/false); }
TEST_F(FailingDiskTest, NoMoreFiles) { sweep(kMake, ENOSPC, /*lasting=*/true); }
TEST_F(FailingDiskTest, AWriteThatFails) { sweep(kWrite, EIO, /*lasting=*/false); }
TEST_F(FailingDiskTest, ASyncThatFails) { sweep(kSync, EIO, /*lasting=*/false); }
TEST_F(FailingDiskTest, ARenamingThatFails) { sweep(kRename, EIO, /*lasting=*/false); }

}  // namespace
}  // namespace spinneret::frontier
