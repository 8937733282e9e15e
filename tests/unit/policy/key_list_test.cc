// SPDX-License-Identifier: Apache-2.0
#include "policy/key_list.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "policy/host_table.h"
#include "support/cpu_time.h"

namespace spinneret::policy {
namespace {

bool has(const KeyList& list, const std::string& text) {
  Url url;
  EXPECT_TRUE(parse(text, url)) << text;
  return list.contains(url, url.href_without_fragment());
}

KeyList make(const std::vector<std::string>& lines, KeyList::Names names = KeyList::Names::kHosts) {
  KeyList list;
  for (const std::string& line : lines) {
    std::string why;
    EXPECT_TRUE(list.add_line(line, names, &why)) << line << ": " << why;
  }
  return list;
}

TEST(KeyList, Hosts) {
  const KeyList list = make({"a.example", "*.b.example", ".c.example", "0.0.0.0 d.example",
                             "E.Example", "127.0.0.1\tf.example # hosts file", "# comment", "  "});
  EXPECT_EQ(list.size(), 6U);
  EXPECT_TRUE(has(list, "http://a.example/x"));
  EXPECT_FALSE(has(list, "http://w.a.example/"));
  EXPECT_FALSE(has(list, "http://b.example/"));
  EXPECT_TRUE(has(list, "http://x.w.b.example/"));
  EXPECT_TRUE(has(list, "http://c.example/"));
  EXPECT_TRUE(has(list, "http://w.c.example:8080/"));
  EXPECT_TRUE(has(list, "https://d.example/"));
  EXPECT_TRUE(has(list, "https://e.example/"));
  EXPECT_TRUE(has(list, "https://f.example/"));
  EXPECT_FALSE(has(list, "mailto:a@a.example"));
}

TEST(KeyList, OfAHostsFilesLineTheNamesBehindTheFirstWereLost) {
  const KeyList list = make({"0.0.0.0 a.example\tb.example  c.example # d.example",
                             "fe80::1%lo0 e.example", "255.255.255.255 broadcasthost",
                             "::1 localhost", "0.0.0.0 0.0.0.0", "10.0.0.1", ":: 2001:DB8::1"});
  for (const char* host : {"a.example", "b.example", "c.example", "e.example", "broadcasthost",
                           "localhost", "0.0.0.0", "10.0.0.1", "[2001:db8::1]"}) {
    EXPECT_TRUE(has(list, std::string("http://") + host + "/")) << host;
  }
  EXPECT_EQ(list.size(), 9U);
}

TEST(KeyList, NamesThatNoUrlCanHaveAreLeftOut) {
  const KeyList list = make({"1.2.3.456", "0.0.0.0 ads.300 b.example", "a_b.example"});
  EXPECT_EQ(list.size(), 2U);
  EXPECT_EQ(list.impossible_count(), 2U);
  EXPECT_EQ(list.impossible_name(), "1.2.3.456");
}

TEST(KeyList, DomainsHoldWhatIsBelowThem) {
  const KeyList list = make({"a.example"}, KeyList::Names::kDomains);
  EXPECT_TRUE(has(list, "http://a.example/"));
  EXPECT_TRUE(has(list, "http://w.a.example/"));
  EXPECT_FALSE(has(list, "http://ba.example/"));
}

TEST(KeyList, UrlsAndPrefixes) {
  const KeyList list = make({"HTTP://h.example:80/a/../b?c", "http://h.example/p/*",
                             "http://h.example/q*", "https://all.example*"});
  EXPECT_TRUE(has(list, "http://h.example/b?c#d"));
  EXPECT_FALSE(has(list, "http://h.example/b?cc"));
  EXPECT_FALSE(has(list, "https://h.example/b?c"));
  EXPECT_TRUE(has(list, "http://h.example/p/"));
  EXPECT_TRUE(has(list, "http://h.example/p/x/y"));
  EXPECT_FALSE(has(list, "http://h.example/p"));
  EXPECT_TRUE(has(list, "http://h.example/quux?z"));
  EXPECT_TRUE(has(list, "https://all.example/anything"));
  EXPECT_FALSE(has(list, "https://all.example.org/"));
}

TEST(KeyList, VeryLongPrefixes) {
  const std::string prefix = "http://h.example/" + std::string(5000, 'x') + "/";
  const KeyList list = make({prefix + "*"});
  EXPECT_TRUE(has(list, prefix + "y"));
  EXPECT_FALSE(has(list, prefix.substr(0, prefix.size() - 2) + "y/"));
}

TEST(KeyList, BugAHostOfManyLabelsTookQuadraticTime) {
  const KeyList list = make({".b.example", "*.c.example", "http://h.example/a/*"});
  const auto milliseconds_of = [&](int labels) {
    std::string text = "http://";
    for (int i = 0; i < labels; ++i) text += "a.";
    Url url;
    EXPECT_TRUE(parse(text + "example/", url));
    return least_milliseconds([&] { EXPECT_FALSE(list.contains(url, url.href())); });
  };
  const double small = milliseconds_of(20'000);
  const double large = milliseconds_of(160'000);
  EXPECT_LT(large, 24 * small + 5) << small << " ms, then " << large << " ms";
}

TEST(KeyList, WhatIsNoEntry) {
  KeyList list;
  std::string why;
  for (const char* line : {"a b", "http://", "*", "a*b", "http://[x/", "a.b:80", "0.0.0.0 a.b:80",
                           "0 a.b", "||ads.example^", "1.2.3.4.5 a.example"}) {
    EXPECT_FALSE(list.add_line(line, KeyList::Names::kHosts, &why)) << line;
    EXPECT_FALSE(why.empty());
  }
  EXPECT_EQ(list.size(), 0U);
  EXPECT_FALSE(has(list, "http://a/"));
}

// The list is exact, compared with std::set, and takes at most 24 bytes an entry, whatever the
// entries' length.
TEST(KeyList, ManyEntriesAreExactAndSmall) {
  std::mt19937_64 random(3);
  const std::string path = ::testing::TempDir() + "/spinneret-list-" + std::to_string(getpid());
  std::set<std::string> hosts;
  while (hosts.size() < 50'000) {
    hosts.insert("host-" + std::to_string(random() % 1'000'000) + "." +
                 std::to_string(random() % 100) + "-a-rather-long-name-of-a-domain.example");
  }
  {
    std::ofstream file(path);
    for (const std::string& host : hosts) file << host << "\r\n";
    file << "no host at all\nlast.example";
  }
  KeyList list;
  ASSERT_TRUE(list.load(path).ok());
  std::remove(path.c_str());
  EXPECT_EQ(list.size(), hosts.size() + 1);
  EXPECT_LE(list.memory(), list.size() * 24);
  EXPECT_EQ(list.bad_line_count(), 1U);
  ASSERT_EQ(list.bad_lines().size(), 1U);
  EXPECT_EQ(list.bad_lines()[0].first, hosts.size() + 1);
  EXPECT_TRUE(has(list, "http://last.example/"));
  for (const std::string& host : hosts) ASSERT_TRUE(has(list, "http://" + host + "/"));
  for (int i = 0; i < 50'000; ++i) {
    const std::string host = "host-" + std::to_string(random() % 1'000'000) + "." +
                             std::to_string(random() % 100) +
                             "-a-rather-long-name-of-a-domain.example";
    ASSERT_EQ(has(list, "http://" + host + "/"), hosts.contains(host));
  }
}

// Without a count of lines in advance (from a pipe) the table grows, and stays as small.
TEST(KeyList, GrowsEntryByEntry) {
  KeyList list;
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(list.add_line("http://h.example/" + std::to_string(i), KeyList::Names::kHosts));
  }
  EXPECT_EQ(list.size(), 20'000U);
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(has(list, "http://h.example/" + std::to_string(i)));
  EXPECT_FALSE(has(list, "http://h.example/20000"));
}

TEST(KeyList, FilesThatCannotBeRead) {
  KeyList list;
  EXPECT_FALSE(list.load("/nonexistent/list").ok());
  EXPECT_FALSE(list.load("/").ok());
  EXPECT_TRUE(list.load("/dev/null").ok());
  EXPECT_FALSE(has(list, "http://a/"));
}

using Ids = std::vector<std::uint32_t>;

HostTable make_table(const std::vector<std::string>& patterns) {
  HostTable table;
  for (std::uint32_t i = 0; i < patterns.size(); ++i) {
    HostPattern pattern;
    std::string why;
    EXPECT_TRUE(parse_host_pattern(patterns[i], pattern, &why)) << why;
    table.add(pattern, i);
  }
  return table;
}

Ids find(const HostTable& table, std::string_view host) {
  Ids ids;
  table.find(host, ids);
  EXPECT_EQ(table.contains(host), !ids.empty()) << host;
  return ids;
}

TEST(HostTable, ExactBelowAndBoth) {
  const HostTable table = make_table({"a.example", "*.a.example", ".a.example"});
  EXPECT_EQ(find(table, "a.example"), (Ids{0, 2}));
  EXPECT_EQ(find(table, "www.a.example"), (Ids{1, 2}));
  EXPECT_EQ(find(table, "x.www.a.example"), (Ids{1, 2}));
  EXPECT_EQ(find(table, "ba.example"), (Ids{}));
  EXPECT_EQ(find(table, "example"), (Ids{}));
  EXPECT_EQ(find(table, ""), (Ids{}));
}

TEST(HostTable, LeastSpecificFirst) {
  const HostTable table = make_table({"www.a.example", ".a.example", ".example", "*"});
  EXPECT_EQ(find(table, "www.a.example"), (Ids{3, 2, 1, 0}));
}

TEST(HostTable, TopLevelDomainsAndUnicode) {
  const HostTable table = make_table({".ru", "*.M\xC3\xBCnchen.example", ".\xD1\x80\xD1\x84"});
  EXPECT_EQ(find(table, "a.ru"), (Ids{0}));
  EXPECT_EQ(find(table, "ru"), (Ids{0}));
  EXPECT_EQ(find(table, "guru"), (Ids{}));
  EXPECT_EQ(find(table, "www.xn--mnchen-3ya.example"), (Ids{1}));
  EXPECT_EQ(find(table, "a.xn--p1ai"), (Ids{2}));
}

TEST(HostTable, AddressesHaveNoNamesBelow) {
  const HostTable table = make_table({".0.0.1", "0x7f.1", "[::1]"});
  EXPECT_EQ(find(table, "127.0.0.1"), (Ids{1}));
  EXPECT_EQ(find(table, "[::1]"), (Ids{2}));
}

// Compares with maps of the library: names that come again, in many lengths, and one that thousands
// of sections name.
TEST(HostTable, ManyNamesAsPlainMapsHaveThem) {
  std::mt19937 random(1);
  std::map<std::string, Ids> exact;
  std::map<std::string, Ids> below;
  HostTable table;
  for (std::uint32_t id = 0; id < 3000; ++id) {
    std::string name = id % 3 == 0 ? "hub" : std::string(1 + random() % 40, 'a');
    name += std::to_string(random() % 50) + (id % 2 == 0 ? ".example" : ".test");
    const auto match = static_cast<HostMatch>(random() % 3);
    table.add({match, name}, id);
    if (match != HostMatch::kBelow) exact[name].push_back(id);
    if (match != HostMatch::kExact) below[name].push_back(id);
  }
  std::vector<std::string> names{"", "example", "none.example"};
  for (const auto& [name, ids] : exact) names.push_back(name);
  for (const auto& [name, ids] : below)
    names.insert(names.end(), {name, "x." + name, "y.x." + name});
  for (const std::string& name : names) {
    Ids wanted;
    for (std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0;
         dot = name.rfind('.', dot - 1)) {
      const auto found = below.find(name.substr(dot + 1));
      if (found != below.end())
        wanted.insert(wanted.end(), found->second.begin(), found->second.end());
    }
    if (const auto found = exact.find(name); found != exact.end())
      wanted.insert(wanted.end(), found->second.begin(), found->second.end());
    EXPECT_EQ(find(table, name), wanted) << name;
  }
}

TEST(HostTable, WhatIsNoHost) {
  HostPattern pattern;
  std::string why;
  for (const char* text : {"", "a b", "*.", "a.*.b", "a*b", "http://a/", "a/b", "[::1"}) {
    EXPECT_FALSE(parse_host_pattern(text, pattern, &why)) << text;
    EXPECT_FALSE(why.empty());
  }
}

}  // namespace
}  // namespace spinneret::policy
