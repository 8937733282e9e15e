// SPDX-License-Identifier: Apache-2.0
#include "url/normalize.h"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/file.h"
#include "support/json.h"
#include "support/url_soup.h"

namespace spinneret {
namespace {

std::string normal(std::string_view input, NormalizeRules rules, const Url* base = nullptr) {
  Normalizer normalizer(std::move(rules));
  std::string_view out;
  UrlError why;
  return normalizer.normalize(input, base, out, &why) ? std::string(out) : "! " + why.message;
}

std::string with(std::string_view input, std::uint32_t steps) {
  return normal(input, {.steps = steps});
}

std::uint32_t profile(std::string_view name) {
  for (const ProfileInfo& info : all_profiles()) {
    if (info.name == name) return info.steps;
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(Profiles, WhatwgDoesNothingMore) {
  EXPECT_EQ(with("http://h/%7e?#f", profile("whatwg")), "http://h/%7e?#f");
}

TEST(Profiles, SafeChangesNothingAServerCouldTellApart) {
  const std::uint32_t safe = profile("safe");
  EXPECT_EQ(with("http://h/%7e%3a#f", safe), "http://h/~%3A");
  // A server can see all of these.
  for (const char* url : {"http://h/?", "http://h/a//b/", "http://h/%zz", "http://u@h/",
                          "http://h./", "http://h/?utm_source=a", "http://h/index.html",
                          "http://www.h.org/", "http://h/A?b&a", "http://h/;jsessionid=1"}) {
    EXPECT_EQ(with(url, safe), url);
  }
}

TEST(Escapes, HexCase) {
  EXPECT_EQ(with("http://h/%3a%c3%a9?%3a#%3a", kStepHexCase), "http://h/%3A%C3%A9?%3A#%3A");
}

TEST(Escapes, Unreserved) {
  EXPECT_EQ(with("http://h/%41%7a%30%2d%2E%5f%7E%2f%20?%41#%41", kStepUnreserved),
            "http://h/Az0-._~%2f%20?A#A");
}

TEST(Escapes, UndoingMakesNoNewEscape) {
  EXPECT_EQ(with("http://h/%%34%31", kStepUnreserved), "http://h/%%341");
  EXPECT_EQ(with("http://h/%4%31", kStepUnreserved), "http://h/%4%31");
  EXPECT_EQ(with("http://h/%z%31", kStepUnreserved), "http://h/%z1");
  EXPECT_EQ(with("http://h/%2541", kStepUnreserved), "http://h/%2541");
  EXPECT_EQ(with("http://h/%%34%31", kStepUnreserved | kStepStrayPercent), "http://h/%2541");
}

TEST(Escapes, StrayPercent) {
  EXPECT_EQ(with("http://h/%?%z=%4&100%#%", kStepStrayPercent),
            "http://h/%25?%25z=%254&100%25#%25");
}

TEST(Escapes, DecodeLeavesWhatWouldChangeTheMeaning) {
  EXPECT_EQ(with("http://h/%3a%3B%20%2f%23%25%26%3D%2B%3f%5c%7b%22%c3%a9", kStepDecode),
            "http://h/:;%20%2f%23%25%26%3D%2B%3f%5c%7b%22%c3%a9");
  EXPECT_EQ(with("http://h/?%3a%3f%2f%23%25%26%3D%2B%27%5c", kStepDecode),
            "http://h/?:?%2f%23%25%26%3D%2B%27\\");
  EXPECT_EQ(with("file:///%43%7C/%43%3a", kStepDecode), "file:///C%7C/C%3a");
}

TEST(Host, TrailingDot) {
  EXPECT_EQ(with("http://h.example../a", kStepTrailingDot), "http://h.example/a");
  EXPECT_EQ(with("http://./", kStepTrailingDot), "http://./");
  // "x.1" would be an invalid address.
  EXPECT_EQ(with("http://x.1../", kStepTrailingDot), "http://x.1../");
  EXPECT_EQ(with("foo://h./", kStepTrailingDot), "foo://h./");
}

TEST(Host, Www) {
  EXPECT_EQ(with("http://www.www.h.org/", kStepWww), "http://h.org/");
  EXPECT_EQ(with("http://www.org/", kStepWww), "http://www.org/");
  EXPECT_EQ(with("http://www.org./", kStepWww | kStepTrailingDot), "http://www.org/");
  EXPECT_EQ(with("http://u:p@www.h.org:8/", kStepWww), "http://u:p@h.org:8/");
}

TEST(Host, UserinfoSchemeAndPort) {
  EXPECT_EQ(with("http://u:p@h:8/", kStepUserinfo), "http://h:8/");
  EXPECT_EQ(with("https://h:80/", kStepHttp), "http://h/");
  EXPECT_EQ(with("http://h:443/", kStepHttps), "https://h/");
  EXPECT_EQ(with("http://h/", kStepHttp | kStepHttps), "https://h/");
  EXPECT_EQ(with("ftp://h/", kStepPort), "ftp://h:21/");
  EXPECT_EQ(with("http://h:80/a", kStepPort), "http://h:80/a");
  EXPECT_EQ(with("file:///a", kStepPort), "file:///a");
  EXPECT_EQ(with("foo://h/a", kStepPort), "foo://h/a");
}

TEST(Path, DirectoryIndexes) {
  EXPECT_EQ(with("http://h/a/index.html?q", kStepIndex), "http://h/a/?q");
  EXPECT_EQ(with("http://h/DEFAULT.aspx", kStepIndex), "http://h/");
  EXPECT_EQ(with("http://h/index.htm", kStepIndex), "http://h/index.htm");
  EXPECT_EQ(normal("http://h/home", {.steps = kStepIndex, .index_names = {"home"}}), "http://h/");
  EXPECT_EQ(with("http://h/a/index.html/index.php/", kStepIndex | kStepTrailingSlash),
            "http://h/a");
}

TEST(Path, Slashes) {
  EXPECT_EQ(with("http://h//a///b//", kStepSlashes), "http://h/a/b/");
  EXPECT_EQ(with("http://h/a//", kStepTrailingSlash), "http://h/a");
  EXPECT_EQ(with("http://h///", kStepTrailingSlash), "http://h/");
  EXPECT_EQ(with("web+x:/.//a//b", kStepSlashes), "web+x:/a/b");
}

TEST(Path, LowerCaseLeavesEscapes) {
  EXPECT_EQ(with("http://h/A/%C3%A9B?C", kStepLowerPath), "http://h/a/%C3%A9b?C");
}

TEST(Path, Sessions) {
  EXPECT_EQ(with("http://h/a;jsessionid=12.x/b;c=d;JSESSIONID=9?q", kStepSession),
            "http://h/a/b;c=d?q");
  EXPECT_EQ(with("http://h/(S(lit3py55t21z5v55vlm25s55))/a", kStepSession), "http://h/a");
  EXPECT_EQ(with("http://h/a/(X(1)S(lit3py55t21z5v55vlm25s55))", kStepSession), "http://h/a/");
  EXPECT_EQ(with("http://h/a/(X(1))", kStepSession), "http://h/a/(X(1))");
  EXPECT_EQ(with("http://h/(S(lit3py55t21z5v55vlm25s55))", kStepSession), "http://h/");
  EXPECT_EQ(with("http://h/(S(short))/a", kStepSession), "http://h/(S(short))/a");
}

TEST(Path, WhatASessionHidIsADotSegment) {
  EXPECT_EQ(with("http://h/a/..;jsessionid=1/b", kStepSession), "http://h/b");
  // Without a host in front, "//" would begin one.
  EXPECT_EQ(with("foo:/;jsessionid=1/b", kStepSession), "foo:/.//b");
}

TEST(Query, Tracking) {
  EXPECT_EQ(with("http://h/?utm_source=a&id=1&FBCLID=x&%75tm_medium=b", kStepTracking),
            "http://h/?id=1");
  EXPECT_EQ(with("http://h/?utm_source=a", kStepTracking), "http://h/");
  EXPECT_EQ(with("http://h/?", kStepTracking), "http://h/?");
}

TEST(Query, Sessions) {
  EXPECT_EQ(with("http://h/?PHPSESSID=1&a&ASPSESSIONIDABC=2", kStepSession), "http://h/?a");
}

TEST(Query, DropAndKeep) {
  EXPECT_EQ(normal("http://h/?a=1&ab=2&b=3&c", {.drop_params = {"a*", "c"}}), "http://h/?b=3");
  EXPECT_EQ(normal("http://h/?a=1&ab=2&b=3&c", {.keep_params = {"?b", "c"}}), "http://h/?ab=2&c");
  EXPECT_EQ(normal("http://h/?a=1&ab=2", {.drop_params = {"ab"}, .keep_params = {"a*"}}),
            "http://h/?a=1");
}

TEST(Query, NamesAreComparedDecodedAndNothingIsEncodedAnew) {
  EXPECT_EQ(normal("http://h/?a%20b=1&c%2bd=%2F+%2f&a+b=2", {.drop_params = {"a b"}}),
            "http://h/?c%2bd=%2F+%2f");
}

TEST(Query, Sort) {
  EXPECT_EQ(with("http://h/?b=2&a=2&%61=1&B&&a=0", kStepSortQuery),
            "http://h/?&B&a=2&%61=1&a=0&b=2");
}

TEST(Query, DropEmptyAndWhole) {
  EXPECT_EQ(with("http://h/?#f", kStepEmptyQuery), "http://h/#f");
  EXPECT_EQ(with("http://h/?a#f", kStepQuery), "http://h/#f");
  EXPECT_EQ(with("http://h/?&", kStepEmptyQuery), "http://h/?&");
}

TEST(Opaque, PathsAndTheirQueriesStay) {
  constexpr std::uint32_t kAll = (kStepPort << 1) - 1;
  EXPECT_EQ(with("mailto:A@b//%7e?utm_source=x#f", kAll & ~kStepQuery),
            "mailto:A@b//%7e?utm_source=x");
  EXPECT_EQ(with("data:,%7E #f", kStepFragment), "data:,%7E%20");
}

TEST(Normalizer, NamesTheStepsThatChanged) {
  Normalizer normalizer({.steps = profile("aggressive")});
  std::string_view out;
  ASSERT_TRUE(normalizer.normalize("http://www.h.org/a/?b&a#f", nullptr, out));
  EXPECT_EQ(out, "https://h.org/a?a&b");
  EXPECT_EQ(normalizer.changed(),
            static_cast<std::uint32_t>(kStepHttps | kStepWww | kStepTrailingSlash | kStepSortQuery |
                                       kStepFragment));
  ASSERT_TRUE(normalizer.normalize("https://h.org/a?a&b", nullptr, out));
  EXPECT_EQ(normalizer.changed(), 0U);
}

TEST(Normalizer, UrlBelongsToTheText) {
  Normalizer normalizer({.steps = profile("safe")});
  std::string_view out;
  ASSERT_TRUE(normalizer.normalize("http://h/%41?%42&%zz#f", nullptr, out));
  EXPECT_EQ(out, "http://h/A?B&%zz");
  const Url& url = normalizer.url();
  EXPECT_EQ(url.href(), out);
  EXPECT_EQ(url.path(), "/A");
  EXPECT_EQ(url.query(), "B&%zz");
  EXPECT_FALSE(url.has_fragment());
}

std::string cdx_key(std::string_view text, const CdxForm& form = {}) {
  Url url;
  EXPECT_TRUE(parse(text, url)) << text;
  std::string key;
  append_cdx_key(key, url, form);
  return key;
}

// The keys are those of the Internet Archive's canonicalizer.
TEST(CdxKey, IsThatOfTheArchives) {
  const std::string id32 = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";
  const std::string id24 = "abcdefghijklmnopqrstuvwx";
  const std::pair<std::string, std::string> rows[] = {
      {"http://WWW.Example.org:80/A/", "org,example)/a"},
      {"https://www7.example.org/", "org,example)/"},
      {"https://www7example.org:80/", "org,www7example:80)/"},
      {"http://www.org/", "org)/"},
      {"http://a..example.org./", "org,example,a)/"},
      {"http://198.51.100.7/", "7,100,51,198)/"},
      {"http://[2001:DB8::1]:8/x", "[2001:db8::1]:8)/x"},
      {"gopher://h.test/1", "test,h)/1"},
      {"mailto:A@b#c", "mailto:A@b"},
      {"filedesc://x.arc", "filedesc://x.arc"},
      {"file:///A", "file:///A"},
      {"http://h/?b=2&a&a=1&a=", "h)/?a&a=&a=1&b=2"},
      {"http://h/?", "h)/"},
      {"http://h/?q=1&", "h)/?&q=1"},
      {"http://h/%2525%41/%E9?%c3%A9=%23", "h)/%25a/%e9?%c3%a9=%23"},
      {"http://h/%%34%31", "h)/a"},
      {"http://h/a//b/%2e%2E/./c", "h)/a/c"},
      {"http://h/?x=1&JSESSIONID=" + id32 + "&y", "h)/?x=1&y"},
      {"http://h/?jsessionid=" + id32 + "0", "h)/?jsessionid=" + id32 + "0"},
      {"http://h/?PHPSESSID=" + id32, "h)/"},
      {"http://h/?mysid=" + id32 + "&a", "h)/?mya"},
      {"http://h/?aspsessionidABCDEFGH=" + id24 + "&a", "h)/?a"},
      {"http://h/?a&cfid=1&cftoken=2&b", "h)/?a&b"},
      {"http://h/?cfid=&cftoken=2", "h)/?cfid=&cftoken=2"},
      {"http://h/(" + id24 + ")/p.aspx", "h)/p.aspx"},
      {"http://h/(S(" + id24 + ")F(" + id24 + "))/a/p.ASPX", "h)/a/p.aspx"},
      {"http://h/(S(" + id24 + "))/p.html", "h)/(s(" + id24 + "))/p.html"},
      {"http://h/(" + id24 + ")/.aspx", "h)/(" + id24 + ")/.aspx"},
  };
  for (const auto& [text, key] : rows) EXPECT_EQ(cdx_key(text), key) << text;
}

TEST(CdxKey, HasForms) {
  EXPECT_EQ(cdx_key("http://www.h.test/", {.scheme = true}), "http://(test,h)/");
  EXPECT_EQ(cdx_key("http://www.h.test:8/", {.comma = true}), "test,h:8,)/");
  EXPECT_EQ(cdx_key("http://www.h.test/", {.www = true}), "test,h,www)/");
  EXPECT_EQ(cdx_key("http://192.0.2.1/", {.comma = true, .address = true}), "192.0.2.1)/");
  EXPECT_EQ(cdx_key("mailto:a", {.scheme = true, .comma = true}), "mailto:a");
}

TEST(CdxKey, LeadsBack) {
  const auto back = [](std::string_view key, bool cdx) {
    std::string url;
    return append_url_of_surt(url, key, cdx) ? url : "none";
  };
  EXPECT_EQ(back("test,h,)/a?b", true), "http://h.test/a?b");
  EXPECT_EQ(back("ftp://(test,h:21,)/", true), "ftp://h.test:21/");
  EXPECT_EQ(back("1,2,0,192)/", true), "http://192.0.2.1/");
  EXPECT_EQ(back(",)/", true), "none");
  EXPECT_EQ(back("h,)/", false), "http://.h/");
}

// Bug: escapes within escapes took quadratic time.
TEST(CdxKey, OfHostileUrlsTakesOnePass) {
  std::string nested = "http://h/%";
  std::string sessions = "http://h/?";
  std::string segments = "http://h/";
  for (int i = 0; i < 300000; ++i) nested += "25";
  for (int i = 0; i < 100000; ++i) sessions += "cfid=1&cftoken=";
  for (int i = 0; i < 100000; ++i) segments += "(a)/.aspx/";
  EXPECT_EQ(cdx_key(nested), "h)/%25");
  EXPECT_FALSE(cdx_key(sessions).empty());
  EXPECT_EQ(cdx_key(segments).size(), segments.size() - 7);
}

TEST(Params, EmptyOnesGoAndRepeatedOnes) {
  const auto changed = [](std::uint32_t steps, std::string_view text) {
    Normalizer normalizer({.steps = steps});
    std::string_view out;
    EXPECT_TRUE(normalizer.normalize(text, nullptr, out));
    return std::string(out);
  };
  EXPECT_EQ(changed(kStepEmptyParams, "http://h/?&a&&=&b=&=c&"), "http://h/?a&b=&=c");
  EXPECT_EQ(changed(kStepEmptyParams, "http://h/?"), "http://h/");
  EXPECT_EQ(changed(kStepDedupeParams, "http://h/?b=1&a&b=1&b=2&a&A"), "http://h/?b=1&a&b=2&A");
  EXPECT_EQ(changed(kStepLowerQuery, "http://h/A?B=%C3%a9C"), "http://h/A?b=%C3%a9c");
}

// Returns the steps one by one, all together, at random, and the profiles.
std::vector<std::uint32_t> step_sets() {
  std::vector<std::uint32_t> sets;
  for (const ProfileInfo& info : all_profiles()) sets.push_back(info.steps);
  for (const StepInfo& info : all_steps()) sets.push_back(info.step);
  UrlSoup random(5);
  for (int i = 0; i < 24; ++i) sets.push_back(static_cast<std::uint32_t>(random.number(1 << 26)));
  return sets;
}

void expect_idempotent(Normalizer& normalizer, const std::string& input) {
  std::string_view out;
  if (!normalizer.normalize(input, nullptr, out)) return;
  const std::string once(out);
  ASSERT_TRUE(normalizer.normalize(once, nullptr, out)) << testing::PrintToString(input) << once;
  ASSERT_EQ(out, once) << testing::PrintToString(input) << " steps " << normalizer.rules().steps;
}

TEST(Idempotence, OverTheStandardsVectors) {
  Result<std::string> text = read_file(SPINNERET_SHARED_DATA "/url/urltestdata.json");
  if (!text.ok()) GTEST_SKIP() << "no ../shared/data/url/urltestdata.json";
  const Json cases = Json::parse(*text);
  for (const std::uint32_t steps : step_sets()) {
    Normalizer normalizer({.steps = steps});
    for (const Json& test : cases.items()) {
      if (test.is_object()) expect_idempotent(normalizer, test["input"].text());
      if (test["href"].is_string()) expect_idempotent(normalizer, test["href"].text());
    }
  }
}

// make_safe() first checks whether there may be anything to do; the steps themselves do not.
void expect_safe_form(std::string_view text) {
  Url url;
  if (!parse(text, url)) return;
  make_safe(url);
  // Then nothing is left of what it checks for.
  const std::string once(url.href());
  make_safe(url);
  EXPECT_EQ(url.href(), once);
  Url whole;
  ASSERT_TRUE(parse(text, whole));
  EXPECT_EQ(once, with(whole.href(), kStepHexCase | kStepUnreserved)) << text;
}

TEST(SafeForm, IsThatOfItsSteps) {
  Url url;
  ASSERT_TRUE(parse("http://h/%7e%2fa%zz%?q=%c3%A4#%7e", url));
  make_safe(url);
  EXPECT_EQ(url.href(), "http://h/~%2Fa%zz%?q=%C3%A4#~");
  EXPECT_EQ(url.path(), "/~%2Fa%zz%");
  // Every escape, in each spelling, in every part.
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  for (const char high : kHex) {
    for (const char low : kHex) {
      const std::string escape = {'%', high, low};
      for (const std::string_view before : {"http://h/", "http://h/?", "http://h/#", "x:", "x:/?"})
        expect_safe_form(std::string(before) + escape + "x" + escape);
    }
  }
  // An escape that is cut off, and escapes within each other.
  for (const char* const text : {"http://h/%", "http://h/%4", "http://h/%%34%31", "http://h/%2541"})
    expect_safe_form(text);
}

TEST(Steps, AListWithAWordThatIsNoneIsAnError) {
  const Result<std::uint32_t> steps = parse_steps("hex-case,unreserved");
  ASSERT_TRUE(steps.ok());
  EXPECT_EQ(*steps, kStepHexCase | kStepUnreserved);
  for (const StepInfo& info : all_steps()) EXPECT_EQ(find_step(info.name), info.step);
  const Result<std::uint32_t> misspelt = parse_steps("hex-case,tracing");
  ASSERT_FALSE(misspelt.ok());
  EXPECT_NE(misspelt.message().find("\"tracing\": did you mean tracking?"), std::string::npos);
  const Result<std::uint32_t> hostile = parse_steps("\033[31m");
  ASSERT_FALSE(hostile.ok());
  EXPECT_EQ(hostile.message().find('\033'), std::string::npos);
}

TEST(Idempotence, OverSoup) {
  for (const std::uint32_t steps : step_sets()) {
    Normalizer normalizer({.steps = steps});
    UrlSoup soup(steps);
    for (int i = 0; i < 20000; ++i) expect_idempotent(normalizer, soup.url());
  }
}

// Compares the fast path of canonicalisation with the long one: text, offsets and the reported
// steps.
void expect_same_as_thorough(Normalizer& normalizer, Normalizer& thorough, const std::string& input,
                             const Url* base = nullptr) {
  std::string_view out;
  std::string_view slow;
  UrlError why;
  UrlError slow_why;
  const bool valid = normalizer.normalize(input, base, out, &why);
  ASSERT_EQ(valid, thorough.normalize(input, base, slow, &slow_why)) << input;
  if (!valid) {
    ASSERT_EQ(why.message, slow_why.message);
    return;
  }
  ASSERT_EQ(out, slow) << testing::PrintToString(input) << " steps " << normalizer.rules().steps;
  ASSERT_EQ(normalizer.changed(), thorough.changed())
      << input << " steps " << normalizer.rules().steps;
  ASSERT_EQ(normalizer.was_key(), thorough.was_key());
  const UrlOffsets& at = normalizer.url().offsets();
  const UrlOffsets& slow_at = thorough.url().offsets();
  ASSERT_EQ(normalizer.url().href(), thorough.url().href());
  ASSERT_EQ(std::memcmp(&at, &slow_at, sizeof at), 0)
      << input << " steps " << normalizer.rules().steps;
}

// Returns URLs as crawls meet them, each with one of the things that the steps look for.
std::string everyday_url(UrlSoup& soup) {
  static constexpr std::string_view kHosts[] = {"http://www.example.org",
                                                "https://example.org",
                                                "http://www.www.a.b",
                                                "https://h:443",
                                                "http://h:443",
                                                "http://h.",
                                                "http://www.1.2.3.4",
                                                "http://WWW.h.org",
                                                "http://u:p@www.h.org",
                                                "http://www.a..b",
                                                "http://www.xn--bcher-kva.de",
                                                "https://a-b_c.d"};
  static constexpr std::string_view kPieces[] = {"/",
                                                 "/a",
                                                 "/A/b",
                                                 "//",
                                                 "/index.html",
                                                 "/INDEX.php/",
                                                 "/%41",
                                                 "/%7e%c3%a9",
                                                 "/%2E%2e",
                                                 "/%2",
                                                 "/..",
                                                 "/a;jsessionid=1",
                                                 "/..;jsessionid=1",
                                                 "/(S(lit3py55t21z5v55vlm25s55))",
                                                 "/a.b/.c",
                                                 "/%e4%bd%a0",
                                                 "/%3Bsid"};
  static constexpr std::string_view kQueries[] = {"",
                                                  "",
                                                  "?",
                                                  "?a=1",
                                                  "?b=2&a=1",
                                                  "?utm_source=x&id=7",
                                                  "?&a&&=",
                                                  "?UTM_Source=x",
                                                  "?%75tm_id=1",
                                                  "?a+b=1&a=2",
                                                  "?PHPSESSID=1",
                                                  "?sid=0123456789abcdef01&q=%7E",
                                                  "?s=x&sort=y",
                                                  "?a=%3a&A=B&a=%3a",
                                                  "?a=1&a=1",
                                                  "?c%41=d"};
  static constexpr std::string_view kEnds[] = {"", "", "", "#f", "#%7e", "#", " ", "\t"};
  const auto pick = [&soup](const auto& list) {
    return std::string(list[soup.number(std::size(list))]);
  };
  std::string url = pick(kHosts);
  for (std::size_t count = soup.number(4); count > 0; --count) url += pick(kPieces);
  return url + pick(kQueries) + pick(kEnds);
}

TEST(Thorough, ShortWayGivesTheSame) {
  Url base;
  ASSERT_TRUE(parse("https://www.base.test/A/b?c", base));
  const Result<std::string> text = read_file(SPINNERET_SHARED_DATA "/url/urltestdata.json");
  for (const std::uint32_t steps : step_sets()) {
    Normalizer normalizer({.steps = steps});
    Normalizer thorough({.steps = steps});
    thorough.set_thorough(true);
    const auto both = [&](const std::string& input) {
      expect_same_as_thorough(normalizer, thorough, input);
      expect_same_as_thorough(normalizer, thorough, input, &base);
    };
    UrlSoup soup(steps + 7);
    for (int i = 0; i < 1500; ++i) {
      const std::string url = everyday_url(soup);
      ASSERT_NO_FATAL_FAILURE(both(url));
      ASSERT_NO_FATAL_FAILURE(both(soup.mutate(url, 3)));
      ASSERT_NO_FATAL_FAILURE(both(soup.url()));
    }
    if (!text.ok()) continue;
    static const Json cases = Json::parse(*text);
    for (const Json& test : cases.items()) {
      if (!test.is_object()) continue;
      ASSERT_NO_FATAL_FAILURE(both(test["input"].text()));
      ASSERT_NO_FATAL_FAILURE(both(soup.mutate(test["input"].text(), 2)));
    }
  }
}

// Bug: with the step index, an empty name among --index never ended.
TEST(Path, AnEmptyIndexNameIsNone) {
  EXPECT_EQ(normal("http://h/a/", {.steps = kStepIndex, .index_names = {""}}), "http://h/a/");
}

// Found by fuzzing: text behind a control was no key the first time, and was one the second time.
TEST(Idempotence, KeyBehindAControl) {
  Normalizer normalizer({.steps = profile("surt")});
  expect_idempotent(normalizer, std::string("\x01thtps:)/x/?z#f"));
}

// Found by fuzzing: the parser trims a space at the end of its input. So text that was no key while
// a fragment followed was one without the fragment.
TEST(Idempotence, KeyThatEndsInASpace) {
  for (const char* profile_name : {"surt", "cdx"}) {
    Normalizer normalizer({.steps = profile(profile_name)});
    for (const char* input : {"o: )#", "o: )", "o:\x1f)#a", "ab )", "a b )/", "o:80 )#", "o: \t)#"})
      expect_idempotent(normalizer, std::string(input));
  }
  EXPECT_EQ(normal("o: )#", {.steps = profile("surt")}), "o: )");
  EXPECT_EQ(normal("o: )", {.steps = profile("surt")}), "o: )");
  EXPECT_EQ(normal("o:\t80)", {.steps = profile("surt")}), "o)/");
}

TEST(Idempotence, WithParameterRules) {
  Normalizer normalizer(
      {.steps = profile("crawl"), .drop_params = {"a*"}, .keep_params = {"?", "b*"}});
  UrlSoup soup(99);
  for (int i = 0; i < 20000; ++i) expect_idempotent(normalizer, soup.url());
}

// The number of escapes that are never undone is the same before and after, unless a part was
// removed.
TEST(Escapes, SixAreNeverUndone) {
  const auto count = [](std::string_view text, std::string_view escape) {
    int found = 0;
    for (std::size_t i = 0; i + 3 <= text.size(); ++i) {
      if (text[i] == '%' && equals_ignore_case(text.substr(i, 3), escape)) ++found;
    }
    return found;
  };
  Normalizer normalizer({.steps = kStepDecode | kStepUnreserved | kStepHexCase});
  UrlSoup soup(3);
  for (int i = 0; i < 20000; ++i) {
    Url url;
    std::string_view out;
    if (!parse(soup.url(), url)) continue;
    ASSERT_TRUE(normalizer.normalize(url.href(), nullptr, out));
    for (const char* escape : {"%2F", "%23", "%25", "%26", "%3D", "%2B"}) {
      EXPECT_EQ(count(out, escape), count(url.href(), escape)) << url.href();
    }
  }
}

}  // namespace
}  // namespace spinneret
