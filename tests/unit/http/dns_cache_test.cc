// SPDX-License-Identifier: Apache-2.0
#include "http/dns_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace spinneret {
namespace {

Resolution answer(std::initializer_list<const char*> addresses, std::int64_t expires) {
  Resolution out;
  for (const char* text : addresses) out.addresses.push_back(*parse_ip(text));
  out.expires_ns = expires;
  return out;
}

TEST(DnsCache, KeepsUntilItExpires) {
  DnsCache cache(10);
  EXPECT_EQ(cache.find("a", 0), nullptr);
  cache.put("a", answer({"1.1.1.1"}, 100));
  ASSERT_NE(cache.find("a", 99), nullptr);
  EXPECT_EQ(to_string(cache.find("a", 99)->addresses[0]), "1.1.1.1");
  EXPECT_EQ(cache.find("a", 100), nullptr);
  cache.put("a", answer({"2.2.2.2"}, 200));
  EXPECT_EQ(to_string(cache.find("a", 150)->addresses[0]), "2.2.2.2");
  EXPECT_EQ(cache.size(), 1U);
}

TEST(DnsCache, ARoundRobinAnswerDoesNotMoveTheHost) {
  DnsCache cache(10);
  cache.put("a", answer({"1.1.1.1", "2.2.2.2", "3.3.3.3"}, 100));
  const Resolution& kept = cache.put("a", answer({"4.4.4.4", "3.3.3.3", "1.1.1.1"}, 200));
  ASSERT_EQ(kept.addresses.size(), 3U);
  EXPECT_EQ(to_string(kept.addresses[0]), "1.1.1.1");
  EXPECT_EQ(to_string(kept.addresses[1]), "3.3.3.3");
  EXPECT_EQ(to_string(kept.addresses[2]), "4.4.4.4");
}

TEST(DnsCache, IsBoundedAndForgetsWhatWasUsedLongestAgo) {
  DnsCache cache(3);
  for (const char* host : {"a", "b", "c"}) cache.put(host, answer({"1.1.1.1"}, 100));
  EXPECT_NE(cache.find("a", 0), nullptr);
  cache.put("d", answer({"1.1.1.1"}, 100));
  EXPECT_EQ(cache.size(), 3U);
  EXPECT_NE(cache.find("a", 0), nullptr);
  EXPECT_EQ(cache.find("b", 0), nullptr);
  for (int i = 0; i < 1000; ++i) cache.put("host" + std::to_string(i), answer({}, 100));
  EXPECT_EQ(cache.size(), 3U);
}

}  // namespace
}  // namespace spinneret
