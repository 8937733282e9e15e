// SPDX-License-Identifier: Apache-2.0
#include "page/line_counter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "support/cpu_time.h"

namespace spinneret::page {
namespace {

// The slow twin.
std::pair<std::uint64_t, std::uint64_t> place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  return {1 + static_cast<std::uint64_t>(lines), before.size() - (before.rfind('\n') + 1) + 1};
}

TEST(LineCounter, OffsetsInAnyOrderAreThoseOfTheSlowTwin) {
  std::mt19937 random(1);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, LineCounter::kStride - 1,
                                 LineCounter::kStride, 5 * LineCounter::kStride + 7}) {
    for (const unsigned one_in : {1u, 2u, 90u, 100'000u}) {
      std::string text(size, 'x');
      for (char& c : text) c = random() % one_in == 0 ? '\n' : 'x';
      LineCounter lines;
      lines.begin(text, 3);
      EXPECT_EQ(lines.skipped(), 3u);
      for (int i = 0; i < 400; ++i) {
        const std::size_t offset = random() % (size + 2);
        lines.move_to(offset);
        ASSERT_EQ(std::pair(lines.line(), lines.column()), place_of(text, offset))
            << size << " bytes, one line end in " << one_in << ", at " << offset;
      }
    }
  }
}

TEST(LineCounter, AnotherDocumentBeginsAnew) {
  LineCounter lines;
  lines.begin("\n\n\n", 0);
  lines.move_to(3);
  EXPECT_EQ(lines.line(), 4u);
  lines.begin("ab", 0);
  EXPECT_EQ(lines.line(), 1u);
  lines.move_to(1);
  EXPECT_EQ(std::pair(lines.line(), lines.column()), std::pair(std::uint64_t{1}, std::uint64_t{2}));
}

// Lines were counted from the beginning wherever an offset went back, so that each such step cost
// the whole document.
TEST(LineCounter, BugOffsetsThatGoBackTookQuadraticTime) {
  constexpr std::size_t kLine = 64;
  const auto milliseconds_of = [](std::size_t size) {
    std::string text(size, 'x');
    for (std::size_t i = kLine - 1; i < size; i += kLine) text[i] = '\n';
    return least_milliseconds([&] {
      LineCounter lines;
      lines.begin(text, 0);
      for (std::size_t i = 0; i < 4000; ++i) {
        lines.move_to(size - 1 - i);
        ASSERT_EQ(lines.line(), (size - 1 - i) / kLine + 1);
        lines.move_to(i);
        ASSERT_EQ(lines.line(), i / kLine + 1);
      }
    });
  };
  const double small = milliseconds_of(256'000);
  const double large = milliseconds_of(4'096'000);
  EXPECT_LT(large, 6 * small + 10) << small << " ms, then " << large << " ms";
}

}  // namespace
}  // namespace spinneret::page
