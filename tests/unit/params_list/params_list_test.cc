// SPDX-License-Identifier: Apache-2.0
#include "policy/params_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spinneret::policy {
namespace {

struct Read {
  explicit Read(std::string_view text) : list(ParamsList::read(text, "list", left_out)) {}
  // Returns the URL without what the list removes; unchanged if that is nothing.
  std::string strip(const std::string& text) const {
    Url url;
    EXPECT_TRUE(parse(text, url)) << text;
    std::string out;
    if (!list->strip(url, out)) return text;
    // The stripped URL is valid, and nothing more is stripped from it.
    Url again;
    EXPECT_TRUE(parse(out, again)) << out;
    EXPECT_EQ(again.href(), out);
    EXPECT_EQ(again.host(), url.host());
    std::string twice;
    EXPECT_FALSE(list->strip(again, twice)) << text << " became " << out << " and then " << twice;
    return out;
  }
  std::vector<Problem> left_out;
  Result<ParamsList> list;
};

constexpr std::string_view kProviders = R"({"providers": {
  "globalRules": {"urlPattern": ".*", "completeProvider": false, "rules": ["(?:%3F)?utm(?:_[a-z_]*)?", "gclid", "FBclid"],
                  "exceptions": ["^https?://keep\\.test/"]},
  "shop.one": {"urlPattern": "^https?:\\/\\/(?:[a-z0-9-]+\\.)*?shop(?:\\.[a-z]{2,}){1,}", "rules": ["p[fd]_rd_[a-z]*"],
               "referralMarketing": ["tag"], "rawRules": ["\\/ref=[^/?]*"]}}})";

TEST(ParamsList, ClearUrls) {
  const Read read(kProviders);
  ASSERT_TRUE(read.list.ok()) << read.list.message();
  EXPECT_TRUE(read.left_out.empty());
  EXPECT_EQ(read.list->size(), 6U);
  EXPECT_FALSE(read.list->is_for_queries());
  EXPECT_EQ(read.strip("http://h.test/?utm_source=1&a=2&GCLID=3&fbclid"), "http://h.test/?a=2");
  EXPECT_EQ(read.strip("http://h.test/?gclid=1"), "http://h.test/");
  EXPECT_EQ(read.strip("http://h.test/?%67clid=1&b"), "http://h.test/?b");
  EXPECT_EQ(read.strip("http://h.test/?gclidx=1&tag=2"), "http://h.test/?gclidx=1&tag=2");
  EXPECT_EQ(read.strip("http://keep.test/?gclid=1"), "http://keep.test/?gclid=1");
  EXPECT_EQ(read.strip("http://h.test/#utm_x=1&b=2"), "http://h.test/#b=2");
  EXPECT_EQ(read.strip("http://h.test/#gclid"), "http://h.test/#gclid");
  EXPECT_EQ(read.strip("https://www.shop.co.uk/dp/X/ref=sr_1?pf_rd_p=1&tag=x&keep=1#f"),
            "https://www.shop.co.uk/dp/X?keep=1#f");
  EXPECT_EQ(read.strip("mailto:a@b?gclid=1"), "mailto:a@b?gclid=1");
}

TEST(ParamsList, WhatIsLeftOutOfJsonIsToldByItsKeys) {
  const Read read(
      R"x({"providers": {"p": {"urlPattern": ".*", "rules": ["(?<=x)a", "b", "(", "((a{999}){999})"],
    "redirections": ["x=(.*)"], "completeProvider": true, "rawRules": ["(?=y)"], "exceptions": ["\\1"]}}})x");
  ASSERT_TRUE(read.list.ok());
  ASSERT_EQ(read.left_out.size(), 6U);
  // The rest of the message is RE2's, which names more or less of the operator depending on its
  // version.
  EXPECT_TRUE(read.left_out[0].to_string().starts_with(
      "list: providers.\"p\".rules \"(?<=x)a\" is left out: invalid perl operator: (?<"))
      << read.left_out[0].to_string();
  EXPECT_NE(read.left_out[5].to_string().find("2 redirections and whole providers"),
            std::string::npos);
  EXPECT_EQ(read.strip("http://h.test/?a&b&c"), "http://h.test/?a&c");
}

TEST(ParamsList, NoRuleLeadsToAnotherSite) {
  const Read read(R"({"providers": {"p": {"urlPattern": ".*",
    "rawRules": ["^https", "//[^/]*", "good\\.", "/x"]}}})");
  ASSERT_TRUE(read.list.ok());
  EXPECT_EQ(read.strip("https://good.test/x/a"), "https://good.test/a");
}

constexpr std::string_view kLines = R"(! Title: x
[Adblock Plus]
||ads.test^
h.test##.removeparam
$removeparam=gclid
$removeparam=/^utm_[a-z]+=/
||shop.test^$removeparam=ref
||only.test^$removeparam=~id
||all.test^$removeparam
|http://begin.test/a*z$removeparam=b,match-case
@@||keep.test^$removeparam
@@||part.test^$removeparam=gclid
@@||re.test^$removeparam=/^utm_[a-z]+=/
$removeparam=sid,domain=a.test|b.*|~x.a.test
$removeparam=/^q\,r=\$/i
)";

TEST(ParamsList, AdGuard) {
  const Read read(kLines);
  ASSERT_TRUE(read.list.ok()) << read.list.message();
  EXPECT_TRUE(read.left_out.empty());
  EXPECT_TRUE(read.list->is_for_queries());
  EXPECT_EQ(read.strip("http://h.test/?gclid=1&Gclid=2&utm_a=2&utm=3"),
            "http://h.test/?Gclid=2&utm=3");
  EXPECT_EQ(read.strip("http://h.test/?utm%5Fa=2"), "http://h.test/");
  EXPECT_EQ(read.strip("http://w.shop.test/?ref=1&b"), "http://w.shop.test/?b");
  EXPECT_EQ(read.strip("http://h.test/?ref=1&b"), "http://h.test/?ref=1&b");
  EXPECT_EQ(read.strip("http://only.test/?a=1&id=2&b"), "http://only.test/?id=2");
  EXPECT_EQ(read.strip("http://all.test/?a=1#x"), "http://all.test/#x");
  EXPECT_EQ(read.strip("http://begin.test/axz?b=1&c"), "http://begin.test/axz?c");
  EXPECT_EQ(read.strip("http://begin.test/AxZ?b=1&c"), "http://begin.test/AxZ?b=1&c");
  EXPECT_EQ(read.strip("http://keep.test/?gclid=1"), "http://keep.test/?gclid=1");
  EXPECT_EQ(read.strip("http://part.test/?gclid=1&utm_x=1"), "http://part.test/?gclid=1");
  EXPECT_EQ(read.strip("http://re.test/?gclid=1&utm_x=1"), "http://re.test/?utm_x=1");
  EXPECT_EQ(read.strip("http://w.a.test/?sid=1"), "http://w.a.test/");
  EXPECT_EQ(read.strip("http://x.a.test/?sid=1"), "http://x.a.test/?sid=1");
  EXPECT_EQ(read.strip("http://w.b.co.uk/?sid=1"), "http://w.b.co.uk/");
  EXPECT_EQ(read.strip("http://b.c.example/?sid=1"), "http://b.c.example/?sid=1");
  EXPECT_EQ(read.strip("http://h.test/?Q%2Cr=%24"), "http://h.test/");
}

TEST(ParamsList, WhatIsLeftOutOfLinesIsToldByTheirNumber) {
  const Read read(
      "\xEF\xBB\xBF! x\r\n$removeparam=a\r\n$removeparam=/(?=x)/\r\n$removeparam=z,script\r\n"
      "$removeparam=~/x/\r\n$removeparam=~\r\n$removeparam=/x/g\r\n/(/$removeparam=x\r\n"
      "$removeparam=x,domain=a b\r\n||-*^$removeparam=x,domain=\xFF\r\n");
  ASSERT_TRUE(read.list.ok());
  ASSERT_EQ(read.left_out.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(read.left_out[i].to_string().substr(0, 6),
              "list:" + std::to_string(i + 3).substr(0, 1));
    EXPECT_NE(read.left_out[i].message.find("is left out: "), std::string::npos);
  }
  EXPECT_EQ(read.strip("http://h.test/?a&z&x"), "http://h.test/?z&x");
}

TEST(ParamsList, WhatIsNoListIsRefused) {
  for (const char* const text : {"", "{", "{}", "[]", "{\"providers\":1}", "{\"providers\":{}}",
                                 "||ads.test^\n", "\xFF\xFE", "gclid\n"}) {
    const Read read(text);
    EXPECT_FALSE(read.list.ok()) << text;
    if (read.list.ok()) continue;
    EXPECT_EQ(read.list.message().rfind("list: ", 0), 0U) << read.list.message();
  }
}

// A list with the greatest number of rules is no slower for a URL to which none applies.
TEST(ParamsList, AsManyRulesAsThereAre) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) {
    const std::string n = std::to_string(i);
    text.append("||h")
        .append(n)
        .append(".test^$removeparam=p")
        .append(n)
        .append("\n$removeparam=q")
        .append(n) += '\n';
  }
  const Read read(text);
  ASSERT_TRUE(read.list.ok());
  EXPECT_EQ(read.list->size(), 100'000U);
  EXPECT_EQ(read.strip("http://h7.test/?p7&p8&q9"), "http://h7.test/?p8");
}

TEST(ParamsList, BugExceptionsAndRawRulesWereCompiledWithoutLimit) {
  std::string text = R"({"providers":{"p":{"urlPattern":".*","exceptions":[)";
  for (int i = 0; i < 100'001; ++i) {
    text += i == 0 ? "\"a" : ",\"a";
    text += std::to_string(i) + ".\"";
  }
  std::vector<Problem> left_out;
  const auto list = ParamsList::read(text + "]}}}", "list", left_out);
  ASSERT_FALSE(list.ok());
  EXPECT_EQ(list.message(), "list: more than 100000 rules");
}

TEST(ParamsList, BugARuleWhoseHostHoldsTheWordWasLost) {
  const Read read("||removeparam.test^$removeparam=x\n");
  ASSERT_TRUE(read.list.ok());
  EXPECT_EQ(read.strip("http://removeparam.test/?x=1&z=2"), "http://removeparam.test/?z=2");
}

}  // namespace
}  // namespace spinneret::policy
