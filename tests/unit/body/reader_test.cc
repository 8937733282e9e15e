// SPDX-License-Identifier: Apache-2.0
#include "body/reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "support/temporary_folder.h"

namespace spinneret::body {
namespace {

void write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string archived(std::string_view type, std::string_view block) {
  return "WARC/1.1\r\nWARC-Type: " + std::string(type) +
         "\r\nContent-Length: " + std::to_string(block.size()) + "\r\n\r\n" + std::string(block) +
         "\r\n\r\n";
}

// What `fields` of a record lead to; "!" and the reason where that is no body.
std::string read(BodyReader& reader, const std::string& fields) {
  const std::string line = "http://h/\t" + fields;
  Record record;
  record.parse(line);
  const Result<std::string_view> body = reader.read(record);
  return body.ok() ? std::string(*body) : "!" + body.message();
}

// Its chunks were a view of a string that had gone: short ones came out as whatever stood there.
TEST(BodyReader, ArchivedBodyInSeveralChunks) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/a.warc";
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string large(100'000, 'x');
  const std::pair<std::string, std::string> rows[] = {
      {"2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", "abc"},
      {"186a0\r\n" + large + "\r\n1\r\nc\r\n0\r\n\r\n", large + "c"},
      {"3\r\nabc\r\n0\r\n\r\n", "abc"},
      {"2\r\nab\r\n1\r\nc\r\n", "2\r\nab\r\n1\r\nc\r\n"},
      {"abc", "abc"},
  };
  BodyReader reader;
  for (const auto& [block, body] : rows) {
    write(path, archived("response", head + block));
    EXPECT_EQ(read(reader, "warc-file=" + path + "\twarc-offset=0"), body) << block.substr(0, 20);
    EXPECT_TRUE(reader.is_there());
  }
}

TEST(BodyReader, ArchivedBodyWhoseHeadNamesACodingThatItHasNot) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/a.warc";
  BodyReader reader;
  for (const auto& [coding, body] : {std::pair{"gzip", "<p>plain"},
                                     {"br", "!payload is no br, or over 1 GiB"},
                                     {"gzip, gzip", "!payload is no gzip, gzip, or over 1 GiB"},
                                     {"x", "<p>plain"}}) {
    write(path, archived("response", std::string("HTTP/1.1 200 OK\r\nContent-Encoding: ") + coding +
                                         "\r\n\r\n<p>plain"));
    const std::string got = read(reader, "warc-file=" + path + "\twarc-offset=0");
    EXPECT_TRUE(*body == '!' ? got.starts_with(std::string_view(body).substr(0, 4)) : got == body)
        << coding << ": " << got;
  }
}

TEST(BodyReader, EachPlaceOfABody) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/b";
  write(path, "0123456789");
  write(path + ".warc", archived("resource", "a resource") + archived("request", "x"));
  write(path + ".revisit", archived("revisit", ""));
  BodyReader reader;
  EXPECT_EQ(read(reader, "body=a\\tb\tsize=3"), "a\tb");
  EXPECT_EQ(read(reader, "body-file=" + path), "0123456789");
  EXPECT_EQ(read(reader, "body-file=" + path + "\tbody-offset=2\tsize=3"), "234");
  EXPECT_EQ(read(reader, "warc-file=" + path + ".warc\twarc-offset=0"), "a resource");
  EXPECT_TRUE(reader.is_there());
  EXPECT_EQ(read(reader, "status=200"), "");
  EXPECT_FALSE(reader.is_there());
  EXPECT_EQ(read(reader, "status=200\tsize=0"), "");
  EXPECT_TRUE(reader.is_there());
  EXPECT_EQ(read(reader, "warc-file=" + path + ".revisit\twarc-offset=0"), "");
  EXPECT_FALSE(reader.is_there());
}

TEST(BodyReader, BodyThatIsNotToBeHadIsTold) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/b";
  write(path, "0123456789");
  write(path + ".warc", archived("response", "HTTP/1.1 200 OK\r\n\r\nx"));
  const std::string at_end = "\twarc-offset=" + std::to_string(archived("response", "").size());
  const std::pair<std::string, std::string_view> rows[] = {
      {"body=abc\tsize=4", "!body of 3 bytes where size says 4: torn"},
      {"body-file=" + path + ".none", "!cannot open "},
      {"body-file=" + path + "\tsize=11", "!body of 10 bytes where size says 11: torn"},
      {"body-file=" + path + "\tdigest=" + std::string(32, 'a'), "!"},
      {"body-file=" + path + "\tbody-offset=2", "!body-offset needs numbers"},
      {"body-file=" + path + "\tbody-offset=2\tsize=9", "!the body in "},
      {"body-file=" + path + "\tbody-offset=0\tsize=99999999999", "!"},
      {"warc-file=" + path + "\twarc-offset=0", "!"},
      {"warc-file=" + path + ".warc", "!warc-file without a warc-offset"},
      {"warc-file=" + path + ".warc" + at_end, "!"},
      {"warc-file=" + path + ".warc\twarc-offset=99999", "!"},
  };
  BodyReader reader;
  for (const auto& [fields, why] : rows) {
    const std::string got = read(reader, fields);
    EXPECT_TRUE(got.starts_with(why)) << fields << ": " << got;
    EXPECT_FALSE(reader.is_there()) << fields;
  }
}

}  // namespace
}  // namespace spinneret::body
