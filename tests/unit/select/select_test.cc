// SPDX-License-Identifier: Apache-2.0
// Selectors: the grammar, and matches compared with the slow twin of tests/support/slow_select.h.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "select/matcher.h"
#include "select/program.h"
#include "select/selector.h"
#include "support/slow_select.h"

namespace spinneret::select {
namespace {

struct Collector : MatchTaker {
  bool matched(NodeId node, std::span<const std::uint32_t>) override {
    nodes.push_back(node);
    return false;
  }
  std::vector<NodeId> nodes;
};

std::string error_of(std::string_view text) {
  SelectorList list;
  SelectorError why;
  if (parse_selectors(text, list, why)) return "";
  return std::to_string(why.at) + " " + why.message;
}

// Returns the names of the selected elements, with their ids.
std::string select(std::string_view selector, std::string_view document, std::size_t piece = 0,
                   html::Syntax syntax = html::Syntax::kHtml) {
  SelectorList list;
  SelectorError why;
  if (!parse_selectors(selector, list, why)) return "error: " + why.message;
  Program program;
  std::uint32_t target = 0;
  if (!program.add(list, kNone, target, why)) return "error: " + why.message;
  program.finish();
  Matcher matcher(program);
  matcher.read(document, "utf-8", piece, syntax);
  Collector got;
  matcher.run(got);
  // The twin ignores the case of names, as HTML does.
  if (syntax == html::Syntax::kHtml) {
    slow::Dom dom(matcher.page(), matcher.page().quirks());
    EXPECT_EQ(got.nodes, dom.select(list)) << selector << " in " << document;
  }
  std::string out;
  for (const NodeId node : got.nodes) {
    std::string id;
    if (!out.empty()) out += ' ';
    out +=
        matcher.page().attribute(node, "id", id) ? id : std::string(matcher.page().tag_name(node));
  }
  return out;
}

TEST(Selector, ErrorsNameTokenAndPlace) {
  EXPECT_EQ(error_of("a > b:not(.c, [d|='e' i]):nth-child( -2N + 1 of p )"), "");
  EXPECT_EQ(error_of("\\31 0.\\2d a#--x[*|y], *|* *"), "");
  EXPECT_EQ(error_of(""), "0 ends where a selector should be");
  EXPECT_EQ(error_of("a b >"), "5 ends where a selector should be");
  EXPECT_EQ(error_of("a{b"), "1 unexpected \"{b\"");
  EXPECT_EQ(error_of("a[b=\"c]"), "4 string without its end");
  EXPECT_EQ(error_of("a[b"), "1 \"[\" without its \"]\"");
  EXPECT_EQ(error_of(":not(a"), "4 \"(\" without its \")\"");
  EXPECT_NE(error_of(std::string(200, ':') + "a"), "");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += ":not(";
  EXPECT_NE(error_of(deep).find("nested more than 32 deep"), std::string::npos);
}

constexpr std::string_view kPage =
    "<!doctype html><body id=body><div id=d class='a b'><p id=p1>x<p id=p2 class=A lang=en-US>"
    "<a id=l href=u>y</a><!-- c --><b id=e></b></div><ul id=u><li id=i1><li id=i2 class=a><li "
    "id=i3>"
    "<li id=i4 class=a></ul><svg id=s><linearGradient id=g viewBox=1></svg><template><p "
    "id=t></template>";

TEST(Select, EachSort) {
  EXPECT_EQ(select("p", kPage), "p1 p2");
  EXPECT_EQ(select(".a", kPage), "d i2 i4");
  EXPECT_EQ(select("#p2.A[lang|=en]", kPage), "p2");
  EXPECT_EQ(select("div > p + p a", kPage), "l");
  EXPECT_EQ(select("p ~ p, b", kPage), "p2 e");
  EXPECT_EQ(select(":is(div, ul) > :not(p, .a)", kPage), "i1 i3");
  EXPECT_EQ(select("li:nth-child(2n)", kPage), "i2 i4");
  EXPECT_EQ(select("li:nth-child(2 of .a)", kPage), "i4");
  EXPECT_EQ(select("li:nth-last-child(-n+2)", kPage), "i3 i4");
  EXPECT_EQ(select("li:only-child, a:only-of-type, li:first-child, li:last-of-type", kPage),
            "l i1 i4");
  EXPECT_EQ(select("div:has(> p > a)", kPage), "d");
  EXPECT_EQ(select("li:has(+ .a):has(~ li ~ li)", kPage), "i1");
  EXPECT_EQ(select("b:empty, :root:link, a:link", kPage), "l e");
  EXPECT_EQ(select("linearGradient[viewBox]", kPage), "g");
  EXPECT_EQ(select("lineargradient[viewbox]", kPage), "g");
  EXPECT_EQ(select("body :has(:is(ul li):nth-child(3))", kPage), "u");
}

// The expected results are Chromium's.
TEST(Select, ForeignNamesAndNamespaces) {
  constexpr std::string_view kForeign =
      "<!doctype html><svg xmlns=s xml:lang=en id=s><a xlink:href=u id=a></svg><p xmlns=x "
      "xml:lang=de id=p>";
  EXPECT_EQ(select("[xmlns]", kForeign), "p");
  EXPECT_EQ(select("[xml\\:lang]", kForeign), "p");
  EXPECT_EQ(select("[xlink\\:href], a[href]", kForeign), "");
  EXPECT_EQ(select("[*|href=u]", kForeign), "a");
  EXPECT_EQ(select("[*|xmlns]", kForeign), "s p");
  EXPECT_EQ(select("[*|lang]", kForeign), "s");
}

TEST(Select, WhatAProgramCannotDoIsRefusedByName) {
  const auto refusal = [](const std::string& selector) {
    Program program;
    SelectorList list;
    SelectorError why;
    std::uint32_t target = 0;
    EXPECT_TRUE(parse_selectors(selector, list, why)) << selector << ": " << why.message;
    return program.add(list, kNone, target, why) ? std::string() : why.message;
  };
  EXPECT_EQ(refusal("a:has(b :scope)"), ":scope within :has(");
  EXPECT_EQ(refusal("a:has(:nth-child(2 of b))"), ":nth-child(... of ...) within :has(");
  std::string has = "a";
  for (int i = 0; i < 64; ++i) has += ":has(b)";
  EXPECT_EQ(refusal(has), "");
  EXPECT_EQ(refusal(has + ":has(b)"), "more than 64 :has(");
  std::string lists = "a:has(b";
  for (int i = 0; i < 64; ++i) lists += ":is(c)";
  EXPECT_EQ(refusal(lists + ")"), "");
  EXPECT_EQ(refusal(lists + ":is(c))"), "too many lists within :has(");
}

// Memory for open elements is given back between pages, and the space for matches depends on the
// depth of each.
TEST(Select, BugAPageOfOneElementInAnotherTookItsMemoryTwice) {
  Program program;
  SelectorList list;
  SelectorError why;
  std::uint32_t target = 0;
  ASSERT_TRUE(parse_selectors("b:has(b) > b", list, why) && program.add(list, kNone, target, why));
  program.finish();
  Matcher matcher(program);
  const auto matches = [&matcher](const std::string& document) {
    matcher.read(document, "utf-8");
    Collector got;
    matcher.run(got);
    return got.nodes.size();
  };
  constexpr std::size_t kDeep = 100000;
  std::string deep;
  for (std::size_t i = 0; i < kDeep; ++i) deep += "<b>";
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(matches(deep), kDeep - 1);
    EXPECT_EQ(matcher.page().depth(), kDeep + 2) << "html and body, too";
    EXPECT_EQ(matches("<b><b></b></b><b></b>"), 1u);
    EXPECT_EQ(matcher.page().depth(), 4u);
    EXPECT_EQ(matches(""), 0u);
  }
}

// XHTML follows XML's rules, as in the extraction of links.
TEST(Select, Xhtml) {
  const std::string_view page =
      "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body><div/><a id='1' "
      "HREF='x'/><A id='2' href='y'/><h:a xmlns:h='http://www.w3.org/1999/xhtml' id='3' href='z'/>"
      "<svg xmlns='http://www.w3.org/2000/svg' xmlns:x='http://www.w3.org/1999/xlink'><a id='4' "
      "x:href='v' viewBox='0'/></svg><p id='5'>t</p></body></html>";
  const auto in_xml = [&](std::string_view selector) {
    return select(selector, page, 0, html::Syntax::kXml);
  };
  EXPECT_EQ(in_xml("body > [id]"), "1 2 3 5");
  EXPECT_EQ(in_xml("a"), "1 3 4");
  EXPECT_EQ(in_xml("a[href]"), "3");
  EXPECT_EQ(in_xml("[viewBox]"), "4");
  EXPECT_EQ(in_xml("div:empty + a"), "1");
  EXPECT_EQ(in_xml("title:empty"), "title");
  EXPECT_EQ(select("p", page), "");  // everything belongs to the title
  EXPECT_EQ(select("p", "<title></title><p id=1>", 0, html::Syntax::kXml), "1");
}

TEST(Select, MisnestedAsABrowserHasIt) {
  EXPECT_EQ(select("body > p > b", "<!doctype html><b id=1><p id=2>x</b>y"), "1");
  EXPECT_EQ(select("body > b + p", "<!doctype html><b id=1><p id=2>x</b>y"), "2");
  EXPECT_EQ(select("i + table", "<!doctype html><table id=t><i id=i>x</i><tr><td>"), "t");
  EXPECT_EQ(select("p + p", "<!doctype html><p id=1></p></p>"), "");
  EXPECT_EQ(select("p > table", "<p><table id=q>"), "q");
  EXPECT_EQ(select("p > table", "<!doctype html><p><table id=q>"), "");
  EXPECT_EQ(select(".A", "<p class=a id=q>"), "q");
  EXPECT_EQ(select(".A", "<!doctype html><p class=a id=q>"), "");
}

std::string random_page(std::mt19937& random) {
  static const char* const kPieces[] = {"<div>",
                                        "</div>",
                                        "<p class=a>",
                                        "</p>",
                                        "<b class='a b'>",
                                        "</b>",
                                        "<i id=x>",
                                        "</i>",
                                        "<table>",
                                        "<tr>",
                                        "<td>",
                                        "</table>",
                                        "text",
                                        " ",
                                        "<li>",
                                        "<ul>",
                                        "</ul>",
                                        "<a href=u>",
                                        "</a>",
                                        "<svg>",
                                        "</svg>",
                                        "<x-y>",
                                        "</x-y>",
                                        "<br>",
                                        "<!doctype html>",
                                        "<body class=b>",
                                        "<template>",
                                        "</template>",
                                        "<select>",
                                        "<option>",
                                        "</select>",
                                        "<span b=A>",
                                        "</span>",
                                        "<font>",
                                        "</font>",
                                        "<h1>",
                                        "<title>t</title>",
                                        "<frameset>"};
  std::string out;
  for (int i = static_cast<int>(random() % 40); i > 0; --i)
    out += kPieces[random() % std::size(kPieces)];
  return out;
}

std::string random_selector(std::mt19937& random, int depth = 0, bool in_has = false) {
  static const char* const kSimple[] = {"div",     "p",          "b",          "i",     "a",
                                        "*",       ".a",         ".b",         "#x",    "[b]",
                                        "[b=a i]", "[class~=b]", "[class^=a]", "table", "li",
                                        "x-y",     ":empty",     ":link",      ":root", "span"};
  static const char* const kPlace[] = {":first-child",       ":last-child",     ":nth-child(2n+1)",
                                       ":nth-last-child(2)", ":only-of-type",   ":nth-of-type(2)",
                                       ":last-of-type",      ":nth-child(-n+2)"};
  static const char* const kBetween[] = {" ", " > ", " + ", " ~ ", ", "};
  std::string out;
  for (int i = 0, n = 1 + static_cast<int>(random() % 3); i < n; ++i) {
    if (i != 0) out += kBetween[random() % (depth == 0 ? 5 : 4)];
    out += kSimple[random() % std::size(kSimple)];
    if (random() % 4 == 0) out += kPlace[random() % std::size(kPlace)];
    if (depth < 2 && random() % 4 == 0) {
      switch (random() % 4) {
        case 0: out += ":not(" + random_selector(random, depth + 1, in_has) + ")"; break;
        case 1: out += ":is(" + random_selector(random, depth + 1, in_has) + ")"; break;
        case 2:
          if (!in_has) {
            static const char* const kLead[] = {"", "> ", "+ ", "~ "};
            out += ":has(" + std::string(kLead[random() % 4]) +
                   random_selector(random, depth + 1, true) + ")";
          }
          break;
        default:
          if (!in_has)
            out += ":nth-child(2n+1 of " + random_selector(random, depth + 1, in_has) + ")";
      }
    }
  }
  return out;
}

// Compares over many small pages and selectors; the page in pieces must give the same.
TEST(Select, AsTheSlowTwin) {
  std::mt19937 random(7);
  int errors = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string page = random_page(random);
    for (int j = 0; j < 4; ++j) {
      const std::string selector = random_selector(random);
      const std::string whole = select(selector, page);
      errors += whole.starts_with("error") ? 1 : 0;
      EXPECT_EQ(select(selector, page, 1 + random() % 7), whole) << selector << " in " << page;
      if (HasFailure()) return;
    }
  }
  EXPECT_EQ(errors, 0);
}

}  // namespace
}  // namespace spinneret::select
