// SPDX-License-Identifier: Apache-2.0
#include "url/explain.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace spinneret {
namespace {

std::string explained(std::string_view input, std::uint32_t steps, const Url* base = nullptr) {
  Normalizer normalizer({.steps = steps});
  normalizer.keep_parsed(true);
  std::string_view url;
  EXPECT_TRUE(normalizer.normalize(input, base, url)) << input;
  std::string out;
  append_explanation(out, input, normalizer);
  return out;
}

TEST(Explanation, NamesWhatTheParserDid) {
  EXPECT_EQ(explained("http://h/", 0), "");
  EXPECT_EQ(explained(" HTTP://EXAMPLE.com:80/a/../b c", 0),
            "space,scheme-case,host-case,port,dot-segments,escaped");
  EXPECT_EQ(explained("http:\\\\h\\a", 0), "backslash");
  EXPECT_EQ(explained("http:h", 0), "slashes,empty-path");
  EXPECT_EQ(explained("http://@b\xC3\xBC"
                      "cher.de/",
                      0),
            "userinfo,idna");
  EXPECT_EQ(explained("http://0x7f.1/", 0), "address");
  EXPECT_EQ(explained("http://[::0]/", 0), "address");
  EXPECT_EQ(explained("http://%61/", 0), "host");
  EXPECT_EQ(explained("http://h/a?b c", 0), "escaped");
  EXPECT_EQ(explained("http://b%C3%BCcher/", 0), "idna,host");
}

TEST(Explanation, NamesTheStepsToo) {
  EXPECT_EQ(explained("http://h/%7e#f", kStepFragment | kStepUnreserved | kStepHexCase),
            "fragment,unreserved");
  EXPECT_EQ(explained("HTTP://h/?utm_source=1", kStepTracking), "scheme-case,tracking");
}

TEST(Explanation, OfAResolvedUrl) {
  Url base;
  ASSERT_TRUE(parse("http://h/a/b", base));
  EXPECT_EQ(explained("../c", 0, &base), "resolved");
}

// Each of these changed, and had no step or a wrong one.
TEST(Explanation, EveryChangeHasItsStep) {
  EXPECT_EQ(explained("https://h:/", 0), "port");
  EXPECT_EQ(explained("foo://h:/", 0), "port");
  EXPECT_EQ(explained("mailto:\xC3\xA9", 0), "escaped");
  EXPECT_EQ(explained("mailto:a ?b", 0), "escaped");
  EXPECT_EQ(explained("MAILTO:a", 0), "scheme-case");
  EXPECT_EQ(explained("http://\xC3\xBCser:p\xC3\xA4@h/", 0), "escaped");
  EXPECT_EQ(explained("http://u:@h/", 0), "userinfo");
  EXPECT_EQ(explained("http://u:p:@h/", 0), "escaped");
  EXPECT_EQ(explained("foo://\xC3\xA9/", 0), "escaped");
  EXPECT_EQ(explained("foo:/a/./b", 0), "dot-segments");
  EXPECT_EQ(explained("foo:/..//b", 0), "dot-segments");
  EXPECT_EQ(explained("Foo:/.//b", 0), "scheme-case");
  EXPECT_EQ(explained("http://h/%41/../\xC3\xA9", 0), "dot-segments,escaped");
  EXPECT_EQ(explained("http://h/\xC3\xA9/../b", 0), "dot-segments");
}

TEST(Explanation, OfFileUrls) {
  EXPECT_EQ(explained("file:///a?\xC3\xA9", 0), "escaped");
  EXPECT_EQ(explained("file:/a", 0), "slashes");
  EXPECT_EQ(explained("file:a", 0), "slashes");
  EXPECT_EQ(explained("file:", 0), "slashes");
  EXPECT_EQ(explained("file://h", 0), "empty-path");
  EXPECT_EQ(explained("file://H/a", 0), "host-case");
  EXPECT_EQ(explained("file://localhost/a", 0), "host");
  EXPECT_EQ(explained("file:////a/../b", 0), "dot-segments");
  EXPECT_EQ(explained("file:///C|/a", 0), "drive-letter");
  EXPECT_EQ(explained("file://C:/a", 0), "slashes");
  EXPECT_EQ(explained("file:\\\\h\\a", 0), "backslash");
}

TEST(Explanation, OfKeys) {
  EXPECT_EQ(explained("com,example)/A", kStepSurt | kStepLowerPath), "lower-path,surt");
  EXPECT_EQ(explained("com,EXAMPLE)/", kStepSurt), "surt");
}

TEST(Explanation, OfAUrlWithTheSchemeOfItsBase) {
  Url base;
  ASSERT_TRUE(parse("http://h/a/b", base));
  EXPECT_EQ(explained("http:c", 0, &base), "resolved");
  EXPECT_EQ(explained(" http:c", 0, &base), "space,resolved");
  EXPECT_EQ(explained("HTTP://h/c", 0, &base), "scheme-case");
}

// Over all profiles, with a base and without: what came out otherwise has a step.
TEST(Explanation, NoChangeWithoutAStep) {
  static constexpr std::string_view kPieces[] = {
      "http",       "HTTPS", "file",  "foo",      "ws",
      "mailto",     ":",     ":",     "//",       "/",
      "\\",         "?",     "#",     "@",        ".",
      "..",         "/../",  "/./",   "%2e",      "%41",
      "%7e",        "%",     " ",     "\t",       "C|",
      "c:",         "H",     "h",     "1.2",      "0x7f.1",
      "[::0]",      ":80",   ":0443", ":",        "a",
      "\xC3\xA9",   "\xFF",  "www.",  "b.org",    "localhost",
      "index.html", "&",     "=",     "utm_a=1",  ";jsessionid=1",
      "com,b)/",    "'",     "|",     "user:pw@", "//h/",
  };
  std::mt19937 random(4);
  Url base;
  ASSERT_TRUE(parse("http://base/x/y?z", base));
  int changed = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string input;
    if (random() % 2 == 0) input = std::string(kPieces[random() % 6]) + "://h";
    for (std::uint_fast32_t count = random() % 9; count > 0; --count) {
      input += kPieces[random() % std::size(kPieces)];
    }
    for (const ProfileInfo& profile : all_profiles()) {
      for (const Url* const on :
           {static_cast<const Url*>(nullptr), static_cast<const Url*>(&base)}) {
        Normalizer normalizer({.steps = profile.steps});
        normalizer.keep_parsed(true);
        std::string_view url;
        if (!normalizer.normalize(input, on, url) || url == input) continue;
        std::string out;
        append_explanation(out, input, normalizer);
        ASSERT_NE(out, "") << profile.name << ' ' << input << " became " << url;
        ++changed;
      }
    }
  }
  EXPECT_GT(changed, 50000);
}

}  // namespace
}  // namespace spinneret
