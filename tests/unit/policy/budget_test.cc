// SPDX-License-Identifier: Apache-2.0
#include "policy/budget.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace spinneret::policy {
namespace {

TEST(Budgets, CountDistinctUrlsAndKeepWhatTheyAccepted) {
  Budgets budgets;
  const std::vector<Budgets::Account> account = {{1, 2, 7}};
  std::uint32_t line = 0;
  EXPECT_TRUE(budgets.pay(10, account, line));
  EXPECT_TRUE(budgets.pay(10, account, line));
  EXPECT_TRUE(budgets.pay(11, account, line));
  EXPECT_FALSE(budgets.pay(12, account, line));
  EXPECT_EQ(line, 7U);
  EXPECT_TRUE(budgets.pay(11, account, line));
}

TEST(Budgets, WhatOneAccountRefusesIsBookedOnNone) {
  Budgets budgets;
  std::uint32_t line = 0;
  EXPECT_FALSE(budgets.pay(1, {{1, 5, 1}, {2, 0, 2}}, line));
  EXPECT_EQ(line, 2U);
  for (std::uint64_t url = 10; url < 15; ++url) EXPECT_TRUE(budgets.pay(url, {{1, 5, 1}}, line));
  EXPECT_FALSE(budgets.pay(15, {{1, 5, 1}}, line));
}

TEST(KeyMap, AgreesWithStdMap) {
  std::mt19937_64 random(1);
  KeyMap map;
  std::map<std::uint64_t, std::uint32_t> expected;
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t key = random() % 20'000;  // 0 among them, the table's own mark
    ++map[key];
    ++expected[key == 0 ? 1 : key];
  }
  EXPECT_EQ(map.size(), expected.size());
  for (const auto& [key, value] : expected) {
    ASSERT_NE(map.find(key), nullptr);
    ASSERT_EQ(*map.find(key), value);
  }
  EXPECT_EQ(map.find(20'001), nullptr);
}

TEST(OffsiteHops, KeepTheShortestWay) {
  OffsiteHops hops;
  EXPECT_EQ(hops.of("http://a/"), 0U);
  hops.set("http://a/", 3);
  hops.set("http://a/", 1);
  hops.set("http://a/", 2);
  EXPECT_EQ(hops.of("http://a/"), 1U);
}

TEST(NumberTemplate, NumbersAndLongHexadecimals) {
  const auto of = [](std::string_view text) {
    std::string out;
    const bool has = append_number_template(out, text);
    EXPECT_EQ(has, out != text || text.find('0') != std::string_view::npos) << text;
    return out;
  };
  EXPECT_EQ(of("/a/b"), "/a/b");
  EXPECT_EQ(of("/a/12/b3?c=45"), "/a/0/b0?c=0");
  EXPECT_EQ(of("/abc123def"), "/abc0def");
  EXPECT_EQ(of("/0f3c9a7be1d24c55x"), "/0x");
  EXPECT_EQ(of("/deadbeefdeadbeefdeadbeef"), "/deadbeefdeadbeefdeadbeef");  // no digit: a word
  EXPECT_EQ(of("/deadbeefdeadbeef1/2"), "/0/0");
  EXPECT_EQ(of("/a%2Fb%zz%4"), "/a%2Fb%zz%0");
  EXPECT_EQ(of("7"), "0");
  EXPECT_EQ(of(""), "");
}

// /%C3%A9 and /%C3%A8 were one URL with two numbers.
TEST(NumberTemplate, APercentEscapeIsNoNumber) {
  const auto of = [](std::string_view text) {
    std::string out;
    append_number_template(out, text);
    return out;
  };
  EXPECT_EQ(of("/%C3%A9"), "/%C3%A9");
  EXPECT_EQ(of("/%2012%20x7"), "/%200%20x0");
  EXPECT_EQ(of("/%AB1deadbeefdeadbeef"), "/%AB0");
  EXPECT_EQ(of("/deadbeefdeadbee%AB1"), "/deadbeefdeadbee%AB0");
}

}  // namespace
}  // namespace spinneret::policy
