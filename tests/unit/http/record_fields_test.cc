// SPDX-License-Identifier: Apache-2.0
#include "http/fields.h"

#include <gtest/gtest.h>

#include <string>

namespace spinneret::http {
namespace {

struct Lines : FieldTaker {
  void field(std::string_view key, std::string_view value) override {
    text += std::string(key) + "=" + std::string(value) + "\n";
    EXPECT_TRUE(is_result_field(key) || key == "etag" || key == "last-modified") << key;
  }
  std::string text;
};

FetchResult page() {
  FetchResult out;
  out.outcome = Outcome::kOk;
  out.status = 200;
  out.version = 11;
  out.whole = true;
  out.body = "12345";
  out.size = 5;
  out.wire_size = 5;
  out.time_us = 12'345;
  out.ip = "192.0.2.1";
  out.fetched_unix_ms = 1'000'000;
  return out;
}

void set_head(FetchResult& result, const std::string& lines) {
  result.head.clear();
  result.head.add_line("HTTP/1.1 200 OK\r\n" + lines);
  result.head.parse();
}

std::string fields(const FetchResult& result, const FieldChoice& choice = {}) {
  Lines out;
  each_field(result, choice, out);
  return out.text;
}

TEST(Fields, OfAPage) {
  FetchResult result = page();
  set_head(result,
           "ETag: \"a\"\r\nLast-Modified: then\r\nCache-Control: max-age=60\r\n"
           "X-Robots-Tag: noindex\r\nX-Robots-Tag: bot: nofollow\r\nLink: <x>\r\n");
  result.media = {"text/html", "utf-8"};
  EXPECT_EQ(
      fields(result),
      "status=200\nhttp=1.1\ntype=text/html\ncharset=utf-8\nsize=5\ntime-ms=13\nip=192.0.2.1\n"
      "etag=\"a\"\nlast-modified=then\nexpires=1060\nx-robots-tag=noindex\n"
      "x-robots-tag=bot: nofollow\nlink=<x>\n");
}

TEST(Fields, OfAFailure) {
  FetchResult result;
  result.outcome = Outcome::kTimeout;
  result.error = "no answer\x1b within 1 s";
  result.time_us = 1'000'000;
  EXPECT_EQ(fields(result), "time-ms=1000\nerror=no answer  within 1 s\n");
}

TEST(Fields, SizeOnlyOfAWholeBody) {
  FetchResult result = page();
  result.whole = false;
  EXPECT_EQ(fields(result).find("size="), std::string::npos);
  result.whole = true;
  result.wire_size = 3;
  EXPECT_NE(fields(result).find("size=5\nwire-size=3\n"), std::string::npos);
  result.bodiless = true;
  EXPECT_EQ(fields(result).find("size="), std::string::npos);
}

TEST(Fields, ValidatorsOfNewPagesOnly) {
  FetchResult result = page();
  set_head(result, "ETag: \"a\"\r\n");
  EXPECT_TRUE(validators_are_old(result));
  result.outcome = Outcome::kNotModified;
  EXPECT_FALSE(validators_are_old(result));
  // The validators of the input stay.
  EXPECT_EQ(fields(result).find("etag="), std::string::npos);
  result.outcome = Outcome::kServerError;
  EXPECT_EQ(fields(result).find("etag="), std::string::npos);
}

TEST(Fields, HopsRedirectsAndWaits) {
  FetchResult result = page();
  result.outcome = Outcome::kRateLimited;
  result.hops = {{301, "http://b/"}, {302, "http://c/"}};
  result.location = "http://d/\x01";
  set_head(result, "Retry-After: 7\r\n");
  const std::string text = fields(result);
  EXPECT_TRUE(text.starts_with("hop=301 http://b/\nhop=302 http://c/\nstatus=200\n"));
  EXPECT_EQ(text.find("location="), std::string::npos);
  EXPECT_NE(text.find("retry-after=7\n"), std::string::npos);
}

// Bug: a redirect whose body was torn, or an answer that is no redirect, became a link.
TEST(Fields, LocationOfRedirectsAlone) {
  FetchResult result = page();
  result.location = "http://d/\x01";
  for (const Outcome outcome : {Outcome::kRedirect, Outcome::kMoved}) {
    result.outcome = outcome;
    EXPECT_NE(fields(result).find("location=http://d/\n"), std::string::npos);
  }
  for (const Outcome outcome : {Outcome::kOk, Outcome::kBadResponse, Outcome::kNotModified,
                                Outcome::kTimeout, Outcome::kTooLarge, Outcome::kAborted}) {
    result.outcome = outcome;
    EXPECT_EQ(fields(result).find("location="), std::string::npos);
  }
}

TEST(Fields, OnRequest) {
  FetchResult result = page();
  result.version = 20;
  result.truncated = true;
  result.dns_us = 1'500;
  result.times = {2'000, 0, 3'007, 4'000};
  set_head(result, "A: 1\r\nb: x\x07y\r\n");
  FieldChoice choice;
  choice.headers = choice.timing = choice.insecure = true;
  const std::string text = fields(result, choice);
  EXPECT_NE(text.find("http=2\n"), std::string::npos);
  EXPECT_NE(text.find("dns-ms=1.500\nconnect-ms=2.000\nfirst-byte-ms=3.007\n"), std::string::npos);
  EXPECT_EQ(text.find("tls-ms"), std::string::npos);
  EXPECT_NE(text.find("header=A: 1\nheader=b: x y\n"), std::string::npos);
  EXPECT_NE(text.find("insecure=true\ntruncated=true\n"), std::string::npos);
}

TEST(Fields, ResultFieldsAreKnown) {
  for (const char* key :
       {"status", "outcome", "body", "error", "hop", "x-robots-tag", "warc-offset"}) {
    EXPECT_TRUE(is_result_field(key)) << key;
  }
  for (const char* key : {"", "url", "depth", "via", "priority", "purpose", "etag", "last-modified",
                          "robots", "statu", "status2", "a", "zz"}) {
    EXPECT_FALSE(is_result_field(key)) << key;
  }
}

}  // namespace
}  // namespace spinneret::http
