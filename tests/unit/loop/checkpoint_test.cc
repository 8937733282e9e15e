// SPDX-License-Identifier: Apache-2.0
// Copies in a folder that somebody named, perhaps by mistake: whatever is no copy of ours stays,
// whatever happens.
#include "loop/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>

#include "base/file.h"
#include "frontier/memory_store.h"
#include "support/temporary_folder.h"

namespace spinneret::loop {
namespace {

namespace fs = std::filesystem;

// A store whose copies are folders with one file, which says which copy it is.
class CopyingStore : public frontier::MemoryStore {
 public:
  Status checkpoint(const std::string& path) override {
    if (fails) return Error{"no space"};
    if (fs::exists(path)) return Error{path + " is there"};
    fs::create_directories(path);
    std::ofstream(path + "/CURRENT") << ++copies;
    return {};
  }
  int copies = 0;
  bool fails = false;
};

class CheckpointTest : public testing::Test {
 protected:
  std::string content() const {
    const Result<std::string> bytes = read_file(path_ + "/db/CURRENT");
    return bytes.ok() ? *bytes : "";
  }
  std::set<std::string> names() const {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      out.insert(entry.path().filename().string());
    return out;
  }
  void put(const std::string& name) {
    fs::create_directories(fs::path(folder_.file(name)).parent_path());
    std::ofstream(folder_.file(name)) << "x";
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.file("copy");
  CopyingStore store_;
};

TEST_F(CheckpointTest, TheNewestTakesThePlaceOfTheOneBefore) {
  for (int copy = 1; copy <= 3; ++copy) {
    ASSERT_TRUE(write_checkpoint(store_, path_ + (copy == 2 ? "//" : "")).ok());
    EXPECT_EQ(content(), std::to_string(copy));
    EXPECT_EQ(names(), (std::set<std::string>{"copy"}));
  }
}

TEST_F(CheckpointTest, AFailureLeavesTheOneBefore) {
  ASSERT_TRUE(write_checkpoint(store_, path_).ok());
  store_.fails = true;
  const Status failed = write_checkpoint(store_, path_);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.message(), "no space");
  EXPECT_EQ(content(), "1");
  store_.fails = false;
  ASSERT_TRUE(write_checkpoint(store_, path_).ok());
  EXPECT_EQ(content(), "2");
  EXPECT_EQ(names(), (std::set<std::string>{"copy"}));
}

// Wherever the longer sequence of two renamings breaks off, a whole copy is found again.
TEST_F(CheckpointTest, ACrashBetweenTheNamesIsMended) {
  ASSERT_TRUE(write_checkpoint(store_, path_).ok());
  fs::rename(path_, path_ + ".old");
  store_.fails = true;
  ASSERT_FALSE(write_checkpoint(store_, path_).ok());
  EXPECT_EQ(content(), "1");  // the old copy was brought back
  store_.fails = false;
  fs::create_directories(path_ + ".new/db.tmp");
  fs::create_directories(path_ + ".old/db");
  ASSERT_TRUE(write_checkpoint(store_, path_).ok());
  EXPECT_EQ(content(), "2");
  EXPECT_EQ(names(), (std::set<std::string>{"copy"}));
}

TEST_F(CheckpointTest, WhatIsNoCopyIsNamedAndNeverRemoved) {
  fs::create_directory(folder_.file("deep"));
  for (const std::string& in_the_way :
       {std::string("copy/letter.txt"), std::string("copy.old/letter.txt"),
        std::string("copy.new/letter.txt"), std::string("copy/db/deeper/letter.txt"),
        std::string("copy/dba/letter.txt"), std::string("copy")}) {
    put(in_the_way);
    const Status refused = write_checkpoint(store_, path_);
    ASSERT_FALSE(refused.ok()) << in_the_way;
    EXPECT_TRUE(refused.message().starts_with("--checkpoint would remove " + path_))
        << refused.message();
    EXPECT_TRUE(fs::exists(folder_.file(in_the_way)));
    EXPECT_EQ(may_hold_checkpoint(path_).message(), refused.message());
    fs::remove_all(folder_.file(in_the_way.substr(0, in_the_way.find('/'))));
  }
  // A link to a copy belongs to somebody else, too; and so does a link in a copy.
  put("elsewhere/db/CURRENT");
  fs::create_directory_symlink(folder_.file("elsewhere"), path_);
  EXPECT_FALSE(write_checkpoint(store_, path_).ok());
  fs::remove(path_);
  fs::create_directory(path_);
  fs::create_directory_symlink(folder_.file("elsewhere/db"), path_ + "/db");
  EXPECT_FALSE(write_checkpoint(store_, path_).ok());
  EXPECT_TRUE(fs::exists(folder_.file("elsewhere/db/CURRENT")));
}

// A process that has ended, and for which nobody has waited, has a folder that even root cannot
// read.
TEST_F(CheckpointTest, AFolderThatCannotBeReadIsNamedAndLeftAlone) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(0);
  siginfo_t ended;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  const std::string folder = "/proc/" + std::to_string(child) + "/net";
  std::error_code code;
  const fs::directory_iterator read(folder, code);
  const Status refused = may_hold_checkpoint(folder);
  const Status failed = write_checkpoint(store_, folder);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  if (!code) GTEST_SKIP() << "this kernel reads it";
  EXPECT_EQ(refused.message(), "cannot replace " + folder + ": " + code.message());
  EXPECT_EQ(failed.message(), refused.message());
  EXPECT_EQ(store_.copies, 0);
}

TEST_F(CheckpointTest, NamesThatAreNone) {
  EXPECT_EQ(may_hold_checkpoint("").message(), "--checkpoint needs the name of a folder");
  for (const char* const name : {"/", "//", "/etc", "/dev/null"})
    EXPECT_FALSE(may_hold_checkpoint(name).ok()) << name;
  EXPECT_TRUE(may_hold_checkpoint(path_).ok());
  fs::create_directory(path_);
  EXPECT_TRUE(may_hold_checkpoint(path_).ok());
  const Status nowhere = write_checkpoint(store_, "/proc/nowhere/copy");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_NE(nowhere.message().find("/proc/nowhere"), std::string::npos);
}

}  // namespace
}  // namespace spinneret::loop
