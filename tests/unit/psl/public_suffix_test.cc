// SPDX-License-Identifier: Apache-2.0
#include "url/public_suffix.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace spinneret {
namespace {

TEST(RegistrableDomain, ByThePublicSuffixList) {
  EXPECT_EQ(registrable_domain("www.example.co.uk"), "example.co.uk");
  EXPECT_EQ(registrable_domain("example.com"), "example.com");
  EXPECT_EQ(registrable_domain("a.b.example.org."), "example.org.");
  EXPECT_EQ(registrable_domain("co.uk"), "co.uk");
  EXPECT_EQ(registrable_domain("localhost"), "localhost");
  EXPECT_EQ(registrable_domain("1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(registrable_domain("[::1]"), "[::1]");
  EXPECT_EQ(registrable_domain("x.city.kawasaki.jp"), "city.kawasaki.jp");
  EXPECT_EQ(registrable_domain("www.xn--85x722f.com.cn"), "xn--85x722f.com.cn");
  EXPECT_EQ(registrable_domain(""), "");
}

// Hosts of 64 bytes are remembered, longer ones are not: what is below them has the same domain.
TEST(RegistrableDomain, IsTheSameWhenRemembered) {
  const std::string_view suffixes[] = {"com", "co.uk", "github.io", "kobe.jp", "test", "co.uk."};
  const std::string below = std::string(63, 'x') + ".";
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 6000; ++i) {
      const std::string name = "a.h" + std::to_string(i / 2) + "." + std::string(suffixes[i % 6]);
      ASSERT_EQ(registrable_domain(name), registrable_domain(below + name)) << name;
    }
  }
}

}  // namespace
}  // namespace spinneret
