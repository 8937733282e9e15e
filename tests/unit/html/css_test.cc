// SPDX-License-Identifier: Apache-2.0
#include "html/css.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/sanitized.h"

namespace spinneret::html {
namespace {

// Returns each URL, with "@" before those of imports.
std::vector<std::string> urls_of(std::string_view sheet) {
  // The copy has exactly this size, for the sanitizer.
  const std::vector<char> bytes(sheet.begin(), sheet.end());
  std::vector<std::string> out[2];
  std::vector<std::size_t> offsets[2];
  for (const bool fast : {false, true}) {
    CssUrls urls({bytes.data(), bytes.size()}, fast);
    std::string url;
    CssUrls::Kind kind = CssUrls::Kind::kUrl;
    while (urls.next(url, kind)) {
      out[fast].push_back((kind == CssUrls::Kind::kImport ? "@" : "") + url);
      offsets[fast].push_back(urls.offset());
    }
  }
  EXPECT_EQ(out[0], out[1]) << sheet;
  EXPECT_EQ(offsets[0], offsets[1]) << sheet;
  return out[1];
}
using List = std::vector<std::string>;

// All tests run both ways; this one compares them over much where they might differ.
TEST(Css, TheShortWayIsItsSlowTwinOnSoup) {
  constexpr std::string_view kPieces[] = {"url(",
                                          "URL('",
                                          "src(\"",
                                          "image-set(",
                                          "-webkit-image-set(",
                                          "@import ",
                                          "@namespace",
                                          "@media",
                                          "\\",
                                          "\\72",
                                          "\\\n",
                                          "/*",
                                          "*/",
                                          "/",
                                          "\"",
                                          "'",
                                          "(",
                                          ")",
                                          "{",
                                          "}",
                                          ";",
                                          "a",
                                          "var(--x)",
                                          "-",
                                          "\xC3\xA4",
                                          "\n",
                                          "\r\n",
                                          " ",
                                          "u",
                                          "rl(",
                                          ",",
                                          "1x",
                                          "0123456789abcdefg",
                                          "ur\\6c(",
                                          ":"};
  std::mt19937 random(20261123);
  for (int i = 0; i < 100'000; ++i) {
    std::string sheet;
    for (auto n = random() % 16; n-- > 0;) sheet += kPieces[random() % std::size(kPieces)];
    urls_of(sheet);
    ASSERT_FALSE(HasFailure()) << sheet;
  }
}

TEST(Css, UrlsWithAndWithoutQuotes) {
  EXPECT_EQ(urls_of("a{background:url(x.png)}"), List{"x.png"});
  EXPECT_EQ(urls_of("a{background:URL( 'x y.png' )}"), List{"x y.png"});
  EXPECT_EQ(urls_of("a{b:url(\"x)\");c:url(y)}"), (List{"x)", "y"}));
  EXPECT_EQ(urls_of("url(a)url(b)"), (List{"a", "b"}));
  EXPECT_EQ(urls_of("a{b:url(x.png"), List{"x.png"});
  // An empty URL gives no request, not one for the sheet itself.
  EXPECT_EQ(urls_of("@import ''; a{b:url();c:url('')}"), List{});
}

TEST(Css, Imports) {
  EXPECT_EQ(urls_of("@import 'a.css' screen; @IMPORT url(b.css);@import url('c.css');"),
            (List{"@a.css", "@b.css", "@c.css"}));
  EXPECT_EQ(urls_of("@import 'a'; a{content:'b'}"), List{"@a"});
}

TEST(Css, NotInCommentsStringsNamespaces) {
  EXPECT_EQ(urls_of("/* url(a) */ a{content:\"url(b)\"} @namespace url(c); @charset \"d\"; url(e)"),
            List{"e"});
  EXPECT_EQ(urls_of("/* never closed url(a)"), List{});
  EXPECT_EQ(urls_of("a{curl(x);my-url(y);xurl(z)}"), List{});
}

TEST(Css, Escapes) {
  EXPECT_EQ(urls_of("url(a\\20 b\\).png)"), List{"a b).png"});
  EXPECT_EQ(urls_of("url('a\\\nb')"), List{"ab"});
  EXPECT_EQ(urls_of("url(\\0)"), List{"\uFFFD"});
  EXPECT_EQ(urls_of("url(\\1F600 x)"), List{"\U0001F600x"});
  EXPECT_EQ(urls_of("url(a\\"), List{"a"});
}

TEST(Css, BadUrlsGiveNothingAndTheScanGoesOn) {
  EXPECT_EQ(urls_of("a{b:url(x y z);c:url(d)}"), List{"d"});
  EXPECT_EQ(urls_of("a{b:url(x'y');c:url(d)}"), List{"d"});
  // The end of the line breaks the string off; the next quote begins another.
  EXPECT_EQ(urls_of("a{b:url('x\ny');c:url(d)}"), List{});
  EXPECT_EQ(urls_of("a{b:url('x\n);c:url(d)}"), List{"d"});
}

TEST(Css, ImageSets) {
  EXPECT_EQ(urls_of("a{b:image-set('x.png' 1x, \"y.png\" 2x)} c{content:'z'}"),
            (List{"x.png", "y.png"}));
  EXPECT_EQ(urls_of("a{b:-webkit-image-set(url(x) 1x)}"), List{"x"});
}

TEST(Css, AMediaTypeInAnImageSetIsNoImage) {
  EXPECT_EQ(urls_of("a{b:image-set('x' type('image/png'), 'y' 2x), 'no'}"), (List{"x", "y"}));
}

TEST(Css, NamesWithEscapes) {
  EXPECT_EQ(urls_of("@\\69mport 'a.css'; b{c:\\75rl(d);e:u\\72 l(f);g:\\+rl(h)}"),
            (List{"@a.css", "d", "f"}));
}

TEST(Css, AnEscapeEndsWithALineEndOfTwoCharacters) {
  EXPECT_EQ(urls_of("a{b:url(\\41\r\nb.png);c:url('\\41\r\nb')}"), (List{"Ab.png", "Ab"}));
}

TEST(Css, ABadUrlEndsAtAParenthesisThatIsNotEscaped) {
  EXPECT_EQ(urls_of("a{b:url(q b\\) url(c.png);d:url(e)}"), List{"e"});
}

TEST(Css, HostileInputIsLinear) {
  for (const std::string_view piece :
       {"url(", "'", "/*", "\\", "@import ", "image-set(", "(", "url('"}) {
    std::string sheet;
    while (sheet.size() < (kSanitized ? 400'000 : 4'000'000)) sheet += piece;
    urls_of(sheet);
  }
}

}  // namespace
}  // namespace spinneret::html
