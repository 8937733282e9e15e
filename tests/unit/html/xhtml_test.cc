// SPDX-License-Identifier: Apache-2.0
// XHTML, read as XML where it is well-formed, compared with its slow twin.
#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "html/extractor.h"
#include "slow_xml.h"
#include "unit/html/brief_links.h"

namespace spinneret::html {
namespace {

List xml(std::string_view page) {
  LinkExtractor extractor(only("all"));
  List out;
  for (const Link& link : extractor.extract_xml(page, "").links) out.push_back(line_of(link));
  return out;
}

constexpr std::string_view kXhtml = "<html xmlns='http://www.w3.org/1999/xhtml'>";

std::string xhtml(std::string_view content) {
  return std::string(kXhtml) + std::string(content) + "</html>";
}

TEST(Xhtml, IsItsSlowTwinOnSoup) {
  constexpr std::string_view kPieces[] = {
      "<a href='1'>",
      "</a>",
      "<b/>",
      "<p>",
      "</p>",
      "<p\n>",
      "</p >",
      "<A B='c' b=\"d\"/>",
      "x",
      " ",
      "&amp;",
      "&#x26;",
      "&#0;",
      "&nbsp;",
      "&none;",
      "&",
      "]]>",
      "<![CDATA[<&]]>",
      "<!-- c -->",
      "<!-- -- -->",
      "<?pi x?>",
      "<?xml x?>",
      "<!DOCTYPE a [<!ENTITY none '>'>]>",
      "<x:y xmlns:x='u' x:z='1'/>",
      "<x:y/>",
      "<g xmlns='http://www.w3.org/2000/svg'>",
      "</g>",
      "<h:a xmlns:h='http://www.w3.org/1999/xhtml' h:c='' href=''/>",
      "<l xmlns:l='http://www.w3.org/1999/xlink' l:href='2' l:x='' xlink:y=''/>",
      "<c d='1' d='2'/>",
      "<e f='<'/>",
      "<e f=1/>",
      "\x01",
      "<"};
  std::mt19937 random(20261125);
  int well_formed = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string page = i % 7 == 0 ? "<?xml version='1.0'?>\n" : "";
    if (i % 5 == 0) page += "<!DOCTYPE html>";
    page += kXhtml;
    // The first ten pieces keep a document well-formed if their order does.
    for (auto n = random() % 8; n-- > 0;)
      page += kPieces[random() % (i % 2 == 0 ? std::size(kPieces) : 10)];
    page += "</html>";
    if (random() % 8 == 0) page[random() % page.size()] = static_cast<char>(random() % 128);
    const XmlEvents ours = xml_events(page);
    ASSERT_EQ(ours, SlowXml(page).run()) << page;
    if (ours) ++well_formed;
  }
  EXPECT_GT(well_formed, 1000);
}

TEST(Xhtml, BugASelfClosingTitleSwallowedThePage) {
  EXPECT_EQ(xml(xhtml("<head><title/><script src='x'/></head><body><a href='1'/><a href='2'>x</a>"
                      "</body>")),
            (List{"script@src=x", "a@href=1", "a@href=2"}));
}

TEST(Xhtml, CaseAndNamespacesCount) {
  EXPECT_EQ(xml(xhtml("<A href='1'/><a HREF='2'/><h:a xmlns:h='http://www.w3.org/1999/xhtml' "
                      "href='3'/><x xmlns='u'><a href='4'/></x><image src='5'/>")),
            List{"a@href=3"});
  EXPECT_EQ(xml(xhtml("<svg xmlns='http://www.w3.org/2000/svg' "
                      "xmlns:l='http://www.w3.org/1999/xlink'><a l:href='1'/></svg>")),
            List{"a@xlink:href=1 in svg"});
  EXPECT_EQ(xml(xhtml("<template><a href='1'/></template><a href='2'/>")),
            (List{"a@href=1 in template", "a@href=2"}));
}

TEST(Xhtml, TextIsOfXml) {
  LinkExtractor extractor({});
  const Page& page = extractor.extract_xml(
      xhtml("<title>a &lt; <![CDATA[&lt;]]></title><a href='1'>x &amp; <![CDATA[<b> &amp;]]></a>"),
      "");
  EXPECT_EQ(page.title, "a < &lt;");
  EXPECT_EQ(page.links.at(0).text, "x & <b> &amp;");
  EXPECT_EQ(xml(xhtml("<style>@import 'a';<![CDATA[b{c:url(<d>)}]]></style>")),
            (List{"style@import=a", "style@url=<d>"}));
}

TEST(Xhtml, AnSvgDocumentIsReadAlike) {
  EXPECT_EQ(xml("<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'><a href='1'/>"
                "<use href='2'/><style>@import 'c';</style></svg>"),
            (List{"a@href=1 in svg", "use@href=2 in svg", "style@import=c in svg"}));
}

TEST(Xhtml, WhatIsNotWellFormedIsHtml) {
  const std::string_view bad[] = {
      "<a href=1>",          "<p><a href='1'></p></a>",  "<a href='1'/>&",
      "<a href='1'/>&nope;", "<a href='1'/>&#0;",        "<a href='1' href='1'/>",
      "<a href='1'b='2'/>",  "<a href='1'/>]]>",         "<a href='1'/><!-- a -- b -->",
      "<a href='1'/><q:b/>", "<a href='1'/>\x01",        "<a href='1'/>\xff",
      "<a href='1' x='<'/>", "<a href='1'/></html><b/>", "<a href='1'/></html>text"};
  for (const std::string_view page : bad) {
    EXPECT_EQ(xml(std::string(kXhtml) + "<A href='0'/>" + std::string(page)),
              (List{"a@href=0", "a@href=1"}))
        << page;
  }
  // Without the namespace it is no XHTML, and is read as HTML.
  EXPECT_EQ(xml("<html><A href='0'/></html>"), List{"a@href=0"});
}

TEST(Xhtml, InBatchesAndWithoutTheLinksAreTheSame) {
  struct Taker : LinkTaker {
    void take(const Page& page) override {
      for (const Link& link : page.links)
        out.push_back(line_of(link) + "|" + std::string(link.text));
    }
    List out;
  };
  std::string page = std::string(kXhtml);
  for (int i = 0; i < 100; ++i) {
    page += "<p><a href='" + std::to_string(i) +
            "&amp;'>t<![CDATA[u]]></a><img src='i' srcset='a, b'/>"
            "<style>a{b:url(c)}&amp;<![CDATA[d{e:url(f)}]]></style></p>";
  }
  page += "<base href='late'/></html>";
  List want;
  for (const std::size_t batch : {std::size_t{8192}, std::size_t{1}, std::size_t{7}}) {
    ExtractOptions options = only("all");
    options.batch = batch;
    LinkExtractor extractor(options);
    Taker taker;
    EXPECT_EQ(extractor.extract_xml(page, "", &taker).base, "late");
    if (want.empty()) want = taker.out;
    EXPECT_EQ(taker.out.size(), 601u);
    EXPECT_EQ(taker.out, want) << batch;
  }
}

// Entities that name each other, attributes, depth: each costs no more than its bytes.
TEST(Xhtml, BombsAreRead) {
  std::string bomb = "<!DOCTYPE html [<!ENTITY a 'lol'>";
  for (int i = 0; i < 64; ++i) bomb += "<!ENTITY b" + std::to_string(i) + " '&a;&a;&a;&a;&a;'>";
  EXPECT_EQ(xml(bomb + "]>" + xhtml("<a href='1'>&b63;</a>")), List{"a@href=1"});
  std::string many = "<a";
  for (int i = 0; i < 50'000; ++i) many += " a" + std::to_string(i) + "='x'";
  EXPECT_EQ(xml(xhtml(many + " href='1'/>")), List{"a@href=1"});
  EXPECT_EQ(xml(xhtml(many + many.substr(2) + " href='1'/>")), List{"a@href=1"});
  std::string deep;
  std::string ends;
  for (int i = 0; i < 100'000; ++i) deep += "<b>", ends += "</b>";
  EXPECT_EQ(xml(xhtml(deep + "<a href='1'/>" + ends)), List{"a@href=1"});
  for (int i = 0; i < 4; ++i) deep += deep;
  EXPECT_EQ(xml(xhtml(deep + "<a href='1'/>")), List{"a@href=1"});
}

TEST(Xhtml, EveryCutOfADocumentEndsWell) {
  const std::string page =
      "<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a '>'><!-- ' -->]>" +
      xhtml(
          "<title>t<![CDATA[u]]></title><a href='&amp;&#x41;'>x</a><!-- c --><?p i?><svg "
          "xmlns='http://www.w3.org/2000/svg'><a href='1'/></svg>");
  for (std::size_t size = 0; size <= page.size(); ++size) {
    const std::vector<char> bytes(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(size));
    xml({bytes.data(), bytes.size()});
  }
}

}  // namespace
}  // namespace spinneret::html
