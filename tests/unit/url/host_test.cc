// SPDX-License-Identifier: Apache-2.0
// Hosts, in the order of section 3 of the URL Standard.
#include "url/host.h"

#include <gtest/gtest.h>

#include <string>

#include "support/url_soup.h"
#include "url/ipv6.h"

namespace spinneret {
namespace {

std::string host(std::string_view text, bool special = true) {
  std::string out;
  HostError why;
  return append_host(text, special, out, &why) ? out : "! " + why.message;
}

TEST(Domain, LowerCaseAndEscapes) {
  EXPECT_EQ(host("EX%41mple.COM"), "example.com");
  EXPECT_EQ(host("a_b-c.d"), "a_b-c.d");
  EXPECT_EQ(host("%2"), "! \"%\" is not allowed in a domain");
  EXPECT_EQ(host("a%2Fb"), "! \"/\" is not allowed in a domain");
  EXPECT_EQ(host("a.."), "a..");
  EXPECT_EQ(host("."), ".");
}

TEST(OpaqueHost, KeepsCaseAndEscapes) {
  EXPECT_EQ(host("EX%41mple\x01", false), "EX%41mple%01");
  EXPECT_EQ(host("1.2.3.256", false), "1.2.3.256");
}

TEST(Ipv4, InEverySpelling) {
  EXPECT_EQ(host("0x7F.1"), "127.0.0.1");
  EXPECT_EQ(host("017700000001"), "127.0.0.1");
  EXPECT_EQ(host("2130706433"), "127.0.0.1");
  EXPECT_EQ(host("1.2.3.4."), "1.2.3.4");
  EXPECT_EQ(host("0x.0x.0"), "0.0.0.0");
  EXPECT_EQ(host("\xEF\xBC\x91.2"), "1.0.0.2");
}

TEST(Ipv4, WhatEndsInANumberIsOneOrNothing) {
  for (const char* text : {"1.2.3.4.5", "256.1.1.1", "1..2", "a.1", "1.2.3.08", "4294967296",
                           "1.0x10000000", "a.0x1", "1.2.3.4.."}) {
    const std::string result = host(text);
    EXPECT_EQ(result.substr(0, 1), std::string_view(text) == "1.2.3.4.." ? "1" : "!") << text;
  }
  EXPECT_EQ(host("1.2.3.4a"), "1.2.3.4a");
  EXPECT_EQ(host("1.0xg"), "1.0xg");
}

std::string ipv6(std::string_view text) {
  Ipv6 address;
  Ipv6Error why;
  if (!parse_ipv6(text, address, why)) return "! " + std::string(why.reason);
  std::string out;
  append_ipv6(out, address);
  return out;
}

TEST(Ipv6, ShortestForm) {
  EXPECT_EQ(ipv6("::"), "::");
  EXPECT_EQ(ipv6("::1"), "::1");
  EXPECT_EQ(ipv6("1::"), "1::");
  EXPECT_EQ(ipv6("2001:DB8:0:0:1:0:0:1"), "2001:db8::1:0:0:1");
  EXPECT_EQ(ipv6("0:1:0:0:0:1:0:0"), "0:1::1:0:0");
  EXPECT_EQ(ipv6("1:0:2:0:3:0:4:0"), "1:0:2:0:3:0:4:0");
  EXPECT_EQ(ipv6("::ffff:1.2.3.4"), "::ffff:102:304");
  EXPECT_EQ(ipv6("1:2:3:4:5:6:7::"), "1:2:3:4:5:6:7:0");
}

TEST(Ipv6, WhatIsNone) {
  for (const char* text :
       {"", ":", ":1", "1", "1:2", ":::", "1::2::3", "12345::", "::g", "1:2:3:4:5:6:7:8:9",
        "::1.2.3", "::1.2.3.4.5", "::01.2.3.4", "::256.1.1.1", "1:2:3:4:5:6:7:1.2.3.4",
        "::1.2.3.4:1", "1:2:3:4:5:6:7:", "::.1"}) {
    EXPECT_EQ(ipv6(text).substr(0, 1), "!") << text;
  }
}

TEST(Ipv6, EveryShapeOfZerosComesBack) {
  for (unsigned mask = 0; mask < 256; ++mask) {
    Ipv6 address;
    for (unsigned i = 0; i < 8; ++i)
      address[i] = static_cast<std::uint16_t>(mask >> i & 1 ? 0xA0 + i : 0);
    std::string text;
    append_ipv6(text, address);
    Ipv6 back;
    Ipv6Error why;
    ASSERT_TRUE(parse_ipv6(text, back, why)) << text;
    ASSERT_EQ(back, address) << text;
  }
}

TEST(IsIpAddress, TellsThemFromNames) {
  EXPECT_TRUE(is_ip_address("1.2.3.4"));
  EXPECT_TRUE(is_ip_address("[::1]"));
  EXPECT_FALSE(is_ip_address("a.b"));
  EXPECT_FALSE(is_ip_address(""));
  EXPECT_FALSE(is_ip_address("1a"));
}

}  // namespace
}  // namespace spinneret
