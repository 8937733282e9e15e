// SPDX-License-Identifier: Apache-2.0
#include "loop/rejected.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace spinneret::loop {
namespace {

constexpr std::string_view kRecord =
    "http://a/\tvia=http://b/\ttext=pages choose this\trule=deny "
    "/x\tpolicy=p:3\toutcome=blocked-by-policy";

TEST(Rejected, CountsByRuleAndPlaceElseByClass) {
  Rejected rejected;
  rejected.add(kRecord);
  rejected.add("http://c/\tclass=same-host\toutcome=blocked-by-policy");
  rejected.add("http://d/\tclass=same-host\toutcome=blocked-by-policy");
  rejected.add("http://e/\toutcome=blocked-by-policy");
  EXPECT_EQ(rejected.total(), 4U);
  const auto top = rejected.top(2);
  ASSERT_EQ(top.size(), 2U);
  EXPECT_EQ(top[0], std::pair(std::string("same-host"), std::uint64_t{2}));
  EXPECT_EQ(top[1].first, "deny /x (p:3)");
}

TEST(Rejected, WhatPagesChooseTakesNoMemoryWithoutBound) {
  Rejected rejected;
  for (int i = 0; i < 20'000; ++i)
    rejected.add("http://a/\tclass=" + std::to_string(i) + "\toutcome=blocked-by-policy");
  EXPECT_LE(rejected.top(SIZE_MAX).size(), 10'001U);
  EXPECT_EQ(rejected.total(), 20'000U);
}

TEST(Rejected, AppendsWholeLinesBehindATornOne) {
  const std::string path = testing::TempDir() + "rejected_test." + std::to_string(getpid());
  std::ofstream(path) << "http://torn/\tvia=";
  for (int run = 0; run < 2; ++run) {
    Result<Rejected> opened = Rejected::open(path);
    ASSERT_TRUE(opened.ok()) << opened.message();
    opened->add(kRecord);
    EXPECT_TRUE(opened->flush().ok());
  }
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string line =
      "http://a/\tvia=http://b/\trule=deny /x\tpolicy=p:3\toutcome=blocked-by-policy\n";
  EXPECT_EQ(text.str(), "http://torn/\tvia=\n" + line + line);
  unlink(path.c_str());
}

TEST(Rejected, AFullDiskIsTold) {
  Result<Rejected> opened = Rejected::open("/dev/full");
  ASSERT_TRUE(opened.ok()) << opened.message();
  opened->add(kRecord);
  EXPECT_FALSE(opened->flush().ok());
}

}  // namespace
}  // namespace spinneret::loop
