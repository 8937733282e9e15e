// SPDX-License-Identifier: Apache-2.0
#include "feed/warc_record.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

namespace spinneret::feed {
namespace {

std::string record_of(std::string_view type, std::string_view block) {
  return "WARC/1.1\r\nWARC-Type: " + std::string(type) +
         "\r\nContent-Length: " + std::to_string(block.size()) + "\r\n\r\n" + std::string(block) +
         "\r\n\r\n";
}

TEST(WarcRecord, Response) {
  const std::string bytes =
      record_of("response",
                "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nContent-Encoding: br\r\n\r\npayload");
  EXPECT_EQ(warc_record_size(bytes), bytes.size() - 4);
  WarcRecord record;
  ASSERT_TRUE(parse_warc_record(bytes, record));
  EXPECT_EQ(record.type, "response");
  EXPECT_TRUE(record.complete);
  EXPECT_EQ(record.payload, "payload");
  EXPECT_EQ(record.content_encoding, "gzip, br");
}

// Bug: links of chunked pages were lost, because the chunk sizes were taken for a part of the page,
// and the whole for damaged.
TEST(WarcRecord, PayloadIsWithoutItsChunks) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"7\r\npayload\r\n0\r\n\r\n", "payload"},
      {"3;x=y\r\npay\r\n0004 \r\nload\r\n0\r\nTrailer: x\r\n\r\n", "payload"},
      {"1\na\n1\nb\n1\nc\n0\n\n", "abc"},
      {"0\r\n\r\n", ""},
      {"payload", "payload"},
      {"", ""},
      {"add one", "add one"},
      {"3\r\npay", "3\r\npay"},
      {"9\r\npayload\r\n0\r\n\r\n", "9\r\npayload\r\n0\r\n\r\n"},
      {"fffffffffffffffff\r\npayload", "fffffffffffffffff\r\npayload"},
  };
  WarcRecord record;
  for (const auto& [body, payload] : rows) {
    const std::string bytes = record_of("response", head + std::string(body));
    ASSERT_TRUE(parse_warc_record(bytes, record));
    EXPECT_EQ(record.payload, payload) << body;
  }
}

// The chunk sizes became words of a page that a server had broken off.
TEST(WarcRecord, BugChunksThatAreCutOffWereReadWithTheirSizes) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  WarcRecord record;
  for (const std::string_view body :
       {"3\r\npay\r\n9\r\nload", "3\r\npay\r\n2\r\nlo\r\nzz\r\nad", "7\r\npayload\r\n"}) {
    const std::string bytes = record_of("response", head + std::string(body));
    ASSERT_TRUE(parse_warc_record(bytes, record));
    EXPECT_EQ(record.payload, "payload") << body;
    EXPECT_TRUE(record.cut);
  }
}

TEST(WarcRecord, BugABodyThatIsShorterThanItsLengthWasWhole) {
  WarcRecord record;
  const auto is_cut = [&record](std::string_view fields, std::string_view body) {
    const std::string head = "HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\n";
    const std::string bytes = record_of("response", head + std::string(body));
    EXPECT_TRUE(parse_warc_record(bytes, record));
    EXPECT_EQ(record.payload, body);
    return record.cut;
  };
  EXPECT_TRUE(is_cut("Content-Length: 8\r\n", "payload"));
  EXPECT_FALSE(is_cut("Content-Length: 7\r\n", "payload"));
  EXPECT_FALSE(is_cut("Content-Length: 6\r\n", "payload"));
  EXPECT_FALSE(is_cut("Content-Length: 8\r\n", ""));  // the response to a HEAD
  EXPECT_FALSE(is_cut("Content-Length: x\r\n", "payload"));
  EXPECT_FALSE(is_cut("Content-Encoding: gzip\r\nContent-Length: 8\r\n", "decoded"));
}

TEST(WarcRecord, WhetherItIsAllOfWhatCame) {
  WarcRecord record;
  ASSERT_TRUE(parse_warc_record("WARC/1.1\r\nContent-Length: 0\r\n\r\n", record));
  EXPECT_FALSE(record.truncated || record.segmented);
  ASSERT_TRUE(
      parse_warc_record("WARC/1.1\r\nContent-Length: 0\r\nWARC-Truncated: length\r\n"
                        "WARC-Segment-Number: 1\r\n\r\n",
                        record));
  EXPECT_TRUE(record.truncated && record.segmented);
}

TEST(WarcRecord, HeadWhoseLinesEndWithLfAlone) {
  WarcRecord record;
  for (const std::string head :
       {"HTTP/1.1 200 OK\nServer: x\n\n", "HTTP/1.1 200 OK\r\nA: b\n\r\n"}) {
    const std::string bytes = record_of("response", head + "pay\n\r\nload");
    ASSERT_TRUE(parse_warc_record(bytes, record));
    EXPECT_EQ(record.payload, "pay\n\r\nload");
  }
}

// All pages of such an archive were "no answer of HTTP", because the record's head was read to the
// end of the server's.
TEST(WarcRecord, BugAnArchiveWhoseLinesEndWithLfAloneHadNoPages) {
  const std::string bytes =
      "WARC/1.0\nWARC-Type: response\nWARC-Target-URI: http://h/\nContent-Length: 45\n\n"
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nx\n\n";
  WarcRecord record;
  ASSERT_TRUE(parse_warc_record(bytes, record));
  EXPECT_EQ(record.target, "http://h/");
  EXPECT_EQ(record.http_head, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n");
  EXPECT_EQ(record.payload, "x");
  EXPECT_TRUE(record.complete);
  EXPECT_EQ(warc_record_size(bytes), bytes.size() - 2);
}

// Such a line was a field of its own, and the next record began anywhere.
TEST(WarcRecord, BugALineThatGoesOnWithTheFieldAboveWasAField) {
  const std::string bytes =
      "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 3\r\nNote: how long it is,\r\n"
      " Content-Length: 9\r\n\tWARC-Truncated: no\r\n\r\nabc";
  WarcRecord record;
  ASSERT_TRUE(parse_warc_record(bytes, record));
  EXPECT_EQ(record.block, "abc");
  EXPECT_TRUE(record.complete);
  EXPECT_FALSE(record.truncated);
}

// The archiver had decoded the page for itself. Here the page had no coding, so that its links were
// lost, and those of each revisit of it.
TEST(WarcRecord, BugACodingWhoseFieldIsFoldedWasNone) {
  WarcRecord record;
  for (const std::string field : {"Content-Encoding:\r\n gzip", "content-encoding:\n\tgzip\n ",
                                  "A: b\r\nContent-Encoding :\r\n  gzip"}) {
    ASSERT_TRUE(parse_warc_record(
        record_of("response", "HTTP/1.1 200 OK\r\n" + field + "\r\n\r\nx"), record));
    EXPECT_EQ(record.content_encoding, "gzip") << field;
  }
}

TEST(WarcRecord, CutOffAndWrong) {
  const std::string bytes = record_of("response", "HTTP/1.1 200 OK\r\n\r\npayload");
  WarcRecord record;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const bool parsed = parse_warc_record(std::string_view(bytes).substr(0, size), record);
    EXPECT_TRUE(!parsed || record.complete == (size >= bytes.size() - 4)) << size;
  }
  EXPECT_FALSE(parse_warc_record("HTTP/1.1 200 OK\r\n\r\n", record));
  EXPECT_FALSE(parse_warc_record("WARC/1.1\r\nContent-Length: x\r\n\r\n", record));
  const std::string revisit = record_of("revisit", "");
  ASSERT_TRUE(parse_warc_record(revisit, record));
  EXPECT_EQ(record.type, "revisit");
  EXPECT_TRUE(record.payload.empty());
}

// However little of a record is there, its size is never less than its head; a size that cannot be
// is none.
TEST(WarcRecord, BugALengthThatWrapsRoundMadeRecordsThatNeverEnd) {
  const std::string head = "WARC/1.1\r\nContent-Length: ";
  for (std::uint64_t less = 0; less != 200; ++less) {
    const std::string bytes = head + std::to_string(UINT64_MAX - less) + "\r\n\r\nblock";
    const std::size_t before = bytes.size() - 5;
    const std::optional<std::size_t> size = warc_record_size(bytes);
    EXPECT_EQ(size.has_value(), less >= before) << less;
    EXPECT_TRUE(!size || *size > before) << less;
    WarcRecord record;
    ASSERT_TRUE(parse_warc_record(bytes, record));
    EXPECT_FALSE(record.complete);
    EXPECT_EQ(record.block, "block");
  }
  for (const char* const none : {"18446744073709551616", "-1", "+1", "1 2", "0x1", ""})
    EXPECT_EQ(warc_record_size(head + none + "\r\n\r\n"), std::nullopt) << none;
}

TEST(WarcRecord, ChunksOfAnySizeAreThePayloadTogether) {
  std::mt19937 random(1);
  for (int round = 0; round != 3000; ++round) {
    std::string payload, body;
    const std::size_t count = random() % 5;
    for (std::size_t chunks = count; chunks != 0; --chunks) {
      std::string chunk;
      for (std::size_t size = 1 + random() % 40; size != 0; --size)
        chunk += std::string_view("\r\n0a;x")[random() % 6];
      payload += chunk;
      std::ostringstream size;
      size << std::hex << (random() % 2 == 0 ? std::uppercase : std::nouppercase) << chunk.size();
      body += size.str() + (random() % 3 == 0 ? ";a=b\r\n" : "\r\n") + chunk + "\r\n";
    }
    const std::string end = random() % 2 == 0 ? "0\r\n\r\n" : "000\r\nTrailer: x\r\n\r\n";
    const std::string bytes =
        record_of("response", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body + end);
    WarcRecord record;
    ASSERT_TRUE(parse_warc_record(bytes, record));
    ASSERT_EQ(record.payload, payload) << body;
    ASSERT_FALSE(record.cut);
    // If it is cut off within its first chunk it stays as it came, because some archives keep the
    // field and not the coding.
    const std::string part = bytes.substr(0, bytes.size() - 4 - end.size() - 1);
    ASSERT_TRUE(parse_warc_record(part, record));
    ASSERT_FALSE(record.complete);
    ASSERT_EQ(record.cut, count > 1);
    ASSERT_EQ(record.payload,
              count > 1 ? std::string_view(payload)
                        : std::string_view(body).substr(0, body.empty() ? 0 : body.size() - 1));
  }
}

TEST(WarcRecord, FieldsInAnyCaseAndTargetsOfEitherVersion) {
  const std::string head =
      "WARC/1.0\r\nwarc-type:response\r\nWARC-TARGET-URI: <http://h/a>\r\nContent-length:  4 \r\n"
      "WARC-IP-Address: ::1\r\ncontent-type: application/http; msgtype=response\r\nno "
      "field\r\n\r\n";
  WarcRecord record;
  const std::string bytes = head + "bytes";
  ASSERT_TRUE(parse_warc_record(bytes, record));
  EXPECT_EQ(record.type, "response");
  EXPECT_EQ(record.target, "http://h/a");
  EXPECT_EQ(record.ip, "::1");
  EXPECT_EQ(record.content_type, "application/http; msgtype=response");
  EXPECT_EQ(record.block, "byte");
  EXPECT_TRUE(record.complete);
  EXPECT_TRUE(record.http_head.empty());
}

// Nothing of one record stays in the reader for the next.
TEST(WarcRecord, NothingStaysOfTheOneBefore) {
  const std::string one =
      record_of("response",
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
                "1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
  WarcRecord record;
  ASSERT_TRUE(parse_warc_record(one, record));
  EXPECT_EQ(record.payload, "ab");
  const std::string two = "WARC/1.1\r\nContent-Length: 1\r\n\r\nx";
  ASSERT_TRUE(parse_warc_record(two, record));
  EXPECT_EQ(record.block, "x");
  for (const std::string_view each : {record.type, record.target, record.ip, record.content_type,
                                      record.http_head, record.payload})
    EXPECT_EQ(each, "");
  EXPECT_EQ(record.content_encoding + record.joined, "");
}

}  // namespace
}  // namespace spinneret::feed
