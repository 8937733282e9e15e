// SPDX-License-Identifier: Apache-2.0
#include "html/encoding.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/utf8.h"
#include "html/charset.h"
#include "html/encoding_table.h"
#include "html/entity.h"
#include "html/extractor.h"
#include "support/json.h"

namespace spinneret::html {
namespace {

namespace fs = std::filesystem;

std::string decode(std::string_view label, std::string_view bytes) {
  const Encoding* const encoding = find_encoding(label);
  std::string out;
  if (encoding != nullptr) encoding->decode(bytes, out);
  return out;
}

std::string encode(std::string_view label, std::string_view text) {
  const Encoding* const encoding = find_encoding(label);
  std::string out;
  if (encoding != nullptr) encoding->encode(text, out);
  return out;
}

// --- labels (section 4.2) ---

TEST(Encoding, EveryLabelIsKnownInAnyCaseWithSpaceAround) {
  EXPECT_EQ(kEncodingLabelCount, 228u);
  for (std::size_t i = 0; i < kEncodingLabelCount; ++i) {
    const Encoding* const found = find_encoding(kEncodingLabels[i].label);
    ASSERT_NE(found, nullptr) << kEncodingLabels[i].label;
    EXPECT_EQ(found->name(), kEncodingLabels[i].name);
    if (i == 0) continue;
    EXPECT_LT(std::string_view(kEncodingLabels[i - 1].label), kEncodingLabels[i].label);
  }
  EXPECT_EQ(find_encoding(" \tLatin1\n"), &windows1252_encoding());
  EXPECT_EQ(find_encoding("utf-7"), nullptr);
  EXPECT_EQ(find_encoding(""), nullptr);
}

// --- encodings that no document declares ---

std::string guessed(std::string_view document) {
  const Charset found = find_charset(document, "");
  return std::string(found.encoding->name()) + ' ' + std::string(to_string(found.source));
}

std::string page_of(std::string_view label, std::string_view words) {
  return "<title>" + encode(label, words) + "</title>";
}

TEST(CharsetGuess, LanguagesInTheEncodingsThatTheyHaveHad) {
  const struct {
    std::string_view words;
    std::string_view encodings;
  } kCases[] = {
      {"Наш магазин работает каждый день с девяти утра", "windows-1251 koi8-u iso-8859-5 ibm866"},
      {"Їжак прийшов до річки, напився води", "windows-1251 koi8-u iso-8859-5"},
      {"Котката седеше на прозореца и гледаше как вали дъжд", "windows-1251"},
      {"Nasz sklep jest otwarty; żółw przyszedł nad rzekę, książka, gęślą jaźń",
       "windows-1250 iso-8859-2"},
      {"Náš obchod je otevřen každý den kromě neděle, žluťoučký", "windows-1250"},
      {"Το κατάστημά μας είναι ανοιχτό κάθε μέρα", "windows-1253"},
      {"Dükkânımız pazar hariç her gün açıktır, şehir yağmuru", "windows-1254"},
      {"החנות שלנו פתוחה בכל יום מתשע בבוקר", "windows-1255"},
      {"يحكي هذا الكتاب كيف عاش الناس في الجبال", "windows-1256 iso-8859-6"},
      {"Mūsų parduotuvė dirba kiekvieną dieną, išskyrus šventes", "windows-1257"},
      {"ร้านของเราเปิดทุกวันตั้งแต่เก้าโมงเช้า", "windows-874"},
      {"この本は百年前に山で暮らしていた人々の物語です", "shift_jis euc-jp iso-2022-jp"},
      {"这本书讲述了一百年前人们在山里的生活", "gbk"},
      {"這本書講述了一百年前人們在山裡的生活", "big5"},
      {"고양이가 창가에 앉아 비 내리는 거리를 바라보았다", "euc-kr"},
  };
  for (const auto& [words, encodings] : kCases) {
    for (std::string_view rest = encodings; !rest.empty();) {
      const std::string_view label = cut(rest, ' ');
      EXPECT_EQ(guessed(page_of(label, words)), std::string(label) + " guessed");
    }
  }
}

TEST(CharsetGuess, WesternTextIsWindows1252) {
  for (const std::string_view words :
       {"Our shop is open “every day” — except Sundays.",
        "The café’s menu is naïve, isn’t it? £12 © 2009",
        "Unser Geschäft ist täglich außer sonntags geöffnet", "L’été à la plage",
        "It’s 20°C in Zürich", "Cómo vivía la gente en las montañas", "Þessi bók segir frá því",
        "x\u00a0\u00a0\u00a0y", "©"})
    EXPECT_EQ(guessed(page_of("windows-1252", words)), "windows-1252 fallback") << words;
}

TEST(CharsetGuess, WhatIsDeclaredIsNeverGuessed) {
  const std::string russian = encode("windows-1251", "Наш магазин работает каждый день");
  EXPECT_EQ(guessed(russian), "windows-1251 guessed");
  EXPECT_EQ(guessed("<meta charset=koi8-r>" + russian), "koi8-r meta");
  EXPECT_EQ(guessed("\xEF\xBB\xBF" + russian), "utf-8 bom");
  EXPECT_EQ(find_charset(russian, "iso-8859-2").encoding->name(), "iso-8859-2");
  EXPECT_EQ(guessed("Наш магазин"), "utf-8 valid-utf8");
  EXPECT_EQ(guessed(""), "utf-8 valid-utf8");
  EXPECT_EQ(guessed("plain"), "utf-8 valid-utf8");
  // There is an ESC, but this is no ISO-2022-JP.
  EXPECT_EQ(guessed("a \x1B$ b \x1B[0m"), "utf-8 valid-utf8");
}

TEST(CharsetGuess, Utf8ThatIsCutOrHardlyBroken) {
  const std::string words = "Наш магазин работает каждый день";
  EXPECT_EQ(guessed(words.substr(0, words.size() - 1)), "utf-8 guessed");
  EXPECT_EQ(guessed(words + words + " \xE9 " + words), "utf-8 guessed");
}

TEST(CharsetGuess, TheLanguageThatThePageNamesDecides) {
  const std::string name = encode("windows-1250", "č. 1");
  EXPECT_EQ(guessed(name), "windows-1252 fallback");
  EXPECT_EQ(guessed("<html lang=\"cs-CZ\">" + name), "windows-1250 guessed");
  EXPECT_EQ(guessed("<html lang="), "utf-8 valid-utf8");
}

// In a long document the guess reads the first bytes above ASCII, wherever they are.
TEST(CharsetGuess, IsBounded) {
  const std::string russian = encode("windows-1251", "Наш магазин работает каждый день. ");
  std::string document(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 1000; ++i) document += russian;
  document += encode("windows-1253", "Το κατάστημά μας είναι ανοιχτό κάθε μέρα");
  EXPECT_EQ(guessed(document), "windows-1251 guessed");
  EXPECT_EQ(guessed(std::string(std::size_t{1} << 20, '\xFF')).find("utf-8"), std::string::npos);
}

// --- query encoding: the table of ../shared/data/html ---

std::string query_of(std::string_view label, const std::string& character) {
  Url base;
  Url url;
  EXPECT_TRUE(parse("http://h/", base));
  const Encoding* const encoding = find_encoding(label);
  EXPECT_NE(encoding, nullptr) << label;
  EXPECT_TRUE(resolve("?q=" + character, base, url, nullptr, encoding->query_encoder()));
  return std::string(url.query().substr(2));
}

// Five rows of the table follow Python's codecs and not the Encoding Standard, which browsers
// follow: its EUC-JP encoder (12.1.2) knows only the index jis0208, in which U+FF0D is A1DD, and
// its index Big5 has the euro at A3E1.
std::string standard_says(const std::string& row) {
  if (row == "euc-jp U+00E9") return "%26%23233%3B";
  if (row == "euc-jp U+00DF") return "%26%23223%3B";
  if (row == "euc-jp U+017C") return "%26%23380%3B";
  if (row == "euc-jp U+FF0D") return "%A1%DD";
  if (row == "big5 U+20AC") return "%A3%E1";
  return "";
}

TEST(Encoding, QueryTable) {
  std::ifstream lines(SPINNERET_SHARED_DATA "/html/query-encoding.tsv");
  if (!lines) GTEST_SKIP() << "query-encoding.tsv is not there";
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream columns(line);
    std::string label, code, character, kind, expected;
    std::getline(columns, label, '\t');
    std::getline(columns, code, '\t');
    std::getline(columns, character, '\t');
    std::getline(columns, kind, '\t');
    std::getline(columns, expected, '\t');
    const std::string standard = standard_says(label + " " + code);
    EXPECT_EQ(query_of(label, character), standard.empty() ? expected : standard)
        << label << " " << code;
    ++rows;
  }
  EXPECT_EQ(rows, 200);
}

TEST(Encoding, WebPlatformQueryTests) {
  const auto text = read_file(SPINNERET_SHARED_DATA "/url/percent-encoding.json");
  if (!text.ok()) GTEST_SKIP() << "percent-encoding.json is not there";
  const Json tests = Json::parse(*text);
  int checks = 0;
  for (const Json& test : tests.items()) {
    if (!test.is_object()) continue;
    for (const auto& [label, expected] : test["output"].members()) {
      // ASCII controls do not go through the encoder, which would turn U+000E into U+FFFD in
      // ISO-2022-JP.
      if (label == "iso-2022-jp" && test["input"].text() ==
                                        "\x0E"
                                        "A")
        continue;
      EXPECT_EQ(query_of(label, test["input"].text()), expected.text()) << label;
      ++checks;
    }
  }
  EXPECT_EQ(checks, 15);
}

// --- decoders ---

TEST(Encoding, Windows1252KeepsTheC1GapsAndMapsTheRest) {
  EXPECT_EQ(decode("windows-1252", "a\x80\x81\xE9"), "a\u20AC\u0081\u00E9");
  EXPECT_EQ(decode("iso-8859-1", "\x93x\x94"), "\u201Cx\u201D");
}

TEST(Encoding, KnownTexts) {
  EXPECT_EQ(decode("shift_jis", "\x93\xFA\x96{\x8C\xEA \xB1"), "日本語 ｱ");
  EXPECT_EQ(decode("euc-jp", "\xC6\xFC\xCB\xDC\xB8\xEC\x8E\xB1\x8F\xB0\xA1"), "日本語ｱ丂");
  EXPECT_EQ(decode("iso-2022-jp", "a\x1B$BF|K\\8l\x1B(Bz"), "a日本語z");
  EXPECT_EQ(decode("gbk", "\xD6\xD0\xCE\xC4\x80"), "中文€");
  EXPECT_EQ(decode("gb18030", "\xD6\xD0\x81\x30\x89\x38\x94\x39\xDA\x33"), "中ß\U0001F4A9");
  EXPECT_EQ(decode("big5", "\xA4\xA4\xA4\xE5\x88\x62"), "中文\u00CA\u0304");
  EXPECT_EQ(decode("euc-kr", "\xC7\xD1\xB1\xDB"), "한글");
  EXPECT_EQ(decode("utf-16le", std::string_view("a\0=\xD8\xA9\xDC", 6)), "a\U0001F4A9");
  EXPECT_EQ(decode("utf-16be", std::string_view("\0a\xD8\x3D", 4)), "a\uFFFD");
  EXPECT_EQ(decode("koi8-r", "\xED"), "М");
  EXPECT_EQ(decode("hz-gb-2312", "abc"), "\uFFFD");
}

TEST(Encoding, AnAsciiByteBehindALeadThatDoesNotFitStandsForItself) {
  for (const std::string_view label : {"shift_jis", "euc-jp", "gbk", "gb18030", "big5", "euc-kr"}) {
    EXPECT_EQ(decode(label, "\xFD<a\xFD\""), "\uFFFD<a\uFFFD\"") << label;
    EXPECT_EQ(decode(label, "\xB0"), decode(label, "\xB0")) << label;
  }
}

// The slow twin of the decoders' tables: every encoded character decodes to itself, over the whole
// BMP.
TEST(Encoding, WhatEncodesDecodesToItself) {
  for (const std::string_view label : {"gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr",
                                       "iso-2022-jp", "windows-1251", "koi8-u", "macintosh"}) {
    int encodable = 0;
    for (char32_t code = 0x80; code < 0x10000; ++code) {
      if (code >= 0xD800 && code <= 0xDFFF) continue;
      std::string text;
      append_utf8(text, code);
      const std::string bytes = encode(label, text);
      if (bytes.starts_with("&#")) continue;
      ++encodable;
      const std::string back = decode(label, bytes);
      // Some characters are folded together: the yen, the overline, the minus, and half-width
      // katakana in ISO-2022-JP.
      const bool folded = code == 0xA5 || code == 0x203E || code == 0x2212 ||
                          (label == "iso-2022-jp" && code >= 0xFF61 && code <= 0xFF9F);
      if (folded) continue;
      EXPECT_EQ(back, text) << label << " U+" << std::hex << static_cast<unsigned>(code);
    }
    EXPECT_GT(encodable, 100) << label;
  }
}

TEST(Encoding, DecodersNeverReadPastTheEndNorGiveInvalidUtf8) {
  for (std::size_t i = 0; i < kEncodingLabelCount; ++i) {
    const Encoding* const encoding = find_encoding(kEncodingLabels[i].label);
    if (encoding->is_utf8()) continue;
    for (unsigned first = 0; first < 256; ++first) {
      for (unsigned second = 0; second < 256; second += first < 0x80 ? 64 : 1) {
        const std::vector<char> bytes = {static_cast<char>(first), static_cast<char>(second)};
        std::string out;
        encoding->decode({bytes.data(), bytes.size()}, out);
        ASSERT_TRUE(is_valid_utf8(out)) << encoding->name() << " " << first << " " << second;
      }
    }
  }
}

// --- UTF-8 ---

TEST(Encoding, ValidUtf8AgreesWithItsSlowTwin) {
  const auto slow = [](std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t size = utf8_sequence(bytes);
      if (size == 0) return false;
      bytes.remove_prefix(size);
    }
    return true;
  };
  const std::string_view parts[] = {"a",    "é",   "日", "\U0001F600", "\xC3", "\xED\xA0\x80",
                                    "\xF5", "\x80"};
  for (std::size_t pad = 0; pad < 70; ++pad) {
    for (const std::string_view one : parts) {
      for (const std::string_view two : parts) {
        const std::string text = std::string(pad, 'x') + std::string(one) + std::string(two);
        EXPECT_EQ(is_valid_utf8(text), slow(text)) << excerpt(text);
      }
    }
  }
}

// --- the encoding of a document ---

std::string charset_of(std::string_view document, std::string_view http = "") {
  ExtractOptions options;
  LinkExtractor extractor(options);
  const Page& page = extractor.extract(document, http);
  return std::string(page.charset.encoding->name()) + " " +
         std::string(to_string(page.charset.source));
}

TEST(Charset, OrderOfTheSources) {
  EXPECT_EQ(charset_of("\xEF\xBB\xBF<meta charset=big5>", "gbk"), "utf-8 bom");
  EXPECT_EQ(charset_of(std::string_view("\xFF\xFE<\0", 4)), "utf-16le bom");
  EXPECT_EQ(charset_of("<meta charset=big5>", "gbk"), "gbk http");
  EXPECT_EQ(charset_of("<meta charset=big5>", "nonsense"), "big5 meta");
  EXPECT_EQ(charset_of("é"), "utf-8 valid-utf8");
  EXPECT_EQ(charset_of("\xE9"), "windows-1252 fallback");
}

TEST(Charset, Declarations) {
  EXPECT_EQ(charset_of("<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>"),
            "koi8-r meta");
  EXPECT_EQ(charset_of("<meta content='charset=\"gbk\"' http-equiv=content-type>"), "gbk meta");
  EXPECT_EQ(charset_of("<meta charset=utf-16>"), "utf-8 meta");
  EXPECT_EQ(charset_of("<!-- <meta charset=big5> --><meta charset=gbk>"), "gbk meta");
  EXPECT_EQ(charset_of("<meta name=x content='charset=gbk'>"), "utf-8 valid-utf8");
}

TEST(Charset, ALateDeclarationCountsToo) {
  const std::string late =
      "<!--" + std::string(3000, 'x') + "--><meta charset=windows-1251><a href='?\xEC'>";
  LinkExtractor extractor({});
  const Page& page = extractor.extract("<a href='\xEC'>" + late, "");
  EXPECT_EQ(page.charset.encoding->name(), "windows-1251");
  ASSERT_EQ(page.links.size(), 2u);
  EXPECT_EQ(page.links[0].value, "м");  // also the link before it
  EXPECT_EQ(page.links[1].value, "?м");
}

TEST(Charset, Utf16IsReadWhole) {
  std::string document = "\xFE\xFF";
  for (const char c : std::string_view("<a href=x>")) document += std::string{'\0', c};
  LinkExtractor extractor({});
  ASSERT_EQ(extractor.extract(document, "").links.size(), 1u);
}

// The Roman set of ISO-2022-JP stays active where ASCII follows, because a query is encoded as one
// text.
TEST(Encoding, Iso2022JpQueryIsOneText) {
  Url base;
  Url url;
  ASSERT_TRUE(parse("http://h/", base));
  const QueryEncoder* const encoder = find_encoding("iso-2022-jp")->query_encoder();
  ASSERT_TRUE(resolve("?\u00A5a\u00A5\\", base, url, nullptr, encoder));
  EXPECT_EQ(url.query(), "%1B(J\\a\\%1B(B\\");
  ASSERT_TRUE(resolve("?a\u3042b\u0E01", base, url, nullptr, encoder));
  EXPECT_EQ(url.query(), "a%1B$B$%22%1B(Bb%26%233585%3B");
  // Encoding Standard, 13.2.2: an error leads back to ASCII only from two-byte text.
  ASSERT_TRUE(resolve("?\u00A5\u0E01", base, url, nullptr, encoder));
  EXPECT_EQ(url.query(), "%1B(J\\%26%233585%3B%1B(B");
}

}  // namespace
}  // namespace spinneret::html
