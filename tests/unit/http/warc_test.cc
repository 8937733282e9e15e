// SPDX-License-Identifier: Apache-2.0
#include "http/warc.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "http/cdxj.h"
#include "http/decode.h"
#include "http/digest.h"
#include "http/wacz.h"
#include "support/small_files.h"
#include "support/temporary_folder.h"

namespace spinneret::http {
namespace {

struct Parsed {
  std::map<std::string, std::string> fields;
  std::string block;
  std::size_t offset = 0;
};

// A separate reader, written by the letter of WARC 1.1, section 4.
std::vector<Parsed> parse_warc(std::string_view text) {
  std::vector<Parsed> out;
  std::size_t at = 0;
  while (at < text.size()) {
    Parsed record;
    record.offset = at;
    EXPECT_EQ(text.substr(at, 10), "WARC/1.1\r\n");
    const std::size_t end = text.find("\r\n\r\n", at);
    std::string_view head = text.substr(at + 10, end + 2 - at - 10);
    while (!head.empty()) {
      const std::size_t line = head.find("\r\n");
      const std::size_t colon = head.find(": ");
      record.fields[std::string(head.substr(0, colon))] = head.substr(colon + 2, line - colon - 2);
      head.remove_prefix(line + 2);
    }
    const std::size_t length = std::stoul(record.fields["Content-Length"]);
    record.block = text.substr(end + 4, length);
    EXPECT_EQ(record.fields["WARC-Block-Digest"], warc_digest(record.block));
    at = end + 4 + length;
    EXPECT_EQ(text.substr(at, 4), "\r\n\r\n");
    at += 4;
    out.push_back(std::move(record));
  }
  return out;
}

class WarcTest : public testing::Test {
 protected:
  WarcWriter open(const std::string& name, std::uint64_t max_bytes = 0) {
    WarcOptions options;
    options.path = folder_ + "/" + name;
    options.software = "Spinneret/0";
    options.agent = "bot/1";
    options.contact = "me@example.org";
    options.max_bytes = max_bytes;
    Result<WarcWriter> writer = WarcWriter::open(options);
    EXPECT_TRUE(writer.ok());
    return writer.take();
  }
  std::vector<Parsed> records(const std::string& name) {
    return parse_warc(*read_file(folder_ + "/" + name));
  }
  static FetchResult response(const std::string& body, const std::string& more = "") {
    FetchResult out;
    out.outcome = Outcome::kOk;
    out.status = 200;
    out.version = 11;
    out.head.add_line("HTTP/1.1 200 OK\r\n" + more);
    out.head.parse();
    out.body = body;
    out.whole = true;
    out.ip = "192.0.2.1";
    out.fetched_unix_ms = 784'111'777'000;
    out.request_head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    return out;
  }
  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
};

TEST_F(WarcTest, InfoResponseRequest) {
  WarcWriter writer = open("a.warc");
  const Result<WarcEntry> entry =
      writer.write("http://a/", response("<html>", "Content-Length: 6\r\n"));
  ASSERT_TRUE(entry.ok());
  const std::vector<Parsed> got = records("a.warc");
  ASSERT_EQ(got.size(), 3U);
  EXPECT_EQ(got[0].fields.at("WARC-Type"), "warcinfo");
  EXPECT_EQ(got[0].fields.at("WARC-Filename"), "a.warc");
  EXPECT_NE(got[0].block.find("operator: me@example.org\r\n"), std::string::npos);
  EXPECT_EQ(got[1].fields.at("WARC-Type"), "response");
  EXPECT_EQ(got[1].offset, entry->record.offset);
  EXPECT_EQ(got[1].fields.at("WARC-Target-URI"), "http://a/");
  EXPECT_EQ(got[1].fields.at("WARC-Date"), "1994-11-06T08:49:37.000Z");
  EXPECT_EQ(got[1].fields.at("WARC-IP-Address"), "192.0.2.1");
  EXPECT_EQ(got[1].fields.at("WARC-Payload-Digest"), warc_digest("<html>"));
  EXPECT_EQ(got[1].fields.at("WARC-Warcinfo-ID"), got[0].fields.at("WARC-Record-ID"));
  EXPECT_EQ(got[1].block, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>");
  EXPECT_EQ(got[2].fields.at("WARC-Type"), "request");
  EXPECT_EQ(got[2].fields.at("WARC-Concurrent-To"), got[1].fields.at("WARC-Record-ID"));
  EXPECT_EQ(got[2].block, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
}

TEST_F(WarcTest, IdsAreVersion4AndDiffer) {
  WarcWriter writer = open("a.warc");
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(writer.write("http://a/", response(std::to_string(i))).ok());
  std::map<std::string, int> ids;
  for (const Parsed& record : records("a.warc")) {
    const std::string& id = record.fields.at("WARC-Record-ID");
    ASSERT_EQ(id.size(), 47U);
    EXPECT_EQ(id[24], '4');
    EXPECT_NE(std::string("89ab").find(id[29]), std::string::npos) << id;
    ++ids[id];
  }
  EXPECT_EQ(ids.size(), 41U);
}

TEST_F(WarcTest, BodiesStayInTheirCodingAndChunks) {
  WarcWriter writer = open("a.warc");
  FetchResult coded =
      response("decoded", "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n");
  coded.wire_body = "coded";
  ASSERT_TRUE(writer.write("http://a/", coded).ok());
  FetchResult empty = response("", "Transfer-Encoding: chunked\r\n");
  ASSERT_TRUE(writer.write("http://b/", empty).ok());
  const std::vector<Parsed> got = records("a.warc");
  EXPECT_TRUE(got[1].block.ends_with("\r\n\r\n5\r\ncoded\r\n0\r\n\r\n"));
  EXPECT_EQ(got[1].fields.at("WARC-Payload-Digest"), warc_digest("coded"));
  EXPECT_TRUE(got[3].block.ends_with("\r\n\r\n0\r\n\r\n"));
}

TEST_F(WarcTest, Http2IsWrittenAsReadersParseIt) {
  WarcWriter writer = open("a.warc");
  FetchResult result = response("x");
  result.version = 20;
  result.head.clear();
  result.head.add_line("HTTP/2 200 \r\n");
  result.head.add_line("content-type: text/html\r\n");
  result.head.parse();
  ASSERT_TRUE(writer.write("https://a/", result).ok());
  const Parsed record = records("a.warc")[1];
  EXPECT_EQ(record.block, "HTTP/1.1 200 \r\ncontent-type: text/html\r\n\r\nx");
  EXPECT_EQ(record.fields.at("WARC-Protocol"), "h2");
}

TEST_F(WarcTest, TheSameBodyAgainIsARevisit) {
  WarcWriter writer = open("a.warc");
  ASSERT_TRUE(writer.write("http://a/1", response("same")).ok());
  ASSERT_TRUE(writer.write("http://a/2", response("same")).ok());
  ASSERT_TRUE(writer.write("http://a/3", response("other")).ok());
  const std::vector<Parsed> got = records("a.warc");
  EXPECT_EQ(got[3].fields.at("WARC-Type"), "revisit");
  EXPECT_EQ(got[3].fields.at("WARC-Profile"),
            "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
  EXPECT_EQ(got[3].fields.at("WARC-Refers-To"), got[1].fields.at("WARC-Record-ID"));
  EXPECT_EQ(got[3].fields.at("WARC-Refers-To-Target-URI"), "http://a/1");
  EXPECT_EQ(got[3].fields.at("WARC-Refers-To-Date"), got[1].fields.at("WARC-Date"));
  EXPECT_EQ(got[3].block, "HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_EQ(got[5].fields.at("WARC-Type"), "response");
}

// Bug: readers were led to the revisit, which has no body, and the links of such a page were lost.
TEST_F(WarcTest, ARevisitComesWithThePlaceOfItsBody) {
  WarcWriter writer = open("a.warc", 1);  // a file for each exchange
  const Result<WarcEntry> first = writer.write("http://a/1", response("same"));
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(first->body);
  for (int i = 0; i < 3; ++i) {
    const Result<WarcEntry> again = writer.write("http://b/", response("same"));
    ASSERT_TRUE(again.ok() && again->body);
    EXPECT_NE(again->record.file, first->record.file);
    EXPECT_EQ(again->body->file, first->record.file);
    EXPECT_EQ(again->body->offset, first->record.offset);
  }
}

// The coding is in the head beside the payload, and readers of a revisit do not see that head.
TEST_F(WarcTest, TheSameBytesInAnotherCodingAreAnotherBody) {
  WarcWriter writer = open("a.warc");
  ASSERT_TRUE(writer.write("http://a/1", response("same", "Content-Encoding: gzip\r\n")).ok());
  EXPECT_FALSE(writer.write("http://a/2", response("same"))->body);
  EXPECT_TRUE(writer.write("http://a/3", response("same", "content-encoding: GZIP\r\n"))->body);
}

// Bug: not every reader finds such a coding, so that one host's answer could displace another's
// page from the archive.
TEST_F(WarcTest, BugAnOddlyWrittenCodingStoodForAPlainOne) {
  WarcWriter writer = open("a.warc");
  ASSERT_TRUE(writer.write("http://a/1", response("same", "Content-Encoding:\r\n gzip\r\n")).ok());
  EXPECT_FALSE(writer.write("http://b/1", response("same", "Content-Encoding : gzip\r\n"))->body);
  EXPECT_FALSE(writer.write("http://c/1", response("same", "Content-Encoding: gzip\r\n"))->body);
}

TEST_F(WarcTest, APartStandsForNoWhole) {
  WarcWriter writer = open("a.warc");
  FetchResult part = response("same");
  part.truncated = true;
  ASSERT_TRUE(writer.write("http://a/1", part).ok());
  EXPECT_FALSE(writer.write("http://a/2", response("same"))->body);
  EXPECT_FALSE(writer.write("http://a/3", part)->body);
  EXPECT_TRUE(writer.write("http://a/4", response("same"))->body);
}

TEST_F(WarcTest, NotModifiedIsARevisitToo) {
  WarcWriter writer = open("a.warc");
  FetchResult result = response("");
  result.status = 304;
  ASSERT_TRUE(writer.write("http://a/", result).ok());
  EXPECT_EQ(records("a.warc")[1].fields.at("WARC-Profile"),
            "http://netpreserve.org/warc/1.1/revisit/server-not-modified");
}

TEST_F(WarcTest, EachRecordIsAGzipMember) {
  WarcWriter writer = open("a.warc.gz");
  std::vector<WarcPlace> places;
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i);
    places.push_back(writer.write("http://a/" + n, response("body " + n))->record);
  }
  const std::string file = *read_file(folder_ + "/a.warc.gz");
  struct Text : DecodeTaker {
    bool take(std::string_view bytes) override {
      text += bytes;
      return true;
    }
    std::string text;
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    DecodeChain chain;
    chain.start({Coding::kGzip});
    Text text;
    EXPECT_EQ(chain.update(std::string_view(file).substr(places[i].offset), text),
              DecodeStep::kMore);
    EXPECT_NE(text.text.find("WARC-Target-URI: http://a/" + std::to_string(i) + "\r\n"),
              std::string::npos);
    EXPECT_TRUE(text.text.starts_with("WARC/1.1\r\nWARC-Type: response"));
  }
}

TEST_F(WarcTest, FilesTurnOverAndOldOnesAreLeftAlone) {
  ASSERT_TRUE(write_file_atomic(folder_ + "/a.warc", "precious").ok());
  WarcWriter writer = open("a.warc", 3000);
  std::map<std::string, int> files;
  for (int i = 0; i < 20; ++i) {
    ++files[writer.write("http://a/", response(std::string(500, static_cast<char>('a' + i))))
                ->record.file];
  }
  EXPECT_EQ(*read_file(folder_ + "/a.warc"), "precious");
  EXPECT_GT(files.size(), 5U);
  EXPECT_EQ(files.begin()->first, folder_ + "/a-00001.warc");
  for (const auto& [file, count] : files) {
    const std::vector<Parsed> got = parse_warc(*read_file(file));
    EXPECT_EQ(got.size(), static_cast<std::size_t>(1 + 2 * count));
    EXPECT_EQ(got[0].fields.at("WARC-Type"), "warcinfo");
  }
}

// Bug: the URL of the input was written unchanged into the head of the record.
TEST_F(WarcTest, TheTargetIsTheUrlThatWasAskedFor) {
  WarcWriter writer = open("a.warc");
  const std::pair<const char*, const char*> urls[] = {
      {"http://a/?x\r\nWARC-Type: warcinfo\r\nX-Injected: yes",
       "http://a/?xWARC-Type:%20warcinfoX-Injected:%20yes"},
      {"HTTP://user:secret@A:80/b/../c d?\xC3\xA9#frag", "http://a/c%20d?%C3%A9"},
      {"no url\r\nX-Injected: yes\n", "no url X-Injected: yes"}};
  for (const auto& [url, target] : urls) {
    const std::size_t before = records("a.warc").size();
    ASSERT_TRUE(writer.write(url, response("same")).ok());
    const std::vector<Parsed> got = records("a.warc");
    ASSERT_EQ(got.size(), before + 2);
    for (std::size_t i = before; i < got.size(); ++i) {
      EXPECT_EQ(got[i].fields.at("WARC-Target-URI"), target);
      EXPECT_FALSE(got[i].fields.contains("X-Injected"));
    }
  }
  // A revisit names its original by the same URL.
  EXPECT_EQ(records("a.warc")[3].fields.at("WARC-Refers-To-Target-URI"), urls[0].second);
}

TEST_F(WarcTest, NoValueEndsItsLine) {
  WarcOptions options;
  options.path = folder_ + "/a\r\nX-Injected: yes.warc";
  options.software = options.agent = options.contact = "x\r\nX-Injected: yes";
  ASSERT_TRUE(WarcWriter::open(options).ok());
  const Parsed info = parse_warc(*read_file(options.path))[0];
  EXPECT_FALSE(info.fields.contains("X-Injected"));
  EXPECT_EQ(info.block.find("\nX-Injected"), std::string::npos);
}

// Bug: behind a proxy the record began with the CONNECT and contained its password; with HTTP/2 it
// was no HTTP/1.1.
TEST_F(WarcTest, TheRequestIsTheOneThatWasAnswered) {
  WarcWriter writer = open("a.warc");
  const std::pair<const char*, const char*> heads[] = {
      {"CONNECT a:443 HTTP/1.1\r\nProxy-Authorization: Basic c2VjcmV0\r\n\r\n"
       "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
       "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"GET http://a/ HTTP/1.1\r\nHost: a\r\nproxy-authorization: Basic c2VjcmV0\r\nX: y\r\n\r\n",
       "GET http://a/ HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n"},
      {"GET /HTTP/2 HTTP/2\r\nHost: a\r\nX: HTTP/2\r\n\r\n",
       "GET /HTTP/2 HTTP/1.1\r\nHost: a\r\nX: HTTP/2\r\n\r\n"},
      {"", ""}};
  for (const auto& [sent, kept] : heads) {
    FetchResult result = response("x");
    result.request_head = sent;
    ASSERT_TRUE(writer.write("http://a/", result).ok());
    EXPECT_EQ(records("a.warc").back().block, kept);
  }
}

// Bug: the answer to a HEAD got a last chunk that nobody had sent.
TEST_F(WarcTest, NoChunkWhereNoBodyComes) {
  WarcWriter writer = open("a.warc");
  FetchResult result = response("", "Transfer-Encoding: chunked\r\n");
  result.bodiless = true;
  ASSERT_TRUE(writer.write("http://a/", result).ok());
  result.bodiless = false;
  result.status = 204;
  ASSERT_TRUE(writer.write("http://a/", result).ok());
  const std::vector<Parsed> got = records("a.warc");
  EXPECT_TRUE(got[1].block.ends_with("chunked\r\n\r\n"));
  EXPECT_FALSE(got[1].fields.contains("WARC-Payload-Digest"));
  EXPECT_TRUE(got[3].block.ends_with("chunked\r\n\r\n"));
}

// Bug: a file that could not be begun was removed, and took all later records although it had no
// name any more.
TEST_F(WarcTest, AFileThatCouldNotBeBegunIsBegunAgain) {
  WarcWriter writer = open("a.warc", 1);
  {
    const SmallFiles full(10);
    EXPECT_FALSE(writer.write("http://a/", response("one")).ok());
  }
  const Result<WarcEntry> entry = writer.write("http://a/", response("two"));
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(entry->record.file, folder_ + "/a-00001.warc");
  EXPECT_EQ(records("a-00001.warc").size(), 3U);
}

// Bug: a response that could not be written was still referred to by the next one with its body.
TEST_F(WarcTest, AResponseThatIsNotThereIsNotReferredTo) {
  WarcWriter writer = open("a.warc");
  {
    const SmallFiles full(read_file(folder_ + "/a.warc")->size() + 10);
    EXPECT_FALSE(writer.write("http://a/", response("body")).ok());
  }
  const Result<WarcEntry> entry = writer.write("http://b/", response("body"));
  ASSERT_TRUE(entry.ok());
  EXPECT_FALSE(entry->body);
  EXPECT_EQ(records("a.warc")[1].fields["WARC-Type"], "response");
}

TEST_F(WarcTest, AFolderThatIsNotThereIsAnError) {
  WarcOptions options;
  options.path = folder_ + "/none/a.warc";
  EXPECT_FALSE(WarcWriter::open(options).ok());
}

// Bug: machines that shared a folder packed into one file at their end: one renamed what the other
// still wrote, which then found the file gone, or truncated it in the middle.
TEST(Wacz, BugTwoThatPackedAtOnceTookEachOthersFile) {
  const TemporaryFolder folder;
  const std::string warc = folder.file("x.warc.gz");
  ASSERT_TRUE(write_file_atomic(warc, std::string(3'000'000, 'w')).ok());
  ASSERT_TRUE(
      write_file_atomic(cdxj_path(warc), "a)/ 20231114221320 {\"url\":\"http://a/\"}\n").ok());
  std::vector<std::string> failures(4);
  std::vector<std::thread> packers;
  for (std::string& failure : failures) {
    packers.emplace_back([&failure, &warc] {
      for (int i = 0; i < 8 && failure.empty(); ++i) {
        const Status packed = write_wacz({.warc = warc, .software = "test/1"});
        if (!packed.ok()) failure = packed.message();
        const Result<std::string> whole = read_file(wacz_path(warc));
        if (packed.ok() && (!whole.ok() || whole->size() < 3'000'000 ||
                            whole->compare(whole->size() - 22, 4, "PK\x05\x06") != 0))
          failure = "is cut off";
      }
    });
  }
  for (std::thread& packer : packers) packer.join();
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
  EXPECT_FALSE(read_file(wacz_path(warc) + ".part").ok());
}

// A small file gets what a file of over 4 GiB has, and another program's reader checks it.
TEST(Wacz, ItsZip64IsReadByAnother) {
  const TemporaryFolder folder;
  const std::string warc = folder.file("x.warc.gz");
  ASSERT_TRUE(write_file_atomic(warc, std::string(3'000'000, 'w')).ok());
  ASSERT_TRUE(
      write_file_atomic(cdxj_path(warc), "a)/ 20231114221320 {\"url\":\"http://a/\"}\n").ok());
  for (const std::uint64_t from : {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{1'000'000},
                                   std::uint64_t{0xFFFFFFFF}}) {
    ASSERT_TRUE(write_wacz({.warc = warc, .software = "test/1", .zip64_from = from}).ok());
    const std::string command =
        "python3 -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is "
        "None; "
        "assert len(z.read(\"archive/x.warc.gz\")) == 3000000; assert len(z.namelist()) == 5' " +
        wacz_path(warc);
    EXPECT_EQ(std::system(command.c_str()), 0) << from;
  }
}

}  // namespace
}  // namespace spinneret::http
