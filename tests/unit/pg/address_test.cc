// SPDX-License-Identifier: Apache-2.0
#include "pg/address.h"

#include <gtest/gtest.h>

#include <string>

#include "pg/parameters.h"

namespace spinneret::pg {
namespace {

TEST(Address, HasHostsADatabaseAndTheNameOfTheCrawl) {
  const Result<Address> address = parse_address(
      "postgresql://me:p%40s/s@h1,h2:6000,[::1]/my%2Fcrawls/"
      "crawl-1?sslmode=verify-full&sslrootcert=%2Fca.pem");
  ASSERT_TRUE(address.ok()) << address.message();
  const std::vector<ServiceHost> hosts = {{"h1", 5432}, {"h2", 6000}, {"::1", 5432}};
  EXPECT_EQ(address->hosts, hosts);
  EXPECT_EQ(address->user, "me");
  EXPECT_EQ(address->password, "p@s/s");
  EXPECT_EQ(address->database, "my/crawls");
  EXPECT_EQ(address->crawl, "crawl-1");
  ASSERT_EQ(address->words.size(), 2U);
  EXPECT_EQ(address->words[1].second, "/ca.pem");
  EXPECT_EQ(address->text(), "postgresql://h1:5432,h2:6000,[::1]:5432/my/crawls/crawl-1");
  EXPECT_EQ(parse_address("postgres://%2Frun%2Fpg/d/c")->hosts[0].name, "/run/pg");
}

TEST(Address, SaysWhatIsWrongAndNeverThePassword) {
  for (const char* const bad :
       {"", "redis://h/c", "postgresql://h", "postgresql://h/d", "postgresql://h/d/",
        "postgresql://h//c", "postgresql:///d/c", "postgresql://h:0/d/c",
        "postgresql://h:65536/d/c", "postgresql://h,,i/d/c", "postgresql://h/d/C",
        "postgresql://h/d/c/e", "postgresql://h/d/c?sslmode=on",
        "postgresql://h/d/c?sslcert=", "postgresql://h/d/c?password=x"})
    EXPECT_FALSE(parse_address(bad).ok()) << bad;
  for (const char* const bad : {"postgresql://:secret@h:x/d/c", "postgresql://:secret@h/d",
                                "postgresql://:secret@h/d/c?secret"}) {
    const Result<Address> address = parse_address(bad);
    ASSERT_FALSE(address.ok()) << bad;
    EXPECT_EQ(address.message().find("secret"), std::string::npos) << address.message();
  }
}

// The bytes follow PostgreSQL's documentation of its binary format.
TEST(Parameters, AreInBinary) {
  const std::string_view names[] = {"a", "bc"};
  const std::int64_t numbers[] = {-1};
  const Parameters all =
      Parameters().text("x").integer(258).texts(names).integers(numbers).byte_strings({});
  const auto bytes = [](std::initializer_list<int> of) {
    std::string out;
    for (const int one : of) out += static_cast<char>(one);
    return out;
  };
  ASSERT_EQ(all.values().size(), 5U);
  EXPECT_EQ(all.values()[0], "x");
  EXPECT_EQ(all.values()[1], bytes({0, 0, 0, 0, 0, 0, 1, 2}));
  EXPECT_EQ(all.values()[2], bytes({0, 0, 0, 1, 0, 0, 0, 0, 0,   0, 0, 25, 0, 0,   0,  2,
                                    0, 0, 0, 1, 0, 0, 0, 1, 'a', 0, 0, 0,  2, 'b', 'c'}));
  EXPECT_EQ(all.values()[3],
            bytes({0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 8}) +
                std::string(8, '\xff'));
  EXPECT_EQ(all.values()[4], bytes({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 17}));
  EXPECT_EQ(integer_of(all.values()[1]), 258);
  EXPECT_EQ(integer_of(std::string(8, '\xff')), -1);
  EXPECT_EQ(integer_of("abc"), 0);
}

}  // namespace
}  // namespace spinneret::pg
