// SPDX-License-Identifier: Apache-2.0
#include "body/reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <random>
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

// Returns the body to which `fields` of a record lead, or "!" and the reason if there is none.
std::string read(BodyReader& reader, const std::string& fields) {
  const std::string line = "http://h/\t" + fields;
  Record record;
  record.parse(line);
  const Result<std::string_view> body = reader.read(record);
  return body.ok() ? std::string(*body) : "!" + body.message();
}

// Bug: the chunks were a view of a string that no longer existed; short ones had the bytes of
// whatever was there.
TEST(BodyReader, ArchivedBodyInSeveralChunks) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/a.warc";
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string large(100'000, 'x');
  const std::pair<std::string, std::string> rows[] = {
      {"2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", "abc"},
      {"186a0\r\n" + large + "\r\n1\r\nc\r\n0\r\n\r\n", large + "c"},
      {"3\r\nabc\r\n0\r\n\r\n", "abc"},
      {"abc", "abc"},
  };
  BodyReader reader;
  for (const auto& [block, body] : rows) {
    write(path, archived("response", head + block));
    EXPECT_EQ(read(reader, "warc-file=" + path + "\twarc-offset=0"), body) << block.substr(0, 20);
    EXPECT_TRUE(reader.is_there());
  }
}

// Half a page was read as a whole one.
TEST(BodyReader, BugArchivedBodyThatEndsEarly) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/a.warc";
  const std::string packed(
      "\x1F\x8B\x08\0\0\0\0\0\0\3\1\3\0\xFC\xFF"
      "abc",
      18);  // a stored block that is not marked as the last
  const std::string rows[] = {"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n9\r\nc",
                              "Content-Encoding: gzip\r\n\r\n" + packed};
  BodyReader reader;
  for (const std::string& row : rows) {
    std::string bytes = archived("response", "HTTP/1.1 200 OK\r\n" + row);
    write(path, bytes);
    const std::string got = read(reader, "warc-file=" + path + "\twarc-offset=0");
    EXPECT_TRUE(got.starts_with("!payload ends in the middle of its ")) << got;
    // An archive that declares the truncation gives what it has.
    bytes.insert(bytes.find("\r\n") + 2, "WARC-Truncated: length\r\n");
    write(path, bytes);
    EXPECT_EQ(read(reader, "warc-file=" + path + "\twarc-offset=0"), "abc");
  }
}

TEST(BodyReader, ArchivedBodyWhoseHeadNamesACodingThatItHasNot) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/a.warc";
  BodyReader reader;
  struct Row {
    std::string_view coding;
    std::string_view payload;
    std::string_view body;
  };
  constexpr Row kRows[] = {
      {"gzip", "<p>plain", "<p>plain"},
      {"br", "<p>caf\xC3\xA9\r\n", "<p>caf\xC3\xA9\r\n"},
      {"deflate", "<p>plain", "<p>plain"},
      {"br", "<p>\x1Bplain", "!payload is not br, or over 1 GiB"},
      {"gzip, gzip", "<p>plain", "!payload is not gzip, gzip, or over 1 GiB"},
      {"x", "<p>plain", "<p>plain"},
  };
  for (const Row& row : kRows) {
    write(path,
          archived("response", "HTTP/1.1 200 OK\r\nContent-Encoding: " + std::string(row.coding) +
                                   "\r\n\r\n" + std::string(row.payload)));
    const std::string got = read(reader, "warc-file=" + path + "\twarc-offset=0");
    EXPECT_TRUE(row.body.starts_with('!') ? got.starts_with(row.body.substr(0, 8))
                                          : got == row.body)
        << row.coding << ": " << got;
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

// --- gzip ---

std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit != 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

// Writes gzip (RFC 1952), with stored blocks (RFC 1951, 3.2.4) of at most `block` bytes.
std::string gzipped(std::string_view bytes, std::size_t block = 1000) {
  std::string out("\x1F\x8B\x08\0\0\0\0\0\0\x03", 10);
  const auto put = [&out](std::uint64_t value, int count) {
    for (; count != 0; --count, value >>= 8) out += static_cast<char>(value & 0xFF);
  };
  std::string_view rest = bytes;
  do {
    const std::string_view part = rest.substr(0, block);
    rest.remove_prefix(part.size());
    put(rest.empty() ? 1 : 0, 1);
    put(part.size(), 2);
    put(~part.size(), 2);
    out += part;
  } while (!rest.empty());
  put(crc_of(bytes), 4);
  put(bytes.size(), 4);
  return out;
}

TEST(Gunzip, EveryCutIsToldAndWhatCouldBeReadIsThere) {
  const std::string text = "What could be read, and no more than that.";
  const std::string packed = gzipped(text, 10);
  std::string out;
  for (std::size_t size = 1; size < packed.size(); ++size) {
    EXPECT_FALSE(gunzip(std::string_view(packed).substr(0, size), 1000, out)) << size;
    EXPECT_TRUE(text.starts_with(out)) << size;
  }
  EXPECT_TRUE(gunzip(packed, 1000, out));
  EXPECT_EQ(out, text);
  EXPECT_TRUE(gunzip(packed, text.size(), out));
  EXPECT_FALSE(gunzip(packed, text.size() - 1, out));
  EXPECT_LT(out.size(), text.size());
  EXPECT_TRUE(gunzip(packed + gzipped("More."), 1000, out));
  EXPECT_EQ(out, text + "More.");
}

TEST(Gunzip, DamagedByteByByte) {
  const std::string text = "A text of some bytes.";
  const std::string packed = gzipped(text, 8);
  for (std::size_t at = 0; at < packed.size(); ++at) {
    std::string bytes = packed;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x41);
    std::string out;
    EXPECT_TRUE(!gunzip(bytes, 1000, out) || out == text) << at;
    EXPECT_LE(out.size(), 1000U);
  }
}

// --- places ---

TEST(BodyReader, ABodyInTheRecordIsAnyBytes) {
  std::mt19937 random(1);
  BodyReader reader;
  for (int round = 0; round != 2000; ++round) {
    std::string body;
    for (std::size_t size = random() % 40; size != 0; --size)
      body += std::string_view("\t\n\r\\\0tn0a\xFF", 10)[random() % 10];
    std::string fields = "body=";
    append_escaped(fields, body);
    ASSERT_EQ(read(reader, fields + "\tsize=" + std::to_string(body.size())), body);
    ASSERT_TRUE(reader.is_there());
  }
}

TEST(BodyReader, APackIsReadAtEachPlace) {
  const TemporaryFolder folder;
  const std::string path = folder.file("pack");
  const std::string bytes = "0123456789abcdef";
  write(path, bytes);
  BodyReader reader;
  for (std::size_t offset = 0; offset <= bytes.size() + 1; ++offset) {
    for (std::size_t size = 0; size <= bytes.size() + 1; ++size) {
      const std::string got =
          read(reader, "body-file=" + path + "\tbody-offset=" + std::to_string(offset) +
                           "\tsize=" + std::to_string(size));
      if (offset + size <= bytes.size()) {
        EXPECT_EQ(got, bytes.substr(offset, size));
      } else {
        EXPECT_TRUE(got.starts_with("!the body in " + path + " at " + std::to_string(offset)))
            << got;
      }
    }
  }
  for (const char* const huge : {"18446744073709551615", "9223372036854775808"})
    EXPECT_TRUE(
        read(reader, "body-file=" + path + "\tbody-offset=" + huge + "\tsize=1").starts_with("!"));
}

// Everything in the same block of the file was decompressed with the record, and had to be intact.
TEST(BodyReader, BugAWholeRecordWasLostForTheDamageBehindIt) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.warc.gz");
  const std::string page = archived("response", "HTTP/1.1 200 OK\r\nA: b\r\n\r\nthe body");
  std::string damaged = gzipped(page);
  damaged[12] = static_cast<char>(~damaged[12]);
  BodyReader reader;
  write(path, gzipped(page) + damaged);
  EXPECT_EQ(read(reader, "warc-file=" + path + "\twarc-offset=0"), "the body");
  const std::string place = "warc-offset=" + std::to_string(gzipped(page).size());
  EXPECT_TRUE(read(reader, "warc-file=" + path + "\t" + place).starts_with("!"));
}

// An archive, compressed or not, whole or cut at each byte, gives its body or a reason.
TEST(BodyReader, AnArchiveThatIsCutOffAnywhere) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.warc");
  const std::string plain = archived("response", "HTTP/1.1 200 OK\r\nA: b\r\n\r\nthe body");
  BodyReader reader;
  for (const std::string& bytes : {plain, gzipped(plain, 20)}) {
    int whole = 0;
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      write(path, "before" + bytes.substr(0, size));
      const std::string got = read(reader, "warc-file=" + path + "\twarc-offset=6");
      EXPECT_TRUE(got == "the body" || got.starts_with("!")) << size << ": " << got;
      whole += got == "the body";
    }
    EXPECT_GE(whole, 1);
    EXPECT_LE(whole, 13) << "the ends of the record, or of the member, alone may be missing";
  }
}

}  // namespace
}  // namespace spinneret::body
