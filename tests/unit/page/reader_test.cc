// SPDX-License-Identifier: Apache-2.0
#include "page/reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "page/headers.h"

namespace spinneret::page {
namespace {

struct Collector : PageTaker {
  void document(std::string_view bytes, std::size_t skipped) override {
    source = std::string(bytes);
    mark = skipped;
  }
  void take(const PageLink& link, const Url& base, const QueryEncoder* encoder) override {
    Url url;
    links += resolve(link.value, base, url, nullptr, encoder) ? url.href() : "?";
    links += " " + std::string(link.element) + "@" + std::string(link.attribute);
    if (!link.purpose.empty()) links += " " + std::string(link.purpose) + std::string(link.nested);
    links += "\n";
  }
  void trouble(std::string_view reason) override { troubles += std::string(reason) + "\n"; }

  std::string source;
  std::string links;
  std::string troubles;
  std::size_t mark = 0;
};

struct Read {
  explicit Read(std::string_view line, std::string_view body, PageOptions options = {})
      : reader(std::move(options)) {
    Record record;
    record.parse(line);
    Url url;
    EXPECT_TRUE(parse(record.url(), url));
    facts = &reader.read(record, url, body, got);
  }
  PageReader reader;
  Collector got;
  const PageFacts* facts = nullptr;
};

TEST(Content, TypeThenLooks) {
  EXPECT_EQ(content_of("text/html; charset=x", "", false, ""), Content::kHtml);
  EXPECT_EQ(content_of("Text/CSS", "", false, "<html>"), Content::kCss);
  EXPECT_EQ(content_of("image/png", "", false, "<html>"), Content::kNone);
  EXPECT_EQ(content_of("", "", false, "any"), Content::kHtml);
  // An archive of pages is no page. Text that begins with a tag, or whose headers say how to read
  // it, is one whatever it holds.
  const std::string archive = std::string("docs/index.html\0\0\0", 18) + "<a href=x>x</a>";
  EXPECT_EQ(content_of("application/gzip", "", false, archive), Content::kNone);
  EXPECT_EQ(content_of("application/octet-stream", "", false, archive), Content::kNone);
  EXPECT_EQ(content_of("text/html", "", false, archive), Content::kHtml);
  EXPECT_EQ(content_of("", "utf-16le", false, archive), Content::kHtml);
  EXPECT_EQ(content_of("", "", false, " <p>" + archive), Content::kHtml);
  EXPECT_EQ(content_of("", "", false, "\xFF\xFE" + archive), Content::kHtml);
  for (const std::string_view unknown : {"*/*", "unknown/unknown", "Application/Unknown; a=b"}) {
    EXPECT_EQ(content_of(unknown, "", false, "any"), Content::kHtml) << unknown;
    EXPECT_EQ(content_of(unknown, "", false, "GIF89a"), Content::kNone) << unknown;
  }
  EXPECT_EQ(content_of("", "", true, "http://h/\n"), Content::kText);
  EXPECT_EQ(content_of("text/plain", "", false, "<urlset>"), Content::kText);
  // Bug: a sitemap or feed that came as text/html was a page without links.
  for (const std::string_view body :
       {"<urlset></urlset>", "<?xml version='1.0'?><rss>", "<feed/>"}) {
    EXPECT_EQ(content_of("text/html", "", true, body), Content::kXml) << body;
    EXPECT_EQ(content_of("text/html", "", false, body), Content::kXml) << body;
  }
  for (const std::string_view body : {"<!doctype html><html>", "<p>http://h/", "<x><rss>"})
    EXPECT_EQ(content_of("text/html", "", true, body), Content::kHtml) << body;
  EXPECT_EQ(content_of("text/html", "", true, "http://h/\n"), Content::kText);
  // Bug: a URL that was requested as a sitemap was not read if its server sent an unknown type.
  for (const std::string_view type :
       {"binary/octet-stream", "application/json", "text/csv", "text/css"})
    EXPECT_EQ(content_of(type, "", true, "<urlset></urlset>"), Content::kXml) << type;
  for (const std::string_view type : {"binary/octet-stream", "text/csv", "application/xml"}) {
    EXPECT_EQ(content_of(type, "", true, "http://h/\n"), Content::kText) << type;
    EXPECT_EQ(content_of(type, "", false, "http://h/\n"), Content::kNone) << type;
  }
  EXPECT_EQ(content_of("image/png", "", true, "\x89PNG\r\n"), Content::kNone);
  for (const std::string_view body : {"http://h/\n", "<svg/>", "<x/>", ""})
    EXPECT_EQ(content_of("text/html", "", false, body), Content::kHtml) << body;
  EXPECT_EQ(content_of("application/xml", "", false, "<urlset></urlset>"), Content::kXml);
  EXPECT_EQ(content_of("application/xhtml+xml", "", false, "<html></html>"), Content::kHtml);
  EXPECT_EQ(content_of("image/svg+xml", "", false, "<svg/>"), Content::kSvg);
  for (const char* const type : {"video/mp4", "image/png; x=y", "application/pdf", "font/woff2"}) {
    EXPECT_FALSE(may_be_read(type, false)) << type;
    EXPECT_TRUE(may_be_read(type, true)) << type;
  }
  for (const char* const type :
       {"", "text/html", "Text/CSS", "application/json", "text/javascript", "application/gzip",
        "image/svg+xml", "text/plain", "application/octet-stream", "application/xhtml+xml"})
    EXPECT_TRUE(may_be_read(type, false)) << type;
  EXPECT_EQ(type_of_name("a/b.XHTML#c"), "application/xhtml+xml");
  EXPECT_EQ(type_of_name(".css"), "");
}

TEST(Content, BaseThatCannotBeOneLeavesThePages) {
  Url page;
  Url base;
  ASSERT_TRUE(parse("http://h/a/b", page));
  find_base(page, true, "/c/", base);
  EXPECT_EQ(base.href(), "http://h/c/");
  for (const std::string& bad :
       {std::string("data:x"), std::string("javascript:x"), "/" + std::string(3000, 'x')}) {
    find_base(page, true, bad, base);
    EXPECT_EQ(base.href(), page.href());
  }
  find_base(page, false, "/c/", base);
  EXPECT_EQ(base.href(), page.href());
}

TEST(PageReader, JoinsHeadersAndBody) {
  const Read read(
      "http://h/p\toutcome=ok\ttype=text/html\tlocation=/moved\tlink=</n>; "
      "rel=next\tx-robots-tag=noindex",
      "<base href=/b/><title>T</title><link rel=canonical href=/c><a href=x>y</a>",
      {.about = true});
  EXPECT_EQ(read.got.links,
            "http://h/moved location@\nhttp://h/c link@href\nhttp://h/b/x a@href\n"
            "http://h/n header@link\n");
  EXPECT_TRUE(read.facts->directives.noindex());
  EXPECT_EQ(read.facts->canonical, "http://h/c");
  EXPECT_EQ(read.facts->title, "T");
}

TEST(PageReader, NofollowStopsBodyAndHeaders) {
  const std::string_view line = "http://h/p\toutcome=ok\tlink=</n>; rel=next\tlocation=/m";
  const std::string_view body = "<meta name=robots content=nofollow><a href=x>";
  EXPECT_EQ(Read(line, body).got.links, "http://h/m location@\n");
  EXPECT_EQ(Read(line, body, {.ignore_nofollow = true}).got.links,
            "http://h/m location@\nhttp://h/x a@href\nhttp://h/n header@link\n");
}

TEST(PageReader, BodyCountsOnlyOfAFetchedPage) {
  EXPECT_EQ(Read("http://h/p\toutcome=not-found", "<a href=x>").got.links, "");
  EXPECT_EQ(Read("http://h/robots.txt\toutcome=not-found\tpurpose=robots", "").got.links, "");
}

TEST(PageReader, BrokenGzipIsReadAsFarAsItGoes) {
  const Read read("http://h/p\toutcome=ok\ttype=text/html", "\x1F\x8B broken");
  EXPECT_NE(read.got.troubles.find("gzip body is broken"), std::string::npos);
}

// --- what a page shows ---

PageOptions everything() {
  PageOptions out;
  out.extract.selection.add_only("all");
  return out;
}

PageOptions shown() {
  PageOptions out;
  out.extract.selection.add_only("page");
  out.extract.selection.add_only("resource");
  out.requisites = true;
  return out;
}

constexpr std::string_view kSheet =
    "@import 'more.css'; @font-face { src: url(f.woff2) } b { filter: url(#local) } "
    "i { background: image-set('i.png' 1x) }";

TEST(Requisites, BugWhatAStyleSheetNamesWasNotTaken) {
  const std::string want =
      "http://h/c/more.css css@import requisite2\nhttp://h/c/f.woff2 css@url requisite2\n"
      "http://h/c/i.png css@url requisite2\n";
  const std::string line = "http://h/c/a.css\toutcome=ok\tpurpose=requisite";
  EXPECT_EQ(
      Read(line + "\ttype=text/css;charset=x\tlink=</n>; rel=next", kSheet, shown()).got.links,
      want);
  EXPECT_EQ(Read(line, kSheet, shown()).got.links, want);  // the URL's extension decides
  EXPECT_EQ(Read(line + "\ttype=image/png", kSheet, shown()).got.links, "");
  EXPECT_EQ(
      Read("http://h/c/a.css\toutcome=not-found\tpurpose=requisite", kSheet, shown()).got.links,
      "");
  // A sheet that was linked to is part of no page.
  EXPECT_EQ(Read("http://h/c/a.css\toutcome=ok", kSheet, shown()).got.links,
            "http://h/c/more.css css@import requisite\nhttp://h/c/f.woff2 css@url requisite\n"
            "http://h/c/i.png css@url requisite\n");
}

TEST(Requisites, SheetsThatImportSheetsEnd) {
  const std::string line = "http://h/a.css\toutcome=ok\tpurpose=requisite\tnested=";
  const std::string_view sheet = "@import 'b.css'; b { background: url(c.png) }";
  EXPECT_EQ(Read(line + "7", sheet, shown()).got.links,
            "http://h/b.css css@import requisite8\nhttp://h/c.png css@url requisite8\n");
  EXPECT_EQ(Read(line + "8", sheet, shown()).got.links, "http://h/c.png css@url requisite9\n");
  // So do pages that are shown in pages.
  EXPECT_EQ(Read("http://h/p\toutcome=ok\ttype=text/html\tpurpose=requisite\tnested=8",
                 "<a href=x></a><object data=q></object>", shown())
                .got.links,
            "http://h/x a@href\n");
}

TEST(Requisites, BugFramesWereNoneOfThem) {
  const std::string line = "http://h/p\toutcome=ok\ttype=text/html";
  const std::string_view page = "<iframe src=f></iframe><a href=a>";
  EXPECT_EQ(Read(line, page, shown()).got.links,
            "http://h/f iframe@src requisite\nhttp://h/a a@href\n");
  EXPECT_EQ(Read(line, "<frameset><frame src=f>", shown()).got.links,
            "http://h/f frame@src requisite\n");
  // A checker of links leaves a frame's links to the frame's site.
  PageOptions options = everything();
  options.followed.emplace();
  options.requisites = true;
  EXPECT_EQ(Read(line, page, options).got.links, "http://h/f iframe@src\nhttp://h/a a@href\n");
}

TEST(Requisites, OfHeadersToo) {
  EXPECT_EQ(
      Read("http://h/p\toutcome=ok\ttype=text/html\tlink=<s.css>; rel=stylesheet", "x", shown())
          .got.links,
      "http://h/s.css header@link requisite\n");
}

TEST(Requisites, WhereLinksAreCheckedASheetOfTheHostIsRead) {
  PageOptions options = everything();
  options.followed.emplace();
  const std::string_view page =
      "<link rel=stylesheet href=/s.css><link rel=stylesheet href=http://cdn/s.css><img src=i.png>"
      "<style>@import 'm.css'</style>";
  const std::string line = "http://h/p\toutcome=ok\ttype=text/html";
  EXPECT_EQ(Read(line, page, options).got.links,
            "http://h/s.css link@href requisite\nhttp://cdn/s.css link@href check\n"
            "http://h/i.png img@src check\nhttp://h/m.css style@import requisite\n");
  EXPECT_EQ(Read(line + "\tx-robots-tag=nofollow", "<link rel=stylesheet href=/s.css>", options)
                .got.links,
            "http://h/s.css link@href check\n");
  EXPECT_EQ(Read("http://h/s.css\toutcome=ok\tpurpose=requisite", kSheet, options).got.links,
            "http://h/more.css css@import requisite2\nhttp://h/f.woff2 css@url check\n"
            "http://h/i.png css@url check\n");
}

TEST(Checkable, HintsAndEndpointsAreNot) {
  EXPECT_TRUE(is_checkable("a", "", ""));
  EXPECT_TRUE(is_checkable("link", "", ""));  // itemprop
  EXPECT_TRUE(is_checkable("link", "search", ""));
  EXPECT_TRUE(is_checkable("a", "hub", ""));
  for (const std::string_view rel : {"preconnect", "Pingback", "profile", "x hub", "Schema.DC"})
    EXPECT_FALSE(is_checkable("link@href", rel, "")) << rel;
  EXPECT_TRUE(is_checkable("header@link", "next", ""));
  EXPECT_FALSE(is_checkable("header@link", "hub", ""));
  EXPECT_FALSE(is_checkable("a", "dns-prefetch", ""));
  EXPECT_FALSE(is_checkable("form", "", "post"));
  EXPECT_FALSE(is_checkable("location", "", ""));
}

TEST(PageReader, TellsWhatOffsetsCountIn) {
  const Read read("http://h/p\toutcome=ok\ttype=text/html", "\xEF\xBB\xBF<a href=x>");
  EXPECT_EQ(read.got.source, "<a href=x>");
  EXPECT_EQ(read.got.mark, 3u);
}

std::string links_of(std::string_view type, std::string_view body) {
  return Read("http://h/d/p\toutcome=ok\ttype=" + std::string(type), body, everything()).got.links;
}

TEST(PageReader, XhtmlByItsTypeOrItsName) {
  const std::string_view body =
      "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><a href='1'/></html>";
  EXPECT_EQ(links_of("application/xhtml+xml", body), "http://h/d/1 a@href\n");
  EXPECT_EQ(links_of("text/xml", body), "http://h/d/1 a@href\n");
  EXPECT_EQ(links_of("text/html", body), "");
  EXPECT_EQ(Read("http://h/p.xhtml?q\toutcome=ok", body).got.links, "http://h/1 a@href\n");
  EXPECT_EQ(
      links_of("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><use href='1'/></svg>"),
      "http://h/d/1 use@href\n");
}

TEST(PageReader, JsonFeedsAndManifests) {
  const std::string_view feed =
      R"({"version":"https://jsonfeed.org/version/1.1","title":"{[","home_page_url":"/","items":[)"
      R"({"url":"a","title":"A","attachments":[{"url":"m.mp3","title":"no"}],)"
      R"("content_html":"<a href=\"x\">t</a>"},{"external_url":"b","tags":["url","z"]}],)"
      R"("next_url":"n","other":{"url":"no"}})";
  const std::string want =
      "http://h/ feed@home_page_url\nhttp://h/d/a item@url\nhttp://h/d/m.mp3 attachments@url\n"
      "http://h/d/x a@href\nhttp://h/d/b item@external_url\nhttp://h/d/n feed@next_url\n";
  EXPECT_EQ(links_of("application/feed+json", feed), want);
  EXPECT_EQ(links_of("application/json", feed), want);
  EXPECT_EQ(links_of("application/manifest+json",
                     R"({"start_url":"./?x","scope":"/no","icons":[{"src":"i.png"}],)"
                     R"("shortcuts":[{"url":"/s","icons":[{"src":"j.png"}]}]})"),
            "http://h/d/?x manifest@start_url\nhttp://h/d/i.png icons@src\n"
            "http://h/s shortcuts@url\nhttp://h/d/j.png icons@src\n");
  // Documents that are broken, cut or deep give what can be read.
  for (std::size_t size = 0; size <= feed.size(); ++size)
    links_of("application/feed+json", feed.substr(0, size));
  EXPECT_EQ(links_of("application/feed+json", "]]}}" + std::string(100'000, '[') + "\"url\":\"x\""),
            "");
}

TEST(PageReader, OpmlAndRdf) {
  EXPECT_EQ(
      links_of("text/x-opml+xml",
               "<opml><body><outline text='A' xmlUrl='f' htmlUrl='p'/>"
               "<outline type='link' url='q'/></body></opml>"),
      "http://h/d/f outline@xmlUrl\nhttp://h/d/p outline@htmlUrl\nhttp://h/d/q outline@url\n");
  EXPECT_EQ(
      links_of("application/rdf+xml",
               "<rdf:RDF><item rdf:about='a'><link>b</link><x rdf:resource='c'/></item></rdf:RDF>"),
      "http://h/d/a item@rdf:about\nhttp://h/d/b item@link\nhttp://h/d/c x@rdf:resource\n");
}

TEST(PageReader, ScriptsAndJsonAreGuessedIn) {
  PageOptions options = everything();
  options.extract.scripts = true;
  const std::string line = "http://h/d/p\toutcome=ok\ttype=";
  EXPECT_EQ(Read(line + "text/javascript", "f('./m.js')", options).got.links,
            "http://h/d/m.js script@string\n");
  EXPECT_EQ(Read(line + "application/json", "{\"a\":\"/b\"}", options).got.links,
            "http://h/b json@string\n");
  EXPECT_EQ(links_of("application/ld+json", "{\"url\":\"/b\"}"), "http://h/b json@json-ld\n");
}

TEST(PageReader, BugWhatIsNotReadSaidNothing) {
  const auto unread = [](std::string_view type, std::string_view body) {
    return Read("http://h/p\toutcome=ok\ttype=" + std::string(type), body).facts->unread;
  };
  EXPECT_EQ(unread("image/png", "x"), "type not read");
  EXPECT_EQ(unread("text/xml", "<other/>"), "type not read");
  EXPECT_EQ(unread("text/javascript", "x"), "type not read: --guess=scripts looks in it");
  EXPECT_EQ(unread("application/json", "{}"), "type not read: --guess=scripts looks in it");
  EXPECT_EQ(unread("text/plain", "x"), "type not read: --guess=text looks in it");
  EXPECT_EQ(unread("text/html", "x"), "");
  EXPECT_EQ(unread("text/xml", "<rss/>"), "");
}

TEST(PageReader, HttpEquivStandsForTheHeader) {
  const Read read("http://h/p\toutcome=ok\ttype=text/html",
                  "<meta http-equiv=X-Robots-Tag content=noindex><meta name=x-robots-tag "
                  "content=nofollow><meta http-equiv=link content='</n>; rel=next'>");
  EXPECT_TRUE(read.facts->directives.noindex());
  EXPECT_EQ(read.got.links, "http://h/n meta@link\n");
}

TEST(IdList, IsPrintableAsciiWhetherOrNotCharIsSigned) {
  using namespace std::string_view_literals;
  EXPECT_EQ(id_list("a\xC3\xA9\0b c\0%\\\x7F\0"sv), "a%C3%A9 b%20c %25%5C%7F");
}

}  // namespace
}  // namespace spinneret::page
