// SPDX-License-Identifier: Apache-2.0
// The web-platform-tests' vectors of the URL Standard: urltestdata.json and toascii.json.
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "support/json.h"
#include "url/parse.h"

namespace spinneret {
namespace {

Json vectors(const std::string& name) {
  Result<std::string> text = read_file(SPINNERET_SHARED_DATA "/url/" + name);
  return text.ok() ? Json::parse(*text) : Json();
}

#define SPINNERET_VECTORS_OR_SKIP(json, name)                           \
  const Json json = vectors(name);                                      \
  if (json.is_null()) GTEST_SKIP() << "no ../shared/data/url/" << name; \
  ASSERT_TRUE(json.is_array())

bool parse_case(const Json& test, Url& url, UrlError* why = nullptr) {
  if (!test["base"].is_string()) return parse(test["input"].text(), url, why);
  Url base;
  return parse(test["base"].text(), base, why) && resolve(test["input"].text(), base, url, why);
}

std::string prefixed(std::string_view prefix, std::string_view text) {
  return text.empty() ? std::string() : std::string(prefix) + std::string(text);
}

std::string suffixed(std::string_view text, std::string_view suffix) {
  return std::string(text) + std::string(suffix);
}

// Compares the URL class's getters (section 6.1) with the parts of a Url.
void expect_parts(const Json& test, const Url& url) {
  EXPECT_EQ(url.href(), test["href"].text());
  EXPECT_EQ(suffixed(url.scheme(), ":"), test["protocol"].text());
  EXPECT_EQ(url.username(), test["username"].text());
  EXPECT_EQ(url.password(), test["password"].text());
  const std::string port(url.port_text());
  EXPECT_EQ(suffixed(url.host(), prefixed(":", port)), test["host"].text());
  EXPECT_EQ(url.host(), test["hostname"].text());
  EXPECT_EQ(port, test["port"].text());
  EXPECT_EQ(url.path(), test["pathname"].text());
  EXPECT_EQ(prefixed("?", url.query()), test["search"].text());
  EXPECT_EQ(prefixed("#", url.fragment()), test["hash"].text());
}

TEST(UrlTestData, EveryCase) {
  SPINNERET_VECTORS_OR_SKIP(cases, "urltestdata.json");
  int run = 0;
  for (const Json& test : cases.items()) {
    if (!test.is_object()) continue;
    SCOPED_TRACE(test["input"].text() + " against " + test["base"].text());
    ++run;
    Url url;
    UrlError why;
    const bool parsed = parse_case(test, url, &why);
    EXPECT_EQ(parsed, !test["failure"].truth()) << why.message << url.href();
    if (parsed && !test["failure"].truth()) expect_parts(test, url);
    if (!parsed) {
      EXPECT_FALSE(why.message.empty());
      EXPECT_LE(why.offset, test["input"].text().size());
    }
  }
  EXPECT_GE(run, 880);
}

TEST(UrlTestData, SerialisedParsesToItself) {
  SPINNERET_VECTORS_OR_SKIP(cases, "urltestdata.json");
  for (const Json& test : cases.items()) {
    Url url;
    if (!test.is_object() || !parse_case(test, url)) continue;
    SCOPED_TRACE(url.href());
    Url again;
    ASSERT_TRUE(parse(url.href(), again));
    EXPECT_EQ(again.href(), url.href());
  }
}

TEST(ToAscii, EveryCase) {
  SPINNERET_VECTORS_OR_SKIP(cases, "toascii.json");
  int run = 0;
  for (const Json& test : cases.items()) {
    if (!test.is_object()) continue;
    SCOPED_TRACE(test["input"].text());
    ++run;
    Url url;
    const bool parsed = parse("https://" + test["input"].text() + "/x", url);
    EXPECT_EQ(parsed, test["output"].is_string());
    if (!parsed) continue;
    EXPECT_EQ(url.host(), test["output"].text());
    EXPECT_EQ(url.href(), "https://" + test["output"].text() + "/x");
  }
  EXPECT_GE(run, 80);
}

}  // namespace
}  // namespace spinneret
