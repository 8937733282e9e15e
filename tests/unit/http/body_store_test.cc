// SPDX-License-Identifier: Apache-2.0
#include "http/body_store.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "support/temporary_folder.h"

namespace spinneret {
namespace {

class BodyStoreTest : public testing::Test {
 protected:
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  }
  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
};

constexpr char kHex[] = "ab0123456789abcdef0123456789abcd";

TEST_F(BodyStoreTest, PutsEachBodyOnce) {
  Result<BodyStore> store = BodyStore::open(folder_ + "/new/deep");
  ASSERT_TRUE(store.ok());
  const Result<std::string> path = store->put(kHex, "body");
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(*path, folder_ + "/new/deep/ab/0123456789abcdef0123456789abcd");
  EXPECT_EQ(*read_file(*path), "body");
  EXPECT_EQ(*store->put(kHex, "body"), *path);
  EXPECT_EQ(files(), 1U);
  // Another process comes to the same.
  Result<BodyStore> other = BodyStore::open(folder_ + "/new/deep");
  EXPECT_EQ(*other->put(kHex, "body"), *path);
  EXPECT_EQ(files(), 1U);
}

TEST_F(BodyStoreTest, ACollisionIsKeptApart) {
  Result<BodyStore> store = BodyStore::open(folder_);
  const std::string first = *store->put(kHex, "one");
  const std::string second = *store->put(kHex, "two");
  const std::string third = *store->put(kHex, "three");
  EXPECT_EQ(second, first + ".1");
  EXPECT_EQ(third, first + ".2");
  EXPECT_EQ(*store->put(kHex, "two"), second);
  EXPECT_EQ(*read_file(first), "one");
  EXPECT_EQ(*read_file(second), "two");
}

TEST_F(BodyStoreTest, ASymlinkIsNotFollowed) {
  Result<BodyStore> store = BodyStore::open(folder_);
  ASSERT_TRUE(store->put(kHex, "x").ok());
  const std::string path = *store->put(kHex, "x");
  ASSERT_EQ(unlink(path.c_str()), 0);
  ASSERT_EQ(symlink("/etc/passwd", path.c_str()), 0);
  const Result<std::string> placed = store->put(kHex, "x");
  ASSERT_TRUE(placed.ok());
  EXPECT_EQ(*placed, path + ".1");
}

// Bug: what a killed run had left stopped a later one that had the same number.
TEST_F(BodyStoreTest, LeftoversAreNoObstacle) {
  Result<BodyStore> store = BodyStore::open(folder_);
  for (const char* count : {"0", "1", "3"}) {
    const std::string left = folder_ + "/.new." + std::to_string(getpid()) + "." + count;
    ASSERT_TRUE(write_file_atomic(left, "torn").ok());
  }
  EXPECT_EQ(*read_file(*store->put("00aa", "one")), "one");
  EXPECT_EQ(*read_file(*store->put("00bb", "two")), "two");
}

TEST_F(BodyStoreTest, EmptyAndLargeBodies) {
  Result<BodyStore> store = BodyStore::open(folder_);
  EXPECT_EQ(*read_file(*store->put("00aa", "")), "");
  const std::string large(3'000'000, 'l');
  EXPECT_EQ(*read_file(*store->put("00bb", large)), large);
  EXPECT_EQ(*store->put("00bb", large), folder_ + "/00/bb");
}

TEST_F(BodyStoreTest, FailuresAreSaid) {
  EXPECT_FALSE(BodyStore::open("/proc/none/x").ok());
  Result<BodyStore> store = BodyStore::open(folder_);
  ASSERT_TRUE(store.ok());
  // A file stands where a shelf should be.
  ASSERT_TRUE(write_file_atomic(folder_ + "/cd", "in the way").ok());
  const Result<std::string> path = store->put("cd00", "x");
  ASSERT_FALSE(path.ok());
  EXPECT_NE(path.message().find(folder_), std::string::npos);
}

}  // namespace
}  // namespace spinneret
