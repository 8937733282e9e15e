// SPDX-License-Identifier: Apache-2.0
// The rules of other crawlers, written as spinneret-policy(5) recommends: one test for each line of
// its section COMING FROM OTHER CRAWLERS.
#include <gtest/gtest.h>

#include "unit/policy/policy_fixture.h"

namespace spinneret::policy {
namespace {

// --- Roboto -------------------------------------------------------------------------------------

TEST(Roboto, AllowedDomainsTakeSubdomains) {
  Court court("allow-domain foonews.com\n");
  court.expect_passed({"http://www.foonews.com/latest", "http://foonews.com/"});
  EXPECT_FALSE(court.passes("http://notfoonews.com/"));
}

TEST(Roboto, ConstrainToRootDomains) {
  Court court("scope domain\nseed http://www.foonews.com/latest\n");
  EXPECT_TRUE(court.passes("http://sports.foonews.com/"));
  EXPECT_FALSE(court.passes("http://barnews.com/"));
}

TEST(Roboto, BlacklistAndWhitelist) {
  Court court("deny-url rss privacy accounts\nallow-url foo bar\n");
  court.expect_passed({"http://h/foo", "http://h/a/bar"});
  court.expect_refused({"http://h/foo/rss", "http://h/baz"});
}

TEST(Roboto, MaxDepth) {
  Court court("max-depth 1\n");
  EXPECT_TRUE(court.passes("http://h/", {.depth = "1"}));
  EXPECT_FALSE(court.passes("http://h/", {.depth = "2"}));
}

TEST(Roboto, AllowedSchemesAndQueryParams) {
  Court court("allow-scheme http https\nquery none\n");
  EXPECT_TRUE(court.passes("https://h/"));
  court.expect_refused({"ftp://h/", "mailto:a@b", "http://h/?a=1"});
}

TEST(Roboto, AllowedContentTypes) {
  Court court("allow-type text/html application/xhtml+xml application/xml\n");
  Url url;
  ASSERT_TRUE(parse("http://h/", url));
  EXPECT_TRUE(court.state().judge_result(url, {.type = "text/html; charset=utf-8"}).accepted);
  EXPECT_FALSE(court.state().judge_result(url, {.type = "image/png"}).accepted);
}

// --- Unobtanium ---------------------------------------------------------------------------------

TEST(Unobtanium, DoNotCrawlIsByPathPrefix) {
  Court court("[example.org]\ndeny-path ^/admin/ ^/login\n");
  court.expect_refused({"https://example.org/admin/x", "https://example.org/login?next=/"});
  court.expect_passed({"https://example.org/", "https://example.net/admin/x"});
}

TEST(Unobtanium, UrlQueryParameters) {
  Court court("query none\nquery-parameters /search q page\n");
  court.expect_passed({"https://h/search?page=2&q=x", "https://h/search?q=x"});
  court.expect_refused({"https://h/search?q=x&sort=up", "https://h/?q=x"});
}

// --- Fluid Dynamics Search Engine ---------------------------------------------------------------

TEST(Fdse, ProtocolAndAddressLength) {
  Court court("allow-scheme http\nmax-url-length 128\n");
  EXPECT_TRUE(court.passes("http://h/"));
  EXPECT_FALSE(court.passes("https://h/"));
  EXPECT_TRUE(court.passes("http://h/" + std::string(119, 'x')));
  EXPECT_FALSE(court.passes("http://h/" + std::string(120, 'x')));
}

TEST(Fdse, QueryStringsAndExtensions) {
  Court court("query none\ndeny-extension gif|jpg|jpeg|zip\n");
  court.expect_refused({"http://h/cgi?x", "http://h/PIC.JPG"});
  EXPECT_TRUE(court.passes("http://h/page.html"));
}

TEST(Fdse, OffsiteLinks) {
  Court court("scope host\nseed http://h.example/\nmax-offsite-hops 1\n");
  EXPECT_TRUE(court.passes("http://o.example/", {.via = "http://h.example/a"}));
  EXPECT_FALSE(court.passes("http://p.example/", {.via = "http://o.example/"}));
}

TEST(Fdse, IndexEntireSiteIsTheFolderAndBelow) {
  Court court("scope under\nseed http://h.example/~me/index.html\n");
  EXPECT_TRUE(court.passes("http://h.example/~me/a/b.html"));
  EXPECT_FALSE(court.passes("http://h.example/~you/"));
}

// --- HTTP: The Definitive Guide, chapter 9 ------------------------------------------------------

TEST(HttpGuide, UrlSizeIsLimitedAndTheReasonCanBeLogged) {
  Court court("max-url-length 1024\n");
  const Verdict& verdict = court.judge("http://h/" + std::string(2000, 'x'));
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(court.state().explain(), "its 2009 bytes are too many");
}

TEST(HttpGuide, PatternDetectionAndThrottling) {
  Court court("trap repeated-segments\nbudget host 2\n");
  EXPECT_FALSE(court.passes("http://h/subdir/subdir/subdir/index.html"));
  court.expect_passed({"http://h/1", "http://h/2"});
  EXPECT_FALSE(court.passes("http://h/3"));
}

// --- Heritrix -----------------------------------------------------------------------------------

TEST(Heritrix, PathologicalPath) {
  Court court("trap repeated-segments 3\n");
  EXPECT_FALSE(court.passes("http://example.com/a/a/a/boo.html"));
  EXPECT_TRUE(court.passes("http://example.com/a/a/boo.html"));
}

TEST(Heritrix, TooManyPathSegmentsAndTooManyHops) {
  Court court("max-path-segments 20\nmax-depth 20\n");
  std::string url = "http://h";
  for (int i = 0; i < 20; ++i) url += "/s" + std::to_string(i);
  EXPECT_TRUE(court.passes(url, {.depth = "20"}));
  EXPECT_FALSE(court.passes(url + "/x"));
  EXPECT_FALSE(court.passes("http://h/", {.depth = "21"}));
}

TEST(Heritrix, SurtPrefixed) {
  Court court("allow-domain foo.org\nallow-prefix http://www.foo.org/a/\n");
  EXPECT_TRUE(court.passes("http://www.foo.org/a/x"));
  EXPECT_FALSE(court.passes("http://www.foo.org/b"));
}

TEST(Heritrix, LastDecisionWins) {
  Court court(
      "order last-match\ndefault deny\nallow-domain foo.org\ndeny-path /private/\nallow-path "
      "/private/ok\n");
  EXPECT_FALSE(court.passes("http://bar.org/"));
  EXPECT_TRUE(court.passes("http://foo.org/"));
  EXPECT_FALSE(court.passes("http://foo.org/private/"));
  EXPECT_TRUE(court.passes("http://foo.org/private/ok"));
}

// --- Nutch --------------------------------------------------------------------------------------

// conf/regex-urlfilter.txt, as it is distributed.
TEST(Nutch, RegexUrlfilterDefaults) {
  Court court(
      "order first-match\n"
      "default deny\n"
      "deny-url ^(file|ftp|mailto):\n"
      "deny-url "
      "(?i)\\.(gif|jpg|png|ico|css|sit|eps|wmf|zip|mpg|xls|gz|rpm|tgz|mov|exe|jpeg|bmp|js)$\n"
      "deny-url [?*!@=]\n"
      "allow-url .\n"
      "max-segment-repeats 2\n");
  EXPECT_TRUE(court.passes("http://h/a.html"));
  court.expect_refused({"ftp://h/a.html", "mailto:a@b.example", "http://h/a.GIF", "http://h/a?b=c",
                        "http://h/x/a/x/b/x/"});
}

TEST(Nutch, DomainAndSuffixFilters) {
  Court court("allow-domain apache.org edu\ndeny-extension zip exe\n");
  court.expect_passed({"http://lucene.apache.org/", "http://www.mit.edu/"});
  court.expect_refused({"http://example.com/", "http://apache.org/a.zip"});
}

// --- StormCrawler -------------------------------------------------------------------------------

TEST(StormCrawler, BasicUrlFilter) {
  Court court("max-segment-repeats 3\nmax-url-length 1024\n");
  EXPECT_TRUE(court.passes("http://h/a/x/a/y/a"));
  EXPECT_FALSE(court.passes("http://h/a/x/a/y/a/z/a"));
  EXPECT_FALSE(court.passes("http://h/" + std::string(1024, 'x')));
}

TEST(StormCrawler, MaxDepthAndHostUrlFilter) {
  Court court("max-depth 3\nscope domain\n");
  EXPECT_FALSE(court.passes("http://h.example/", {.depth = "4"}));
  EXPECT_TRUE(court.passes("http://a.h.example/", {.via = "http://h.example/"}));
  EXPECT_FALSE(court.passes("http://i.example/", {.via = "http://h.example/"}));
}

}  // namespace
}  // namespace spinneret::policy
