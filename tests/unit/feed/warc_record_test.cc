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
