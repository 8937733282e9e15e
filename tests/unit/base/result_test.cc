// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace spinneret {
namespace {

Result<std::unique_ptr<int>> make(bool good) {
  if (!good) return Error{"no"};
  return std::make_unique<int>(7);
}

TEST(Status, IsOkOrHoldsAnError) {
  EXPECT_TRUE(Status().ok());
  const Status bad = Error{"broken"};
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.message(), "broken");
  EXPECT_EQ(bad.error().message, "broken");
}

TEST(Result, HoldsAValueThatOnlyMoves) {
  Result<std::unique_ptr<int>> good = make(true);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(**good, 7);
  const std::unique_ptr<int> taken = good.take();
  EXPECT_EQ(*taken, 7);
}

TEST(Result, HoldsAnError) {
  const Result<std::unique_ptr<int>> bad = make(false);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.message(), "no");
}

TEST(SystemError, NamesWhatAndWhy) {
  EXPECT_EQ(system_error("cannot open x", ENOENT).message,
            "cannot open x: No such file or directory");
  EXPECT_FALSE(system_error("odd", 123456).message.empty());
}

}  // namespace
}  // namespace spinneret
