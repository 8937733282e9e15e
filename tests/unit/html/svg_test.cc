// SPDX-License-Identifier: Apache-2.0
// The parts of an SVG within a page that are not shown: to HTML's tokenizer its style sheets,
// scripts and metadata are elements like any other.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "html/extractor.h"
#include "support/cpu_time.h"
#include "unit/html/brief_links.h"

namespace spinneret::html {
namespace {

List all(std::string_view page) { return links_of(page, only("all")); }

std::string text(std::string_view page, std::string_view type = "text/html") {
  LinkExtractor extractor{ExtractOptions{}};
  const auto& links = type == "text/html" ? extractor.extract(page, "utf-8").links
                                          : extractor.extract_xml(page, "utf-8").links;
  return links.empty() ? "no link" : std::string(links.front().text);
}

// Bug: the links of a style sheet in an SVG of a page were not found.
TEST(Svg, StyleSheetsHaveLinks) {
  EXPECT_EQ(all("<svg><style>@import 'a';b{c:url(d)}</style><a href=e></a></svg>"),
            (List{"style@import=a in svg", "style@url=d in svg", "a@href=e in svg"}));
  // A sheet in pieces is a single sheet; references are decoded, except in CDATA.
  EXPECT_EQ(all("<svg><style>b{c:url(&quot;d&quot;)}<!--url(no)--> e{f:u<![CDATA[rl('g&amp;')]]>}"
                "</style></svg><style>h{i:url(j)}</style>"),
            (List{"style@url=d in svg", "style@url=g&amp; in svg", "style@url=j"}));
  // The sheet ends with its end tag, with the SVG, with an element of HTML, or with the page.
  for (const std::string_view end : {"</style>", "</svg>", "<p>", "</p>", ""}) {
    EXPECT_EQ(all("<svg><style>a{b:url(c)}" + std::string(end)), List{"style@url=c in svg"}) << end;
  }
  EXPECT_EQ(all("<svg><style/>a{b:url(c)}</svg>"), List{});
  EXPECT_EQ(all("<math><mi>x</mi><style>a{b:url(c)}</style></math>url(d)"), List{});
  EXPECT_EQ(all("<template><svg><style>a{b:url(c)}</style></svg></template>"),
            List{"style@url=c in template"});
  EXPECT_EQ(all("<svg><foreignObject><style>a{b:url(c)}</style></foreignObject><style>"
                "d{e:url(f)}</style>"),
            (List{"style@url=c in svg", "style@url=f in svg"}));
  EXPECT_EQ(all("<svg><style>a{b:url(c)}<foreignObject><style>d{e:url(f)}</style>"),
            (List{"style@url=c in svg", "style@url=f in svg"}));
}

// Bug: the text of a link around an SVG contained its style sheet, its scripts and its metadata.
TEST(Svg, NoTextIsUnseen) {
  const std::string svg =
      "<svg xmlns='http://www.w3.org/2000/svg'><style>.a{b:c}<!-- d --><![CDATA[e]]> f</style>"
      "<script>g()</script><metadata><rdf>image/svg+xml</rdf> h</metadata><defs>"
      "<style type='text/css'>i</style></defs><title>Home</title><text> page</text></svg>";
  EXPECT_EQ(text("<a href='x'>" + svg + "</a>"), "Home page");
  EXPECT_EQ(text("<table><tr><td><b><a href='x'>" + svg + "</a>"), "Home page");
  EXPECT_EQ(text("<html xmlns='http://www.w3.org/1999/xhtml'><a href='x'>" + svg + "</a></html>",
                 "application/xhtml+xml"),
            "Home page");
  EXPECT_EQ(text("<a href=x><svg><style>a</svg>one<metadata>two</metadata></a>"), "onetwo");
  EXPECT_EQ(text("<a href=x><svg><style/>one</svg></a>"), "one");
  EXPECT_EQ(text("<a href=x><svg><metadata>a<p>one</a>"), "one");
  EXPECT_EQ(text("<a href=x title=t><svg><style>a</style></svg></a>"), "t");
}

// Bug: the text of a link around a formula contained it twice, once in TeX.
TEST(Svg, NorAreAnnotationsOfMathMl) {
  const std::string math =
      "<math xmlns='http://www.w3.org/1998/Math/MathML'><semantics><mi>x</mi><annotation "
      "encoding='application/x-tex'>\\frac</annotation></semantics></math> y";
  EXPECT_EQ(text("<a href='x'>" + math + "</a>"), "x y");
  EXPECT_EQ(text("<html xmlns='http://www.w3.org/1999/xhtml'><a href='x'>" + math + "</a></html>",
                 "application/xhtml+xml"),
            "x y");
}

// Bug: the text of a link around a formula contained that of its <annotation-xml>. Text behind an
// element in the metadata of an SVG that has the same name, or behind HTML in there, was text of
// the link, too.
TEST(Svg, WhatIsUnseenEndsWithItsElement) {
  EXPECT_EQ(text("<a href=x><math><mi>x</mi><annotation-xml encoding=MathML-Content><ci>p</ci>"
                 "</annotation-xml><mi>z</mi></math>"),
            "xz");
  EXPECT_EQ(text("<a href=x><math><mi>x</mi><annotation-xml encoding=text/html><p>q</p><svg><style>"
                 "s</style><text>t</text></svg>r</annotation-xml><mi>z</mi></math>"),
            "xz");
  EXPECT_EQ(text("<a href=x><svg><metadata><metadata>a</metadata>b</metadata>c"), "c");
  EXPECT_EQ(text("<a href=x><svg><metadata><svg></svg>b</metadata>c"), "c");
  EXPECT_EQ(text("<a href=x><svg><metadata><foreignObject>a<b>b</b></foreignObject>b</metadata>c"),
            "c");
  // An element that is not closed ends with the one around it.
  EXPECT_EQ(text("<a href=x>w<math><annotation-xml encoding=text/html>q</math>r</a>"), "wr");
  EXPECT_EQ(text("<a href=x><math><annotation>t<b>u</b></a>"), "u");
  // The links in it are links all the same, and so is a style sheet of HTML in it.
  EXPECT_EQ(all("<math><annotation-xml encoding=text/html><style>a{b:url(c)}</style><a href=d>"
                "</a></annotation-xml></math><style>e{f:url(g)}</style>"),
            (List{"style@url=c in svg", "a@href=d in svg", "style@url=g"}));
}

TEST(Svg, OtherElementsAreSeen) {
  // Names that no element of HTML has are known by a hash.
  constexpr std::string_view kNames[] = {"a",
                                         "animate",
                                         "circle",
                                         "clipPath",
                                         "defs",
                                         "desc",
                                         "ellipse",
                                         "filter",
                                         "foreignObject",
                                         "g",
                                         "image",
                                         "line",
                                         "marker",
                                         "mask",
                                         "path",
                                         "linearGradient",
                                         "radialGradient",
                                         "pattern",
                                         "polygon",
                                         "polyline",
                                         "rect",
                                         "stop",
                                         "svg",
                                         "switch",
                                         "symbol",
                                         "text",
                                         "textPath",
                                         "title",
                                         "tspan",
                                         "use",
                                         "view",
                                         "mpath",
                                         "set",
                                         "hatch",
                                         "unknown",
                                         "math",
                                         "mi",
                                         "mn",
                                         "mo",
                                         "ms",
                                         "mtext",
                                         "mrow",
                                         "mfrac",
                                         "msqrt",
                                         "mroot",
                                         "mstyle",
                                         "merror",
                                         "mpadded",
                                         "mphantom",
                                         "mfenced",
                                         "menclose",
                                         "msub",
                                         "msup",
                                         "msubsup",
                                         "munder",
                                         "mover",
                                         "mtable",
                                         "mtr",
                                         "mtd",
                                         "maction",
                                         "apply",
                                         "ci",
                                         "cn",
                                         "semantics",
                                         "munderover",
                                         "mmultiscripts",
                                         "mprescripts",
                                         "none",
                                         "csymbol",
                                         "mglyph"};
  for (const std::string_view name : kNames) {
    std::string svg = "<a href=x><svg><" + std::string(name) + ">y</svg>";
    std::string math = "<a href=x><math><" + std::string(name) + ">y</math>";
    if (name != "a") {
      EXPECT_EQ(text(svg), "y") << svg;
      EXPECT_EQ(text(math), "y") << math;
    }
  }
  // Each of these is hidden in one of the two vocabularies only.
  EXPECT_EQ(text("<a href=x><svg><annotation>y"), "y");
  EXPECT_EQ(text("<a href=x><math><metadata>y"), "y");
}

TEST(Svg, PiecesOfASheetTakeTimeInProportion) {
  const auto cost = [](std::size_t pieces) {
    std::string page = "<svg><style>";
    for (std::size_t i = 0; i < pieces; ++i) page += "a{b:url(c)}<g></g><!---->";
    return least_milliseconds([&] { EXPECT_EQ(all(page).size(), pieces); });
  };
  EXPECT_LT(cost(16000), 12 * cost(4000));
}

}  // namespace
}  // namespace spinneret::html
