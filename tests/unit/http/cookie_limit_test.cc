// SPDX-License-Identifier: Apache-2.0
#include "http/cookie_limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace spinneret::http {
namespace {

std::string cookie(const std::string& domain, std::size_t number) {
  return domain + "\tTRUE\t/\tFALSE\t0\tc" + std::to_string(number) + "\tv";
}

void add(std::vector<std::string>& jar, const std::string& domain, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) jar.push_back(cookie(domain, i));
}

TEST(CookieLimit, IsDueOnceThreeHundredWereSet) {
  CookieLimit limit;
  for (int i = 0; i < 299; ++i) limit.note("a.test", "set-cookie: a=b\r\n");
  limit.note("a.test", "Content-Type: text/html\r\n");
  EXPECT_FALSE(limit.is_due());
  limit.note("a.test", "Set-Cookie:a=b\r\n");
  EXPECT_TRUE(limit.is_due());
  EXPECT_TRUE(limit.kept({}).empty());
  EXPECT_FALSE(limit.is_due());
}

TEST(CookieLimit, OfADomainTheOldestAndTheNewestStay) {
  CookieLimit limit;
  std::vector<std::string> jar;
  add(jar, ".a.test", 180);
  add(jar, "b.test", 3);
  EXPECT_EQ(limit.kept(jar), jar);
  // The limit is for all hosts of the domain together.
  jar.insert(jar.begin(), cookie("#HttpOnly_www.a.test", 999));
  const std::vector<std::string> kept = limit.kept(jar);
  std::vector<std::string> want(jar.begin(), jar.begin() + 75);
  want.insert(want.end(), jar.begin() + (181 - 75), jar.end());
  EXPECT_EQ(kept, want);
}

TEST(CookieLimit, OfAllThoseOfTheDomainsThatSetOneLastStay) {
  CookieLimit limit;
  const auto name = [](int i) { return "host" + std::to_string(i) + ".test"; };
  limit.begin_with({cookie("login.test", 1)});
  std::vector<std::string> jar = {cookie("login.test", 1)};
  for (int i = 0; i < 3300; ++i) {
    jar.push_back(cookie(name(i), 1));
    limit.note(i % 2 == 0 ? "www." + name(i) : name(i), "Set-Cookie: c1=v\r\n");
  }
  limit.note(name(7), "Set-Cookie: c1=v\r\n");
  const std::vector<std::string> kept = limit.kept(jar);
  EXPECT_EQ(kept.size(), 3000U);
  const auto has = [&kept](const std::string& domain) {
    return std::find(kept.begin(), kept.end(), cookie(domain, 1)) != kept.end();
  };
  EXPECT_TRUE(has("login.test"));  // it is from the file
  EXPECT_TRUE(has(name(3299)) && has(name(7)) && has(name(400)));
  EXPECT_FALSE(has(name(0)) || has(name(250)));
  EXPECT_EQ(limit.kept(kept), kept);
}

}  // namespace
}  // namespace spinneret::http
