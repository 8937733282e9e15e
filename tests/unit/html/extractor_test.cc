// SPDX-License-Identifier: Apache-2.0
// Sources of links one by one, contexts, bounds, and hostile pages.
#include "html/extractor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "support/cpu_time.h"
#include "support/sanitized.h"
#include "unit/html/brief_links.h"

namespace spinneret::html {
namespace {

using namespace std::literals;

List all(std::string_view page) { return links_of(page, only("all")); }
List pages(std::string_view page) { return links_of(page, {}); }

// --- sources ---

TEST(Extractor, ResourcesAndTheirKin) {
  EXPECT_EQ(
      all("<video src=a poster=b><source src=c srcset='d 1x'><track src=e></video>"),
      (List{"video@poster=b", "video@src=a", "source@src=c", "source@srcset=d", "track@src=e"}));
  EXPECT_EQ(all("<object data=a archive='b c'><applet code=d archive='e, f'>"),
            (List{"object@archive=b", "object@archive=c", "object@data=a", "applet@archive=e",
                  "applet@archive=f", "applet@code=d"}));
  EXPECT_EQ(
      all("<blockquote cite=a><q cite=b><img longdesc=c lowsrc=d usemap=e><td background=f>"),
      (List{"blockquote@cite=a", "q@cite=b", "img@longdesc=c", "img@lowsrc=d", "img@usemap=e"}));
  EXPECT_EQ(all("<div hx-get=a data-hx-post=b data-src=c data-srcset='d 1x,e 2x' data-bg=f>"),
            (List{"div@data-bg=f", "div@data-hx-post=b", "div@data-src=c", "div@data-srcset=d",
                  "div@data-srcset=e", "div@hx-get=a"}));
}

TEST(Extractor, MetaUrls) {
  EXPECT_EQ(all("<meta property=og:image content=a><meta name=twitter:image:src content=b>"
                "<meta property=og:title content=no><meta itemprop=thumbnailUrl content=c>"),
            (List{"meta@content=a", "meta@content=b", "meta@content=c"}));
  EXPECT_EQ(pages("<meta content='0;url=x' http-equiv=REFRESH>"), List{"meta@content=x"});
}

TEST(Extractor, LinkRelDecidesTheKind) {
  EXPECT_EQ(pages("<link rel=stylesheet href=a><link rel='NEXT' href=b><link rel='alternate' "
                  "hreflang=de href=c>"
                  "<link rel=alternate type=application/rss+xml href=d><link rel=icon href=e><link "
                  "href=f>"),
            (List{"link@href=b", "link@href=c"}));
  EXPECT_EQ(links_of("<link rel=alternate type=application/atom+xml href=d>", only("feed")),
            List{"link@href=d"});
  EXPECT_EQ(link_kind("alternate stylesheet", ""), LinkKind::kResource);
  EXPECT_EQ(link_kind("alternate", "application/json+oembed"), LinkKind::kMetadata);
  EXPECT_EQ(link_kind("shortcut icon", ""), LinkKind::kResource);
  EXPECT_EQ(link_kind("dns-prefetch", ""), LinkKind::kMetadata);
}

TEST(Extractor, FormsThatGetLeadToPages) {
  EXPECT_EQ(pages("<form action=a></form><form action=b method=POST></form><form action=c "
                  "method=dialog></form>"
                  "<button formaction=d><input formaction=e formmethod=post>"),
            (List{"form@action=a", "button@formaction=d"}));
}

TEST(Extractor, JsonAndStyles) {
  EXPECT_EQ(
      all("<script type=application/ld+json>{\"@context\":\"http://s\",\"url\":\"/a\"}</script>"
          "<script type=importmap>{\"imports\":{\"x\":\"./b.js\"}}</script>"
          "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"c\",\"d\"]}]}</script>"),
      (List{"script@json-ld=/a", "script@importmap=./b.js", "script@speculationrules=c",
            "script@speculationrules=d"}));
  EXPECT_EQ(all("<style>@import 'a';b{c:url(d)}</style><p style='e:url(f)'><svg><rect "
                "style='g:url(h)'/>"),
            (List{"style@import=a", "style@url=d", "p@style=f", "rect@style=h in svg"}));
  EXPECT_EQ(pages("<script>\"/no\"</script><style>url(no)</style>"), List{});
}

TEST(Extractor, OptIns) {
  const std::string_view page =
      "<!--[if lt IE 9]><a href=a></a><![endif]--><script>x='/b'</script>see http://c/ now";
  EXPECT_EQ(all(page), List{});
  ExtractOptions options = only("all");
  options.comments = options.scripts = options.plain_text = true;
  EXPECT_EQ(links_of(page, options),
            (List{"a@href=a in comment", "script@string=/b", "text=http://c/"}));
}

TEST(Extractor, Svg) {
  EXPECT_EQ(all("<svg><a href=a xlink:href=b /><use href=c /><image href=d /><script "
                "src=no></script></svg>"),
            (List{"a@href=a in svg", "a@xlink:href=b in svg", "use@href=c in svg",
                  "image@href=d in svg"}));
  EXPECT_EQ(pages("<svg><a href=a>x</a><use href=b />"), List{"a@href=a in svg"});
  EXPECT_EQ(all("<math><input src=no></math>"), List{});
}

TEST(Extractor, Contexts) {
  EXPECT_EQ(all("<body><noscript><a href=a></a></noscript><template><a href=b></a></template>"
                "<iframe srcdoc=\"<a href='c'></a><iframe srcdoc='<a "
                "href=d>'></iframe>\"></iframe><a href=e>"),
            (List{"a@href=a in noscript", "a@href=b in template", "a@href=c in srcdoc",
                  "a@href=d in srcdoc", "a@href=e"}));
}

TEST(Extractor, CustomAttributes) {
  ExtractOptions options;
  options.attributes = {{"div", "data-href"}, {"", "x"}};
  EXPECT_EQ(links_of("<div data-href=a><p data-href=no x=b><my-tag X=c>", options),
            (List{"div@data-href=a", "p@x=b", "my-tag@x=c"}));
}

// --- the page itself ---

TEST(Extractor, Facts) {
  LinkExtractor extractor({});
  const Page& page = extractor.extract(
      "<html lang=de><title> A &amp;\n B </title><base target=x><base href=/b/><base href=/c/>"
      "<meta name=robots content=noindex><link rel='x canonical' "
      "href=k><svg><title>no</title></svg>",
      "");
  EXPECT_EQ(page.lang, "de");
  EXPECT_EQ(page.title, "A & B");
  EXPECT_EQ(page.base, "/b/");
  EXPECT_EQ(page.canonical, "k");
  ASSERT_EQ(page.metas.size(), 1u);
  EXPECT_EQ(page.metas[0].name, "robots");
}

TEST(Extractor, AnchorText) {
  LinkExtractor extractor({});
  const auto text = [&](std::string_view page) {
    return std::string(extractor.extract(page, "utf-8").links.at(0).text);
  };
  EXPECT_EQ(text("<a href=x> one\n <b>two</b>&nbsp;&amp; </a>three"), "one two\u00A0&");
  EXPECT_EQ(text("<a href=x>one<a href=y>two"), "one");
  EXPECT_EQ(text("<a href=x><script>no</script>yes</a>"), "yes");
  EXPECT_EQ(text("<a href=x><p>one<p>two"), "onetwo");
  EXPECT_EQ(text("<a href=x>" + std::string(300, 'a')), std::string(256, 'a'));
  // A code point is never cut in half.
  EXPECT_EQ(text("<a href=x>" + std::string(255, 'a') + "é"), std::string(255, 'a'));
}

TEST(Extractor, AFramesetTakesTheBodysPlace) {
  EXPECT_EQ(all("<a href=a><frameset><frame src=b><a href=c></frameset>"), List{"frame@src=b"});
  EXPECT_EQ(all("x<a href=a><frameset><frame src=b>"), List{"a@href=a"});
  EXPECT_EQ(all("<link href=h><p><html manifest=m><frameset>"),
            (List{"link@href=h", "html@manifest=m"}));
}

TEST(Extractor, FirstOfDuplicateAttributesCounts) {
  EXPECT_EQ(all("<a href=1 HREF=2 href=3>"), List{"a@href=1"});
  EXPECT_EQ(all("<body background=1><body background=2 text=x>"), List{"body@background=1"});
}

TEST(Extractor, BugNulBeforeAFramesetWasText) {
  EXPECT_EQ(all("<html>\0<frameset><frame src=f></frameset>"sv), List{"frame@src=f"});
  EXPECT_EQ(all("<svg>\0</svg><frameset><frame src=f>"sv), List{"frame@src=f"});
  EXPECT_EQ(all("<p>\0x<frameset><frame src=f>"sv), List{});
}

TEST(Extractor, BugASelectHeldNothingButOptions) {
  EXPECT_EQ(pages("<select><option><a href=1>x</a></select>"), List{"a@href=1"});
  EXPECT_EQ(all("<select><xmp><a href=no></xmp><img src=i></select><a href=y>"),
            (List{"img@src=i", "a@href=y"}));
  // A second select ends the first, as an input does.
  EXPECT_EQ(all("<select><svg><title><select><image src=i>"), List{"img@src=i in svg"});
  EXPECT_EQ(all("<select><button><input src=i><a href=y>"), (List{"input@src=i", "a@href=y"}));
  EXPECT_EQ(all("<table><tr><td><select><tr><a href=x></table>"), List{"a@href=x"});
}

TEST(Extractor, BugTemplatesOfJsonLdWereLinks) {
  EXPECT_EQ(all("<script type=application/ld+json>{\"urlTemplate\":\"http://h/s\","
                "\"target\":\"http://h/?q={search_term_string}\",\"url\":\"/a\"}</script>"),
            List{"script@json-ld=/a"});
}

TEST(Extractor, BugNulStoodInAnchorTexts) {
  for (const bool short_ways : {false, true}) {
    ExtractOptions options;
    options.short_ways = short_ways;
    LinkExtractor extractor(options);
    const std::string_view page = "<body>x<p><a href=1>\0a\0\0b</a>................"sv;
    EXPECT_EQ(extractor.extract(page, "utf-8").links.at(0).text, "ab");
  }
}

TEST(Extractor, BugImageLinksHadNoText) {
  struct Case {
    std::string_view page;
    std::string_view text;
    TextFrom from;
  };
  const Case cases[] = {
      {"<a href=1><img alt=' A &amp;\nB '></a>", "A & B", TextFrom::kAlt},
      {"<a href=1 title=T aria-label=L><img alt=A>w</a>", "w", TextFrom::kContent},
      {"<a href=1 title=T aria-label=L> <img alt=A> <img alt=B></a>", "A B", TextFrom::kAlt},
      {"<a href=1 title=T aria-label=L><img alt=''></a>", "L", TextFrom::kLabel},
      {"<a href=1 title=T aria-label=' '><img></a>", "T", TextFrom::kTitle},
      {"<a href=1><img title=I></a>", "I", TextFrom::kTitle},
      {"<a href=1><img aria-label=I></a>", "I", TextFrom::kAlt},
      {"<a href=1><i></i></a><img alt=no>", "", TextFrom::kContent},
      {"<map><area href=1 alt=A title=T></map>", "A", TextFrom::kAlt},
  };
  for (const Case& one : cases) {
    for (const bool short_ways : {false, true}) {
      ExtractOptions options;
      options.short_ways = short_ways;
      LinkExtractor extractor(options);
      const std::string page = "<body>x<p>" + std::string(one.page) + "................";
      const Link& link = extractor.extract(page, "utf-8").links.at(0);
      EXPECT_EQ(link.text, one.text) << one.page;
      EXPECT_EQ(link.text_from, one.from) << one.page;
    }
  }
}

TEST(Extractor, RareSources) {
  EXPECT_EQ(all("<portal src=a></portal><fencedframe src=b></fencedframe><model src=c></model>"
                "<a attributionsrc='d e' href=f></a><p itemid=g about='[x:y]' resource=h>"
                "<meta http-equiv=Link content='<i>; rel=next, <j>'>"),
            (List{"portal@src=a", "fencedframe@src=b", "model@src=c", "a@attributionsrc=d",
                  "a@attributionsrc=e", "a@href=f", "p@itemid=g", "p@resource=h", "meta@link=i",
                  "meta@link=j"}));
}

TEST(Extractor, HandlersAndNamesOfFilesAreGuessed) {
  ExtractOptions options = only("guess");
  options.scripts = true;
  EXPECT_EQ(
      links_of("<body>x<p id=i onclick=\"location='/x'\">y<script>f('./m.js','page.html','a.b')"
               "</script>................",
               options),
      (List{"p@onclick=/x", "script@string=./m.js", "script@string=page.html"}));
}

// --- selection ---

TEST(Selection, Selectors) {
  LinkSelection selection;
  for (const std::string_view good :
       {"page", "all", "img", "@src", "img@src", "rel=next", "my-tag@x:y"}) {
    EXPECT_TRUE(selection.add_only(good)) << good;
  }
  for (const std::string_view bad : {"", "@", "rel=", "a b", "a@b c", "<a>"}) {
    EXPECT_FALSE(selection.add_only(bad)) << bad;
  }
}

TEST(Selection, OnlyAndExcept) {
  const std::string_view page =
      "<a href=1 rel='x nofollow'><a href=2><img src=3 srcset=4><link rel=next href=5>";
  EXPECT_EQ(links_of(page, only("img@srcset")), List{"img@srcset=4"});
  EXPECT_EQ(links_of(page, only("rel=next")), List{"link@href=5"});
  EXPECT_EQ(links_of(page, only("rel=NoFollow")), List{"a@href=1"});
  ExtractOptions options;
  EXPECT_TRUE(options.selection.add_except("rel=nofollow"));
  EXPECT_EQ(links_of(page, options), (List{"a@href=2", "link@href=5"}));
}

// Only links that can be wanted are looked at; the result is the same as from a look at everything.
TEST(Selection, SkippingIsTheSlowTwinsFilter) {
  const std::string_view page =
      "<a href=1 ping=p style='x:url(y)'><area href=2><img src=3 data-src=d><iframe src=4 "
      "srcdoc='<a href=5>'></iframe>"
      "<link rel=icon href=6><base href=7><meta http-equiv=refresh "
      "content='0;url=8'><style>url(9)</style>";
  for (const std::string_view what :
       {"page", "resource", "meta", "a", "@src", "img@src", "style", "area@href"}) {
    const ExtractOptions some = only(what);
    LinkExtractor everything(only("all"));
    List slow;
    for (const Link& link : everything.extract(page, "").links) {
      if (some.selection.wants(link)) slow.push_back(line_of(link));
    }
    EXPECT_EQ(links_of(page, some), slow) << what;
  }
}

// --- in batches ---

std::string repeated(std::string_view piece, std::size_t size) {
  std::string out;
  out.reserve(size + piece.size());
  while (out.size() < size) out += piece;
  return out;
}

class Collector : public LinkTaker {
 public:
  void take(const Page& page) override {
    ++calls;
    most = std::max(most, page.links.size());
    base = page.base;
    metas = page.metas.size();
    encoding = page.charset.encoding->name();
    for (const Link& link : page.links)
      links.push_back(line_of(link) + "|" + std::string(link.text));
  }
  int calls = 0;
  std::size_t most = 0;
  std::size_t metas = 0;
  std::string base;
  std::string encoding;
  List links;
};

// Reads the page whole, and in batches of 1 and of 5: the links must be the same in the same order,
// and the facts come with the first.
void expect_same_in_batches(std::string_view page, ExtractOptions options) {
  SCOPED_TRACE(page.substr(0, 200));
  LinkExtractor whole(options);
  const Page& all_of_it = whole.extract(page, "");
  List expected;
  for (const Link& link : all_of_it.links)
    expected.push_back(line_of(link) + "|" + std::string(link.text));
  for (const std::size_t batch : {1U, 5U}) {
    options.batch = batch;
    LinkExtractor extractor(options);
    Collector collector;
    EXPECT_TRUE(extractor.extract(page, "", &collector).links.empty());
    EXPECT_EQ(collector.links, expected) << batch;
    EXPECT_EQ(collector.base, all_of_it.base);
    EXPECT_EQ(collector.metas, all_of_it.metas.size());
    EXPECT_EQ(collector.encoding, all_of_it.charset.encoding->name());
  }
}

TEST(Batches, AreTheLinksOfTheWholePage) {
  const std::string links =
      repeated("<a href='x\xE9'>t<b>u</b></a><img src=y style='background:url(z)'>", 2000);
  for (const std::string& page : {
           links,
           links + "<base href=late><meta name=robots content=nofollow>" + links,
           links + "<meta charset=gbk>" + links,
           "<title>t</title>" + links + "<title>u</title>" + links,
           "<body>" + repeated("<a href=x></a>", 500) + "<frameset><frame src=y></frameset>",
           "<link rel=canonical href=c>" + repeated("<a href=x></a>", 500) +
               "<html manifest=m><frameset><frame src=y>",
           "<a href=1>open" + repeated("<img src=y>", 3000) + "</a>" + links,
           "<style>" + repeated("a{background:url(x)}", 2000) + "</style>" + links,
           "<iframe srcdoc=\"" + repeated("<a href=x>y</a>", 2000) + "\"></iframe>" + links,
           // Decoded, these are longer than a block of text: in another charset, and one within
           // another.
           "<meta charset=windows-1252><iframe srcdoc=\"" +
               repeated("&lt;a href=x\xE9&amp;amp;>y</a>", 40'000) + "<base href=b>\"></iframe>" +
               links + "<base href=late>",
           "<iframe srcdoc=\"<iframe srcdoc='" + repeated("&lt;a href=x&amp;amp;>y</a>", 40'000) +
               "'></iframe>\"></iframe>" + links,
           "<img srcset=\"" + repeated("a 1x,b 2x,", 1000) + "\">" + links,
           "<script type=application/ld+json>" + repeated("{\"url\":\"http://a/\"},", 1000) +
               "</script>" + links,
       }) {
    expect_same_in_batches(page, only("all"));
    expect_same_in_batches(page, {});
  }
}

// Bug: a frameset that came before the first batch was full took its frames along with the body.
TEST(Batches, OfFramesAreNoPartOfTheBody) {
  expect_same_in_batches("<a href=x><frameset><frame src=y><frame src=z></frameset>", only("all"));
}

// Bug: the reading for the facts got UTF-8 and took it for UTF-16.
TEST(Batches, OfUtf16) {
  std::string page = "\xFF\xFE";
  for (const char c : repeated("<a href=x>y</a>", 2000) + "<base href=b>") {
    page += c;
    page += '\0';
  }
  expect_same_in_batches(page, only("all"));
}

TEST(Batches, HoldNoMoreThanOne) {
  LinkExtractor extractor(only("all"));
  Collector collector;
  extractor.extract(repeated("<a href=x>", 2'000'000), "", &collector);
  EXPECT_GT(collector.calls, 20);
  EXPECT_LE(collector.most, ExtractOptions().batch + 1);
  EXPECT_EQ(collector.links.size(), 200'000u);
}

// --- hostile pages: linear, at most some times the cost of ordinary markup, no deep stack ---

double milliseconds_of(const std::string& page, const std::string& wanted) {
  LinkExtractor extractor(only(wanted));
  return least_milliseconds([&] { extractor.extract(page, ""); });
}

constexpr std::size_t kHostileSize = kSanitized ? 15'000 : 100'000;

TEST(Hostile, EveryPatternIsLinear) {
  const std::string_view pieces[] = {"<div>",
                                     "<",
                                     "</",
                                     "<a ",
                                     "<a href='",
                                     "<b>",
                                     "<b><p>",
                                     "<table><tr><td>",
                                     "<svg>",
                                     "<svg><title>",
                                     "<template>",
                                     "<select><option>",
                                     "</p>",
                                     "</b>",
                                     "</x>",
                                     "<x-y></z>",
                                     "<li>",
                                     "<x><li></li>",
                                     "<form></form>",
                                     "<a><b><i><u><p>",
                                     "<nobr><p>",
                                     "<div></li>",
                                     "&",
                                     "&amp",
                                     "&lt",
                                     "<!--",
                                     "<!-",
                                     "--!",
                                     "<![CDATA[",
                                     "<svg><![CDATA[]]>",
                                     "<script><!--<script>",
                                     "</title",
                                     "<title></titl",
                                     "<iframe srcdoc=\"",
                                     "<a href=x>",
                                     "<a href=x>y</a>",
                                     "<p style=\"url(\">",
                                     "<button>",
                                     "<h1>",
                                     "<dd><dt>",
                                     "<ruby><rt>",
                                     "<object><b>",
                                     "<td>",
                                     "<html a=b>",
                                     "<body a=b>",
                                     "<font color=x>",
                                     "<frameset>",
                                     "<math><mi>",
                                     "<annotation-xml encoding=text/html>",
                                     "<img srcset=\",\">",
                                     "<base href=x>",
                                     "<meta charset=gbk>",
                                     "<script type=application/ld+json>\"",
                                     "<!doctype '",
                                     "<table><b>x",
                                     "<noscript><p><a href=x>",
                                     "<template><col>",
                                     "<div a='b'>",
                                     "<object><p>",
                                     "<script>x</script>",
                                     "<script><!-- s",
                                     "<style></styl",
                                     "<!----!",
                                     "<body a=b><noscript><div>"};
  for (const std::string_view piece : pieces) {
    // This measures growth, not time: eight times the page costs eight times as much, and 64 times
    // where something is quadratic.
    for (const std::string wanted : {"all", "a@href"}) {
      const double small = milliseconds_of(repeated(piece, kHostileSize), wanted);
      const double large = milliseconds_of(repeated(piece, 8 * kHostileSize), wanted);
      EXPECT_LT(large, 24 * small + 5)
          << wanted << " of " << piece << ": " << small << " ms, then " << large << " ms";
    }
  }
}

TEST(Hostile, ManyAttributes) {
  std::string page = "<a";
  for (int i = 0; i < 100'000; ++i) page += " a" + std::to_string(i) + "=x";
  EXPECT_EQ(all(page + " href=y>"), List{"a@href=y"});
  EXPECT_EQ(all("<body" + page.substr(2) + " background=z>"), List{"body@background=z"});
}

// Only a few attributes of a tag with very many are kept. Bug: they took thirteen times the memory
// of the page.
TEST(Hostile, OfTooManyAttributesThoseThatCountAreKept) {
  std::string many;
  for (int i = 0; i < 1000; ++i)
    many += " a" + std::to_string(i) + "=x href" + std::to_string(i) + "=y";
  ExtractOptions options = only("all");
  options.attributes = {{"", "data-own"}};
  EXPECT_EQ(links_of("<a" + many + " href=1 href=2 REL=r data-own=3 data-own=4>", options),
            (List{"a@data-own=3", "a@href=1"}));
  EXPECT_EQ(links_of("<a href=0 data-own=5" + many + " href=1 data-own=4>", options),
            (List{"a@data-own=5", "a@href=0"}));
  EXPECT_EQ(all("<svg><font" + many + " color=c><a href=1>"), List{"a@href=1"});
  EXPECT_EQ(all("<math><annotation-xml" + many + " encoding=text/html><a href=1>"),
            List{"a@href=1 in svg"});
}

TEST(Hostile, AMillionDeep) {
  const std::size_t size = kSanitized ? 1'000'000 : 10'000'000;
  const std::string deep = repeated("<div><x-y>", size);
  EXPECT_EQ(all(deep + "<a href=x>"), List{"a@href=x"});
  EXPECT_EQ(all(repeated("<svg>", size / 2) + "<a href=x>"), List{"a@href=x in svg"});
  EXPECT_EQ(all(repeated("<template>", size / 2) + "<a href=x>"), List{"a@href=x in template"});
}

TEST(Hostile, EveryCutOfAPageEndsWell) {
  const std::string page =
      "<!doctype html><svg><title><a href=x>t</svg><table><select><template><iframe srcdoc='&lt;a "
      "href=y>'>"
      "</iframe><script><!--<script></script>--></script><style>@import \"z\";</style><math><mi><a "
      "href=&amp;q>";
  for (std::size_t size = 0; size <= page.size(); ++size)
    all(std::string_view(page).substr(0, size));
}

}  // namespace
}  // namespace spinneret::html
