// SPDX-License-Identifier: Apache-2.0
#include "resp/address.h"

#include <gtest/gtest.h>

#include <string>

namespace spinneret::resp {
namespace {

TEST(Address, HasSeedsTheirPortsAndTheNameOfTheCrawl) {
  const Result<Address> address = parse_address("redis://me:p%40ss@h1,h2:7000,[::1]:7001/my-crawl");
  ASSERT_TRUE(address.ok()) << address.message();
  const std::vector<Host> seeds = {{"h1", 6379}, {"h2", 7000}, {"::1", 7001}};
  EXPECT_EQ(address->seeds, seeds);
  EXPECT_EQ(address->user, "me");
  EXPECT_EQ(address->password, "p@ss");
  EXPECT_EQ(address->crawl, "my-crawl");
  EXPECT_FALSE(address->tls.on);
  EXPECT_EQ(address->prefix(), "spinneret:{my-crawl}:");
  EXPECT_EQ(address->text(), "redis://h1:6379,h2:7000,[::1]:7001/my-crawl");
}

TEST(Address, HasWordsOfSentinelAndTls) {
  const Result<Address> address =
      parse_address("rediss://h/c?sentinel=main&ca=%2Fetc%2Fca.pem&cert=a.pem&key=a.key");
  ASSERT_TRUE(address.ok()) << address.message();
  EXPECT_EQ(address->seeds[0].port, 26379);
  EXPECT_EQ(address->sentinel, "main");
  EXPECT_TRUE(address->tls.on);
  EXPECT_EQ(address->tls.ca, "/etc/ca.pem");
  EXPECT_EQ(address->tls.certificate, "a.pem");
  EXPECT_EQ(address->tls.key, "a.key");
  EXPECT_EQ(address->text(), "rediss://h:26379/c?sentinel=main");
  EXPECT_TRUE(parse_address("valkeys://h/c")->tls.on);
  // The certificate's file may contain the key.
  EXPECT_TRUE(parse_address("rediss://h/c?cert=a.pem").ok());
}

TEST(Address, SaysWhatIsWrongAndNeverThePassword) {
  for (const char* const bad :
       {"", "redis", "http://h/c", "redis://h", "redis:///c", "redis://h:0/c", "redis://h:65536/c",
        "redis://h/", "redis://h/C", "redis://h,,i/c", "redis://[::1/c", "redis://h/c?x=1",
        "redis://h/c?sentinel", "redis://h/c?sentinel=", "redis://h/c?ca=f", "rediss://h/c?ca",
        "rediss://h/c?ca=", "rediss://h/c?key=k", "rediss://h/c?cert=c&what=1"}) {
    const Result<Address> address = parse_address(bad);
    EXPECT_FALSE(address.ok()) << bad;
  }
  for (const char* const bad : {"redis://:secret@h:x/c", "redis://:secret@/c", "x://:secret@h/c",
                                "redis://:secret@h/c?secret", "rediss://:secret@h/c?key=secret"}) {
    const Result<Address> address = parse_address(bad);
    ASSERT_FALSE(address.ok()) << bad;
    EXPECT_EQ(address.message().find("secret"), std::string::npos) << address.message();
  }
}

}  // namespace
}  // namespace spinneret::resp
