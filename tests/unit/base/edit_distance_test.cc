// SPDX-License-Identifier: Apache-2.0
#include "base/edit_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace spinneret {
namespace {

TEST(EditDistance, CountsLetters) {
  EXPECT_EQ(edit_distance("", "", 3), 0U);
  EXPECT_EQ(edit_distance("disallow", "Disallow", 3), 0U);
  EXPECT_EQ(edit_distance("dissallow", "disallow", 3), 1U);
  EXPECT_EQ(edit_distance("disalow", "disallow", 3), 1U);
  EXPECT_EQ(edit_distance("disallwo", "disallow", 3), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting", 9), 3U);
  EXPECT_EQ(edit_distance("", "abc", 9), 3U);
}

TEST(EditDistance, StopsAtTheLimit) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 2U);
  EXPECT_EQ(edit_distance("abc", "xyz", 3), 3U);
  EXPECT_EQ(edit_distance("same", "same", 0), 0U);
  // Not counted at all.
  EXPECT_EQ(edit_distance(std::string(10'000'000, 'x'), "disallow", 3), 3U);
}

// The slow twin: the definition.
std::size_t slow(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::size_t change = a.back() == b.back() ? 0 : 1;
  const auto less = [](std::string_view text, std::size_t n) {
    return text.substr(0, text.size() - n);
  };
  std::size_t best = std::min(
      {slow(less(a, 1), b) + 1, slow(a, less(b, 1)) + 1, slow(less(a, 1), less(b, 1)) + change});
  if (a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && a[a.size() - 2] == b.back()) {
    best = std::min(best, slow(less(a, 2), less(b, 2)) + 1);
  }
  return best;
}

TEST(EditDistance, IsItsDefinitionForAllSmallWords) {
  std::vector<std::string> words{""};
  for (std::size_t at = 0; words[at].size() < 4; ++at) {
    for (const char c : {'a', 'b', 'c'}) words.push_back(words[at] + c);
  }
  for (const std::string& a : words) {
    for (const std::string& b : words) {
      const std::size_t expected = slow(a, b);
      for (const std::size_t limit : {std::size_t{2}, std::size_t{9}}) {
        ASSERT_EQ(edit_distance(a, b, limit), std::min(expected, limit)) << a << ' ' << b;
      }
    }
  }
}

}  // namespace
}  // namespace spinneret
