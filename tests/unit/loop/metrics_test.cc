// SPDX-License-Identifier: Apache-2.0
#include "loop/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/file.h"
#include "support/temporary_folder.h"

namespace spinneret::loop {
namespace {

class MetricsTest : public testing::Test {
 protected:
  const TemporaryFolder temporary_;
  const std::string records_ = temporary_.file("records");
  FakeClock clock_;
  const frontier::Statistics statistics_ = {};
};

TEST_F(MetricsTest, WritesWhenItIsTimeAndWhenItIsTold) {
  const std::string prometheus = temporary_.file("prometheus");
  Metrics metrics({.records = records_, .prometheus = prometheus, .partition = "7"}, clock_);
  ASSERT_TRUE(metrics.tick(statistics_, 0).ok());
  EXPECT_FALSE(read_file(records_).ok());
  clock_.advance_ms(5000);
  ASSERT_TRUE(metrics.tick(statistics_, 1).ok());
  ASSERT_TRUE(metrics.tick(statistics_, 2).ok());
  ASSERT_TRUE(metrics.tick(statistics_, 3, /*now=*/true).ok());
  const std::string lines = read_file(records_).take();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  EXPECT_NE(read_file(prometheus)->find("{partition=\"7\"} "), std::string::npos);
}

TEST_F(MetricsTest, AFullDiskIsAnErrorThatNamesTheFile) {
  Metrics metrics({.records = "/dev/full", .prometheus = {}}, clock_);
  const Status done = metrics.tick(statistics_, 0, /*now=*/true);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.message(), "cannot write /dev/full: No space left on device");
}

TEST_F(MetricsTest, FilesThatCannotBeMadeAreErrors) {
  const std::string nowhere = temporary_.file("no/file");
  for (const bool records : {true, false}) {
    const Metrics::Options options{.records = records ? nowhere : "",
                                   .prometheus = records ? "" : nowhere};
    const Status done = Metrics(options, clock_).tick(statistics_, 0, /*now=*/true);
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.message().find(temporary_.file("no/")), std::string::npos) << done.message();
  }
}

}  // namespace
}  // namespace spinneret::loop
