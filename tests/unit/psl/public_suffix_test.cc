// SPDX-License-Identifier: Apache-2.0
#include "url/public_suffix.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace spinneret
