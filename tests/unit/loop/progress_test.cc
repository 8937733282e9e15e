// SPDX-License-Identifier: Apache-2.0
#include "loop/progress.h"

#include <gtest/gtest.h>

namespace spinneret::loop {
namespace {

frontier::Statistics some() {
  frontier::Statistics now;
  now.pages = 6755;
  now.bytes = 226'700'000;
  now.hosts = 12;
  now.all.waiting = 5415;
  now.all.blocked = 2;
  now.outcomes[static_cast<std::size_t>(Outcome::kOk)] = 6751;
  now.outcomes[static_cast<std::size_t>(Outcome::kNotFound)] = 3;
  now.outcomes[static_cast<std::size_t>(Outcome::kTimeout)] = 1;
  return now;
}

TEST(Progress, SaysWhatMattersAndMostOfItFirst) {
  FakeClock clock;
  Progress progress({}, clock);
  progress.set_rate(1337.4);
  EXPECT_EQ(progress.text(some(), 64, SIZE_MAX),
            "6,755 pages, 1,337/s, 5,415 queued, at least 4.0 s left, 64 in flight, 4 errors, 12 "
            "hosts, 2 blocked, "
            "216 MiB");
}

TEST(Progress, IsNeverWiderThanTheTerminal) {
  FakeClock clock;
  Progress progress({}, clock);
  progress.set_rate(1337.4);
  for (std::size_t width = 0; width < 140; ++width) {
    EXPECT_LE(progress.text(some(), 64, width).size(), width);
  }
  EXPECT_EQ(progress.text(some(), 64, 40), "6,755 pages, 1,337/s, 5,415 queued");
}

TEST(Progress, TheEndIsThatOfTheSlowestHostWhereRateIsHigh) {
  FakeClock clock;
  Progress progress({}, clock);
  EXPECT_EQ(progress.least_left_ms(some()), 0);  // nothing measured, nothing promised
  progress.set_rate(5415);
  EXPECT_EQ(progress.least_left_ms(some()), 1000);
  progress.set_slowest_host_ms(3'600'000);
  EXPECT_EQ(progress.least_left_ms(some()), 3'600'000);
  progress.set_rate(0);
  EXPECT_EQ(progress.least_left_ms(some()), 3'600'000);
}

TEST(Progress, ALimitEndsItSooner) {
  FakeClock clock;
  Progress::Options options;
  options.max_pages = 7755;
  Progress progress(options, clock);
  progress.set_rate(100);
  progress.set_slowest_host_ms(3'600'000);
  EXPECT_EQ(progress.least_left_ms(some()), 10'000);
}

}  // namespace
}  // namespace spinneret::loop
