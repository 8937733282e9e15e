// SPDX-License-Identifier: Apache-2.0
#include "http/header_block.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <string_view>

#include "http/http_date.h"

namespace spinneret::http {
namespace {

HeaderBlock block(std::string_view lines) {
  HeaderBlock out;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n') + 1;
    out.add_line(lines.substr(0, end));
    lines.remove_prefix(end);
  }
  out.parse();
  return out;
}

HeaderBlock fields(std::string_view lines) {
  return block("HTTP/1.1 200 OK\r\n" + std::string(lines));
}

// RFC 9112, section 4.
TEST(StatusLine, Good) {
  EXPECT_EQ(parse_status_line("HTTP/1.1 200 OK\r\n"), (StatusLine{11, 200}));
  EXPECT_EQ(parse_status_line("HTTP/1.0 404 Not Found\n"), (StatusLine{10, 404}));
  EXPECT_EQ(parse_status_line("HTTP/1.1 204"), (StatusLine{11, 204}));
  EXPECT_EQ(parse_status_line("HTTP/1.1 204 "), (StatusLine{11, 204}));
  EXPECT_EQ(parse_status_line("HTTP/2 301 \r\n"), (StatusLine{20, 301}));
  EXPECT_EQ(parse_status_line("HTTP/2.0 301"), (StatusLine{20, 301}));
  EXPECT_EQ(parse_status_line("HTTP/3 200"), (StatusLine{30, 200}));
  EXPECT_EQ(parse_status_line("HTTP/1.1  200 two spaces"), (StatusLine{11, 200}));
  EXPECT_EQ(parse_status_line("HTTP/1.1 999 Denied"), (StatusLine{11, 999}));
}

TEST(StatusLine, Bad) {
  for (const char* line :
       {"", "HTTP", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 20x OK",
        "HTTP/1.1 -200", "HTTP/1.1 +200", "HTTP/1.1\t200 OK", "http/1.1 200 OK", "HTTP/4 200 OK",
        "HTTP/1.x 200 OK", "HTTP/11 200 OK", "ICY 200 OK", "<html>", " HTTP/1.1 200 OK",
        "HTTP/1.1 099 Low", "HTTP/1.1 2 00"}) {
    EXPECT_FALSE(parse_status_line(line)) << line;
  }
}

TEST(HeaderBlock, NamesAndValues) {
  const HeaderBlock head = fields("A: 1\r\nEmpty:\r\nB:  two words \t\r\na: 3\r\n");
  ASSERT_EQ(head.fields().size(), 4U);
  EXPECT_EQ(head.get("a"), "1");
  EXPECT_EQ(head.get("A"), "1");
  EXPECT_EQ(head.get("b"), "two words");
  EXPECT_EQ(head.get("empty"), "");
  EXPECT_FALSE(head.get("c"));
  EXPECT_EQ(head.joined("a"), "1, 3");
  EXPECT_EQ(head.joined("c"), "");
}

TEST(HeaderBlock, BareLineFeeds) {
  const HeaderBlock head = block("HTTP/1.1 200 OK\nA: 1\nB: 2\n");
  EXPECT_EQ(head.get("a"), "1");
  EXPECT_EQ(head.get("b"), "2");
}

TEST(HeaderBlock, ObsoleteLineFolds) {
  const HeaderBlock head = fields("A: one\r\n two\r\n\tthree\r\nB: 4\r\n");
  EXPECT_EQ(clean_field_value(*head.get("a")), "one  two three");
  EXPECT_EQ(head.get("b"), "4");
}

TEST(HeaderBlock, WhatIsNoFieldIsLeftOut) {
  const HeaderBlock head =
      fields("no colon\r\n: no name\r\nBad Name: x\r\nB\x01: y\r\nGood : z\r\n");
  ASSERT_EQ(head.fields().size(), 1U);
  EXPECT_EQ(head.get("good"), "z");
}

TEST(HeaderBlock, IsReusable) {
  HeaderBlock head = fields("A: 1\r\n");
  head.clear();
  EXPECT_TRUE(head.raw().empty());
  head.add_line("HTTP/1.1 200 OK\r\n");
  head.parse();
  EXPECT_TRUE(head.fields().empty());
}

TEST(CleanFieldValue, NoControlByteStays) {
  EXPECT_EQ(clean_field_value(" a\tb "), "a b");
  EXPECT_EQ(clean_field_value("\x1b[31mred\x07"), "[31mred");
  EXPECT_EQ(clean_field_value(std::string_view("a\0b", 3)), "a b");
  EXPECT_EQ(clean_field_value("a\r\n b"), "a  b");
  EXPECT_EQ(clean_field_value("\x7f"), "");
  EXPECT_EQ(clean_field_value("gr\xc3\xbc\xc3\x9f\xff"), "gr\xc3\xbc\xc3\x9f\xff");
  for (int c = 0; c < 256; ++c) {
    const std::string cleaned = clean_field_value("x" + std::string(1, static_cast<char>(c)) + "y");
    for (const char got : cleaned) {
      EXPECT_TRUE(static_cast<unsigned char>(got) >= 0x20 && got != 0x7F) << c;
    }
  }
}

std::string framing(std::string_view lines) {
  Framing out;
  std::string why;
  if (!parse_framing(fields(lines), out, why)) {
    EXPECT_FALSE(why.empty());
    return "bad";
  }
  return (out.chunked ? "chunked " : "") +
         (out.content_length ? std::to_string(*out.content_length) : std::string("none"));
}

// RFC 9112, section 6.3, and RFC 9110, section 8.6.
TEST(Framing, ContentLength) {
  EXPECT_EQ(framing(""), "none");
  EXPECT_EQ(framing("Content-Length: 0\r\n"), "0");
  EXPECT_EQ(framing("content-length: 42\r\n"), "42");
  EXPECT_EQ(framing("Content-Length: 007\r\n"), "7");
  EXPECT_EQ(framing("Content-Length: 9223372036854775807\r\n"), "9223372036854775807");
  EXPECT_EQ(framing("Content-Length: 5\r\nContent-Length: 5\r\n"), "5");
  EXPECT_EQ(framing("Content-Length: 5, 5\r\n"), "5");
}

TEST(Framing, ContentLengthThatLies) {
  for (const char* value : {"5abc", "+5", "-5", "0x5", "5.0", "5 5", "", "5, 6", "5,", ",5", "five",
                            "9223372036854775808", "99999999999999999999", "\"5\"", "5;q=1"}) {
    EXPECT_EQ(framing("Content-Length: " + std::string(value) + "\r\n"), "bad") << value;
  }
  EXPECT_EQ(framing("Content-Length: 5\r\nContent-Length: 6\r\n"), "bad");
  EXPECT_EQ(framing("Content-Length: 5\r\nX: y\r\nCONTENT-LENGTH: x\r\n"), "bad");
}

TEST(Framing, TransferEncoding) {
  EXPECT_EQ(framing("Transfer-Encoding: chunked\r\n"), "chunked none");
  EXPECT_EQ(framing("Transfer-Encoding: CHUNKED\r\n"), "chunked none");
  EXPECT_EQ(framing("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), "chunked none");
  EXPECT_EQ(framing("Transfer-Encoding: gzip, chunked\r\n"), "bad");
  EXPECT_EQ(framing("Transfer-Encoding: identity\r\n"), "bad");
  EXPECT_EQ(framing("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), "bad");
}

// Bug: such a message, unfolded here and not by libcurl, had two bodies.
TEST(Framing, FoldsAndWhiteSpaceBeforeTheName) {
  for (const char* lines :
       {"Transfer-Encoding:\r\n chunked\r\n", "Transfer-Encoding: chunked\r\n \r\n",
        "Transfer-Encoding:\n\tchunked\n", "Content-Length:\r\n 5\r\n",
        "Content-Length: 5\r\n 0\r\n", "Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n",
        " Transfer-Encoding: chunked\r\n", "\tContent-Length: 5\r\n"}) {
    EXPECT_EQ(framing(lines), "bad") << lines;
  }
  HeaderBlock torn;
  torn.add_line("HTTP/1.1 200 OK\r\nContent-Length: 5");
  torn.parse();
  EXPECT_FALSE(torn.fields()[0].folded);
  // In another field it is a line like any other.
  EXPECT_EQ(framing("X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), "5");
}

// RFC 9112, section 5.1: a program that reads such a field and one that does not see different
// bodies.
TEST(Framing, WhiteSpaceBeforeTheColon) {
  EXPECT_EQ(framing("Transfer-Encoding : chunked\r\n"), "bad");
  EXPECT_EQ(framing("Content-Length\t: 5\r\n"), "bad");
  EXPECT_EQ(framing("Server : x\r\nContent-Length: 5\r\n"), "5");
}

constexpr std::int64_t kNow = 1'700'000'000;  // 2023-11-14
constexpr std::int64_t kExample = 784'111'777;

// The examples of RFC 9110, section 5.6.7.
TEST(HttpDate, TheThreeForms) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", kNow), kExample);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", kNow), kExample);
  EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994", kNow), kExample);
}

TEST(HttpDate, WhatServersSend) {
  EXPECT_EQ(parse_http_date("Sun, 06-Nov-1994 08:49:37 GMT", kNow), kExample);
  EXPECT_EQ(parse_http_date("06 Nov 1994 08:49:37", kNow), kExample);
  EXPECT_EQ(parse_http_date("Mon, 06 NOV 1994 8:49:37 UTC", kNow), kExample);
  EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT", kNow), 0);
  EXPECT_EQ(parse_http_date("Thu, 29 Feb 2024 23:59:60 GMT", kNow), 1'709'251'200);
}

TEST(HttpDate, TwoDigitYearsAreAtMostFiftyAhead) {
  const auto year_of = [](const char* text) {
    const std::time_t at = static_cast<std::time_t>(*parse_http_date(text, kNow));
    std::tm parts{};
    gmtime_r(&at, &parts);
    return parts.tm_year + 1900;
  };
  EXPECT_EQ(year_of("Sunday, 06-Nov-23 08:49:37 GMT"), 2023);
  EXPECT_EQ(year_of("Sunday, 06-Nov-73 08:49:37 GMT"), 2073);
  EXPECT_EQ(year_of("Sunday, 06-Nov-74 08:49:37 GMT"), 1974);
}

TEST(HttpDate, NoDate) {
  for (const char* text :
       {"", "0", "-1", "now", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994",
        "1994-11-06T08:49:37Z", "Sun, 06 Foo 1994 08:49:37 GMT", "06 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 ::: GMT"}) {
    EXPECT_FALSE(parse_http_date(text, kNow)) << text;
  }
  EXPECT_FALSE(parse_http_date(std::string(1000, '1'), kNow));
}

// Compares with the C library, over two centuries.
TEST(HttpDate, AgreesWithStrftime) {
  for (std::int64_t at = -86400LL * 365 * 60; at < 86400LL * 365 * 140; at += 86400 * 11 + 12345) {
    const std::time_t time = static_cast<std::time_t>(at);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[64];
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    EXPECT_EQ(parse_http_date(text, kNow), at) << text;
  }
}

}  // namespace
}  // namespace spinneret::http
