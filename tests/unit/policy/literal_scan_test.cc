// SPDX-License-Identifier: Apache-2.0
#include "policy/literal_scan.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "base/ascii.h"

namespace spinneret::policy {
namespace {

std::set<std::uint32_t> found(const LiteralScan& scan, std::string_view text) {
  std::set<std::uint32_t> out;
  scan.find(text, [&](std::uint32_t value) { out.insert(value); });
  return out;
}

TEST(LiteralScan, FindsLiteralsWhereverTheyStand) {
  LiteralScan scan;
  scan.add("/ads/", 0);
  scan.add("sid", 1);
  scan.add("example.com", 2);
  scan.add("example.com", 3);
  scan.compile();
  EXPECT_EQ(found(scan, "http://h/ads/"), (std::set<std::uint32_t>{0}));
  EXPECT_EQ(found(scan, "sid"), (std::set<std::uint32_t>{1}));
  EXPECT_EQ(found(scan, "http://EXAMPLE.com/ADS/?SID"), (std::set<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(found(scan, "http://h/adz/si"), (std::set<std::uint32_t>{}));
}

TEST(LiteralScan, ShortAndEmptyTexts) {
  LiteralScan scan;
  scan.compile();
  EXPECT_TRUE(found(scan, "anything").empty());
  LiteralScan four;
  four.add("abcd", 7);
  four.compile();
  for (const std::string_view text : {"", "a", "ab", "abc", "xabc", "bcd"}) {
    EXPECT_TRUE(found(four, text).empty()) << text;
  }
  EXPECT_EQ(found(four, "abcd").size(), 1U);
}

// The slow twin: find(). Small alphabets make hits, repeats and shared grams likely; texts are heap buffers
// of their exact size, for the sanitizers.
TEST(LiteralScan, AgreesWithPlainSearch) {
  std::mt19937 random(1);
  const auto word = [&](std::size_t least, std::size_t most) {
    std::string out(least + random() % (most - least + 1), ' ');
    for (char& c : out) c = "abAB/."[random() % 6];
    return out;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> literals;
    LiteralScan scan;
    for (std::uint32_t i = 0, n = static_cast<std::uint32_t>(random() % 40); i < n; ++i) {
      literals.push_back(word(3, 9));
      scan.add(literals.back(), i);
    }
    scan.compile();
    for (int i = 0; i < 30; ++i) {
      const std::string text = word(0, 40);
      const std::vector<char> exact(text.begin(), text.end());
      std::set<std::uint32_t> expected;
      for (std::uint32_t at = 0; at < literals.size(); ++at) {
        if (to_lower_copy(text).find(to_lower_copy(literals[at])) != std::string::npos) {
          expected.insert(at);
        }
      }
      ASSERT_EQ(found(scan, {exact.data(), exact.size()}), expected) << text;
    }
  }
}

}  // namespace
}  // namespace spinneret::policy
