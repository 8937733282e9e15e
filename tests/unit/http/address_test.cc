// SPDX-License-Identifier: Apache-2.0
#include "http/address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>
#include <string>
#include <string_view>

namespace spinneret {
namespace {

std::string_view refusal(std::string_view text) {
  const auto ip = parse_ip(text);
  EXPECT_TRUE(ip) << text;
  return ip ? AddressPolicy().refusal(*ip) : "no address";
}

TEST(IpAddress, ReadsAndWritesBothFamilies) {
  for (const char* text : {"192.0.2.1", "0.0.0.0", "255.255.255.255", "::", "::1", "2001:db8::1",
                           "fe80::1:2:3:4", "::ffff:1.2.3.4", "64:ff9b::c000:201"}) {
    const auto ip = parse_ip(text);
    ASSERT_TRUE(ip) << text;
    EXPECT_EQ(to_string(*ip), text);
  }
  EXPECT_EQ(to_string(*parse_ip("[2001:DB8:0:0::1]")), "2001:db8::1");
}

TEST(IpAddress, IsStrict) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {""sv, "1.2.3"sv, "1.2.3.4.5"sv, "01.2.3.4x"sv, "0x7f.0.0.1"sv, "127.1"sv, "[1.2.3.4"sv,
        "::1%lo"sv, "1.2.3.4 "sv, "1.2.3.4\0x"sv, ":::"sv, "localhost"sv}) {
    EXPECT_FALSE(parse_ip(text)) << text;
  }
}

TEST(IpAddress, MappedIsNotTheIpv4AddressItself) {
  EXPECT_NE(*parse_ip("1.2.3.4"), *parse_ip("::ffff:1.2.3.4"));
}

TEST(IpAddress, FromSocketAddresses) {
  sockaddr_storage storage{};
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&storage);
  v4->sin_family = AF_INET;
  inet_pton(AF_INET, "10.1.2.3", &v4->sin_addr);
  EXPECT_EQ(to_string(*to_ip(reinterpret_cast<sockaddr&>(storage))), "10.1.2.3");
  storage = {};
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  v6->sin6_family = AF_INET6;
  inet_pton(AF_INET6, "fd00::9", &v6->sin6_addr);
  EXPECT_EQ(to_string(*to_ip(reinterpret_cast<sockaddr&>(storage))), "fd00::9");
  storage = {};
  storage.ss_family = AF_UNIX;
  EXPECT_FALSE(to_ip(reinterpret_cast<sockaddr&>(storage)));
}

TEST(AddressRange, FirstAndLastOfEachAndTheNeighbours) {
  const auto range = parse_range("172.16.0.0/12");
  ASSERT_TRUE(range.ok());
  EXPECT_FALSE(range->contains(*parse_ip("172.15.255.255")));
  EXPECT_TRUE(range->contains(*parse_ip("172.16.0.0")));
  EXPECT_TRUE(range->contains(*parse_ip("172.31.255.255")));
  EXPECT_FALSE(range->contains(*parse_ip("172.32.0.0")));
  EXPECT_FALSE(range->contains(*parse_ip("::ffff:172.16.0.0")));
  const auto all = parse_range("::/0");
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all->contains(*parse_ip("2001::1")));
  EXPECT_FALSE(all->contains(*parse_ip("1.2.3.4")));
}

// Every prefix length against a comparison bit by bit.
TEST(AddressRange, EveryPrefixLength) {
  const IpAddress base = *parse_ip("a5a5:a5a5:a5a5:a5a5:a5a5:a5a5:a5a5:a5a5");
  for (int bits = 0; bits <= 128; ++bits) {
    const AddressRange range{base, bits};
    for (std::size_t flipped = 0; flipped < 128; ++flipped) {
      IpAddress other = base;
      other.bytes[flipped / 8] ^= static_cast<std::uint8_t>(0x80 >> flipped % 8);
      EXPECT_EQ(range.contains(other), flipped >= static_cast<std::size_t>(bits))
          << bits << " " << flipped;
    }
  }
}

TEST(AddressRange, WhatIsWrongIsSaid) {
  EXPECT_NE(parse_range("10.0.0.1/8").message().find("bits set"), std::string::npos);
  EXPECT_NE(parse_range("10.0.0.0/33").message().find("0 to 32"), std::string::npos);
  EXPECT_NE(parse_range("fd00::/129").message().find("0 to 128"), std::string::npos);
  for (const char* text : {"", "/8", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/-1", "example.com"}) {
    EXPECT_FALSE(parse_range(text).ok()) << text;
  }
}

TEST(AddressPolicy, PublicAddressesPass) {
  for (const char* text :
       {"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "169.253.0.0", "172.15.0.0", "172.32.0.0", "192.167.0.0",
        "192.169.0.0", "198.17.0.0", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00::1",
        "2001:4860:4860::8888"}) {
    EXPECT_EQ(refusal(text), "") << text;
  }
}

TEST(AddressPolicy, SpecialAddressesAreNamed) {
  const std::pair<const char*, const char*> kCases[] = {{"127.0.0.1", "loopback"},
                                                        {"127.255.255.255", "loopback"},
                                                        {"10.0.0.1", "private"},
                                                        {"172.16.0.1", "private"},
                                                        {"172.31.255.255", "private"},
                                                        {"192.168.255.255", "private"},
                                                        {"169.254.169.254", "link-local"},
                                                        {"100.64.0.1", "carrier-grade NAT"},
                                                        {"100.127.255.255", "carrier-grade NAT"},
                                                        {"0.0.0.0", "this network"},
                                                        {"192.0.0.8", "protocol assignment"},
                                                        {"192.0.2.1", "documentation"},
                                                        {"198.18.0.1", "benchmarking"},
                                                        {"198.51.100.1", "documentation"},
                                                        {"203.0.113.1", "documentation"},
                                                        {"224.0.0.1", "multicast"},
                                                        {"239.255.255.255", "multicast"},
                                                        {"240.0.0.1", "reserved"},
                                                        {"255.255.255.255", "reserved"},
                                                        {"::1", "loopback"},
                                                        {"::", "unspecified"},
                                                        {"::ffff:127.0.0.1", "IPv4-mapped"},
                                                        {"::ffff:8.8.8.8", "IPv4-mapped"},
                                                        {"64:ff9b::7f00:1", "NAT64"},
                                                        {"64:ff9b::808:808", "NAT64"},
                                                        {"64:ff9b:1::1", "NAT64"},
                                                        {"fc00::1", "unique local"},
                                                        {"fdff::1", "unique local"},
                                                        {"fe80::1", "link-local"},
                                                        {"fec0::1", "site-local"},
                                                        {"ff02::1", "multicast"},
                                                        {"2001:db8::1", "documentation"},
                                                        {"2001::1", "Teredo"},
                                                        {"2001:2::1", "protocol assignment"},
                                                        {"2002:7f00:1::", "6to4"},
                                                        {"::127.0.0.1", "reserved"},
                                                        {"100::1", "reserved"},
                                                        {"4000::1", "reserved"},
                                                        {"5f00::1", "reserved"},
                                                        {"3fff::1", "documentation"}};
  for (const auto& [text, what] : kCases) EXPECT_EQ(refusal(text), what) << text;
}

TEST(AddressPolicy, AllowsWhatItIsToldAndNoMore) {
  AddressPolicy policy;
  ASSERT_TRUE(policy.allow("192.168.7.0/24").ok());
  ASSERT_TRUE(policy.allow("::1").ok());
  EXPECT_EQ(policy.refusal(*parse_ip("192.168.7.9")), "");
  EXPECT_EQ(policy.refusal(*parse_ip("192.168.8.9")), "private");
  EXPECT_EQ(policy.refusal(*parse_ip("::1")), "");
  EXPECT_EQ(policy.refusal(*parse_ip("127.0.0.1")), "loopback");
  EXPECT_EQ(policy.refusal(*parse_ip("::ffff:192.168.7.9")), "IPv4-mapped");
  EXPECT_FALSE(policy.allow("nonsense").ok());
  policy.allow_all();
  EXPECT_EQ(policy.refusal(*parse_ip("127.0.0.1")), "");
}

}  // namespace
}  // namespace spinneret
