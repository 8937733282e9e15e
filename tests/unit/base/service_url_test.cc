// SPDX-License-Identifier: Apache-2.0
#include "base/service_url.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace spinneret {
namespace {

TEST(ServiceUrl, EachPart) {
  ServiceUrl url;
  ASSERT_TRUE(
      parse_service_url("redis://me%3A:p%40:s@h1,[::1]:7000,%2Frun:1/a/b?x=%26&y&z==", 6379, url));
  EXPECT_EQ(url.scheme, "redis");
  EXPECT_EQ(url.user, "me:");
  EXPECT_EQ(url.password, "p@:s");
  EXPECT_EQ(url.hosts, (std::vector<ServiceHost>{{"h1", 6379}, {"::1", 7000}, {"/run", 1}}));
  EXPECT_TRUE(url.has_path);
  EXPECT_EQ(url.path, "a/b");
  EXPECT_EQ(url.words,
            (std::vector<std::pair<std::string, std::string>>{{"x", "&"}, {"y", ""}, {"z", "="}}));
}

TEST(ServiceUrl, WhatIsMissingIsEmptyAndNothingStaysOfTheOneBefore) {
  ServiceUrl url;
  ASSERT_TRUE(parse_service_url("a://u:p@h:1/c?w=v", 9, url));
  ASSERT_TRUE(parse_service_url("b://g", 9, url));
  EXPECT_EQ(url.user + url.password + url.path, "");
  EXPECT_FALSE(url.has_path);
  EXPECT_TRUE(url.words.empty());
  EXPECT_EQ(url.hosts, (std::vector<ServiceHost>{{"g", 9}}));
  ASSERT_TRUE(parse_service_url("b://g/", 9, url));
  EXPECT_TRUE(url.has_path);
  ASSERT_TRUE(parse_service_url("://g", 9, url));
  EXPECT_EQ(url.scheme, "");
}

TEST(ServiceUrl, HostsThatAreNone) {
  for (const char* const bad : {"",
                                "a:b",
                                "a://",
                                "a:///p",
                                "a://h,",
                                "a://,h",
                                "a://h,,i",
                                "a://:1",
                                "a://h:",
                                "a://h:0",
                                "a://h:-1",
                                "a://h:65536",
                                "a://h:99999999999999999999",
                                "a://h:1x",
                                "a://h: 1",
                                "a://[::1",
                                "a://[]",
                                "a://[]:1",
                                "a://[::1]x",
                                "a://[::1]:",
                                "a://u@",
                                "a://u:p@/"}) {
    ServiceUrl url;
    EXPECT_FALSE(parse_service_url(bad, 1, url)) << bad;
  }
  ServiceUrl url;
  EXPECT_TRUE(parse_service_url("a://h:65535", 1, url));
}

// A host that was parsed is written so that it can be parsed again.
TEST(ServiceUrl, AHostComesBack) {
  for (const ServiceHost& host :
       std::vector<ServiceHost>{{"h", 1}, {"a.b-c", 65535}, {"::1", 80}, {"fe80::1", 6379}}) {
    ServiceUrl url;
    ASSERT_TRUE(parse_service_url("x://" + text_of(host), 5, url)) << text_of(host);
    EXPECT_EQ(url.hosts, (std::vector<ServiceHost>{host}));
  }
}

TEST(ServiceUrl, AnyBytesArePercentDecodedOrLeft) {
  EXPECT_EQ(percent_decoded("%41%4a%4A"), "AJJ");
  EXPECT_EQ(percent_decoded("%"), "%");
  EXPECT_EQ(percent_decoded("%4"), "%4");
  EXPECT_EQ(percent_decoded("a%4"), "a%4");
  EXPECT_EQ(percent_decoded("%4g%%41"), "%4g%A");
  EXPECT_EQ(percent_decoded("%00"), std::string(1, '\0'));
  std::mt19937 random(1);
  for (int round = 0; round != 1000; ++round) {
    std::string bytes, escaped;
    for (std::size_t size = random() % 20; size != 0; --size) bytes += static_cast<char>(random());
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      escaped += '%';
      escaped += "0123456789abcdef"[byte >> 4];
      escaped += "0123456789ABCDEF"[byte & 15];
    }
    ASSERT_EQ(percent_decoded(escaped), bytes);
  }
}

TEST(CrawlName, SmallLettersDigitsAndThreeMarks) {
  for (const std::string& name :
       {std::string("a"), std::string("my-crawl_1.x"), std::string(64, 'a')})
    EXPECT_TRUE(is_crawl_name(name)) << name;
  for (const std::string& name : {std::string(), std::string(65, 'a'), std::string("A"),
                                  std::string("a/b"), std::string("a{b"), std::string("a\0", 2),
                                  std::string("\xC3\xA9"), std::string("a b"), std::string("a\n")})
    EXPECT_FALSE(is_crawl_name(name)) << name;
}

}  // namespace
}  // namespace spinneret
