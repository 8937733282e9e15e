// SPDX-License-Identifier: Apache-2.0
// The small parts: rate, credentials, Referer, digests.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/file.h"
#include "http/auth.h"
#include "http/digest.h"
#include "http/gzip.h"
#include "http/ledger.h"
#include "http/referer.h"
#include "http/token_bucket.h"
#include "support/small_files.h"
#include "support/temporary_folder.h"
#include "url/parse.h"

namespace spinneret::http {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(TokenBucket, WithoutALimitNothingWaits) {
  TokenBucket bucket;
  bucket.take(1'000'000'000);
  EXPECT_EQ(bucket.wait_ns(1), 0);
}

TEST(TokenBucket, OverAMinuteTheRateIsTheRate) {
  TokenBucket bucket(1000);
  std::int64_t now = kSecond;
  std::uint64_t taken = 0;
  while (now < 61 * kSecond) {
    if (const std::int64_t wait = bucket.wait_ns(now); wait > 0) {
      now += wait;
      continue;
    }
    bucket.take(333);
    taken += 333;
  }
  EXPECT_GE(taken, 59'000U);
  EXPECT_LE(taken, 61'500U);
}

TEST(TokenBucket, APauseSavesUpLittle) {
  TokenBucket bucket(1000);
  bucket.wait_ns(kSecond);
  EXPECT_EQ(bucket.wait_ns(1000 * kSecond), 0);
  bucket.take(101);
  EXPECT_GT(bucket.wait_ns(1000 * kSecond), 0);
}

TEST(AuthTable, ByOrigin) {
  const Result<AuthTable> table = AuthTable::parse(
      "# a comment\n\nhttps://example.com basic user:pass word\nHTTP://Example.com:8080/ bearer "
      "a.b.c\r\n");
  ASSERT_TRUE(table.ok()) << table.message();
  ASSERT_NE(table->find("https://example.com"), nullptr);
  EXPECT_EQ(*table->find("https://example.com"), "Basic dXNlcjpwYXNzIHdvcmQ=");
  ASSERT_NE(table->find("http://example.com:8080"), nullptr);
  EXPECT_EQ(*table->find("http://example.com:8080"), "Bearer a.b.c");
  EXPECT_EQ(table->find("http://example.com"), nullptr);
  EXPECT_EQ(table->find("https://example.com:8443"), nullptr);
  EXPECT_EQ(table->find("https://www.example.com"), nullptr);
}

TEST(AuthTable, Base64) {
  const auto encoded = [](const std::string& pair) {
    return AuthTable::parse("http://a basic " + pair)->find("http://a")->substr(6);
  };
  EXPECT_EQ(encoded("a:"), "YTo=");
  EXPECT_EQ(encoded("a:b"), "YTpi");
  EXPECT_EQ(encoded("a:bc"), "YTpiYw==");
  EXPECT_EQ(encoded("a:\xff\xfe"), "YTr//g==");
}

TEST(AuthTable, ProxyWithUser) {
  const AuthTable table =
      AuthTable::parse("http://p:3128 basic me:a@b:c %/\nhttps://q bearer t\n").take();
  EXPECT_EQ(table.proxy_with_user("http://p:3128"), "http://me:a%40b%3Ac%20%25%2F@p:3128");
  EXPECT_EQ(table.proxy_with_user("HTTP://P:3128/"), "HTTP://me:a%40b%3Ac%20%25%2F@P:3128/");
  for (const char* other : {"", "http://p:3129", "https://p:3128", "socks5h://p:3128",
                            "http://u:w@p:3128", "https://q:443"})
    EXPECT_EQ(table.proxy_with_user(other), other);
}

TEST(AuthTable, ErrorsNameTheLineAndNoSecret) {
  for (const char* text :
       {"\nexample.com basic a:SECRET", "\nftp://a basic a:SECRET",
        "\nhttp://a/path basic a:SECRET", "\nhttp://a digest a:SECRET", "\nhttp://a basic SECRET",
        "\nhttp://a basic", "\nhttp://a", "\nhttp://a bearer SEC\x01RET"}) {
    const Result<AuthTable> table = AuthTable::parse(text);
    ASSERT_FALSE(table.ok()) << text;
    EXPECT_TRUE(table.message().starts_with("2: ")) << table.message();
    EXPECT_EQ(table.message().find("SEC"), std::string::npos);
  }
}

// Referrer Policy, section 3.7.
TEST(Referer, StrictOriginWhenCrossOrigin) {
  const auto sent = [](const char* page, const char* to) {
    Url target;
    EXPECT_TRUE(parse(to, target));
    return referer_for(page, target);
  };
  EXPECT_EQ(sent("http://a/x?y#z", "http://a/other"), "http://a/x?y");
  EXPECT_EQ(sent("http://u:p@a/x", "http://a/other"), "http://a/x");
  EXPECT_EQ(sent("http://a/x", "http://b/"), "http://a/");
  EXPECT_EQ(sent("http://a/x", "https://a/"), "http://a/");
  EXPECT_EQ(sent("http://a:81/x", "http://a/"), "http://a:81/");
  EXPECT_EQ(sent("https://a/x", "http://a/"), "");
  EXPECT_EQ(sent("https://a/x", "https://a/y"), "https://a/x");
  EXPECT_EQ(sent("ftp://a/x", "http://a/"), "");
  EXPECT_EQ(sent("nonsense", "http://a/"), "");
}

TEST(Digest, KnownValues) {
  EXPECT_EQ(digest_hex(DigestKind::kSha256, "abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_hex(DigestKind::kXxh3, ""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(warc_digest(""), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
  EXPECT_EQ(warc_digest("abc"), "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
}

// The twin: a body in pieces has the digest of the whole.
TEST(BodyDigest, IsThatOfTheWhole) {
  const std::string text(1000, 'x');
  for (const DigestKind kind : {DigestKind::kXxh3, DigestKind::kSha256}) {
    BodyDigest digest(kind);
    for (const std::size_t size : {0U, 1U, 63U, 64U, 500U, 1000U}) {
      digest.reset();
      for (std::size_t at = 0; at < size; at += 7) {
        digest.update(std::string_view(text).substr(at, std::min<std::size_t>(7, size - at)));
      }
      EXPECT_EQ(digest.hex(), digest_hex(kind, std::string_view(text).substr(0, size)));
    }
  }
}

TEST(Crc32, KnownValueAlsoInPieces) {
  EXPECT_EQ(crc32_of(0, "123456789"), 0xCBF43926U);
  EXPECT_EQ(crc32_of(crc32_of(0, "1234"), "56789"), 0xCBF43926U);
}

TEST(Price, IsReadStrictly) {
  const auto millionths = [](std::string_view text) {
    const auto price = parse_price(text);
    return price ? price->millionths : -1;
  };
  EXPECT_EQ(millionths("USD 0.01"), 10'000);
  EXPECT_EQ(millionths("EUR 5"), 5'000'000);
  EXPECT_EQ(millionths("USD 0.000001"), 1);
  EXPECT_EQ(millionths("USD 999999999.999999"), 999'999'999'999'999);
  for (const char* const text :
       {"", "USD", "USD ", "0.01", "usd 1", "USDX 1", "USD  1", "USD 1 ", "USD -1", "USD +1",
        "USD .5", "USD 1.", "USD 1.2.3", "USD 0.0000001", "USD 1000000000", "USD 1e3", "USD 1,5",
        "USD\t1", "USD 0x1"}) {
    EXPECT_EQ(millionths(text), -1) << text;
  }
  EXPECT_EQ(to_string({"USD", 10'000}), "USD 0.01");
  EXPECT_EQ(to_string({"USD", 5'000'000}), "USD 5.00");
  EXPECT_EQ(to_string({"USD", 1}), "USD 0.000001");
}

// A ledger with three cents to spend.
class LedgerTest : public testing::Test {
 protected:
  LedgerTest() { EXPECT_TRUE(write_file_atomic(path, "# news\n\nbudget USD 0.03\n").ok()); }

  const TemporaryFolder folder;
  const std::string path = folder.file("ledger");
  const Price cent{"USD", 10'000};
};

TEST_F(LedgerTest, CountsWhatWasOfferedUntilItIsNotCharged) {
  {
    Result<Ledger> ledger = Ledger::open(path, {"USD", 20'000});
    ASSERT_TRUE(ledger.ok()) << ledger.message();
    // A second ledger on this file has to wait.
    EXPECT_FALSE(Ledger::open(path, cent).ok());
    EXPECT_TRUE(ledger->allows(cent));
    EXPECT_FALSE(ledger->allows({"USD", 20'001}));
    EXPECT_FALSE(ledger->allows({"EUR", 1}));
    ASSERT_TRUE(ledger->offer(cent, "https://a/").ok());
    ASSERT_TRUE(ledger->settle(cent, cent, "https://a/").ok());
    ASSERT_TRUE(ledger->offer({"USD", 20'000}, "https://b/").ok());
    EXPECT_EQ(ledger->left(), 0);
    EXPECT_FALSE(ledger->offer(cent, "https://c/").ok());
    ASSERT_TRUE(ledger->settle({"USD", 20'000}, std::nullopt, "https://b/").ok());
    // The process is killed before the answer comes.
    ASSERT_TRUE(ledger->offer(cent, "https://d/").ok());
  }
  Result<Ledger> again = Ledger::open(path, cent);
  ASSERT_TRUE(again.ok()) << again.message();
  EXPECT_EQ(again->left(), 10'000);
}

// Nothing is paid from a file that is not valid, and the error names its line.
TEST_F(LedgerTest, WhatIsNoLedgerPaysNothing) {
  const struct {
    std::string text, why;
  } rows[] = {
      {"", ": no line such as: budget USD 5.00"},
      {"spend USD 1\n", ":1: the first line must be such as: budget USD 5.00"},
      {"# x\nbudget USD\n", ":2: not an amount such as USD 5.00"},
      {"budget usd 5\n", ":1: not an amount such as USD 5.00"},
      {"budget EUR 5\n", ": its budget is in EUR, --max-price in USD"},
      {"budget USD 5\nt offered EUR 1 u\n", ":2: no amount in USD"},
      {"budget USD 5\nt offered USD 1000000000 u\n", ":2: no amount in USD"},
      {"budget USD 5\nt paid USD 1 u\n", ":2: neither offered, charged nor not-charged"},
      {"budget USD 5\nt offered USD 1 u", ": its last line does not end"},
  };
  for (const auto& row : rows) {
    ASSERT_TRUE(write_file_atomic(path, row.text).ok());
    const Result<Ledger> ledger = Ledger::open(path, {"USD", 1});
    EXPECT_FALSE(ledger.ok()) << row.text;
    EXPECT_TRUE(ledger.message().starts_with(path + row.why)) << ledger.message();
  }
  EXPECT_FALSE(Ledger::open(folder.file("none"), {"USD", 1}).ok());
}

// An offer that is not on disk must not be made, and yet counts as spent, because its line may be
// there.
TEST_F(LedgerTest, AnOfferThatCannotBeWrittenIsAnErrorAndCounts) {
  Result<Ledger> ledger = Ledger::open(path, cent);
  ASSERT_TRUE(ledger.ok());
  {
    const SmallFiles full(30);
    EXPECT_FALSE(ledger->offer(cent, "https://a/").ok());
  }
  EXPECT_EQ(ledger->left(), 20'000);
}

TEST_F(LedgerTest, OtherMoneyThanWasOfferedCountsAsTheOffer) {
  Result<Ledger> ledger = Ledger::open(path, cent);
  ASSERT_TRUE(ledger->offer(cent, "https://a/").ok());
  ASSERT_TRUE(ledger->settle(cent, Price{"EUR", 1}, "https://a/").ok());
  EXPECT_TRUE(read_file(path)->ends_with(" charged USD 0.01 https://a/\n"));
  EXPECT_EQ(ledger->left(), 20'000);
}

TEST(MayBeDigest, KnowsBothKindsByTheirLength) {
  EXPECT_TRUE(may_be_digest("99aa06d3014798d86001c324468d497f", ""));
  EXPECT_TRUE(may_be_digest("99AA06D3014798D86001C324468D497F", ""));
  EXPECT_FALSE(may_be_digest("99aa06d3014798d86001c324468d497f", "x"));
  EXPECT_TRUE(
      may_be_digest("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", ""));
  EXPECT_FALSE(
      may_be_digest("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "x"));
}

TEST(MayBeDigest, OfAnotherKindItSaysNothing) {
  for (const char* const digest : {"", "sha1:ABC", "99aa", "zzaa06d3014798d86001c324468d497f"}) {
    EXPECT_TRUE(may_be_digest(digest, "x")) << digest;
  }
}

}  // namespace
}  // namespace spinneret::http
