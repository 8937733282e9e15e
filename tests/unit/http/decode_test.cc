// SPDX-License-Identifier: Apache-2.0
#include "http/decode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "http/gzip.h"

namespace spinneret::http {
namespace {

using namespace std::string_literals;

struct Collector : DecodeTaker {
  explicit Collector(std::size_t most = SIZE_MAX) : limit(most) {}
  bool take(std::string_view bytes) override {
    largest = std::max(largest, bytes.size());
    text += bytes;
    return text.size() <= limit;
  }
  std::string text;
  std::size_t limit;
  std::size_t largest = 0;
};

std::string from_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

// "<html>hello hello hello hello</html>\n", encoded with gzip -9n, zlib, raw deflate, brotli and
// zstd by the reference tools.
constexpr std::string_view kText = "<html>hello hello hello hello</html>\n";
std::string gzip_text() {
  std::string out;
  EXPECT_TRUE(gzip_member(kText, out));
  return out;
}
// A gzip member is ten bytes of head, raw deflate, and eight bytes of tail.
std::string raw_text() {
  const std::string member = gzip_text();
  return member.substr(10, member.size() - 18);
}
std::uint32_t adler32_of(std::string_view text) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char c : text) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}
std::string zlib_text() {
  std::string out = "\x78\x9c" + raw_text();
  const std::uint32_t sum = adler32_of(kText);
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(sum >> shift & 255);
  return out;
}
// An uncompressed meta-block, and a raw block in a frame, written by hand from RFC 7932 and RFC
// 8878.
std::string brotli_text() {
  // WBITS=16 (one bit 0); ISLAST=0, MNIBBLES=4 (00), MLEN-1 (16 bits), ISUNCOMPRESSED=1; then
  // ISLAST, ISLASTEMPTY.
  const unsigned length = static_cast<unsigned>(kText.size()) - 1;
  const unsigned bits = 0U | 0U << 1 | 0U << 2 | length << 4 | 1U << 20;
  std::string out;
  for (int i = 0; i < 3; ++i) out += static_cast<char>(bits >> (8 * i) & 255);
  return out + std::string(kText) + "\x03";
}
std::string zstd_text() {
  const unsigned block = static_cast<unsigned>(kText.size()) << 3 | 1;
  std::string out = from_hex("28b52ffd2025");  // single segment, content size 37
  out[5] = static_cast<char>(kText.size());
  for (int i = 0; i < 3; ++i) out += static_cast<char>(block >> (8 * i) & 255);
  return out + std::string(kText);
}

struct Case {
  const char* name;
  Coding coding;
  std::string stream;
};
std::vector<Case> cases() {
  return {{"gzip", Coding::kGzip, gzip_text()},
          {"zlib", Coding::kDeflate, zlib_text()},
          {"raw deflate", Coding::kDeflate, raw_text()},
          {"brotli", Coding::kBrotli, brotli_text()},
          {"zstd", Coding::kZstd, zstd_text()}};
}

TEST(Decode, EveryCodingInPiecesOfEverySize) {
  for (const Case& c : cases()) {
    DecodeChain chain;
    for (std::size_t size = 1; size <= c.stream.size(); ++size) {
      chain.start({c.coding});
      Collector out;
      for (std::size_t at = 0; at < c.stream.size(); at += size) {
        ASSERT_EQ(chain.update(std::string_view(c.stream).substr(at, size), out), DecodeStep::kMore)
            << c.name << " " << size << " " << at;
      }
      EXPECT_EQ(out.text, kText) << c.name << " " << size;
      EXPECT_TRUE(chain.finished()) << c.name;
    }
  }
}

// A stream that is cut at any byte never counts as whole, except for no bytes at all, which are an
// empty body.
TEST(Decode, EveryTruncationIsSeen) {
  for (const Case& c : cases()) {
    for (std::size_t size = 0; size < c.stream.size(); ++size) {
      DecodeChain chain;
      chain.start({c.coding});
      Collector out;
      // The heap buffer has the exact size, so that a sanitizer sees a read beyond it.
      const auto exact = std::make_unique<char[]>(size);
      std::copy_n(c.stream.begin(), size, exact.get());
      const DecodeStep step = chain.update({exact.get(), size}, out);
      EXPECT_TRUE(size == 0 || step == DecodeStep::kBad || !chain.finished())
          << c.name << " " << size;
      EXPECT_EQ(chain.finished(), size == 0) << c.name << " " << size;
    }
  }
}

TEST(Decode, BytesBehindTheEndAreDropped) {
  for (const Case& c : cases()) {
    DecodeChain chain;
    chain.start({c.coding});
    Collector out;
    EXPECT_EQ(chain.update(c.stream + "\nsurplus", out), DecodeStep::kMore) << c.name;
    EXPECT_EQ(chain.update("more", out), DecodeStep::kMore) << c.name;
    EXPECT_EQ(out.text, kText) << c.name;
    EXPECT_TRUE(chain.finished()) << c.name;
  }
}

TEST(Decode, SecondMembersAndFramesAreDecoded) {
  for (const Coding coding : {Coding::kGzip, Coding::kZstd}) {
    const std::string stream = coding == Coding::kGzip ? gzip_text() : zstd_text();
    DecodeChain chain;
    chain.start({coding});
    Collector out;
    EXPECT_EQ(chain.update(stream + stream, out), DecodeStep::kMore);
    EXPECT_EQ(out.text, std::string(kText) + std::string(kText));
    EXPECT_TRUE(chain.finished());
    chain.start({coding});
    Collector half;
    chain.update(stream + stream.substr(0, stream.size() - 3), half);
    EXPECT_FALSE(chain.finished());
  }
}

// `twice` is a stream of two members or frames that contains kText twice.
void expect_dropped(Coding coding, const std::string& twice, const std::string& surplus) {
  const std::string bytes = twice + surplus;
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    DecodeChain chain;
    chain.start({coding});
    Collector out;
    for (std::size_t i = 0; i < bytes.size(); i += step) {
      ASSERT_EQ(chain.update(std::string_view(bytes).substr(i, step), out), DecodeStep::kMore)
          << step;
    }
    EXPECT_TRUE(chain.finished()) << step;
    EXPECT_EQ(out.text, std::string(kText) + std::string(kText)) << step;
  }
}

// Found by fuzzing: it depended on the cuts whether a surplus 0x1F was a member or was dropped.
TEST(Decode, BytesBehindAMemberAreJudgedAlikeInPiecesOfEverySize) {
  for (const std::string& surplus :
       {"\x1F"s, "\x1F\x8C"s, "\x1F" + gzip_text(), "x" + gzip_text(), "\xFF\x1F\x8B"s}) {
    expect_dropped(Coding::kGzip, gzip_text() + gzip_text(), surplus);
  }
}

// Found by fuzzing: behind the end, a piece that began with 0x28 or 0x50 opened a frame.
TEST(Decode, BytesBehindAFrameAreJudgedAlikeInPiecesOfEverySize) {
  for (const std::string& surplus : {"\x28"s, "\x28\xB5\x2F"s, "\x28\xB5\x2F\xFE...."s,
                                     "x" + zstd_text(), "\x2F\xFDTTP\xCD"s, "PP\x2A\x4D\x18"s}) {
    expect_dropped(Coding::kZstd, zstd_text() + zstd_text(), surplus);
  }
  // A skippable frame has no content: eight bytes of head, and as many bytes as these say.
  expect_dropped(Coding::kZstd, zstd_text() + "\x5A\x2A\x4D\x18\x02\0\0\0ab"s + zstd_text(),
                 "surplus");
}

// Found by fuzzing: the output before the error was lost, and a bomb was recognised only in small
// pieces.
TEST(Decode, WhatComesBeforeAnErrorCounts) {
  for (const Coding coding : {Coding::kGzip, Coding::kDeflate}) {
    std::string bomb;
    ASSERT_TRUE(gzip_member(std::string(1000, 'x'), bomb));
    if (coding == Coding::kDeflate) bomb = bomb.substr(10, bomb.size() - 18);
    bomb[bomb.size() - (coding == Coding::kGzip ? 1 : 2)] ^= '\x55';
    for (const std::size_t step : {std::size_t{1}, bomb.size()}) {
      DecodeChain chain;
      chain.start({coding});
      Collector out(100);
      DecodeStep last = DecodeStep::kMore;
      for (std::size_t i = 0; i < bomb.size() && last == DecodeStep::kMore; i += step) {
        last = chain.update(std::string_view(bomb).substr(i, step), out);
      }
      EXPECT_EQ(last, DecodeStep::kStopped) << step;
    }
  }
}

TEST(Decode, GarbageIsBad) {
  for (const Coding coding : {Coding::kGzip, Coding::kDeflate, Coding::kZstd}) {
    DecodeChain chain;
    chain.start({coding});
    Collector out;
    EXPECT_EQ(chain.update("<html>this is not coded at all, whatever the header says</html>", out),
              DecodeStep::kBad);
  }
}

TEST(Decode, StacksAreUndoneFromTheLast) {
  std::string twice;
  ASSERT_TRUE(gzip_member(zlib_text(), twice));
  DecodeChain chain;
  chain.start({Coding::kDeflate, Coding::kGzip});
  Collector out;
  for (const char c : twice) ASSERT_EQ(chain.update({&c, 1}, out), DecodeStep::kMore);
  EXPECT_EQ(out.text, kText);
  EXPECT_TRUE(chain.finished());
  // These are bad bytes inside a good outer coding.
  std::string wrapped;
  ASSERT_TRUE(gzip_member("no zlib in here, none whatsoever", wrapped));
  chain.start({Coding::kDeflate, Coding::kGzip});
  Collector bad;
  EXPECT_EQ(chain.update(wrapped, bad), DecodeStep::kBad);
}

TEST(Decode, ATakerStopsABombAfterOneBlock) {
  std::string bomb;
  ASSERT_TRUE(gzip_member(std::string(32 << 20, '\0'), bomb));
  DecodeChain chain;
  chain.start({Coding::kGzip});
  Collector out(1000);
  EXPECT_EQ(chain.update(bomb, out), DecodeStep::kStopped);
  EXPECT_LE(out.text.size(), 1000U + (64 << 10));
  EXPECT_LE(out.largest, std::size_t{64} << 10);
}

TEST(Decode, ChainsAreReusable) {
  DecodeChain chain;
  for (int round = 0; round < 3; ++round) {
    for (const Case& c : cases()) {
      // A stream that was left in the middle must not affect the next.
      chain.start({c.coding});
      Collector half;
      chain.update(std::string_view(c.stream).substr(0, 7), half);
      chain.start({c.coding});
      Collector out;
      EXPECT_EQ(chain.update(c.stream, out), DecodeStep::kMore) << c.name;
      EXPECT_EQ(out.text, kText) << c.name;
    }
  }
  chain.start({});
  Collector plain;
  EXPECT_EQ(chain.update("as it is", plain), DecodeStep::kMore);
  EXPECT_EQ(plain.text, "as it is");
  EXPECT_TRUE(chain.finished());
}

TEST(Decode, RandomDamageNeverCrashes) {
  std::mt19937 random(3);
  for (const Case& c : cases()) {
    for (int round = 0; round < 500; ++round) {
      std::string damaged = c.stream;
      damaged[random() % damaged.size()] = static_cast<char>(random());
      DecodeChain chain;
      chain.start({c.coding});
      Collector out(1 << 20);
      chain.update(damaged, out);
    }
  }
}

TEST(ParseCodings, Names) {
  const auto names = [](std::string_view value) {
    const Result<std::vector<Coding>> codings = parse_codings(value);
    if (!codings.ok()) return std::string("bad");
    std::string out;
    for (const Coding coding : *codings) out += "gdbz"[static_cast<int>(coding)];
    return out;
  };
  EXPECT_EQ(names(""), "");
  EXPECT_EQ(names("gzip"), "g");
  EXPECT_EQ(names(" X-GZIP "), "g");
  EXPECT_EQ(names("deflate, br"), "db");
  EXPECT_EQ(names("zstd"), "z");
  EXPECT_EQ(names("identity"), "");
  EXPECT_EQ(names("utf-8"), "");
  EXPECT_EQ(names("none, gzip,"), "g");
  EXPECT_EQ(names("gzip,gzip,gzip"), "ggg");
  EXPECT_EQ(names("gzip,gzip,gzip,gzip"), "bad");
  EXPECT_EQ(names("compress"), "bad");
  EXPECT_EQ(names("dcb"), "bad");
}

// Two members come in pieces of every size: the end of the first is reported, and all of its bytes
// come.
TEST(GunzipMember, TellsWhereItEndsInPiecesOfEverySize) {
  std::string first;
  std::string second;
  ASSERT_TRUE(gzip_member(std::string(100'000, 'a') + "b", first));
  ASSERT_TRUE(gzip_member("second", second));
  const std::string both = first + second;
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, first.size(), both.size()}) {
    std::string_view rest = both;
    const auto more = [&] {
      const std::string_view head = rest.substr(0, piece);
      rest.remove_prefix(head.size());
      return head;
    };
    Collector taker;
    EXPECT_EQ(gunzip_member(more, taker), first.size()) << piece;
    EXPECT_EQ(taker.text.size(), 100'001U);
  }
}

TEST(GunzipMember, WhatIsCutDamagedOrNotWantedIsNothing) {
  std::string member;
  ASSERT_TRUE(gzip_member(std::string(1000, 'a') + "xyz", member));
  const auto read = [](std::string_view bytes, std::size_t most = SIZE_MAX) {
    Collector taker(most);
    return gunzip_member([&] { return std::exchange(bytes, {}); }, taker);
  };
  EXPECT_EQ(read(member), member.size());
  for (std::size_t size = 0; size < member.size(); ++size)
    EXPECT_FALSE(read(std::string_view(member).substr(0, size))) << size;
  EXPECT_FALSE(read(member, 10));
  EXPECT_FALSE(read("no gzip"));
  // The checksum or the length is wrong.
  for (std::size_t back = 1; back <= 8; ++back) {
    std::string damaged = member;
    damaged[damaged.size() - back] = static_cast<char>(damaged[damaged.size() - back] ^ 1);
    EXPECT_FALSE(read(damaged)) << back;
  }
}

TEST(GzipMember, RoundTrip) {
  std::string big;
  std::mt19937 random(5);
  for (int i = 0; i < 300'000; ++i) big += static_cast<char>(random() % 7 + 'a');
  std::string packed;
  ASSERT_TRUE(gzip_member(big, packed));
  EXPECT_LT(packed.size(), big.size() / 2);
  DecodeChain chain;
  chain.start({Coding::kGzip});
  Collector out;
  EXPECT_EQ(chain.update(packed, out), DecodeStep::kMore);
  EXPECT_EQ(out.text, big);
  EXPECT_TRUE(gzip_member("", packed));
  EXPECT_FALSE(packed.empty());
}

}  // namespace
}  // namespace spinneret::http
