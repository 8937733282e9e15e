// SPDX-License-Identifier: Apache-2.0
#include "base/ip_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <random>
#include <string>

namespace spinneret {
namespace {

IpAddress random_ip(std::mt19937& random) {
  IpAddress ip;
  ip.v4 = random() % 2 == 0;
  // Only few bits differ, so that ranges hold some of the addresses.
  for (std::size_t i = ip.v4 ? 12 : 0; i < 16; ++i)
    ip.bytes[i] = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : random() % 2 * 0x80);
  if (ip.v4) ip.bytes[10] = ip.bytes[11] = 0xFF;
  return ip;
}

bool bit_of(const IpAddress& ip, int bit) {
  return (ip.bytes[static_cast<std::size_t>(bit / 8)] >> (7 - bit % 8) & 1) != 0;
}

TEST(IpAddress, TextComesBack) {
  std::mt19937 random(1);
  for (int round = 0; round != 20'000; ++round) {
    const IpAddress ip = random_ip(random);
    const std::string text = to_string(ip);
    ASSERT_EQ(parse_ip(text), ip) << text;
    if (ip.v4) continue;
    ASSERT_EQ(parse_ip("[" + text + "]"), ip) << text;
  }
}

TEST(IpAddress, WhatIsNoAddress) {
  for (const std::string& none : {std::string(),
                                  std::string("1"),
                                  std::string("1.2.3"),
                                  std::string("1.2.3.4.5"),
                                  std::string("1.2.3.256"),
                                  std::string("01.2.3.4"),
                                  std::string("0x1.2.3.4"),
                                  std::string(" 1.2.3.4"),
                                  std::string("1.2.3.4 "),
                                  std::string("1.2.3.4\0", 8),
                                  std::string("::1\0", 4),
                                  std::string("[]"),
                                  std::string("[::1"),
                                  std::string("::1]"),
                                  std::string("[1.2.3.4]"),
                                  std::string(":::"),
                                  std::string("1::2::3"),
                                  std::string("fe80::1%eth0"),
                                  std::string("12345::"),
                                  std::string("g::"),
                                  std::string("h.example"),
                                  std::string(100'000, ':')})
    EXPECT_FALSE(parse_ip(none)) << none.substr(0, 40);
}

TEST(IpAddress, ARangeHoldsWhatSharesItsBits) {
  std::mt19937 random(2);
  int held = 0;
  for (int round = 0; round != 50'000; ++round) {
    AddressRange range;
    range.base = random_ip(random);
    const int least = range.base.v4 ? 96 : 0;
    range.bits = least + static_cast<int>(random() % (129 - static_cast<unsigned>(least)));
    for (int bit = range.bits; bit < 128; ++bit)
      range.base.bytes[static_cast<std::size_t>(bit / 8)] &=
          static_cast<std::uint8_t>(~(0x80 >> bit % 8));
    const std::string text = to_string(range.base) + "/" + std::to_string(range.bits - least);
    const Result<AddressRange> parsed = parse_range(text);
    ASSERT_TRUE(parsed.ok()) << parsed.message();
    ASSERT_EQ(parsed->base, range.base);
    ASSERT_EQ(parsed->bits, range.bits);
    ASSERT_TRUE(parsed->contains(range.base));
    const IpAddress ip = random_ip(random);
    bool expected = ip.v4 == range.base.v4;
    for (int bit = 0; bit < range.bits; ++bit)
      expected = expected && bit_of(ip, bit) == bit_of(range.base, bit);
    ASSERT_EQ(parsed->contains(ip), expected) << text << " " << to_string(ip);
    held += expected;
  }
  EXPECT_GT(held, 100);
}

TEST(IpAddress, ARangeThatIsNoneIsTold) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"x", "not an address or CIDR range such as 10.0.0.0/8: \"x\""},
      {"/8", "not an address or CIDR range such as 10.0.0.0/8: \"/8\""},
      {"10.0.0.0/33", "prefix length must be 0 to 32: \"10.0.0.0/33\""},
      {"::/129", "prefix length must be 0 to 128: \"::/129\""},
      {"10.0.0.0/", "prefix length must be 0 to 32: \"10.0.0.0/\""},
      {"10.0.0.0/-1", "prefix length must be 0 to 32: \"10.0.0.0/-1\""},
      {"10.0.0.0/8/8", "prefix length must be 0 to 32: \"10.0.0.0/8/8\""},
      {"10.0.0.1/8", "address has bits set beyond its prefix length: \"10.0.0.1/8\""},
      {"8000::/0", "address has bits set beyond its prefix length: \"8000::/0\""},
  };
  for (const auto& each : cases) {
    const Result<AddressRange> range = parse_range(each.text);
    ASSERT_FALSE(range.ok()) << each.text;
    EXPECT_EQ(range.message(), each.message);
  }
  EXPECT_TRUE(parse_range("10.1.2.3")->contains(*parse_ip("10.1.2.3")));
  EXPECT_FALSE(parse_range("0.0.0.0/0")->contains(*parse_ip("::ffff:1.2.3.4")));
  EXPECT_TRUE(is_mapped(*parse_ip("::ffff:1.2.3.4")));
  EXPECT_FALSE(is_mapped(*parse_ip("1.2.3.4")));
}

TEST(IpAddress, OfIpv4BehindNat64) {
  EXPECT_EQ(behind_nat64(*parse_ip("64:ff9b::1.2.3.4")), parse_ip("1.2.3.4"));
  for (const char* const other : {"1.2.3.4", "::ffff:1.2.3.4", "64:ff9b:1::1.2.3.4",
                                  "64:ff9b::1:1.2.3.4", "64:ff9c::1.2.3.4"})
    EXPECT_EQ(behind_nat64(*parse_ip(other)), std::nullopt) << other;
}

TEST(IpAddress, OfASocketAndInAList) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(0xC0000201);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  sockaddr other{};
  other.sa_family = AF_UNIX;
  const auto four = to_ip(reinterpret_cast<const sockaddr&>(v4));
  const auto six = to_ip(reinterpret_cast<const sockaddr&>(v6));
  ASSERT_TRUE(four && six);
  EXPECT_EQ(list_text({*four, *six}), "192.0.2.1,[::1]");
  EXPECT_EQ(list_text({}), "");
  EXPECT_FALSE(to_ip(other));
}

}  // namespace
}  // namespace spinneret
