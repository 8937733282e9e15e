// SPDX-License-Identifier: Apache-2.0
#include "url/parse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/cpu_time.h"
#include "support/url_soup.h"
#include "url/parse_notes.h"
#include "url/stripped_input.h"

namespace spinneret {
namespace {

// The basic URL parser, in the order of the standard's states, and what urltestdata.json does not
// test: reasons, offsets, accessors, hostile input.

std::string href(std::string_view input) {
  Url url;
  UrlError why;
  return parse(input, url, &why) ? std::string(url.href()) : "! " + why.message;
}

std::string href(std::string_view input, std::string_view base_text) {
  Url base;
  Url url;
  UrlError why;
  EXPECT_TRUE(parse(base_text, base)) << base_text;
  return resolve(input, base, url, &why) ? std::string(url.href()) : "! " + why.message;
}

// "message @offset"
std::string reason(std::string_view input) {
  Url url;
  UrlError why;
  if (parse(input, url, &why)) return "parsed: " + std::string(url.href());
  return why.message + " @" + std::to_string(why.offset);
}

TEST(Input, WhiteSpaceAndControls) {
  EXPECT_EQ(href(" \x01\thttp://h/\n "), "http://h/");
  EXPECT_EQ(href("ht\ntp:\t//h\r/a\tb"), "http://h/ab");
  EXPECT_EQ(href("http://h/\x01"), "http://h/");
  EXPECT_EQ(href("http://h/\x01/"), "http://h/%01/");
}

TEST(SchemeStates, CaseAndDefaults) {
  EXPECT_EQ(href("HTTP://h"), "http://h/");
  EXPECT_EQ(href("a+-.1:x"), "a+-.1:x");
  EXPECT_EQ(reason("1http://h/"), "a relative URL without a base @0");
  EXPECT_EQ(reason(""), "the URL is empty @0");
  EXPECT_EQ(reason("  "), "the URL is empty @2");
  EXPECT_EQ(reason("\xEF\xBB\xBFhttp://h/"), "a byte order mark before the URL @0");
}

// Compares the fast path for plain links with the parser, which a space before the link leads to.
TEST(RelativeStates, PlainLinksAreWhatTheParserMakesOfThem) {
  const std::string_view pieces[] = {"/",        ".",       "a",        "?",     "#",
                                     "%2e",      "..",      "http://h", ":",     "\\",
                                     "'",        "|",       "{",        "http:", "Z9-_~!$&()*+,;=@",
                                     "https://", "b-c.d_e", ".1",       "x"};
  std::vector<std::string> links = {""};
  std::size_t begin = 0;
  for (int length = 1; length <= 4; ++length) {
    const std::size_t end = links.size();
    for (; begin < end; ++begin) {
      for (const std::string_view piece : pieces)
        links.push_back(links[begin] + std::string(piece));
    }
  }
  for (const char* const base_text :
       {"http://h/b/c?d#e", "http://h", "http://u:p@h:81/x/", "ftp://h/a", "file:///a", "a:b"}) {
    Url base;
    ASSERT_TRUE(parse(base_text, base));
    Url fast;
    Url slow;
    for (const std::string& link : links) {
      const bool ok = resolve(link, base, fast);
      ASSERT_EQ(ok, resolve(" " + link, base, slow)) << link << " on " << base_text;
      if (!ok) continue;
      ASSERT_EQ(fast.href(), slow.href()) << link << " on " << base_text;
      ASSERT_EQ(std::memcmp(&fast.offsets(), &slow.offsets(), sizeof(UrlOffsets)), 0)
          << link << " on " << base_text;
    }
  }
}

TEST(RelativeStates, KeepWhatTheyDoNotReplace) {
  const char* const base = "http://u:p@h:81/a/b?q#f";
  EXPECT_EQ(href("", base), "http://u:p@h:81/a/b?q");
  EXPECT_EQ(href("#g", base), "http://u:p@h:81/a/b?q#g");
  EXPECT_EQ(href("?r", base), "http://u:p@h:81/a/b?r");
  EXPECT_EQ(href("c", base), "http://u:p@h:81/a/c");
  EXPECT_EQ(href("/c", base), "http://u:p@h:81/c");
  EXPECT_EQ(href("\\c", base), "http://u:p@h:81/c");
  EXPECT_EQ(href("//g", base), "http://g/");
  EXPECT_EQ(href("http:c", base), "http://u:p@h:81/a/c");
  EXPECT_EQ(href("https:c", base), "https://c/");
  EXPECT_EQ(href("#g", "data:x?y"), "data:x?y#g");
  EXPECT_EQ(href("x", "data:y"), "! a relative URL cannot be resolved against the base \"data:y\"");
}

TEST(AuthorityState, CredentialsEndAtTheLastAt) {
  EXPECT_EQ(href("http://a@b:c@d@h/"), "http://a%40b:c%40d@h/");
  EXPECT_EQ(href("http://@h/"), "http://h/");
  EXPECT_EQ(href("http://:@h/"), "http://h/");
  EXPECT_EQ(href("http://:p@h/"), "http://:p@h/");
  EXPECT_EQ(reason("http://u:p@/x"), "no host follows the '@' @11");
  EXPECT_EQ(reason("http://u@?x"), "no host follows the '@' @9");
}

TEST(AuthorityState, TricksLeadWhereABrowserGoes) {
  EXPECT_EQ(href("http://good.test;@evil.test/"), "http://good.test%3B@evil.test/");
  EXPECT_EQ(href("http://evil.test#@good.test/"), "http://evil.test/#@good.test/");
  EXPECT_EQ(href("http://good.test\\@evil.test/"), "http://good.test/@evil.test/");
  EXPECT_EQ(href("http://good.test:80@evil.test/"), "http://good.test:80@evil.test/");
}

TEST(HostState, ReasonsNameTheByte) {
  EXPECT_EQ(reason("http://"), "the host is empty @7");
  EXPECT_EQ(reason("http://:80/"), "the host is empty @7");
  EXPECT_EQ(reason("foo://:80/"), "the host is empty @6");
  EXPECT_EQ(reason("http://a<b/"), "\"<\" is not allowed in a domain @8");
  EXPECT_EQ(reason("http://u@a|b/"), "\"|\" is not allowed in a domain @10");
  EXPECT_EQ(reason("http://\ta\n b/"), "\" \" is not allowed in a domain @10");
  EXPECT_EQ(reason("foo://a^b/"), "\"^\" is not allowed in a host @7");
  EXPECT_EQ(reason("http://[::1/"), "IPv6 address has no closing bracket @7");
  EXPECT_EQ(reason("http://[::1]x/"), "IPv6 address has no closing bracket @7");
  EXPECT_EQ(reason("http://[1:2]/"), "IPv6 address has fewer than eight pieces @11");
  EXPECT_EQ(reason("http://[::g]/"), "IPv6 address has a byte that is not a hexadecimal digit @10");
  EXPECT_EQ(reason("http://256.256.256.256/"), "IPv4 address is out of range @7");
  EXPECT_EQ(reason("http://1.2.3.09/"), "IPv4 address has \"09\", which is not a number @7");
  EXPECT_EQ(reason("http://a%00b/"), "\"\\x00\" is not allowed in a domain @7");
  EXPECT_EQ(reason("http://\xEF\xBF\xBD/"), "domain \"\xEF\xBF\xBD\": U+FFFD is not allowed @7");
  EXPECT_EQ(reason("http://a\xFF/"), "domain \"a\\xFF\": is not valid UTF-8 @7");
  EXPECT_EQ(reason("http://\xC2\xAD/"), "domain \"\\xC2\\xAD\" is empty once mapped @7");
}

TEST(PortState, ReasonsNameTheByte) {
  EXPECT_EQ(reason("http://h:65536/"), "port 65536 is out of range @9");
  EXPECT_EQ(reason("http://h:8x/"), "port has \"x\", which is not a digit @10");
  EXPECT_EQ(reason("http://u:p@h:99999999999999999999999999/"),
            "port 99999999999999999999... is out of range @13");
  EXPECT_EQ(href("http://h:00000000000000000000000000000080/"), "http://h/");
  EXPECT_EQ(href("http://h:0/"), "http://h:0/");
  EXPECT_EQ(href("http://h:/"), "http://h/");
}

TEST(FileStates, DriveLetters) {
  EXPECT_EQ(href("file:c|/x"), "file:///c:/x");
  EXPECT_EQ(href("..", "file:///C:/"), "file:///C:/");
  EXPECT_EQ(href("/x", "file:///C:/y"), "file:///C:/x");
  EXPECT_EQ(href("//localhost/x", "file:///C:/y"), "file:///x");
  EXPECT_EQ(href("file://C:/x"), "file:///C:/x");
}

TEST(PathState, DotSegmentsInEverySpelling) {
  EXPECT_EQ(href("http://h/a/./b/%2e/c/%2E%2e/d/.%2e"), "http://h/a/b/");
  EXPECT_EQ(href("http://h/a/.."), "http://h/");
  EXPECT_EQ(href("http://h/..."), "http://h/...");
  EXPECT_EQ(href("http://h/%2e%2e%2e"), "http://h/%2e%2e%2e");
  EXPECT_EQ(href("http://h/a\\..\\b"), "http://h/b");
  EXPECT_EQ(href("foo://h/a\\..\\b"), "foo://h/a\\..\\b");
}

TEST(PathState, BytesThatAreNoUtf8AreEscapedAsTheyAre) {
  EXPECT_EQ(href("http://h/\xE9?\xE9#\xE9"), "http://h/%E9?%E9#%E9");
}

TEST(OpaquePathState, OnlyTheLastSpaceIsEscaped) {
  EXPECT_EQ(href("foo:a  #f"), "foo:a %20#f");
  EXPECT_EQ(href("foo:a  ?q"), "foo:a %20?q");
  EXPECT_EQ(href("foo:a b"), "foo:a b");
}

TEST(Serializer, APathThatLooksLikeAHostIsMarked) {
  EXPECT_EQ(href("foo:/.//p"), "foo:/.//p");
  EXPECT_EQ(href("foo:/a/..//p"), "foo:/.//p");
  EXPECT_EQ(href("?q", "foo:/.//p"), "foo:/.//p?q");
  EXPECT_EQ(href("../q", "foo:/.//p"), "foo:/q");
}

TEST(Accessors, OfAWholeUrl) {
  Url url;
  ASSERT_TRUE(parse("https://user:pass@example.com:1234/foo/bar?baz#quux", url));
  EXPECT_EQ(url.scheme(), "https");
  EXPECT_EQ(url.username(), "user");
  EXPECT_EQ(url.password(), "pass");
  EXPECT_EQ(url.host(), "example.com");
  EXPECT_EQ(url.port_text(), "1234");
  EXPECT_EQ(url.port(), 1234);
  EXPECT_EQ(url.effective_port(), 1234);
  EXPECT_EQ(url.path(), "/foo/bar");
  EXPECT_EQ(url.query(), "baz");
  EXPECT_EQ(url.fragment(), "quux");
  EXPECT_EQ(url.path_and_query(), "/foo/bar?baz");
  EXPECT_EQ(url.href_without_fragment(), "https://user:pass@example.com:1234/foo/bar?baz");
  EXPECT_EQ(url.origin(), "https://example.com:1234");
  EXPECT_TRUE(url.is_http());
  EXPECT_TRUE(url.is_special());
  EXPECT_FALSE(url.has_opaque_path());
}

TEST(Accessors, OfWhatIsNotThere) {
  Url url;
  ASSERT_TRUE(parse("foo:/.//p", url));
  EXPECT_FALSE(url.has_host());
  EXPECT_EQ(url.host(), "");
  EXPECT_FALSE(url.has_port());
  EXPECT_EQ(url.path(), "//p");
  EXPECT_EQ(url.origin(), "");
  EXPECT_EQ(url.effective_port(), -1);
  ASSERT_TRUE(parse("file:///x?", url));
  EXPECT_TRUE(url.has_host());
  EXPECT_EQ(url.host(), "");
  EXPECT_TRUE(url.has_query());
  EXPECT_EQ(url.query(), "");
  EXPECT_FALSE(url.has_fragment());
  ASSERT_TRUE(parse("mailto:a@b", url));
  EXPECT_TRUE(url.has_opaque_path());
  EXPECT_EQ(url.path(), "a@b");
  EXPECT_EQ(url.host(), "");
  ASSERT_TRUE(parse("https://h", url));
  EXPECT_EQ(url.effective_port(), 443);
  EXPECT_EQ(url.port(), -1);
  ASSERT_TRUE(parse("http://[::1]:8080/", url));
  EXPECT_EQ(url.host(), "[::1]");
  EXPECT_EQ(url.port(), 8080);
  ASSERT_TRUE(parse("http://:p@h/", url));
  EXPECT_EQ(url.username(), "");
  EXPECT_EQ(url.password(), "p");
  EXPECT_EQ(url.host(), "h");
}

TEST(Accessors, OfNothing) {
  const Url url;
  EXPECT_EQ(url.href(), "");
  EXPECT_EQ(url.scheme(), "");
  EXPECT_FALSE(url.has_host());
  EXPECT_EQ(url.host(), "");
  EXPECT_EQ(url.path(), "");
}

// The parts put together are the whole, and a serialised URL parses to itself.
void expect_consistent(const Url& url) {
  std::string whole(url.scheme());
  whole += ':';
  if (url.has_host()) {
    whole += "//";
    whole += url.username();
    if (!url.password().empty()) whole += ":" + std::string(url.password());
    if (!url.username().empty() || !url.password().empty()) whole += '@';
    whole += url.host();
    if (url.has_port()) whole += ":" + std::string(url.port_text());
  } else if (url.path().starts_with("//")) {
    whole += "/.";
  }
  whole += url.path();
  if (url.has_query()) whole += "?" + std::string(url.query());
  if (url.has_fragment()) whole += "#" + std::string(url.fragment());
  ASSERT_EQ(whole, url.href());
  Url again;
  ASSERT_TRUE(parse(url.href(), again)) << url.href();
  ASSERT_EQ(again.href(), url.href());
}

TEST(Soup, PartsMakeTheWholeAndSerialisedParsesToItself) {
  UrlSoup soup(1);
  Url base;
  Url url;
  UrlError why;
  for (int i = 0; i < 200000; ++i) {
    const std::string text = soup.url();
    // The copy is on the heap and of exactly that size, so that a sanitizer sees a read beyond it.
    const auto copy = std::make_unique_for_overwrite<char[]>(text.size());
    if (!text.empty()) std::memcpy(copy.get(), text.data(), text.size());
    const std::string_view input(copy.get(), text.size());
    if (parse(input, url, &why)) {
      ASSERT_NO_FATAL_FAILURE(expect_consistent(url)) << testing::PrintToString(text);
      if (soup.number(4) == 0) parse(url.href(), base);
    } else {
      ASSERT_FALSE(why.message.empty());
      ASSERT_LE(why.offset, text.size());
    }
    if (!base.href().empty() && resolve(input, base, url, &why)) {
      ASSERT_NO_FATAL_FAILURE(expect_consistent(url))
          << testing::PrintToString(text) << " against " << base.href();
    }
  }
}

// Hostile input takes linear time: ten times the size takes about ten times as long. The bound is
// wide, because machines are noisy; quadratic time would exceed it by far.
std::string repeated(std::string_view piece, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += piece;
  return out;
}

double milliseconds_of(const std::string& input) {
  Url url;
  return least_milliseconds([&] { parse(input, url); });
}

TEST(Hostile, TimeIsLinear) {
  const std::pair<const char*, const char*> cases[] = {{"http://h/", "../"},
                                                       {"http://h/", "a/../"},
                                                       {"http://h/", "/"},
                                                       {"http://h/", "%25"},
                                                       {"http://h/", "%2e/"},
                                                       {"http://h:", "1"},
                                                       {"http://h:", "0"},
                                                       {"http://", "a."},
                                                       {"http://", "a@"},
                                                       {"http://", ":"},
                                                       {"http://", "1."},
                                                       {"http://[", ":"},
                                                       {"http://xn--", "a"},
                                                       {"http://xn--a\xC3\x9F", "z9"},
                                                       {"http://", "\xEF\xBC\x8E"},
                                                       {"http://", "\xEF\xBC\x91"},
                                                       {"http://", "\xE4\xBD\xA0\xE5\xA5\xBD"},
                                                       {"http://a", "\xCC\x81\xCC\xA3"},
                                                       {"http://\xD7\x90", "\xE2\x80\x8C"},
                                                       {"http://", "\xC2\xAD"},
                                                       {"file:///", "C|/../"},
                                                       {"foo:", " "},
                                                       {"foo:/", "/.."},
                                                       {"http://h/?", "'"},
                                                       {"http://h/#", "`"},
                                                       {"", "\t"},
                                                       {"http://", "%F0%9F%98%80"}};
  for (const auto& [start, piece] : cases) {
    const std::string small = start + repeated(piece, 20000 / std::strlen(piece));
    const std::string large = start + repeated(piece, 200000 / std::strlen(piece));
    EXPECT_LT(milliseconds_of(large), 40 * milliseconds_of(small) + 20) << start << piece;
  }
}

TEST(StrippedInput, LeavesPlainTextWhereItIs) {
  const std::string input = "http://h/a b";
  const StrippedInput stripped(input);
  EXPECT_EQ(stripped.text().data(), input.data());
  EXPECT_EQ(stripped.text(), input);
  EXPECT_EQ(stripped.original_offset(9), 9U);
}

TEST(StrippedInput, TakesControlsAndBlanksOffTheEndsOnly) {
  const StrippedInput stripped(std::string_view("\x00\x1f http://h/\x01 x \x7f \x02", 19));
  EXPECT_EQ(stripped.text(), "http://h/\x01 x \x7f");
  EXPECT_EQ(stripped.original_offset(0), 3U);
}

TEST(StrippedInput, TakesTabsAndLineEndsOutOfTheMiddle) {
  const StrippedInput stripped(" ht\ttp://h\r\n/a");
  EXPECT_EQ(stripped.text(), "http://h/a");
  EXPECT_EQ(stripped.original_offset(0), 1U);
  EXPECT_EQ(stripped.original_offset(2), 4U);
  EXPECT_EQ(stripped.original_offset(8), 12U);
  EXPECT_EQ(stripped.original_offset(10), 14U);  // the end of the input
}

// Compares with the obvious: every byte at every place of a word of eight bytes and its neighbours.
TEST(StrippedInput, FindsADroppedByteAnywhere) {
  for (std::size_t size = 1; size < 20; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string input = "a" + std::string(size, 'x') + "z";
        input[at + 1] = static_cast<char>(byte);
        std::string want;
        for (const char c : input) {
          if (c != '\t' && c != '\n' && c != '\r') want += c;
        }
        EXPECT_EQ(StrippedInput(input).text(), want) << size << " " << at << " " << byte;
      }
    }
  }
}

TEST(StrippedInput, OfNothingIsNothing) {
  EXPECT_EQ(StrippedInput("").text(), "");
  EXPECT_EQ(StrippedInput(" \n\t ").text(), "");
}

}  // namespace
// A link that is resolved without the parser gives what the parser gives.
TEST(Resolve, TheShortWayIsTheParsers) {
  constexpr std::string_view kBases[] = {"http://e.example/d/p?q#f", "https://e.example",
                                         "http://e.example/a/b/", "ftp://e.example/x"};
  constexpr std::string_view kPieces[] = {"/",
                                          "/",
                                          "a",
                                          "b.html",
                                          "index",
                                          "?",
                                          "#",
                                          "&x=1",
                                          ".",
                                          "..",
                                          "/../",
                                          "/./",
                                          "%2e",
                                          "%2E/",
                                          "%41",
                                          "//",
                                          "http://e.example/",
                                          "https://o.example/",
                                          ":",
                                          ";j",
                                          "(",
                                          "|",
                                          "^",
                                          "`",
                                          "{",
                                          "}",
                                          "\"",
                                          "'",
                                          "<",
                                          ">",
                                          "\\",
                                          " ",
                                          "\t",
                                          "\x7F",
                                          "\xC3\xA4",
                                          "!$*+,-_~@[]=",
                                          "A-long-name-of-a-page-in-a-path",
                                          "0123456789abcde"};
  std::mt19937 random(3);
  Url out;
  for (int i = 0; i < 300'000; ++i) {
    Url base;
    ASSERT_TRUE(parse(kBases[random() % std::size(kBases)], base));
    std::string input;
    for (auto n = random() % 9; n-- > 0;) input += kPieces[random() % std::size(kPieces)];
    Url expected;
    ParseNotes notes;
    const bool valid = parse_noted(input, &base, expected, notes, nullptr);
    ASSERT_EQ(resolve(input, base, out), valid) << input;
    if (!valid) continue;
    ASSERT_EQ(out.href(), expected.href()) << input;
    ASSERT_EQ(out.path(), expected.path()) << input;
    ASSERT_EQ(out.query(), expected.query()) << input;
    ASSERT_EQ(out.fragment(), expected.fragment()) << input;
  }
}

}  // namespace spinneret
