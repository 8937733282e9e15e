// SPDX-License-Identifier: Apache-2.0
// Domains by UTS #46 and normalization by Unicode 17. toascii.json is in urltestdata_test.cc. The
// expectations here were found equal to those of tr46 6.0.0 and of a Unicode 17 String.normalize;
// both were compared with these functions on 400,000 random domains when the tables were made.
#include "url/idna.h"

#include <gtest/gtest.h>

#include <string>

#include "support/url_soup.h"
#include "url/punycode.h"
#include "url/unicode.h"

namespace spinneret {
namespace {

std::string ascii(std::string_view domain) {
  std::string out;
  std::string reason;
  return domain_to_ascii(domain, out, &reason) ? out : "! " + reason;
}

TEST(DomainToAscii, AsciiIsLowerCasedNoMore) {
  EXPECT_EQ(ascii("EXAMPLE.Com"), "example.com");
  EXPECT_EQ(ascii("XN--A"), "xn--a");
  EXPECT_EQ(ascii(""), "");
}

TEST(DomainToAscii, MapsAndNormalises) {
  EXPECT_EQ(ascii("B\u00FCcher.DE"), "xn--bcher-kva.de");
  EXPECT_EQ(ascii("fa\u00DF.de"), "xn--fa-hia.de");
  EXPECT_EQ(ascii("\uFF25\uFF38\uFF21\uFF2D\uFF30\uFF2C\uFF25\u3002\uFF43\uFF4F\uFF4D"),
            "example.com");
  EXPECT_EQ(ascii("a\u00ADb\u200B"), "ab");
  EXPECT_EQ(ascii("o\u0308"), ascii("\u00F6"));
  EXPECT_EQ(ascii("\u1100\u1161\u11A8"), ascii("\uAC01"));
}

TEST(DomainToAscii, ValidatesXnLabelsBesideOthers) {
  EXPECT_EQ(ascii("xn--zca.\u00DF"), "xn--zca.xn--zca");
  EXPECT_EQ(ascii("xn--a.\u00DF"), "! U+0080 is not allowed");
  EXPECT_EQ(ascii("xn--9.\u00DF"), "! \"xn--9\" is not valid Punycode");
  EXPECT_EQ(ascii("xn--te\u0161la"), "! a label of \"xn--\" and non-ASCII characters");
  // Labels that decode to ASCII only, are not normalised or not mapped, or are an xn-- label once
  // more.
  EXPECT_EQ(ascii("xn--abc-.\u00DF"), "! \"xn--abc-\" is not valid Punycode");
  std::string decomposed;
  idna::append_punycode(U"o\u0308", decomposed);
  EXPECT_EQ(ascii("xn--" + decomposed + ".\u00DF"), "! an \"xn--\" label that is not normalised");
  EXPECT_EQ(ascii("xn--xn---epa.\u00DF").substr(0, 1), "!");
}

TEST(DomainToAscii, ReasonsNameTheCharacter) {
  EXPECT_EQ(ascii("a\uFFFD"), "! U+FFFD is not allowed");
  EXPECT_EQ(ascii("\u0301a.\u00E9"), "! a label begins with the combining mark U+0301");
  EXPECT_EQ(ascii("\xC3"), "! is not valid UTF-8");
  EXPECT_EQ(ascii("\u200Da"), "! the joiner U+200D joins nothing");
  EXPECT_EQ(ascii("\u05D0a"), "! a label breaks the rule for bidirectional text");
}

TEST(DomainToAscii, JoinersInContext) {
  // Behind a virama both joiners are allowed; the non-joiner also between letters that would join.
  EXPECT_EQ(ascii("\u0DC1\u0DCA\u200D\u0DBB\u0DD3"), "xn--10cl1a0b660p");
  EXPECT_EQ(ascii("\u0646\u0627\u0645\u0647\u200C\u0627\u06CC"), "xn--mgba3gch31f060k");
  EXPECT_EQ(ascii("a\u200Cb").substr(0, 1), "!");
  // Transparent marks between the letters and the non-joiner do not matter.
  EXPECT_NE(ascii("\u0628\u064B\u200C\u064B\u0628").substr(0, 1), "!");
}

TEST(DomainToAscii, BidiRuleHoldsForAllLabelsOfADomain) {
  EXPECT_NE(ascii("\u05D0.a").substr(0, 1), "!");
  EXPECT_EQ(ascii("\u05D0.1a").substr(0, 1), "!");
  EXPECT_NE(ascii("1a.\u00E9").substr(0, 1), "!");
  EXPECT_NE(ascii("\u05D01").substr(0, 1), "!");
  EXPECT_EQ(ascii("\u05D01\u0661").substr(0, 1), "!");
  EXPECT_EQ(ascii("\u05D0-").substr(0, 1), "!");
  // A right-to-left label may be hidden in an xn-- label.
  EXPECT_EQ(ascii("xn--4db.1a\u00E9").substr(0, 1), "!");
}

TEST(DomainToAscii, KnowsUnicode17) {
  // U+A7CE, new in 17: LATIN CAPITAL LETTER PHARYNGEAL VOICED FRICATIVE, maps to U+A7CF.
  EXPECT_EQ(ascii("\uA7CE"), ascii("\uA7CF"));
  EXPECT_EQ(ascii("\uA7CF").substr(0, 4), "xn--");
  // U+1C89, new in 16, maps to U+1C8A.
  EXPECT_EQ(ascii("\u1C89"), ascii("\u1C8A"));
}

TEST(DomainToAscii, ResultIsItsOwnForm) {
  UrlSoup random(2);
  int valid = 0;
  for (int i = 0; i < 50000; ++i) {
    std::u32string text;
    idna::append_mapped(static_cast<char32_t>(random.number(0x30000)), text);
    std::string domain = "\u00E9.";
    for (const char32_t c : text) {
      if (c >= 0xD800 && c < 0xE000) continue;
      if (c < 0x80) {
        domain += static_cast<char>(c);
      } else if (c < 0x800) {
        domain += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
      } else if (c < 0x10000) {
        domain += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
                   static_cast<char>(0x80 | (c & 63))};
      } else {
        domain += {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)),
                   static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
      }
    }
    std::string once;
    if (!domain_to_ascii(domain, once)) continue;
    ++valid;
    // This holds even where a non-ASCII label beside it makes its labels be validated.
    std::string twice;
    ASSERT_TRUE(domain_to_ascii(once + ".\u00E9", twice)) << once;
    ASSERT_EQ(twice, once + ".xn--9ca");
  }
  EXPECT_GT(valid, 10000);
}

std::u32string nfc(std::u32string text) {
  idna::normalize_nfc(text);
  return text;
}

TEST(Normalization, Composes) {
  EXPECT_EQ(nfc(U"e\u0301"), U"\u00E9");
  EXPECT_EQ(nfc(U"o\u031B\u0323"), U"\u1EE3");
  EXPECT_EQ(nfc(U"o\u0323\u031B"), U"\u1EE3");
  EXPECT_EQ(nfc(U"\u1100\u1161\u11A8"), U"\uAC01");
  EXPECT_EQ(nfc(U"\uAC00\u11A8"), U"\uAC01");
  EXPECT_EQ(nfc(U"\uAC00\u11A7"), U"\uAC00\u11A7");
}

TEST(Normalization, OrdersMarksAndKeepsThoseThatAreBlocked) {
  EXPECT_EQ(nfc(U"q\u0307\u0323"), U"q\u0323\u0307");
  EXPECT_EQ(nfc(U"e\u0300\u0301"), U"\u00E8\u0301");
  // The first mark of a class blocks the second one.
  EXPECT_EQ(nfc(U"a\u0334\u0301"), U"\u00E1\u0334");
  EXPECT_EQ(nfc(U"a\u0346\u0301"), U"a\u0346\u0301");
}

TEST(Normalization, OfUnicode16) {
  // Tulu-Tigalari and Gurung Khema compose, some of them starters with starters.
  EXPECT_EQ(nfc(U"\U00011382\U000113C9"), U"\U00011383");
  EXPECT_EQ(nfc(U"\U0001611E\U0001611E"), U"\U00016121");
  EXPECT_EQ(nfc(U"\U0001611E\U0001611E\U0001611F"), U"\U00016126");
}

TEST(Normalization, IsIdempotent) {
  static constexpr char32_t kSome[] = {'a',    'e',    'o',    0x0301,  0x0323, 0x031B, 0x0334,
                                       0x0345, 0x1100, 0x1161, 0x11A8,  0xAC00, 0x09C7, 0x09BE,
                                       0x094D, 0x3099, 0x304B, 0x16121, 0x1611E};
  UrlSoup random(4);
  for (int i = 0; i < 100000; ++i) {
    std::u32string text;
    for (std::size_t count = random.number(7); count > 0; --count)
      text += kSome[random.number(std::size(kSome))];
    const std::u32string once = nfc(text);
    ASSERT_EQ(nfc(once), once);
  }
}

}  // namespace
}  // namespace spinneret
