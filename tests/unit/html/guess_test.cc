// SPDX-License-Identifier: Apache-2.0
#include "html/guess.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "html/link_header.h"
#include "html/srcset.h"

namespace spinneret::html {
namespace {

using List = std::vector<std::string>;

List strings_of(std::string_view source, QuotedStrings::Language language) {
  const std::vector<char> bytes(source.begin(), source.end());
  QuotedStrings strings({bytes.data(), bytes.size()}, language);
  List out;
  std::string text;
  std::string key;
  while (strings.next(text, key)) out.push_back(key.empty() ? text : key + "=" + text);
  return out;
}

TEST(QuotedStrings, Json) {
  const auto json = QuotedStrings::Language::kJson;
  EXPECT_EQ(strings_of(R"({"url":"a","b":["c","d"],"e":{"f":"g"}})", json),
            (List{"url=a", "b=c", "b=d", "f=g"}));
  EXPECT_EQ(strings_of(R"({"u":"a\/b\u0026\uD83D\uDE00\n\"x"})", json),
            List{"u=a/b&\U0001F600\n\"x"});
  EXPECT_EQ(strings_of(R"({"u":"\uD83D"})", json), List{"u=\uFFFD"});
  EXPECT_EQ(strings_of(R"({"u":"never closed)", json), List{"u=never closed"});
  EXPECT_EQ(strings_of(R"("a\)", json), List{"a"});
}

TEST(QuotedStrings, Script) {
  const auto script = QuotedStrings::Language::kScript;
  EXPECT_EQ(strings_of("a='x'; b=\"y\"; c=`z`; // 'no'\n/* 'no' */ d='\\x2Fw'", script),
            (List{"x", "y", "z", "/w"}));
  EXPECT_EQ(strings_of("a='never closed\nb='x'", script), List{"x"});
}

TEST(Guess, WhatLooksLikeAUrl) {
  for (const std::string_view yes :
       {"http://a", "https://a.b/c?d=e#f", "//cdn.example/x", "/a/b.js", "/x", "./m.js", "../a/",
        "page.html", "a/b.png?c=d"}) {
    EXPECT_TRUE(looks_like_url(yes)) << yes;
  }
  for (const std::string_view no :
       {"", "/", "//", "a/b", "http://", "/^a$/", "text/html", "a b", "/1/2", "//x", "./", "a.b",
        ".js", "f().js", "Object.do(x)", "../"}) {
    EXPECT_FALSE(looks_like_url(no)) << no;
  }
}

TEST(Guess, JsonLd) {
  EXPECT_TRUE(is_json_ld_url("url", "/a"));
  EXPECT_TRUE(is_json_ld_url("anything", "https://a/"));
  EXPECT_FALSE(is_json_ld_url("@context", "https://schema.org"));
  EXPECT_FALSE(is_json_ld_url("name", "https://a/"));
  EXPECT_FALSE(is_json_ld_url("url", "a word"));
  EXPECT_FALSE(is_json_ld_url("urlTemplate", "http://a/"));
  EXPECT_FALSE(is_json_ld_url("target", "http://a/?q={q}"));
}

List text_urls(std::string_view text) {
  List out;
  std::string_view url;
  while (next_text_url(text, url)) out.emplace_back(url);
  return out;
}

TEST(Guess, PlainText) {
  EXPECT_EQ(text_urls("See http://a/b. (https://c/d(e)) <HTTP://f/>, www.g.example!"),
            (List{"http://a/b", "https://c/d(e)", "HTTP://f/", "www.g.example"}));
  EXPECT_EQ(text_urls("xwww.a ftp://b http:// www. ://"), List{});
  EXPECT_EQ(text_urls("http://a/[b]] http://c/'"), (List{"http://a/[b]", "http://c/"}));
}

TEST(Guess, HostileTextIsLinear) {
  for (const std::string_view piece : {"://", "www.", "http://", "http://a)", ")", "w"}) {
    std::string text;
    while (text.size() < 4'000'000) text += piece;
    text_urls(text);
  }
}

// --- srcset (4.8.4.3.10) ---

List candidates(std::string_view srcset) {
  List out;
  std::string_view url;
  std::string_view descriptor;
  while (next_srcset_candidate(srcset, url, descriptor)) {
    out.push_back(std::string(url) + "|" + std::string(descriptor));
  }
  return out;
}

TEST(Srcset, Candidates) {
  EXPECT_EQ(candidates("a 1x, b 2x"), (List{"a|1x", "b|2x"}));
  EXPECT_EQ(candidates("a,b,,c,"), List{"a,b,,c|"});
  EXPECT_EQ(candidates("a, b,, c, d 2x, data:image/png;base64,AA== 1x, e (x,y) 3x,f"),
            (List{"a|", "b|", "c|", "d|2x", "data:image/png;base64,AA==|1x", "e|(x,y) 3x", "f|"}));
  EXPECT_EQ(candidates(" , ,"), List{});
}

// --- refresh ---

std::string refresh(std::string_view content) {
  std::string_view url;
  return parse_refresh(content, url) ? "[" + std::string(url) + "]" : "none";
}

TEST(Refresh, EveryForm) {
  EXPECT_EQ(refresh("0; url = 'x y' z"), "[x y]");
  EXPECT_EQ(refresh("5;URL=b"), "[b]");
  EXPECT_EQ(refresh("0,c"), "[c]");
  EXPECT_EQ(refresh("1.5;url=d"), "[d]");
  EXPECT_EQ(refresh(";url=e"), "none");
  EXPECT_EQ(refresh("3"), "[]");
  EXPECT_EQ(refresh(" 3 "), "[]");
  EXPECT_EQ(refresh("3 x"), "[x]");
  EXPECT_EQ(refresh("0;urlx"), "[urlx]");
  EXPECT_EQ(refresh("0;url='x"), "[x]");
  EXPECT_EQ(refresh("0;'x'y"), "[x]");
  EXPECT_EQ(refresh("3x"), "none");
  EXPECT_EQ(refresh("url=x"), "none");
}

// --- Link headers (RFC 8288) ---

List header(std::string_view value) {
  List out;
  HeaderLink link;
  while (next_header_link(value, link)) out.push_back(std::string(link.target) + "|" + link.rel);
  return out;
}

TEST(LinkHeader, SeveralInOne) {
  EXPECT_EQ(header("<a,b;c>; rel=\"next\", <d>;rel=prev;title=\"x, y; z\",<e>"),
            (List{"a,b;c|next", "d|prev", "e|"}));
  EXPECT_EQ(header("<a>; rel=\"x\\\"y\"; rel=z"), List{"a|x\"y"});
  EXPECT_EQ(header("nonsense, <a> ; REL = next"), List{"a|next"});
  EXPECT_EQ(header("<never closed"), List{});
  EXPECT_EQ(header(", ,,"), List{});
}

TEST(LinkHeader, HostileInputIsLinear) {
  for (const std::string_view piece : {"<,", "<>;", "\"", ";", "<a>;x=\"", "a,"}) {
    std::string value;
    while (value.size() < 4'000'000) value += piece;
    header(value);
  }
}

}  // namespace
}  // namespace spinneret::html
