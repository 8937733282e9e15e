// SPDX-License-Identifier: Apache-2.0
#include "url/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "url/params.h"
#include "url/surt.h"

namespace spinneret {
namespace {

std::string format(std::string_view format_text, std::string_view url_text) {
  Url url;
  EXPECT_TRUE(parse(url_text, url));
  Result<PartFormat> compiled = PartFormat::compile(format_text);
  if (!compiled.ok()) return "! " + compiled.message();
  std::string out;
  compiled->append(out, url, [](std::string_view host) { return host.substr(host.find('.') + 1); });
  return out;
}

TEST(PartFormat, FillsInParts) {
  EXPECT_EQ(format("{scheme}:{host}:{domain}:{port}", "https://a.b.c/"), "https:a.b.c:b.c:443");
  EXPECT_EQ(format("<{user}{password}{query}{fragment}{port}>", "foo://h"), "<>");
  EXPECT_EQ(format("{url} {path}", "http://h/a?b#c"), "http://h/a?b#c /a");
}

TEST(PartFormat, BracesTabsAndLineEnds) {
  EXPECT_EQ(format("{{{host}}}\\t\\n\\\\\\x}", "http://h/"), "{h}\t\n\\\\x}");
  EXPECT_EQ(format("{host", "http://h/"), "! a { without its }; {{ is a brace");
  EXPECT_EQ(format("{hots}", "http://h/").substr(0, 26), "! no part is called \"hots\"");
  EXPECT_EQ(format("{query:}", "http://h/").substr(0, 9), "! no part");
}

TEST(PartFormat, PiecesOfParts) {
  EXPECT_EQ(format("{host:unicode} {host}",
                   "http://B\xC3\xBC"
                   "cher.example/"),
            "b\xC3\xBC"
            "cher.example xn--bcher-kva.example");
  EXPECT_EQ(format("{host:unicode}", "http://xn--a.xn--zz--9.test/"), "xn--a.xn--zz--9.test");
  EXPECT_EQ(format("{path:decoded}", "http://h/a%20b%2Fc%1B%C3%BC"), "/a b/c%1B\xC3\xBC");
  EXPECT_EQ(format("{path:1}|{path:2}|{path:3}|{path:4}", "http://h/a/b/"), "a|b||");
  EXPECT_EQ(format("{dir} {file} {extension}", "http://h/a/b.tar.gz?x=/y.z"), "/a/ b.tar.gz gz");
  EXPECT_EQ(format("{dir}|{file}|{extension}", "http://h/a/"), "/a/||");
  EXPECT_EQ(format("{file}|{extension}", "http://h/.profile"), ".profile|");
  EXPECT_EQ(format("{dir}|{file}|{path:1}", "mailto:a@b"), "a@b||");
  EXPECT_EQ(format("{keys}", "http://h/?a=1&b&a=2&c%20d=&=x"), "a,b,c d");
  EXPECT_EQ(format("{query-all:a}", "http://h/?a=1&b&a=2%2C&a"), "1,2,,");
  EXPECT_EQ(format("{query-all:x}{keys}", "http://h/"), "");
  for (const char* bad : {"{path:0}", "{path:x}", "{path:99999}", "{query-all:}"})
    EXPECT_EQ(format(bad, "http://h/").substr(0, 9), "! no part") << bad;
}

TEST(PartFormat, OriginsOfTheStandard) {
  EXPECT_EQ(format("{origin}", "https://u@h:444/x"), "https://h:444");
  EXPECT_EQ(format("{origin}", "blob:https://h:443/uuid"), "https://h");
  EXPECT_EQ(format("{origin}", "blob:ftp://h/uuid"), "null");
  EXPECT_EQ(format("{origin}", "blob:x"), "null");
  EXPECT_EQ(format("{origin}", "file:///x"), "null");
  EXPECT_EQ(format("{origin}", "mailto:a@b"), "null");
  EXPECT_EQ(format("{origin}", "foo://h"), "null");
  EXPECT_EQ(format("{origin}", "wss://h/"), "wss://h");
}

TEST(PartFormat, ParametersDecoded) {
  EXPECT_EQ(format("{query:a b}", "http://h/?x&a+b=c%2Bd+e&a%20b=2"), "c+d e");
  EXPECT_EQ(format("{query:a}", "http://h/?a=%09%0A%0D%00%5C"), "\\t\\n\\r\\0\\\\");
}

TEST(Params, Globs) {
  EXPECT_TRUE(matches_glob("", ""));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("a*c", "abbc"));
  EXPECT_TRUE(matches_glob("*a*b", "xaxab"));
  EXPECT_FALSE(matches_glob("a*c", "abbcd"));
  EXPECT_TRUE(matches_glob("?x", "ax"));
  EXPECT_FALSE(matches_glob("?", ""));
}

// Matches by the definition; every short glob is tested with every short text.
bool matches_by_definition(std::string_view glob, std::string_view text) {
  if (glob.empty()) return text.empty();
  if (glob[0] == '*') {
    return matches_by_definition(glob.substr(1), text) ||
           (!text.empty() && matches_by_definition(glob, text.substr(1)));
  }
  return !text.empty() && (glob[0] == '?' || glob[0] == text[0]) &&
         matches_by_definition(glob.substr(1), text.substr(1));
}

TEST(Params, EveryShortGlob) {
  constexpr std::string_view kGlobBytes = "ab*?";
  for (unsigned g = 0; g < 1024; ++g) {
    for (unsigned length = 0; length <= 5; ++length) {
      std::string glob;
      for (unsigned i = 0, rest = g; i < length; ++i, rest /= 4) glob += kGlobBytes[rest % 4];
      for (unsigned t = 0; t < 64; ++t) {
        std::string text;
        for (unsigned i = 0; i < t % 7; ++i) text += (t >> i & 1) != 0 ? 'a' : 'b';
        ASSERT_EQ(matches_glob(glob, text), matches_by_definition(glob, text))
            << glob << ' ' << text;
      }
    }
  }
}

TEST(Params, ListsAreInLowerCase) { EXPECT_EQ(params_table(), to_lower_copy(params_table())); }

std::string surt(std::string_view text) {
  Url url;
  EXPECT_TRUE(parse(text, url));
  std::string out;
  append_surt(out, url);
  return out;
}

TEST(Surt, KeysSortByDomain) {
  EXPECT_EQ(surt("http://www.example.com/a?b#c"), "com,example,www)/a?b#c");
  EXPECT_EQ(surt("https://u:p@example.com:8443/"), "com,example:8443)/");
  EXPECT_EQ(surt("http://192.0.2.1/"), "192.0.2.1)/");
  EXPECT_EQ(surt("http://[::1]:8080/"), "[::1]:8080)/");
  EXPECT_EQ(surt("ftp://example.com/a"), "ftp://(com,example)/a");
  EXPECT_EQ(surt("https://example.com:80/"), "https://(com,example:80)/");
  EXPECT_EQ(surt("mailto:a@b.c"), "mailto:a@b.c");
  EXPECT_EQ(surt("file:///a"), "file:///a");
}

TEST(Surt, KeysGoBackToUrls) {
  for (const char* text : {"http://www.example.com/a?b#c", "http://192.0.2.1/",
                           "http://[::1]:8080/", "ftp://example.com/a", "https://example.com:80/",
                           "http://localhost/", "foo://1.2.3.4/", "foo://a.b?q"}) {
    std::string back;
    ASSERT_TRUE(append_url_of_surt(back, surt(text))) << surt(text);
    EXPECT_EQ(back, text);
  }
  std::string out;
  for (const char* text : {"http://h/", "", ")", ")/", "a/)", "mailto:a", "file:///a", "a@b)/"}) {
    EXPECT_FALSE(append_url_of_surt(out, text)) << text;
  }
}

// Bug: an ESC was sent to the terminal unescaped.
TEST(PartFormat, ControlsOfAParameterStayEscaped) {
  EXPECT_EQ(format("{query:a}", "http://h/?a=%1b[31m%7f%08x"), "%1B[31m%7F%08x");
  EXPECT_EQ(format("{query:a}", "http://h/?a=%C2%9B%C2%A0%e2%80%ae%D8%9C"),
            "%C2%9B\xC2\xA0%E2%80%AE%D8%9C");
  EXPECT_EQ(format("{query:a}", "http://h/?a=%C3%A9%E9%9B%f0%9f%98"), "\xC3\xA9%E9%9B%F0%9F%98");
}

// The slow twin: a stable sort of copies.
TEST(Params, SortedAsByAStableSort) {
  static constexpr std::string_view kPieces[] = {"a", "b", "%61", "+", "%20",
                                                 "=", "&", "&",   "%", ""};
  std::mt19937 random(9);
  for (int i = 0; i < 20000; ++i) {
    std::string query;
    for (std::uint_fast32_t count = random() % 24; count > 0; --count) {
      query += kPieces[random() % std::size(kPieces)];
    }
    std::vector<std::pair<std::string, std::string>> params;
    for (std::string_view rest = query;;) {
      const std::size_t end = rest.find('&');
      params.emplace_back("", rest.substr(0, end));
      append_param_name(params.back().first, params.back().second);
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
    std::stable_sort(params.begin(), params.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string wanted;
    for (const auto& param : params) wanted += '&' + param.second;
    std::string out;
    append_params_sorted(out, query);
    ASSERT_EQ(out, wanted.substr(1)) << query;
  }
}

}  // namespace
}  // namespace spinneret
