// SPDX-License-Identifier: Apache-2.0
#include "url/public_suffix.h"

#include <gtest/gtest.h>
#include <libpsl.h>

#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/file.h"
#include "url/host.h"

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

std::string domain_by(const SuffixRules& rules, std::string_view name) {
  return std::string(name.substr(name.size() - rules.domain_size(name)));
}

TEST(SuffixRules, ByTheAlgorithmOfTheList) {
  const SuffixRules rules(
      "// a comment\n\ncom\nuk\nco.uk what follows is none\n*.ck\n!www.ck\n\xC3\xA9.com\n"
      "a.b.c.d.e.com\r\njp\n*.kobe.jp\n!city.kobe.jp\n*\n bad..rule.\x01\n");
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"x.example.com", "example.com"},
      {"com", "com"},
      {"a.x.co.uk", "x.co.uk"},
      {"co.uk", "co.uk"},
      {"x.uk", "x.uk"},
      {"a.b.c.ck", "b.c.ck"},
      {"c.ck", "c.ck"},
      {"ck", "ck"},
      {"x.www.ck", "www.ck"},
      {"www.ck", "www.ck"},
      {"x.y.xn--9ca.com", "y.xn--9ca.com"},
      {"y.x.a.b.c.d.e.com", "x.a.b.c.d.e.com"},
      {"x.b.c.d.e.com", "e.com"},
      {"a.city.kobe.jp", "city.kobe.jp"},
      {"b.a.x.kobe.jp", "a.x.kobe.jp"},
      {"a.b.unknown", "b.unknown"},
      {"localhost", "localhost"},
  };
  for (const auto& [name, domain] : rows) EXPECT_EQ(domain_by(rules, name), domain) << name;
}

// libpsl on the same list is the slow twin: all rules of the system's, each with labels in front of it and without some.
// Where the package publicsuffix is not installed, a small list has to do.
TEST(SuffixRules, AreTheSameByLibpsl) {
  std::string file = "/usr/share/publicsuffix/public_suffix_list.dat";
  Result<std::string> text = read_file(file);
  const bool whole = text.ok();
  if (!whole) {
    file = testing::TempDir() + "psl." + std::to_string(::getpid());
    std::ofstream(file) << "com\nuk\nco.uk\n*.ck\n!www.ck\n*.kawasaki.jp\n!city.kawasaki.jp\njp\n";
    text = read_file(file);
  }
  psl_ctx_t* const psl = psl_load_file(file.c_str());
  if (!whole) std::remove(file.c_str());
  ASSERT_TRUE(text.ok() && psl != nullptr) << file;
  const SuffixRules rules(*text);
  EXPECT_GT(rules.size(), whole ? 5000U : 5U);
  std::string_view rest = *text;
  std::size_t compared = 0;
  while (!rest.empty()) {
    std::string_view rule = cut(rest, '\n');
    if (rule.empty() || rule.starts_with("//")) continue;
    while (!rule.empty() && (rule[0] == '!' || rule[0] == '*' || rule[0] == '.'))
      rule.remove_prefix(1);
    std::string name;
    ASSERT_TRUE(append_host(rule, true, name, nullptr)) << rule;
    for (const char* const labels : {"", "a.", "www.", "b.a.", "c.b.a."}) {
      const std::string host = labels + name;
      const char* const found = psl_registrable_domain(psl, host.c_str());
      ASSERT_EQ(domain_by(rules, host), found == nullptr ? host : found) << host;
      ++compared;
    }
  }
  EXPECT_GT(compared, whole ? 25000U : 30U);
  psl_free(psl);
}

// A list goes out of date: rules are added at some forty a month, and without them two sites are taken for one. Not a failure,
// since the system's package decides; who packages sees it here. --psl=FILE takes a newer one.
TEST(PublicSuffixList, TellsItsAge) {
  const std::string day = public_suffix_list_day();
  std::tm then{};
  if (strptime(day.c_str(), "%Y-%m-%d", &then) == nullptr) {
    // The list that libpsl was built with does not tell.
    EXPECT_EQ(day, "");
    EXPECT_EQ(registrable_domain("a.b.co.uk"), "b.co.uk");
    return;
  }
  const double days = std::difftime(std::time(nullptr), timegm(&then)) / 86400;
  if (days > 365) {
    std::cout << "note: the public suffix list is of " << day << ", " << static_cast<int>(days)
              << " days old: newer ones are at https://publicsuffix.org/list/ (--psl=FILE)\n";
  }
  EXPECT_LT(days, 20 * 365) << day;
}

}  // namespace
}  // namespace spinneret
