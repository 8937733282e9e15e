// SPDX-License-Identifier: Apache-2.0
#include "url/public_suffix.h"

#include <gtest/gtest.h>
#include <libpsl.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/file.h"
#include "base/hash.h"
#include "url/host.h"
#include "url/partition.h"
#include "url/parts_by_host.h"

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

// libpsl on the same list is the slow twin: all rules of the system's list are tested, with labels
// in front and without some. Where the package publicsuffix is not installed, a small list is used.
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

// A rule in plain letters is read directly; with a space in front of it, like any other text of the
// list. The end of the text is tested, too: the last line may lack its line end.
TEST(SuffixRules, ThatArePlainAreReadAsAllOthers) {
  std::mt19937 random(7);
  constexpr std::string_view kBytes = "aaaabz09..--xXn\t *!/\xC3\xA9";
  std::size_t rules = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string plain, spaced;
    for (auto lines = 1 + random() % 3; lines > 0; --lines) {
      std::string line;
      for (auto size = random() % 9; size > 0; --size) line += kBytes[random() % kBytes.size()];
      if (random() % 8 == 0) line.insert(0, "xn--9ca.");
      plain += line + (lines == 1 ? "" : "\n");
      spaced += ' ' + line + (lines == 1 ? "" : "\n");
    }
    const SuffixRules some(plain), twin(spaced);
    ASSERT_EQ(some.size(), twin.size()) << plain;
    ASSERT_EQ(some.digest(), twin.digest()) << plain;
    rules += some.size();
  }
  EXPECT_GT(rules, 10000U);
}

// A list goes out of date: some forty rules are added a month, and without them two sites are taken
// for one. That is no failure, because the system's package decides; packagers see it here.
// --psl=FILE takes a newer list.
TEST(PublicSuffixList, TellsItsAge) {
  const std::string day = public_suffix_list_day();
  std::tm then{};
  if (strptime(day.c_str(), "%Y-%m-%d", &then) == nullptr) {
    // The list with which libpsl was built has no date.
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

// The vectors of man url-filter. States and outputs of other machines depend on them.
TEST(Partitions, Vectors) {
  struct Row {
    std::string_view host;
    std::uint32_t of16, of64, of100;
  };
  constexpr Row kRows[] = {
      {"example.org", 4, 16, 25},
      {"www.example.org", 4, 16, 25},
      {"example.org.", 4, 16, 25},
      {"a.b.example.co.uk", 14, 59, 93},
      {"xn--bcher-kva.example", 6, 25, 40},
      {"x.a.github.io", 6, 26, 41},
      {"localhost", 1, 5, 8},
      {"192.0.2.1", 13, 53, 83},
      {"[2001:db8::1]", 7, 31, 49},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(Partitions(16).of_host(row.host), row.of16) << row.host;
    EXPECT_EQ(Partitions(64).of_host(row.host), row.of64) << row.host;
    EXPECT_EQ(Partitions(100).of_host(row.host), row.of100) << row.host;
  }
  Url scratch;
  EXPECT_EQ(Partitions(64).of_text("HTTPS://u@WWW.Example.ORG.:8443/a?b#c", scratch), 16U);
  EXPECT_EQ(Partitions(64).of_text("http://www.b\xC3\xBC"
                                   "cher.example/",
                                   scratch),
            25U);
  EXPECT_EQ(Partitions(16).of_text("mailto:me@example.org", scratch), 2U);
  EXPECT_EQ(Partitions(16).of_text("", scratch), 2U);
}

// What is remembered of a host changes no result, in whatever order URLs come, and however wrong
// they are.
TEST(Partitions, RememberedByHostTheyAreTheSame) {
  const Partitions partitions(997);
  PartsByHost parts(partitions);
  const std::string long_name = std::string(60, 'a') + ".test";
  Url scratch, other;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3000; ++i) {
      const std::string host = "www.site" + std::to_string(i) + ".test";
      ASSERT_EQ(parts.of_text("http://" + host + "/" + std::to_string(round), scratch),
                partitions.of_host(host));
      ASSERT_EQ(parts.of_host(host), partitions.of_host(host));
    }
    for (const std::string& url :
         {std::string("http://a.test:80/"),     std::string("http://a.test:99999/x"),
          std::string("http://a.test:99999/y"), std::string("http://1.2.3/"),
          std::string("http://1.2.3.4.5/a"),    std::string("http://1.2.3.4.5/b"),
          std::string("http://0x7f.1/"),        std::string("http://a.test\\@b.test/"),
          std::string("http://a.test@b.test/"), std::string("http://a\t.test/"),
          std::string("http://a.test\t/"),      std::string("http://a.test "),
          std::string("http://a.test?q"),       std::string("http://a.test#f"),
          std::string("http://:80/"),           std::string("http:///a.test/"),
          std::string("https://a.test./"),      std::string("HTTP://a.test/"),
          std::string("http://xn--a/"),         std::string("http://xn--a/b"),
          std::string("http://A.test/"),        std::string("http://a.test:/"),
          "http://" + long_name + "/",          std::string("http://"),
          std::string("mailto:a.test"),         std::string()})
      ASSERT_EQ(parts.of_text(url, scratch), partitions.of_text(url, other)) << url;
  }
}

// Over many names: parts 2p and 2p + 1 of 2N are part p of N, and all parts are in use, evenly.
TEST(Partitions, CutInTwoAndEven) {
  constexpr std::uint32_t kParts = 50;
  constexpr int kNames = 50'000;
  std::vector<int> sizes(kParts);
  for (int i = 0; i < kNames; ++i) {
    const std::string host = "www.site" + std::to_string(i) + ".example";
    const std::uint32_t part = Partitions(kParts).of_host(host);
    ASSERT_LT(part, kParts);
    ++sizes[part];
    ASSERT_EQ(Partitions(2 * kParts).of_host(host) / 2, part) << host;
    ASSERT_EQ(Partitions(1).of_host(host), 0U);
  }
  for (const int size : sizes) EXPECT_NEAR(size, kNames / kParts, 200);
}

// Compares with the definition with all its 128 bits, by long multiplication.
TEST(Partitions, ThePartIsTheHighWordOfTheProduct) {
  for (int i = 0; i < 2000; ++i) {
    const std::string host = std::to_string(i) + ".example";
    const std::uint64_t hash = hash64(host);
    for (const std::uint32_t count : {1U, 2U, 3U, 7U, 64U, 999'983U, Partitions::kMost}) {
      std::uint64_t high = 0, low = 0;  // hash * count, added up bit by bit
      for (int bit = 31; bit >= 0; --bit) {
        high = high << 1 | low >> 63;
        low <<= 1;
        if ((count >> bit & 1) == 0) continue;
        low += hash;
        high += low < hash;
      }
      ASSERT_EQ(Partitions(count).of_host(host), high) << host << " of " << count;
    }
  }
}

TEST(Partitions, ADomainThatIsSpreadGoesByHost) {
  const Result<Partitions> made =
      Partitions::with_spread(64, {"wikipedia.org", "a.co.uk", "wikipedia.org"});
  ASSERT_TRUE(made.ok()) << made.message();
  EXPECT_EQ(made->spread().size(), 2U);
  EXPECT_EQ(made->key_of_host("en.m.wikipedia.org."), "en.m.wikipedia.org");
  EXPECT_EQ(made->key_of_host("wikipedia.org"), "wikipedia.org");
  EXPECT_EQ(made->key_of_host("x.wikimedia.org"), "wikimedia.org");
  EXPECT_EQ(made->key_of_host("x.y.a.co.uk"), "x.y.a.co.uk");
  EXPECT_EQ(made->of_host("x.b.co.uk"), Partitions(64).of_host("b.co.uk"));
  for (const char* const bad : {"en.wikipedia.org", "Wikipedia.org", "", "a/b", "wikipedia.org."})
    EXPECT_FALSE(Partitions::with_spread(64, {bad}).ok()) << bad;
}

TEST(Partitions, PartOf) {
  const Result<PartOf> part = parse_part_of("3/64");
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->index, 3U);
  EXPECT_EQ(part->count, 64U);
  for (const char* const bad :
       {"", "3", "3/", "/3", "64/64", "0/0", "-1/4", "1/2/3", "a/4", "0/1000001", "1 /4"})
    EXPECT_FALSE(parse_part_of(bad).ok()) << bad;
  EXPECT_EQ(parse_part_of("64/64").message(),
            "of 64 parts the last is 63: they are counted from 0");
}

TEST(SuffixRules, TheDigestIsOfTheRules) {
  const auto digest = [](std::string_view text) { return SuffixRules(text).digest(); };
  EXPECT_EQ(digest("com\nco.uk\n"), digest("// VERSION: 1\nco.uk\r\n\ncom and more\ncom\n"));
  EXPECT_NE(digest("com\nco.uk\n"), digest("com\n"));
  EXPECT_NE(digest("com\n*.ck\n"), digest("com\nck\n"));
  EXPECT_NE(digest("com\n!www.ck\n"), digest("com\nwww.ck\n"));
  EXPECT_EQ(public_suffix_list_digest().size(), 16U);
}

}  // namespace
}  // namespace spinneret
