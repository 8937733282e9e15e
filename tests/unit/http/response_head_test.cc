// SPDX-License-Identifier: Apache-2.0
#include "http/response_head.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace spinneret::http {
namespace {

constexpr std::int64_t kNow = 784'111'777;  // Sun, 06 Nov 1994 08:49:37 GMT

HeaderBlock fields(const std::string& lines) {
  HeaderBlock out;
  out.add_line("HTTP/1.1 200 OK\r\n" + lines);
  out.parse();
  return out;
}

TEST(MediaTypeTest, TypeAndCharset) {
  const auto both = [](const char* value) {
    const MediaType media = parse_media_type(value);
    return media.type + "|" + media.charset;
  };
  EXPECT_EQ(both("text/html"), "text/html|");
  EXPECT_EQ(both("TEXT/HTML; Charset=UTF-8"), "text/html|utf-8");
  EXPECT_EQ(both("text/html;charset=\"iso-8859-1\""), "text/html|iso-8859-1");
  EXPECT_EQ(both("text/html;charset='utf-8'"), "text/html|utf-8");
  EXPECT_EQ(both("text/html ; level=1 ; charset = windows-1252 "), "text/html|windows-1252");
  EXPECT_EQ(both("text/html;charset=a;charset=b"), "text/html|a");
  EXPECT_EQ(both("application/xhtml+xml"), "application/xhtml+xml|");
  EXPECT_EQ(both("text/html;charset="), "text/html|");
  EXPECT_EQ(both("text/html;charset=\"open"), "text/html|open");
  EXPECT_EQ(both("text/html;charset=a\x1b"
                 "b"),
            "text/html|a b");
  // Bug: a quoted value was cut at its semicolon.
  EXPECT_EQ(both("text/html; x=\"a;charset=koi8-r\"; charset=utf-8"), "text/html|utf-8");
  EXPECT_EQ(both("text/html; x=\"a\\\";charset=b\"; charset=utf-8"), "text/html|utf-8");
  EXPECT_EQ(both("text/html; charset=\"ut\\f-8\" junk; charset=b"), "text/html|utf-8");
  EXPECT_EQ(both("text/html; x=\"open; charset=b"), "text/html|");
  EXPECT_EQ(both("text/html; x; =; ;charset=a\"b\";y"), "text/html|a\"b\"");
  EXPECT_EQ(both("text/html; charset=\"\\"), "text/html|\\");
  EXPECT_EQ(both(""), "|");
  EXPECT_EQ(both("html"), "|");
  EXPECT_EQ(both("/html"), "|");
  EXPECT_EQ(both("text/"), "|");
  EXPECT_EQ(both("text/ht ml"), "|");
  EXPECT_EQ(both("text/html, text/plain"), "|");
}

// Bug: a page whose type a proxy had joined with another had no type, and --types=text/html refused
// it.
TEST(MediaTypeTest, SeveralOfOneFieldOrMore) {
  const auto both = [](std::initializer_list<const char*> values) {
    MediaType media;
    for (const char* const value : values) take_media_types(value, media);
    return media.type + "|" + media.charset;
  };
  EXPECT_EQ(both({"text/html, text/html; charset=utf-8"}), "text/html|utf-8");
  EXPECT_EQ(both({"text/html;charset=koi8-r,text/html"}), "text/html|koi8-r");
  EXPECT_EQ(both({"text/html;charset=koi8-r", "text/html"}), "text/html|koi8-r");
  EXPECT_EQ(both({"text/html;charset=koi8-r, text/plain"}), "text/plain|");
  EXPECT_EQ(both({"text/html; x=\"a, image/png\"; charset=b, junk, */*,"}), "text/html|b");
  EXPECT_EQ(both({"text/html; x=\"a\\\", image/png"}), "text/html|");
  EXPECT_EQ(both({"text/html; x=\"a\\"}), "text/html|");
  EXPECT_EQ(both({"*/*"}), "*/*|");
  EXPECT_EQ(both({",, ,", ""}), "|");
}

TEST(TakesType, ExactAndByKind) {
  EXPECT_TRUE(takes_type("text/html", {"text/html"}));
  EXPECT_TRUE(takes_type("text/html", {"image/png", "text/*"}));
  EXPECT_TRUE(takes_type("x/y", {"*/*"}));
  EXPECT_FALSE(takes_type("text/html", {"image/*", "text/plain"}));
  EXPECT_FALSE(takes_type("textual/html", {"text/*"}));
  EXPECT_FALSE(takes_type("", {"text/*"}));
}

TEST(TakesType, TheFirstThatMatchesDecides) {
  EXPECT_TRUE(takes_type("a/b", {}));
  EXPECT_TRUE(takes_type("", {"!image/*"}));
  EXPECT_FALSE(takes_type("image/png", {"!image/*"}));
  EXPECT_TRUE(takes_type("text/html", {"!image/*"}));
  EXPECT_FALSE(takes_type("text/css", {"!text/css", "text/*"}));
  EXPECT_TRUE(takes_type("text/css", {"text/*", "!text/css"}));
  EXPECT_FALSE(takes_type("video/mp4", {"!image/*", "text/html"}));
  EXPECT_TRUE(takes_type("video/mp4", {"!image/*", "text/html", "*/*"}));
}

TEST(TypeList, NamesWhatIsNone) {
  std::vector<std::string> list;
  std::string bad;
  EXPECT_TRUE(parse_type_list("Text/HTML, !image/*", list, &bad));
  EXPECT_EQ(list, (std::vector<std::string>{"text/html", "!image/*"}));
  for (const char* text : {"html", "!", "!/x", "/x", "x/", "text/html;charset=utf-8",
                           "text/html text/css", "text/html,!png"}) {
    EXPECT_FALSE(parse_type_list(text, list, &bad)) << text;
  }
  EXPECT_EQ(bad, "!png");
}

// RFC 9111, section 4.2.
TEST(FreshUntil, MaxAgeExpiresDateAge) {
  const auto left = [](const std::string& lines) -> std::int64_t {
    const auto until = fresh_until(fields(lines), kNow);
    return until ? *until - kNow : -1;
  };
  EXPECT_EQ(left(""), -1);
  EXPECT_EQ(left("Cache-Control: max-age=60\r\n"), 60);
  EXPECT_EQ(left("Cache-Control: public, MAX-AGE=\"60\"\r\n"), 60);
  EXPECT_EQ(left("Cache-Control: max-age=60\r\nAge: 20\r\n"), 40);
  EXPECT_EQ(left("Cache-Control: max-age=60\r\nAge: 90\r\n"), 0);
  EXPECT_EQ(left("Cache-Control: max-age=60\r\nExpires: Sun, 06 Nov 1994 09:49:37 GMT\r\n"), 60);
  EXPECT_EQ(left("Cache-Control: max-age=60, max-age=70\r\n"), 60);
  EXPECT_EQ(left("Cache-Control: max-age=-1\r\n"), 0);
  EXPECT_EQ(left("Cache-Control: max-age\r\n"), 0);
  EXPECT_EQ(left("Cache-Control: max-age=99999999999999999999\r\n"), 365 * 86400);
  EXPECT_EQ(left("Cache-Control: no-cache\r\n"), 0);
  EXPECT_EQ(left("Cache-Control: no-cache=\"set-cookie\", max-age=5\r\n"), 5);
  EXPECT_EQ(left("Cache-Control: no-store, max-age=60\r\n"), 0);
  EXPECT_EQ(left("Cache-Control: private\r\nCache-Control: max-age=9\r\n"), 9);
  EXPECT_EQ(left("Cache-Control: s-maxage=60\r\n"), -1);
  EXPECT_EQ(left("Expires: Sun, 06 Nov 1994 09:49:37 GMT\r\n"), 3600);
  EXPECT_EQ(
      left("Expires: Sun, 06 Nov 1994 09:49:37 GMT\r\nDate: Sun, 06 Nov 1994 08:48:37 GMT\r\n"),
      3660);
  EXPECT_EQ(left("Expires: Sun, 06 Nov 1994 07:49:37 GMT\r\n"), 0);
  EXPECT_EQ(left("Expires: 0\r\n"), 0);
}

TEST(RetryAfter, SecondsAndDates) {
  const auto wait = [](const std::string& value, const std::string& more = "") -> std::int64_t {
    return retry_after(fields("Retry-After: " + value + "\r\n" + more), kNow).value_or(-1);
  };
  EXPECT_EQ(wait("120"), 120);
  EXPECT_EQ(wait("0"), 0);
  EXPECT_EQ(wait("Sun, 06 Nov 1994 08:50:37 GMT"), 60);
  EXPECT_EQ(wait("Sun, 06 Nov 1994 08:50:37 GMT", "Date: Sun, 06 Nov 1994 08:50:07 GMT\r\n"), 30);
  EXPECT_EQ(wait("Sun, 06 Nov 1993 08:50:37 GMT"), 0);
  EXPECT_EQ(wait("99999999999999999999999"), kMaxRetryAfter);
  EXPECT_EQ(wait("Sun, 06 Nov 2094 08:50:37 GMT"), kMaxRetryAfter);
  EXPECT_EQ(wait("-5"), -1);
  EXPECT_EQ(wait("soon"), -1);
  EXPECT_EQ(wait(""), -1);
  EXPECT_FALSE(retry_after(fields(""), kNow));
}

TEST(RetryAfter, BugOfSeveralTheFirstCountedThoughAnotherWasLonger) {
  const auto wait = [](const std::string& lines) -> std::int64_t {
    return retry_after(fields(lines), kNow).value_or(-1);
  };
  EXPECT_EQ(wait("Retry-After: 1\r\nServer: x\r\nRetry-After: 7200\r\n"), 7200);
  EXPECT_EQ(wait("Retry-After: 7200\r\nretry-after: 1\r\n"), 7200);
  EXPECT_EQ(wait("Retry-After: soon\r\nRetry-After: 9\r\n"), 9);
  EXPECT_EQ(wait("Retry-After: 5\r\nRetry-After: Sun, 06 Nov 1994 08:50:37 GMT\r\n"), 60);
}

TEST(RetryAfter, BugSecondsWithAFractionWereNotHeeded) {
  const auto wait = [](const std::string& value) -> std::int64_t {
    return retry_after(fields("Retry-After: " + value + "\r\n"), kNow).value_or(-1);
  };
  EXPECT_EQ(wait("120.5"), 121);
  EXPECT_EQ(wait(" 64.570 "), 65);
  EXPECT_EQ(wait("3.000"), 3);
  EXPECT_EQ(wait("0.1"), 1);
  EXPECT_EQ(wait("99999999999999999999999.5"), kMaxRetryAfter);
  for (const char* const text : {"1.", ".5", "1.5s", "1.5.5", "-1.5", "1,5"}) {
    EXPECT_EQ(wait(text), -1) << text;
  }
}

TEST(OutcomeOfStatus, EveryStatus) {
  using enum Outcome;
  const std::pair<int, Outcome> kCases[] = {{200, kOk},
                                            {201, kOk},
                                            {203, kOk},
                                            {204, kOk},
                                            {299, kOk},
                                            {206, kBadResponse},
                                            {300, kRedirect},
                                            {301, kMoved},
                                            {302, kRedirect},
                                            {303, kRedirect},
                                            {304, kBadResponse},
                                            {305, kBadResponse},
                                            {306, kBadResponse},
                                            {307, kRedirect},
                                            {308, kMoved},
                                            {309, kBadResponse},
                                            {400, kClientError},
                                            {401, kForbidden},
                                            {402, kPaymentRequired},
                                            {403, kForbidden},
                                            {404, kNotFound},
                                            {408, kServerError},
                                            {425, kServerError},
                                            {407, kClientError},
                                            {410, kGone},
                                            {418, kClientError},
                                            {429, kRateLimited},
                                            {451, kForbidden},
                                            {499, kClientError},
                                            {500, kServerError},
                                            {503, kServerError},
                                            {599, kServerError},
                                            {600, kBadResponse},
                                            {999, kBadResponse},
                                            {100, kBadResponse},
                                            {101, kBadResponse}};
  for (const auto& [status, outcome] : kCases) {
    EXPECT_EQ(outcome_of_status(status, false, false), outcome) << status;
  }
  EXPECT_EQ(outcome_of_status(304, true, false), kNotModified);
  EXPECT_EQ(outcome_of_status(503, false, true), kRateLimited);
  EXPECT_EQ(outcome_of_status(500, false, true), kServerError);
}

TEST(IsChallenge, KnowsTheMarksOfWallsAndNothingElse) {
  const auto says = [](std::string line) {
    HeaderBlock head;
    head.add_line("HTTP/1.1 403 Forbidden\r\n");
    head.add_line(line + "\r\n");
    head.parse();
    return is_challenge(head);
  };
  for (const char* const line : {"CF-Mitigated: Challenge", "x-amzn-waf-action: captcha",
                                 "X-Amzn-Waf-Action: challenge", "X-Vercel-Mitigated: challenge",
                                 "Set-Cookie: techaro.lol-anubis-cookie-verification=x; Path=/"}) {
    EXPECT_TRUE(says(line)) << line;
  }
  for (const char* const line :
       {"cf-mitigated: block", "cf-ray: challenge", "x-amzn-waf-action: count",
        "server: cloudflare", "cf-mitigated: challenge, challenge", "x-vercel-mitigated: deny",
        "Set-Cookie: techaro.lol-anubis-auth=x"}) {
    EXPECT_FALSE(says(line)) << line;
  }
}

}  // namespace
}  // namespace spinneret::http
