// SPDX-License-Identifier: Apache-2.0
#include "page/reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "page/headers.h"

namespace spinneret {
namespace {

struct Collector : PageTaker {
  void document(std::string_view bytes, std::size_t skipped) override {
    source = std::string(bytes);
    mark = skipped;
  }
  void take(const PageLink& link, const Url& base, const QueryEncoder* encoder) override {
    Url url;
    links += resolve(link.value, base, url, nullptr, encoder) ? url.href() : "?";
    links += " " + std::string(link.element) + "@" + std::string(link.attribute) + "\n";
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
  EXPECT_EQ(content_of("", "", true, "http://h/\n"), Content::kText);
  EXPECT_EQ(content_of("text/plain", "", false, "<urlset>"), Content::kText);
  EXPECT_EQ(content_of("application/xml", "", false, "<urlset></urlset>"), Content::kXml);
  EXPECT_EQ(content_of("application/xhtml+xml", "", false, "<html></html>"), Content::kHtml);
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

TEST(PageReader, TellsWhatOffsetsCountIn) {
  const Read read("http://h/p\toutcome=ok\ttype=text/html", "\xEF\xBB\xBF<a href=x>");
  EXPECT_EQ(read.got.source, "<a href=x>");
  EXPECT_EQ(read.got.mark, 3u);
}

}  // namespace
}  // namespace spinneret
