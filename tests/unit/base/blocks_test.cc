// SPDX-License-Identifier: Apache-2.0
#include "base/blocks.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace spinneret {
namespace {

constexpr std::size_t kMany = 10'000;

TEST(Blocks, AreARowWhoseReferencesStayValid) {
  Blocks<std::size_t> row;
  std::vector<std::size_t*> places;
  for (std::size_t i = 0; i < kMany; ++i) {
    std::size_t& made = row.emplace_back();
    EXPECT_EQ(made, 0U);
    made = i;
    places.push_back(&made);
    ASSERT_EQ(row.size(), i + 1);
  }
  const Blocks<std::size_t>& same = row;
  for (std::size_t i = 0; i < kMany; ++i) {
    ASSERT_EQ(same[i], i);
    ASSERT_EQ(&row[i], places[i]);
  }
}

TEST(Blocks, GrowToAsManyAndNeverShrink) {
  Blocks<int> row;
  row.grow(0);
  EXPECT_EQ(row.size(), 0U);
  row.grow(257);
  row[256] = 7;
  row.grow(3);
  EXPECT_EQ(row.size(), 257U);
  row.grow(600);
  EXPECT_EQ(row.size(), 600U);
  EXPECT_EQ(row[256], 7);
  EXPECT_EQ(row[599], 0);
}

// Counts how many objects of its kind exist.
struct Counted {
  Counted() { ++alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }
  static inline int alive = 0;
};

TEST(Blocks, MakeWhatIsAskedForAndEndIt) {
  {
    Blocks<Counted> row;
    row.grow(300);
    EXPECT_EQ(Counted::alive, 300);
    row.clear();
    EXPECT_EQ(Counted::alive, 0);
    EXPECT_EQ(row.size(), 0U);
    row.grow(2);
    EXPECT_EQ(Counted::alive, 2);
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(Blocks, MoveWithAllThatTheyHave) {
  Blocks<std::unique_ptr<int>> row;
  row.emplace_back() = std::make_unique<int>(5);
  const int* const there = row[0].get();
  Blocks<std::unique_ptr<int>> other(std::move(row));
  ASSERT_EQ(other.size(), 1U);
  EXPECT_EQ(other[0].get(), there);
  EXPECT_EQ(row.size(), 0U);  // NOLINT(bugprone-use-after-move): the class promises this
  row.emplace_back();
  EXPECT_EQ(row.size(), 1U);
  other = Blocks<std::unique_ptr<int>>();
  EXPECT_EQ(other.size(), 0U);
}

}  // namespace
}  // namespace spinneret
