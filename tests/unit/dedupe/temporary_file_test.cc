// SPDX-License-Identifier: Apache-2.0
#include "dedupe/temporary_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>

#include "dedupe/later_set.h"
#include "support/temporary_folder.h"

namespace spinneret::dedupe {
namespace {

// Spoils the files that this process has in the folder, through /proc, as a careless program might:
// truncates them, or fills them with zeros.
int spoil(const std::string& folder, bool cut) {
  int spoilt = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code code;
    const std::string target = std::filesystem::read_symlink(entry.path(), code).string();
    if (!target.starts_with(folder + "/")) continue;
    const int fd = std::stoi(entry.path().filename().string());
    const auto size = static_cast<std::size_t>(std::filesystem::file_size(entry.path()));
    const std::string zeros(size, '\0');
    EXPECT_EQ(cut ? ftruncate(fd, 0) : pwrite(fd, zeros.data(), size, 0) < 0, 0);
    spoilt += size != 0;
  }
  return spoilt;
}

std::string all_of(const BlockFile& file, Status& status) {
  std::string bytes;
  for (std::uint64_t i = 0; i < file.blocks() && status.ok(); ++i) {
    std::string block(file.length(i), '\0');
    status = file.read(i, block.data());
    bytes += block;
  }
  return bytes;
}

TEST(BlockFile, gives_what_was_appended_in_pieces_of_any_size) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  for (const std::size_t size : {0U, 1U, 99U, 100U, 101U, 200U, 250U, 5000U}) {
    std::string want(size, '\0');
    for (char& c : want) c = static_cast<char>(random());
    for (const std::size_t most : {1U, 7U, 100U, 350U, 6000U}) {
      BlockFile file(100);
      ASSERT_TRUE(file.open(folder.path()).ok());
      for (std::size_t at = 0; at < size;) {
        const std::size_t some = std::min(size - at, 1 + random() % most);
        file.append({want.data() + at, some});
        at += some;
        EXPECT_EQ(file.size(), at);
        EXPECT_EQ(file.blocks(), at / 100) << "blocks that are whole may be read";
      }
      ASSERT_TRUE(file.finish().ok());
      ASSERT_TRUE(file.finish().ok());
      EXPECT_EQ(file.blocks(), (size + 99) / 100);
      Status status;
      EXPECT_EQ(all_of(file, status), want);
      EXPECT_TRUE(status.ok());
    }
  }
}

TEST(BlockFile, what_was_cut_or_changed_is_told) {
  for (const bool cut : {false, true}) {
    const TemporaryFolder folder;
    BlockFile file(4096);
    ASSERT_TRUE(file.open(folder.path()).ok());
    for (int i = 0; i < 10'000; ++i) file.append("a line\n");
    ASSERT_TRUE(file.finish().ok());
    ASSERT_EQ(spoil(folder.path(), cut), 1);
    Status status;
    all_of(file, status);
    EXPECT_EQ(status.message(),
              cut ? "cannot read a temporary file in " + folder.path() + ": Input/output error"
                  : "a temporary file in " + folder.path() +
                        " is not as it was written: something changed it, or the disk fails");
  }
}

TEST(BlockFile, a_full_disk_is_told_and_nothing_read_of_it) {
  const TemporaryFolder folder;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = signal(SIGXFSZ, SIG_IGN);
  BlockFile file(4096);
  ASSERT_TRUE(file.open(folder.path()).ok());
  rlimit limit = before;
  limit.rlim_cur = 10'000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  for (int i = 0; i < 4000; ++i) file.append("a line\n");
  const Status written = file.finish();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, ignored);
  EXPECT_EQ(written.message(),
            "cannot write a temporary file in " + folder.path() + ": File too large");
  Status status;
  all_of(file, status);
  EXPECT_FALSE(status.ok());
}

TEST(LaterSet, bug_files_that_were_cut_or_changed_were_taken_as_they_were) {
  for (const bool cut : {false, true}) {
    for (const bool closed : {false, true}) {
      const TemporaryFolder folder;
      const auto later = make_later_set(64, 1 << 20, folder.path());
      Status status;
      for (int i = 0; i < 600'000 && status.ok(); ++i) {
        const std::string key = std::to_string(i);
        const std::string_view view = key;
        status = later->add_batch({&view, 1});
      }
      ASSERT_TRUE(status.ok());
      if (closed) {
        ASSERT_TRUE(later->close().ok());
      }
      ASSERT_GT(spoil(folder.path(), cut), 0);
      if (!closed) status = later->close();
      bool fresh[1000];
      for (int i = 0; i < 600 && status.ok(); ++i) status = later->next(1000, fresh);
      EXPECT_NE(status.message().find("a temporary file in " + folder.path()), std::string::npos)
          << status.message();
    }
  }
}

}  // namespace
}  // namespace spinneret::dedupe
