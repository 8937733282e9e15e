// SPDX-License-Identifier: Apache-2.0
#include "http/reception.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/gzip.h"

namespace spinneret::http {
namespace {

class ReceptionTest : public testing::Test {
 protected:
  void SetUp() override {
    rules.max_size = 1000;
    rules.max_header = 2000;
  }
  // Takes a head, line by line, and a body, byte by byte or whole; ends with `end`.
  Outcome receive(std::string_view head, std::string_view body, WireEnd end = WireEnd::kDone,
                  std::size_t piece = SIZE_MAX) {
    reception.start(rules, result);
    bool going = true;
    while (going && !head.empty()) {
      const std::size_t size = head.find('\n') + 1;
      going = reception.header(head.substr(0, size));
      head.remove_prefix(size);
    }
    while (going && !body.empty()) {
      going = reception.body(body.substr(0, piece));
      body.remove_prefix(std::min(piece, body.size()));
    }
    reception.end(going ? end : WireEnd::kStopped, "detail of the wire");
    return result.outcome;
  }
  ReceptionRules rules;
  FetchResult result;
  Reception reception;
};

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=UTF-8\r\n\r\n";

TEST_F(ReceptionTest, AWholePage) {
  EXPECT_EQ(receive(kHead, "<html>"), Outcome::kOk);
  EXPECT_TRUE(result.whole);
  EXPECT_EQ(result.body, "<html>");
  EXPECT_EQ(result.wire_size, 6U);
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.version, 11);
  EXPECT_EQ(result.media.type, "text/html");
  EXPECT_EQ(result.media.charset, "utf-8");
  EXPECT_TRUE(result.error.empty());
}

TEST_F(ReceptionTest, TheLastContentTypeThatIsOneCounts) {
  receive(
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Type: image/png\r\n"
      "Content-Type: nonsense\r\n\r\n",
      "");
  EXPECT_EQ(result.media.type, "image/png");
}

TEST_F(ReceptionTest, InterimHeadsArePassedOver) {
  EXPECT_EQ(receive("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" +
                        std::string(kHead),
                    "x"),
            Outcome::kOk);
  EXPECT_FALSE(result.head.get("link"));
}

TEST_F(ReceptionTest, AProtocolSwitchIsBad) {
  EXPECT_EQ(receive("HTTP/1.1 101 Switching Protocols\r\n\r\n", ""), Outcome::kBadResponse);
  EXPECT_FALSE(result.whole);
}

TEST_F(ReceptionTest, TheSizeLimitIsOnDecodedBytes) {
  EXPECT_EQ(receive(kHead, std::string(1000, 'x'), WireEnd::kDone, 1), Outcome::kOk);
  EXPECT_EQ(receive(kHead, std::string(1001, 'x'), WireEnd::kDone, 1), Outcome::kTooLarge);
  EXPECT_TRUE(result.body.empty());
  std::string packed;
  ASSERT_TRUE(gzip_member(std::string(1000, 'x'), packed));
  const std::string_view coded = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
  EXPECT_EQ(receive(coded, packed), Outcome::kOk);
  EXPECT_EQ(result.body.size(), 1000U);
  EXPECT_EQ(result.wire_size, packed.size());
  ASSERT_TRUE(gzip_member(std::string(1001, 'x'), packed));
  EXPECT_EQ(receive(coded, packed), Outcome::kTooLarge);
}

// Bug: the allowance for codings was added to the greatest number that exists, so that every large
// body was too large.
TEST_F(ReceptionTest, TheGreatestLimitIsNone) {
  rules.max_size = UINT64_MAX;
  EXPECT_EQ(receive(kHead, std::string(100'000, 'x')), Outcome::kOk);
  const std::string packed = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ";
  std::string member;
  ASSERT_TRUE(gzip_member(std::string(1000, 'x'), member));
  EXPECT_EQ(receive(packed + std::to_string(member.size()) + "\r\n\r\n", member), Outcome::kOk);
}

TEST_F(ReceptionTest, AnAnnouncedLengthOverTheLimitIsNotRead) {
  reception.start(rules, result);
  EXPECT_TRUE(reception.header("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(reception.header("Content-Length: 1001\r\n"));
  EXPECT_FALSE(reception.header("\r\n"));
  reception.end(WireEnd::kStopped, "");
  EXPECT_EQ(result.outcome, Outcome::kTooLarge);
}

TEST_F(ReceptionTest, HeadersAndTrailersShareALimit) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 100; ++i) head += "X-Flood: 0123456789012345\r\n";
  EXPECT_EQ(receive(head + "\r\n", ""), Outcome::kTooLarge);
  reception.start(rules, result);
  EXPECT_TRUE(reception.header("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(reception.header("\r\n"));
  EXPECT_TRUE(reception.body("x"));
  bool going = true;
  int lines = 0;
  while (going && ++lines < 1000) going = reception.header("X-Trailer: 01234567890123456789\r\n");
  EXPECT_LT(lines, 70);
  reception.end(WireEnd::kStopped, "");
  EXPECT_EQ(result.outcome, Outcome::kTooLarge);
  // Interim heads count, too.
  reception.start(rules, result);
  going = true;
  lines = 0;
  while (going && ++lines < 1000) {
    going = reception.header("HTTP/1.1 103 Early Hints\r\n") && reception.header("\r\n");
  }
  EXPECT_LT(lines, 100);
}

TEST_F(ReceptionTest, TrailersAreNoFields) {
  reception.start(rules, result);
  reception.header("HTTP/1.1 200 OK\r\n");
  reception.header("\r\n");
  reception.body("x");
  reception.header("ETag: late\r\n");
  reception.end(WireEnd::kDone, "");
  EXPECT_EQ(result.outcome, Outcome::kOk);
  EXPECT_FALSE(result.head.get("etag"));
}

TEST_F(ReceptionTest, ABodyShorterOrLongerThanItsLength) {
  const std::string_view head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  EXPECT_EQ(receive(head, "12345"), Outcome::kOk);
  EXPECT_EQ(receive(head, "1234"), Outcome::kBadResponse);
  EXPECT_FALSE(result.whole);
  EXPECT_EQ(receive(head, "123456"), Outcome::kBadResponse);
  rules.head_only = true;
  EXPECT_EQ(receive(head, ""), Outcome::kOk);
}

TEST_F(ReceptionTest, TruncatedAndWrongCodingsAreNeverAShortPage) {
  std::string packed;
  ASSERT_TRUE(gzip_member("<html>whole</html>", packed));
  const std::string_view head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
  for (std::size_t size = 1; size < packed.size(); ++size) {
    EXPECT_EQ(receive(head, packed.substr(0, size)), Outcome::kBadResponse) << size;
    EXPECT_FALSE(result.whole);
  }
  EXPECT_EQ(receive(head, packed), Outcome::kOk);
  EXPECT_EQ(receive(head, ""), Outcome::kOk);
  EXPECT_EQ(receive(head, "<html>not gzip</html>"), Outcome::kBadResponse);
  EXPECT_EQ(receive("HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\n\r\n", "x"),
            Outcome::kBadResponse);
}

TEST_F(ReceptionTest, WireBytesThatDecodeToNothingAreTooLargeOneDay) {
  reception.start(rules, result);
  reception.header("HTTP/1.1 200 OK\r\n");
  reception.header("Content-Encoding: deflate\r\n");
  ASSERT_TRUE(reception.header("\r\n"));
  ASSERT_TRUE(reception.body("\x78\x9c"));
  const std::string empty_block("\x00\x00\x00\xff\xff", 5);
  int blocks = 0;
  while (reception.body(empty_block) && blocks < 1'000'000) ++blocks;
  reception.end(WireEnd::kStopped, "");
  EXPECT_EQ(result.outcome, Outcome::kTooLarge);
  EXPECT_LT(blocks, 20'000);
}

TEST_F(ReceptionTest, TypesAreFilteredBeforeTheBody) {
  const std::vector<std::string> types{"text/html"};
  rules.types = &types;
  EXPECT_EQ(receive(kHead, "x"), Outcome::kOk);
  EXPECT_EQ(receive("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n", "x"),
            Outcome::kUnsupportedType);
  EXPECT_EQ(receive("HTTP/1.1 200 OK\r\n\r\n", "x"), Outcome::kUnsupportedType);
  // An answer that is no page has its own outcome.
  EXPECT_EQ(receive("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\n", "x"),
            Outcome::kNotFound);
  rules.cut_large = true;  // as for robots.txt, whatever its type
  EXPECT_EQ(receive("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n", "x"), Outcome::kOk);
}

TEST_F(ReceptionTest, ALargeRobotsTxtIsCutAndGood) {
  rules.cut_large = true;
  EXPECT_EQ(receive("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", std::string(5000, 'r'),
                    WireEnd::kDone, 700),
            Outcome::kOk);
  EXPECT_TRUE(result.truncated);
  EXPECT_TRUE(result.whole);
  EXPECT_EQ(result.body.size(), 1000U);
  EXPECT_EQ(receive(kHead, "small"), Outcome::kOk);
  EXPECT_FALSE(result.truncated);
}

TEST_F(ReceptionTest, NotModifiedOnlyWhereItWasAskedFor) {
  EXPECT_EQ(
      receive("HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n",
              ""),
      Outcome::kBadResponse);
  rules.conditional = true;
  EXPECT_EQ(
      receive("HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n",
              ""),
      Outcome::kNotModified);
}

TEST_F(ReceptionTest, EndsOfTheWire) {
  const auto ended = [this](WireEnd end) {
    reception.start(rules, result);
    reception.end(end, "why");
    EXPECT_FALSE(result.error.empty());
    return result.outcome;
  };
  EXPECT_EQ(ended(WireEnd::kConnect), Outcome::kConnectFailed);
  EXPECT_EQ(ended(WireEnd::kNoAnswer), Outcome::kConnectFailed);
  EXPECT_EQ(ended(WireEnd::kTooFast), Outcome::kRateLimited);
  EXPECT_EQ(ended(WireEnd::kRefusedAddress), Outcome::kRefusedAddress);
  EXPECT_EQ(ended(WireEnd::kTls), Outcome::kTlsFailed);
  EXPECT_EQ(ended(WireEnd::kBadUrl), Outcome::kDnsFailed);
  EXPECT_EQ(ended(WireEnd::kProtocol), Outcome::kBadResponse);
  EXPECT_EQ(ended(WireEnd::kLongLine), Outcome::kTooLarge);
  EXPECT_EQ(ended(WireEnd::kFlood), Outcome::kTooLarge);
  EXPECT_EQ(ended(WireEnd::kOwnTrouble), Outcome::kAborted);
  EXPECT_EQ(ended(WireEnd::kDone), Outcome::kBadResponse);
  EXPECT_EQ(receive(kHead, "half a page", WireEnd::kCut), Outcome::kBadResponse);
  EXPECT_FALSE(result.whole);
  EXPECT_EQ(receive("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", "", WireEnd::kDone),
            Outcome::kBadResponse);
}

TEST_F(ReceptionTest, WireBytesAreKeptOnDemand) {
  std::string packed;
  ASSERT_TRUE(gzip_member("text", packed));
  rules.keep_wire = true;
  receive("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", packed, WireEnd::kDone, 3);
  EXPECT_EQ(result.wire_body, packed);
  EXPECT_EQ(result.body, "text");
  receive(kHead, "plain");
  EXPECT_TRUE(result.wire_body.empty());
}

TEST_F(ReceptionTest, ReusedForTheNextResponse) {
  receive("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", "bad");
  EXPECT_EQ(receive(kHead, "good"), Outcome::kOk);
  EXPECT_EQ(result.body, "good");
  receive("HTTP/1.1 302 Found\r\nLocation: /a b\r\n\r\n", "");
  EXPECT_EQ(result.location, "/a b");
  receive(kHead, "good");
  EXPECT_TRUE(result.location.empty());
}

// Bug: the location was cleaned for the record before it was resolved, and so led elsewhere.
TEST_F(ReceptionTest, ALocationIsKeptAsItCame) {
  receive(
      "HTTP/1.1 302 Found\r\nLocation: /a\xE2\x80\x8E"
      "b\tc\x01 \r\n\r\n",
      "");
  EXPECT_EQ(result.location,
            "/a\xE2\x80\x8E"
            "b\tc\x01");
  for (const char* status : {"200", "201", "304", "305", "306", "399", "404"}) {
    receive("HTTP/1.1 " + std::string(status) + " X\r\nLocation: /a\r\n\r\n", "");
    EXPECT_TRUE(result.location.empty()) << status;
  }
}

// Bug: --types had no effect on HEAD.
TEST_F(ReceptionTest, TypesOfAnswersToHead) {
  const std::vector<std::string> types{"text/html"};
  rules.types = &types;
  rules.head_only = true;
  EXPECT_EQ(receive("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n", ""),
            Outcome::kUnsupportedType);
  EXPECT_EQ(receive(kHead, ""), Outcome::kOk);
  EXPECT_TRUE(result.bodiless);
  // An answer without a body needs no type.
  EXPECT_EQ(receive("HTTP/1.1 204 No Content\r\n\r\n", ""), Outcome::kOk);
  rules.head_only = false;
  EXPECT_EQ(receive("HTTP/1.1 205 Reset\r\n\r\n", ""), Outcome::kOk);
  EXPECT_FALSE(result.bodiless);
}

// Bug: the body of a 205 was taken without its coding.
TEST_F(ReceptionTest, ABodyWhereNoneMayBe) {
  for (const char* status : {"204", "205", "304"}) {
    const std::string head = "HTTP/1.1 " + std::string(status) + " X\r\n\r\n";
    rules.conditional = true;
    EXPECT_EQ(receive(head, "x"), Outcome::kBadResponse) << status;
    EXPECT_FALSE(result.whole);
    EXPECT_NE(receive(head, ""), Outcome::kBadResponse) << status;
  }
}

class RestTest : public ReceptionTest {
 protected:
  // Takes the answer to a request for the rest.
  Outcome go_on(std::string_view head, std::string_view body, WireEnd end = WireEnd::kDone) {
    reception.go_on();
    bool going = true;
    while (going && !head.empty()) {
      const std::size_t size = head.find('\n') + 1;
      going = reception.header(head.substr(0, size));
      head.remove_prefix(size);
    }
    if (going && !body.empty()) going = reception.body(body);
    reception.end(going ? end : WireEnd::kStopped, "detail of the wire");
    return result.outcome;
  }
  static constexpr std::string_view kFirst =
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"a\"\r\nAccept-Ranges: bytes\r\n\r\n";
};

TEST_F(RestTest, IsPutBehindWhatIsThere) {
  EXPECT_EQ(receive(kFirst, "01234", WireEnd::kCut), Outcome::kBadResponse);
  ASSERT_TRUE(reception.may_go_on());
  std::vector<std::string> lines;
  reception.ask_for_rest(lines);
  EXPECT_EQ(lines, (std::vector<std::string>{"Range: bytes=5-", "If-Range: \"a\""}));
  const std::string_view rest =
      "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-9/10\r\nETag: \"a\"\r\n\r\n";
  // The rest comes in two parts.
  EXPECT_EQ(go_on(rest, "56", WireEnd::kCut), Outcome::kBadResponse);
  ASSERT_TRUE(reception.may_go_on());
  EXPECT_EQ(go_on("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 206 Partial Content\r\nContent-Range: "
                  "bytes 7-9/10\r\n"
                  "ETag: \"a\"\r\nContent-Length: 3\r\n\r\n",
                  "789"),
            Outcome::kOk);
  EXPECT_EQ(result.body, "0123456789");
  EXPECT_EQ(result.status, 200);
  EXPECT_TRUE(result.whole);
}

TEST_F(RestTest, IsOnlyAskedForWhereItsServerCanTell) {
  for (const std::string_view head :
       {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: W/\"a\"\r\nAccept-Ranges: bytes\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"a\"\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"a\"\r\nAccept-Ranges: none\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nAccept-Ranges: bytes\r\n\r\n",
        "HTTP/1.1 404 No\r\nContent-Length: 10\r\nETag: \"a\"\r\nAccept-Ranges: bytes\r\n\r\n"}) {
    receive(head, "01234", WireEnd::kCut);
    EXPECT_FALSE(reception.may_go_on()) << head;
  }
  receive(kFirst, "", WireEnd::kCut);
  EXPECT_FALSE(reception.may_go_on());
  receive(kFirst, "0123456789");
  EXPECT_FALSE(reception.may_go_on());
}

TEST_F(RestTest, OfSomethingElseIsNone) {
  const std::string_view good =
      "HTTP/1.1 206 P\r\nContent-Range: bytes 5-9/10\r\nETag: \"a\"\r\n\r\n";
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"206", "404"},
                                                        {"206", "416"},
                                                        {"5-9/10", "4-9/10"},
                                                        {"5-9/10", "5-8/10"},
                                                        {"5-9/10", "5-9/11"},
                                                        {"5-9/10", "5-9/*"},
                                                        {"bytes", "items"},
                                                        {"\"a\"", "\"b\""},
                                                        {"ETag: \"a\"", "X: y"},
                                                        {"5-9/10", "5-9"},
                                                        {"HTTP/1.1", "HTXP/1.1"},
                                                        {"ETag", "Content-Encoding: gzip\r\nETag"},
                                                        {"ETag", "Content-Length: 5x\r\nETag"}}) {
    receive(kFirst, "01234", WireEnd::kCut);
    std::string head(good);
    head.replace(head.find(from), from.size(), to);
    EXPECT_EQ(go_on(head, "56789"), Outcome::kBadResponse) << head;
    EXPECT_EQ(result.error, "body was cut, and the rest could not be fetched");
  }
  // The rest is too long, or there is no connection at all.
  receive(kFirst, "01234", WireEnd::kCut);
  EXPECT_EQ(go_on(good, "567890"), Outcome::kBadResponse);
  receive(kFirst, "01234", WireEnd::kCut);
  EXPECT_EQ(go_on("", "", WireEnd::kConnect), Outcome::kBadResponse);
}

TEST_F(RestTest, OfAPageThatHasChangedIsTheWholeOfTheNewOne) {
  receive(kFirst, "01234", WireEnd::kCut);
  EXPECT_EQ(go_on("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: \"b\"\r\n\r\n", "abc"),
            Outcome::kOk);
  EXPECT_EQ(result.body, "abc");
  EXPECT_EQ(result.head.get("etag"), "\"b\"");
}

TEST_F(RestTest, BugAHostThatAskedToBeLeftAloneWasNotHeard) {
  receive(kFirst, "01234", WireEnd::kCut);
  EXPECT_EQ(go_on("HTTP/1.1 429 Slow\r\nRetry-After: 50\r\nContent-Length: 2\r\n\r\n", "no"),
            Outcome::kRateLimited);
  EXPECT_EQ(result.status, 429);
  EXPECT_EQ(result.head.get("retry-after"), "50");
  EXPECT_EQ(result.body, "no");
  receive(kFirst, "01234", WireEnd::kCut);
  EXPECT_EQ(go_on("HTTP/1.1 503 Busy\r\nRetry-After: 50\r\nContent-Length: 0\r\n\r\n", ""),
            Outcome::kRateLimited);
}

// Where bodies are not kept, there is only what is derived from them.
TEST_F(RestTest, TheDigestIsOfAllParts) {
  rules.digest_only = DigestKind::kXxh3;
  receive(kFirst, "01234", WireEnd::kCut);
  go_on("HTTP/1.1 206 P\r\nContent-Range: bytes 5-9/10\r\nETag: \"a\"\r\n\r\n", "56789");
  EXPECT_EQ(result.outcome, Outcome::kOk);
  EXPECT_EQ(result.digest, digest_hex(DigestKind::kXxh3, "0123456789"));
  EXPECT_EQ(result.size, 10U);
  EXPECT_EQ(result.body, "");
  rules.cut_large = true;
  receive(kFirst, "0123456789");
  EXPECT_EQ(result.body, "0123456789");
}

}  // namespace
}  // namespace spinneret::http
