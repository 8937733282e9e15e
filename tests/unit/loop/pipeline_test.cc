// SPDX-License-Identifier: Apache-2.0
#include "loop/pipeline.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

#include "support/temporary_folder.h"

namespace spinneret::loop {
namespace {

// Returns whether this process has the file open in such a way that a program it starts would
// inherit it.
bool is_passed_on(const std::string& path) {
  for (int fd = 0; fd < 200; ++fd) {
    std::error_code none;
    const auto target = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), none);
    if (target != path) continue;
    const int flags = fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) return true;
  }
  return false;
}

// Bug: a program that another thread started to copy a state, while a pipeline began, held that
// pipeline's lock.
TEST(Pipeline, ItsLockIsInheritedByItsStagesAlone) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/lock";
  std::atomic<bool> passed_on = false, done = false;
  std::thread watcher([&] {
    while (!done) passed_on = passed_on || is_passed_on(path);
  });
  for (int i = 0; i < 40; ++i) {
    Result<std::unique_ptr<Pipeline>> started =
        Pipeline::start({"sh", "-c", "readlink /proc/self/fd/* | grep -q lock || exit 5"}, path);
    ASSERT_TRUE(started.ok()) << started.message();
    ASSERT_TRUE((*started)->wait_for_end(60'000));
    EXPECT_TRUE((*started)->ended_well());
  }
  done = true;
  watcher.join();
  EXPECT_FALSE(passed_on);
}

}  // namespace
}  // namespace spinneret::loop
