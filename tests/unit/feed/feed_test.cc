// SPDX-License-Identifier: Apache-2.0
#include "feed/feed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "feed/xml.h"

namespace spinneret::feed {
namespace {

using List = std::vector<std::string>;

std::string line_of(const FeedLink& link) {
  constexpr std::string_view kKinds[] = {"page", "resource", "meta", "feed", "sitemap", "content"};
  std::string out =
      link.tag + "=" + link.value + " " + std::string(kKinds[static_cast<std::size_t>(link.kind)]);
  if (!link.lastmod.empty()) out += " " + link.lastmod;
  if (!link.priority.empty()) out += " p" + link.priority;
  if (!link.text.empty()) out += " '" + link.text + "'";
  return out;
}

List links_of(std::string_view document) {
  const std::vector<char> bytes(document.begin(), document.end());
  FeedPage page;
  read_feed({bytes.data(), bytes.size()}, page);
  List out;
  for (const FeedLink& link : page.links) out.push_back(line_of(link));
  return out;
}

// The offset is that of the tag, not that of the end of its text.
TEST(Feed, ASitemapMayStandBehindAWarning) {
  const std::string map = "<urlset><url><loc>http://a/</loc></url></urlset>";
  const std::string late = "<br>Warning: 1 < 2 & <b>x</b>\n<?xml version='1.0'?>" + map;
  EXPECT_EQ(feed_type(late), FeedType::kXml);
  EXPECT_EQ(sitemap_type(late), FeedType::kSitemap);
  EXPECT_EQ(sitemap_type("<html><body><p>no</p></body></html>"), FeedType::kHtml);
  EXPECT_EQ(sitemap_type("<rss/>" + map), FeedType::kRss);
  EXPECT_EQ(sitemap_type(std::string(70000, ' ') + "x" + map), FeedType::kNone);
  FeedPage page;
  EXPECT_EQ(read_feed(late, page, nullptr, {}, true), FeedType::kSitemap);
  ASSERT_EQ(page.links.size(), 1U);
  EXPECT_EQ(page.links[0].value, "http://a/");
  EXPECT_FALSE(read_text_sitemap("not found", page));
}

TEST(Feed, OffsetsAreOfTags) {
  const std::string document =
      "<?xml-stylesheet href='s'?><feed><link href='l'/><entry><content type='xhtml'><p>"
      "<a href='c'/></p></content><content type='html'>&lt;a></content></entry></feed>";
  FeedPage page;
  read_feed(document, page);
  std::string found;
  for (const FeedLink& link : page.links) found += document.substr(link.offset, 12) + " ";
  EXPECT_EQ(found, "<?xml-styles <link href=' <content typ <content typ ");
  ASSERT_EQ(page.links.size(), 4U);
  EXPECT_LT(page.links[2].offset, page.links[3].offset);
}

// The links of such a sitemap were lost.
TEST(Feed, BugRootMayHaveAPrefix) {
  EXPECT_EQ(links_of("<s:urlset xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9' "
                     "xmlns:i='i'><s:url><s:loc>/1"
                     "</s:loc><i:image><i:loc>/i</i:loc></i:image><s:lastmod>2024</s:lastmod></"
                     "s:url></s:urlset>"),
            (List{"url@loc=/1 page 2024", "i@loc=/i resource"}));
  EXPECT_EQ(
      links_of(
          "<s:sitemapindex><s:sitemap><s:loc>/1</s:loc><loc>/2</loc></s:sitemap></s:sitemapindex>"),
      (List{"sitemap@loc=/1 sitemap", "@loc=/2 resource"}));
  EXPECT_EQ(links_of("<a:feed><a:title>f</a:title><a:entry><a:title>t</a:title><a:link "
                     "href='/1'/></a:entry></a:feed>"),
            (List{"a:link@href=/1 page 't'"}));
  EXPECT_EQ(links_of("<rdf:RDF><item><title>t</title><link>/1</link></item></rdf:RDF>"),
            (List{"item@link=/1 page 't'"}));
}

// --- XML ---

List events_of(std::string_view document) {
  const std::vector<char> bytes(document.begin(), document.end());
  XmlScanner xml({bytes.data(), bytes.size()});
  List out;
  std::string text;
  while (xml.next() != XmlEvent::kEnd) {
    switch (xml.event()) {
      case XmlEvent::kOpen: out.push_back("<" + std::string(xml.name())); break;
      case XmlEvent::kClose: out.push_back(">" + std::string(xml.name())); break;
      case XmlEvent::kInstruction: out.push_back("?" + std::string(xml.name())); break;
      default:
        xml.text(text);
        out.push_back(text);
        break;
    }
  }
  return out;
}

TEST(Xml, Events) {
  EXPECT_EQ(events_of("<?xml version='1.0'?><a x='>'><b/>t&amp;u<!-- <c> --><![CDATA[<d>]]></a>"),
            (List{"?xml", "<a", "<b", ">b", "t&u", "<d>", ">a"}));
  EXPECT_EQ(events_of("\xEF\xBB\xBF<a/>"), (List{"<a", ">a"}));
}

TEST(Xml, NoEntityIsExpanded) {
  EXPECT_EQ(
      events_of(
          "<!DOCTYPE a [<!ENTITY b \"]>\"><!ENTITY c SYSTEM 'file:///etc/passwd'><!-- ]> -->]>"
          "<a>&b;&c;&lt;&#65;&#x42;&#0;&#xFFFFFFFFFF;&#;&</a>"),
      (List{"<a", "&b;&c;<AB\uFFFD\uFFFD&#;&", ">a"}));
}

TEST(Xml, Attributes) {
  XmlScanner xml("<a b = \"1 &gt; 0\" c='2' d e=3 f:g='4'/>");
  ASSERT_EQ(xml.next(), XmlEvent::kOpen);
  std::string value;
  EXPECT_TRUE(xml.attribute("b", value) && value == "1 > 0");
  EXPECT_TRUE(xml.attribute("c", value) && value == "2");
  EXPECT_TRUE(xml.attribute("d", value) && value.empty());
  EXPECT_TRUE(xml.attribute("e", value) && value == "3");
  EXPECT_TRUE(xml.attribute("f:g", value) && value == "4");
  EXPECT_FALSE(xml.attribute("g", value));
}

TEST(Xml, HostileInputIsLinearAndEveryCutEndsWell) {
  for (const std::string_view piece :
       {"<a>", "<", "<a b='", "<!--", "<![CDATA[", "<!DOCTYPE [", "<?", "&", "&#", "<url><loc>",
        "</a>", "<a xml:base='b'>", "<item><link>x</link>"}) {
    std::string document = "<rss>";
    while (document.size() < 3'000'000) document += piece;
    links_of(document);
  }
  const std::string page =
      "<?xml?><!DOCTYPE a [<!--x-->]><rss><item><link>a&#38;</link><x y='z'/><![CDATA[b]]></item>";
  for (std::size_t size = 0; size <= page.size(); ++size) links_of(page.substr(0, size));
}

// --- sitemaps ---

TEST(Sitemap, UrlsWithTheirFields) {
  EXPECT_EQ(links_of("<urlset><url><loc> http://a/?x&amp;y "
                     "</loc><lastmod>2024</lastmod><priority>0.5</priority>"
                     "<image:image><image:loc>http://i</image:loc></image:image>"
                     "<video:video><video:thumbnail_loc>http://t</"
                     "video:thumbnail_loc><video:player_loc>http://p"
                     "</video:player_loc></video:video><xhtml:link rel='alternate' hreflang='de' "
                     "href='http://d'/>"
                     "</url><url><loc><![CDATA[http://b]]></loc></url></urlset>"),
            (List{"url@loc=http://a/?x&y page 2024 p0.5", "image@loc=http://i resource",
                  "video@thumbnail_loc=http://t resource", "video@player_loc=http://p resource",
                  "xhtml:link@href=http://d page 2024 p0.5", "url@loc=http://b page"}));
}

TEST(Sitemap, Index) {
  EXPECT_EQ(links_of("<sitemapindex><sitemap><loc>http://a/1.xml</loc><lastmod>2023</lastmod></"
                     "sitemap></sitemapindex>"),
            List{"sitemap@loc=http://a/1.xml sitemap 2023"});
}

TEST(Sitemap, TextForm) {
  FeedPage page;
  read_text_sitemap("\xEF\xBB\xBFhttp://a/\r\n\n https://b/ \nnot a url\nhttp://c/", page);
  ASSERT_EQ(page.links.size(), 3u);
  EXPECT_EQ(page.links[1].value, "https://b/");
}

TEST(Sitemap, RobotsLines) {
  FeedPage page;
  read_robots_sitemaps(
      "User-agent: *\nSITEMAP : http://a/s.xml # x\r\nsitemaps: no\nSitemap:\nsitemap:/b.xml",
      page);
  ASSERT_EQ(page.links.size(), 2u);
  EXPECT_EQ(page.links[0].value, "http://a/s.xml");
  EXPECT_EQ(page.links[1].value, "/b.xml");
}

// --- feeds ---

TEST(Feed, Rss2) {
  EXPECT_EQ(
      links_of(
          "<rss version='2.0'><channel><title>T</title><link>http://c/</link>"
          "<atom:link href='http://c/rss' rel='self'/><image><url>l.png</url><link>/</link></image>"
          "<item><title>One\n "
          "two</title><link>/1</link><pubDate>Mon</pubDate><guid>http://g/1</guid>"
          "<enclosure url='a.mp3'/><media:content url='m.jpg'/><comments>/1#c</comments></item>"
          "<item><guid "
          "isPermaLink='false'>http://no</guid><guid>tag:no</guid></item></channel></rss>"),
      (List{"channel@link=http://c/ page 'T'", "atom:link@href=http://c/rss feed 'T'",
            "image@url=l.png resource", "image@link=/ page", "item@link=/1 page Mon 'One two'",
            "item@guid=http://g/1 page Mon 'One two'", "enclosure@url=a.mp3 resource",
            "media:content@url=m.jpg resource", "item@comments=/1#c page Mon 'One two'"}));
}

TEST(Feed, Rss1) {
  EXPECT_EQ(links_of("<rdf:RDF><channel rdf:about='x'><link>http://c/</link></channel>"
                     "<item><link>http://c/1</link><dc:date>2020</dc:date></item></rdf:RDF>"),
            (List{"channel@rdf:about=x meta", "channel@link=http://c/ page",
                  "item@link=http://c/1 page 2020"}));
}

TEST(Feed, AtomWithBases) {
  FeedPage page;
  EXPECT_EQ(
      read_feed(
          "<feed xml:base='http://b/x/'><title>F</title><link href='/'/><link rel='self' href='f'/>"
          "<entry xml:base='y/'><link href='e'/><link rel='enclosure' href='z'/>"
          "<updated>2024</updated><content src='c'/></entry><icon>i</icon></feed>",
          page),
      FeedType::kAtom);
  ASSERT_EQ(page.links.size(), 6u);
  EXPECT_EQ(page.title, "F");
  EXPECT_EQ(page.links[2].base, "http://b/x/y/");
  EXPECT_EQ(line_of(page.links[2]), "link@href=e page 2024");
  EXPECT_EQ(line_of(page.links[3]), "link@href=z resource");
  EXPECT_EQ(page.links[5].base, "http://b/x/");
}

// Each link gets a copy of its entry's date and of the base: 100 KB written once became 100 KB a
// link.
TEST(Feed, ARelativeBaseInARelativeBase) {
  FeedPage page;
  read_feed("<feed xml:base='/x/'><entry xml:base='y/'><link href='z'/></entry></feed>", page,
            nullptr, "http://h/d/f");
  ASSERT_EQ(page.links.size(), 1U);
  EXPECT_EQ(page.links[0].base, "http://h/x/y/");
}

TEST(Feed, AnImageInAnItemIsNotItsEnd) {
  EXPECT_EQ(links_of("<rss><channel><image><url>logo</url></image><item><image><title>T</title>"
                     "<url>i</url><link>other</link></image><title>I</title><link>l</link>"
                     "<pubDate>D</pubDate></item></channel></rss>"),
            (List{"image@url=logo resource", "image@url=i resource", "item@link=l page D 'I'"}));
}

TEST(Feed, WhatLinksShareIsShort) {
  const std::string large(100'000, 'x');
  FeedPage page;
  read_feed("<urlset xml:base='" + large + "'><url><lastmod>" + large + "</lastmod><changefreq>" +
                large + "</changefreq><priority>" + large +
                "</priority><loc>/1</loc><xhtml:link href='/2'/></url></urlset>",
            page);
  ASSERT_EQ(page.links.size(), 2u);
  for (const FeedLink& link : page.links) {
    EXPECT_EQ(link.base, "");
    EXPECT_LE(link.lastmod.size() + link.changefreq.size() + link.priority.size(), 192u);
  }
}

TEST(Feed, Types) {
  EXPECT_EQ(feed_type("<html xmlns='x'>"), FeedType::kHtml);
  EXPECT_EQ(feed_type("<?xml?><!-- --><x:rss/>"), FeedType::kRss);
  EXPECT_EQ(feed_type("<svg/>"), FeedType::kSvg);
  EXPECT_EQ(feed_type("<opml>"), FeedType::kOpml);
  EXPECT_EQ(feed_type("text <rss>"), FeedType::kNone);
  EXPECT_EQ(feed_type(""), FeedType::kNone);
  EXPECT_EQ(links_of("<?xml-stylesheet href='a.xsl'?><x/>"),
            List{"xml-stylesheet@href=a.xsl resource"});
}

// --- content that is HTML ---

TEST(Content, OfAtomByItsType) {
  EXPECT_EQ(links_of("<feed><entry><content type='html'>&lt;a "
                     "href=&quot;/x?a&amp;amp;b&quot;&gt;</content></entry></feed>"),
            List{"content@content=<a href=\"/x?a&amp;b\"> content"});
  EXPECT_EQ(links_of("<feed><entry><summary type='xhtml'><div><a href='x'>t</a><link "
                     "href='no'/></div></summary>"
                     "<link href='y'/></entry></feed>"),
            (List{"summary@content=<div><a href='x'>t</a><link href='no'/></div> content",
                  "link@href=y page"}));
  EXPECT_EQ(links_of("<feed><entry><content>&lt;a href=x&gt;</content></entry></feed>"), List{});
}

TEST(Content, OfRss) {
  EXPECT_EQ(links_of("<rss><channel><description>&lt;a></description><item><title>T</title>"
                     "<description>no tag</description><content:encoded><![CDATA[<a "
                     "href=z>]]></content:encoded>"
                     "</item></channel></rss>"),
            List{"content:encoded@content=<a href=z> content"});
}

TEST(Content, NeverClosedOrEmpty) {
  EXPECT_EQ(links_of("<feed><entry><content type='xhtml'/></entry></feed>"), List{});
  EXPECT_EQ(links_of("<feed><entry><content type='xhtml'><a href=x>"), List{});
}

TEST(Batches, EachLinkOfAnOutlineHasItsText) {
  struct Texts : FeedTaker {
    void take(const FeedPage& page) override {
      for (const FeedLink& link : page.links) with += link.text == "t" ? 1 : 0;
    }
    std::size_t with = 0;
  };
  // One link comes first, so that a batch is full in the middle of an outline.
  std::string document = "<opml><body><outline text='t' url='http://a/'/>";
  for (std::size_t i = 0; i < kFeedBatch + 100; ++i)
    document += "<outline text='t' xmlUrl='http://a/' htmlUrl='http://b/'/>";
  FeedPage page;
  Texts taker;
  read_feed(document + "</body></opml>", page, &taker);
  EXPECT_EQ(taker.with, 2 * kFeedBatch + 201);
}

class CountingTaker : public FeedTaker {
 public:
  void take(const FeedPage& page) override {
    links += page.links.size();
    most = std::max(most, page.links.size());
  }
  std::size_t links = 0;
  std::size_t most = 0;
};

TEST(Batches, OfEntriesAndOfOneEntry) {
  std::string entries;
  for (int i = 0; i < 30'000; ++i) entries += "<url><loc>http://a/</loc></url>";
  std::string one;
  for (int i = 0; i < 30'000; ++i) one += "<loc>http://a/</loc>";
  std::string contents;
  for (int i = 0; i < 30; ++i)
    contents +=
        "<item><description><![CDATA[<" + std::string(500'000, 'x') + "]]></description></item>";
  for (const std::string& document :
       {"<urlset>" + entries + "</urlset>", "<urlset><url>" + one + "</url></urlset>"}) {
    FeedPage page;
    CountingTaker taker;
    read_feed(document, page, &taker);
    EXPECT_EQ(taker.links, 30'000u);
    EXPECT_LE(taker.most, 2 * kFeedBatch);
    EXPECT_TRUE(page.links.empty());
  }
  FeedPage page;
  CountingTaker taker;
  read_feed("<rss><channel>" + contents + "</channel></rss>", page, &taker);
  EXPECT_EQ(taker.links, 30u);
  EXPECT_LE(taker.most, 3u);
}

}  // namespace
}  // namespace spinneret::feed
