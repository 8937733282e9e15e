// SPDX-License-Identifier: Apache-2.0
#include "robots/store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "support/temporary_folder.h"

namespace spinneret::robots {
namespace {

constexpr std::int64_t kNow = 1'000'000;

class RobotsStoreTest : public testing::Test {
 protected:
  RobotsStore store(std::size_t memory = std::size_t{64} << 20) {
    HostRules::Options options;
    options.agents = {"examplebot"};
    options.stale = stale_;
    return RobotsStore(folder_, options, memory);
  }

  static std::string authority(int host) { return "http://h" + std::to_string(host) + ".test:80"; }

  void put(int host, std::string_view body, std::int64_t expires = kNow + 1000,
           RobotsState state = RobotsState::kRules) {
    RobotsEntry entry;
    entry.authority = authority(host);
    entry.state = state;
    entry.reason = state == RobotsState::kRules ? "200" : "503";
    entry.expires = expires;
    entry.copied = kNow;
    entry.body = body;
    ASSERT_TRUE(store_entry(folder_, entry).ok());
  }

  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
  std::int64_t stale_ = 0;
};

TEST_F(RobotsStoreTest, MissingExpiredAndDamagedAreNone) {
  RobotsStore cache = store();
  EXPECT_EQ(cache.find(authority(1), kNow), nullptr);
  put(1, "", kNow + 10);
  EXPECT_NE(cache.find(authority(1), kNow), nullptr);
  EXPECT_NE(cache.find(authority(1), kNow + 9), nullptr);
  EXPECT_EQ(cache.find(authority(1), kNow + 10), nullptr);
  ASSERT_EQ(truncate((folder_ + "/" + cache_file_name(authority(1))).c_str(), 20), 0);
  EXPECT_EQ(cache.find(authority(1), kNow), nullptr);
}

TEST_F(RobotsStoreTest, ARenewedFileIsSeenAfterASecondAtMost) {
  RobotsStore cache = store();
  put(1, "User-agent: *\nDisallow: /a\n");
  EXPECT_FALSE(cache.find(authority(1), kNow)->ask(0, "/a").allowed);
  put(1, "User-agent: *\nDisallow: /b\n");
  EXPECT_FALSE(cache.find(authority(1), kNow)->ask(0, "/a").allowed);
  EXPECT_TRUE(cache.find(authority(1), kNow + 1)->ask(0, "/a").allowed);
}

TEST_F(RobotsStoreTest, AnExpiredHostIsLookedAtEachTime) {
  RobotsStore cache = store();
  put(1, "", kNow + 10);
  EXPECT_NE(cache.find(authority(1), kNow), nullptr);
  EXPECT_EQ(cache.find(authority(1), kNow + 10), nullptr);
  put(1, "User-agent: *\nDisallow: /\n", kNow + 1000);
  ASSERT_NE(cache.find(authority(1), kNow + 10), nullptr);
}

TEST_F(RobotsStoreTest, MemoryIsBoundedAndHostsInUseStay) {
  RobotsStore cache = store(20'000);
  std::string body = "User-agent: *\n";
  for (int i = 0; i < 50; ++i) body += "Disallow: /path/" + std::to_string(i) + "\n";
  for (int host = 0; host < 30; ++host) put(host, body);
  for (int host = 0; host < 30; ++host) {
    ASSERT_NE(cache.find(authority(host), kNow), nullptr);
    ASSERT_NE(cache.find(authority(0), kNow), nullptr);
    EXPECT_LE(cache.memory(), 20'000U);
  }
  EXPECT_LT(cache.hosts(), 10U);
  EXPECT_GT(cache.hosts(), 1U);
}

TEST_F(RobotsStoreTest, MemoryCountsWhatIsOutsideOfGroups) {
  RobotsStore cache = store(20'000);
  std::string body;
  for (int i = 0; i < 50; ++i)
    body += "Content-Usage: /path/" + std::to_string(i) + " train-ai=n\n";
  for (int host = 0; host < 30; ++host) {
    put(host, body);
    ASSERT_NE(cache.find(authority(host), kNow), nullptr);
  }
  EXPECT_LE(cache.memory(), 20'000U);
  EXPECT_LT(cache.hosts(), 10U);
}

TEST_F(RobotsStoreTest, ManyHostsComeAndGo) {
  for (int host = 0; host < 300; ++host)
    put(host, "User-agent: *\nDisallow: /" + std::to_string(host) + "$\n");
  for (const std::size_t memory : {3'000U, 30'000U, 30'000'000U}) {
    RobotsStore cache = store(memory);
    for (int i = 0; i < 3000; ++i) {
      const int host = i * 7919 % 307;  // some have no file
      const HostRules* const rules = cache.find(authority(host), kNow);
      ASSERT_EQ(rules != nullptr, host < 300) << host;
      if (rules != nullptr) {
        ASSERT_FALSE(rules->ask(0, "/" + std::to_string(host)).allowed);
      }
    }
  }
}

TEST_F(RobotsStoreTest, TheHostInUseIsKeptWhateverItsSize) {
  RobotsStore cache = store(1);
  put(1, "User-agent: *\nDisallow: /a\n");
  put(2, "User-agent: *\nDisallow: /a\n");
  EXPECT_NE(cache.find(authority(1), kNow), nullptr);
  EXPECT_NE(cache.find(authority(2), kNow), nullptr);
  EXPECT_EQ(cache.hosts(), 1U);
}

TEST_F(RobotsStoreTest, UnreachableHostsForbidAllOrLetTheirCopySpeak) {
  put(1, "User-agent: *\nDisallow: /a\n", kNow + 100, RobotsState::kDisallowAll);
  {
    RobotsStore cache = store();
    const HostRules* const rules = cache.find(authority(1), kNow);
    ASSERT_NE(rules, nullptr);
    EXPECT_FALSE(rules->ask(0, "/b").allowed);
    EXPECT_EQ(rules->ask(0, "/b").reason, "503");
    EXPECT_TRUE(rules->ask(0, "/robots.txt").allowed);
  }
  stale_ = 3600;
  RobotsStore cache = store();
  EXPECT_TRUE(cache.find(authority(1), kNow)->ask(0, "/b").allowed);
  EXPECT_FALSE(cache.find(authority(1), kNow)->ask(0, "/a").allowed);
}

TEST(HostRules, SaysWhy) {
  HostRules::Options options;
  options.agents = {"a", "b"};
  RobotsEntry entry;
  entry.state = RobotsState::kRules;
  entry.body = "User-agent: a\nDisallow: /x\n";
  const HostRules rules(entry, options, kNow);
  EXPECT_EQ(rules.ask(0, "/x").reason, "longest match");
  EXPECT_EQ(rules.ask(0, "/y").reason, "no rule matches");
  EXPECT_EQ(rules.ask(1, "/x").reason, "no group");
  EXPECT_EQ(rules.ask(0, "/robots.txt").reason, "robots.txt itself");
  entry.state = RobotsState::kAllowAll;
  entry.reason = "404";
  EXPECT_EQ(HostRules(entry, options, kNow).ask(0, "/x").reason, "404");
}

}  // namespace
}  // namespace spinneret::robots
