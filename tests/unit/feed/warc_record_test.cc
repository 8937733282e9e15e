// SPDX-License-Identifier: Apache-2.0
#include "feed/warc_record.h"

#include <gtest/gtest.h>

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

// Links of chunked pages were lost: their sizes were taken for a part of the page, and the whole for damaged.
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

TEST(WarcRecord, HeadWhoseLinesEndWithLfAlone) {
  WarcRecord record;
  for (const std::string head :
       {"HTTP/1.1 200 OK\nServer: x\n\n", "HTTP/1.1 200 OK\r\nA: b\n\r\n"}) {
    const std::string bytes = record_of("response", head + "pay\n\r\nload");
    ASSERT_TRUE(parse_warc_record(bytes, record));
    EXPECT_EQ(record.payload, "pay\n\r\nload");
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

}  // namespace
}  // namespace spinneret::feed
