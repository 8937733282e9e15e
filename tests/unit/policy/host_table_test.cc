// SPDX-License-Identifier: Apache-2.0
#include "policy/host_table.h"

#include <gtest/gtest.h>

namespace spinneret::policy {
namespace {

using Ids = std::vector<std::uint32_t>;

HostTable make(const std::vector<std::string>& patterns) {
  HostTable table;
  for (std::uint32_t i = 0; i < patterns.size(); ++i) {
    HostPattern pattern;
    std::string why;
    EXPECT_TRUE(parse_host_pattern(patterns[i], pattern, &why)) << why;
    table.add(pattern, i);
  }
  return table;
}

Ids find(const HostTable& table, std::string_view host) {
  Ids ids;
  table.find(host, ids);
  EXPECT_EQ(table.contains(host), !ids.empty()) << host;
  return ids;
}

TEST(HostTable, ExactBelowAndBoth) {
  const HostTable table = make({"a.example", "*.a.example", ".a.example"});
  EXPECT_EQ(find(table, "a.example"), (Ids{0, 2}));
  EXPECT_EQ(find(table, "www.a.example"), (Ids{1, 2}));
  EXPECT_EQ(find(table, "x.www.a.example"), (Ids{1, 2}));
  EXPECT_EQ(find(table, "ba.example"), (Ids{}));
  EXPECT_EQ(find(table, "example"), (Ids{}));
  EXPECT_EQ(find(table, ""), (Ids{}));
}

TEST(HostTable, LeastSpecificFirst) {
  const HostTable table = make({"www.a.example", ".a.example", ".example", "*"});
  EXPECT_EQ(find(table, "www.a.example"), (Ids{3, 2, 1, 0}));
}

TEST(HostTable, TopLevelDomainsAndUnicode) {
  const HostTable table = make({".ru", "*.M\xC3\xBCnchen.example", ".\xD1\x80\xD1\x84"});
  EXPECT_EQ(find(table, "a.ru"), (Ids{0}));
  EXPECT_EQ(find(table, "ru"), (Ids{0}));
  EXPECT_EQ(find(table, "guru"), (Ids{}));
  EXPECT_EQ(find(table, "www.xn--mnchen-3ya.example"), (Ids{1}));
  EXPECT_EQ(find(table, "a.xn--p1ai"), (Ids{2}));
}

TEST(HostTable, AddressesHaveNoNamesBelow) {
  const HostTable table = make({".0.0.1", "0x7f.1", "[::1]"});
  EXPECT_EQ(find(table, "127.0.0.1"), (Ids{1}));
  EXPECT_EQ(find(table, "[::1]"), (Ids{2}));
}

TEST(HostTable, WhatIsNoHost) {
  HostPattern pattern;
  std::string why;
  for (const char* text : {"", "a b", "*.", "a.*.b", "a*b", "http://a/", "a/b", "[::1"}) {
    EXPECT_FALSE(parse_host_pattern(text, pattern, &why)) << text;
    EXPECT_FALSE(why.empty());
  }
}

}  // namespace
}  // namespace spinneret::policy
