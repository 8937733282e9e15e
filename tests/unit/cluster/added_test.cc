// SPDX-License-Identifier: Apache-2.0
// Seeds that were added become known to every machine, once, whatever the engine forgets.
#include "cluster/added.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/clock.h"
#include "lease/memory_leases.h"

namespace spinneret::cluster {
namespace {

class AddedTest : public testing::Test {
 protected:
  AddedTest() { std::filesystem::create_directories(folder_); }
  ~AddedTest() override { std::filesystem::remove_all(folder_); }

  // Returns the seeds that a machine learns at a beat.
  std::string look(Added& machine) {
    std::string fresh;
    const Status looked = machine.look(leases_, *leases_.read("crawl"), fresh);
    EXPECT_TRUE(looked.ok());
    return fresh;
  }
  bool kept() { return was_kept(*leases_.read("crawl")); }

  std::string folder_ = testing::TempDir() + "added." + std::to_string(getpid());
  FakeClock clock_;
  lease::MemoryLeaseEngine engine_;
  lease::MemoryLeases leases_{engine_, clock_, "node", 10'000};
};

TEST_F(AddedTest, EachMachineHearsOfALineOnce) {
  Added a(folder_ + "/a"), b(folder_ + "/b");
  EXPECT_EQ(look(a), "");
  EXPECT_FALSE(kept());
  ASSERT_TRUE(add_lines(leases_, "http://a/\nhttp://b/\tpriority=3\n").ok());
  EXPECT_FALSE(kept());
  EXPECT_EQ(look(a).size(), 31U);
  EXPECT_TRUE(kept());
  EXPECT_EQ(look(a), "");
  EXPECT_EQ(look(b).size(), 31U);
  ASSERT_TRUE(add_lines(leases_, "http://a/\nhttp://c/\n").ok());
  EXPECT_FALSE(kept());
  EXPECT_EQ(look(b), "http://c/\n");
  EXPECT_TRUE(kept());
  EXPECT_EQ(look(a), "http://c/\n");
}

TEST_F(AddedTest, WhatTheEngineForgetsItIsToldAndAMachineThatBeginsAnewKnowsItsOwn) {
  {
    Added a(folder_ + "/a");
    look(a);
    ASSERT_TRUE(add_lines(leases_, "http://a/\n").ok());
    EXPECT_EQ(look(a), "http://a/\n");
  }
  engine_.forget();
  Added a(folder_ + "/a"), b(folder_ + "/b");
  ASSERT_TRUE(a.open().ok());
  EXPECT_EQ(a.lines(), "http://a/\n");
  EXPECT_EQ(look(b), "");
  EXPECT_EQ(look(a), "");
  EXPECT_EQ(look(b), "http://a/\n");
  // The same holds in the middle of a run.
  engine_.forget();
  look(a);
  Added c(folder_ + "/c");
  EXPECT_EQ(look(c), "http://a/\n");
}

TEST_F(AddedTest, WhatCannotBeKeptIsNotKnownAndTriedAgain) {
  Added a(folder_ + "/none/a");
  ASSERT_TRUE(add_lines(leases_, "http://a/\n").ok());
  std::string fresh;
  EXPECT_FALSE(a.look(leases_, *leases_.read("crawl"), fresh).ok());
  EXPECT_EQ(a.lines(), "");
  EXPECT_FALSE(kept());
  std::filesystem::create_directories(folder_ + "/none");
  EXPECT_EQ(look(a), "http://a/\n");
  EXPECT_TRUE(kept());
}

TEST_F(AddedTest, ThereIsABound) {
  std::string lines;
  for (std::size_t i = 0; i <= kMostAdded; ++i) lines += "http://a/" + std::to_string(i) + "\n";
  const Status added = add_lines(leases_, lines);
  ASSERT_FALSE(added.ok());
  EXPECT_NE(added.message().find("100000 added lines at the most"), std::string::npos);
  EXPECT_TRUE(leases_.read("added")->empty());
}

}  // namespace
}  // namespace spinneret::cluster
