// SPDX-License-Identifier: Apache-2.0
// How files are read: what is found in each kind, and where; in parts as at once; and files that
// link to others on disk.
#include "check/reading.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "check/files.h"
#include "support/temporary_folder.h"

namespace spinneret::check {
namespace {

class ReadingTest : public testing::Test {
 protected:
  void put(const std::string& name, std::string_view bytes) {
    std::filesystem::create_directories(std::filesystem::path(folder_.file(name)).parent_path());
    std::ofstream(folder_.file(name), std::ios::binary) << bytes;
  }
  // Writes each link as "LINE:COLUMN TAG KEY#FRAGMENT", with "!" before what is no URL, and "-"
  // before what is ignored.
  static void append(std::string& out, const FileReading& reading) {
    for (const FileReading::Link& link : reading.links) {
      out += link.is_broken ? "!" : link.is_ignored ? "-" : "";
      out += std::to_string(link.line) + ":" + std::to_string(link.column) + " ";
      out.append(reading.tag(link)).append(" ").append(reading.key(link));
      if (link.fragment_size != 0) out.append("#").append(reading.fragment(link));
      out += "\n";
    }
  }
  std::string links_of(const std::string& name, std::string_view bytes, std::string_view type) {
    put(name, bytes);
    FileReader reader(remap_);
    reader.read({"http://h/d/p", folder_.file(name), type}, reading_);
    EXPECT_TRUE(reading_.is_read);
    std::string out;
    append(out, reading_);
    return out;
  }

  TemporaryFolder folder_;
  Remap remap_;
  FileReading reading_;
};

TEST_F(ReadingTest, EachKindOfFile) {
  EXPECT_EQ(links_of("a", "\n<a href=x#y>\n <img src='../i' srcset='j 2x'><p id=n>", "text/html"),
            "2:1 a@href http://h/d/x#y\n3:2 img@src http://h/i\n3:2 img@srcset http://h/d/j\n");
  EXPECT_TRUE(reading_.has_ids);
  EXPECT_EQ(reading_.ids, "n");
  EXPECT_FALSE(reading_.is_source);
  EXPECT_EQ(links_of("a", "a { b: url(x) }", "text/css").substr(0, 5), "1:12 ");
  EXPECT_EQ(links_of("a", "# A b\n[x](y#z)\n<a name=n href=k></a>", "text/markdown"),
            "2:5 md@link http://h/d/y#z\n3:1 a@href http://h/d/k\n");
  EXPECT_TRUE(reading_.is_source);
  EXPECT_EQ(reading_.ids, "a-b n");
  EXPECT_EQ(links_of("a", "T\n=\n`x <y>`_", "text/x-rst"), "3:5 rst@link http://h/d/y\n");
  EXPECT_EQ(links_of("a", "link:y[x]", "text/asciidoc"), "1:6 adoc@link http://h/d/y\n");
  EXPECT_EQ(links_of("a", "see http://x/.", "text/plain"), "1:5 text@url http://x/\n");
  EXPECT_EQ(links_of("a", "<urlset><url><loc>http://x/</loc></url></urlset>", "application/xml"),
            "1:14 url@loc http://x/\n");
}

TEST_F(ReadingTest, PlacesCountBehindAMarkOfTheByteOrder) {
  EXPECT_EQ(links_of("a", "\xEF\xBB\xBF[x](y)", "text/markdown"), "1:5 md@link http://h/d/y\n");
  EXPECT_EQ(links_of("a", "\xEF\xBB\xBF<a href=y>", "text/html"), "1:1 a@href http://h/d/y\n");
  EXPECT_EQ(links_of("a", "\xEF\xBB\xBF\r\n\r\n  <a href=y>", "text/html"),
            "3:3 a@href http://h/d/y\n");
}

TEST_F(ReadingTest, WhatIsNoUrlIsKeptWithItsReasonAndWhatIsNotHttpIsNot) {
  const std::string got = links_of(
      "a", "<a href='http://[x'></a><a href=mailto:a@b></a><a href=javascript:x>", "text/html");
  EXPECT_TRUE(got.starts_with("!1:1 a@href http://[x#no URL: ")) << got;
  EXPECT_EQ(std::count(got.begin(), got.end(), '\n'), 1);
}

TEST_F(ReadingTest, CommentsIgnoreAndAreTold) {
  EXPECT_EQ(links_of("a", "<!-- link-check ignore: x --><a href=y>\n<a href=z>", "text/html"),
            "-1:30 a@href http://h/d/y\n2:1 a@href http://h/d/z\n");
  EXPECT_TRUE(reading_.troubles.empty());
  links_of("a\x1B", "\n<!-- link-check ignore: x -->\n\n<!-- link-check what -->", "text/markdown");
  ASSERT_EQ(reading_.troubles.size(), 2U);
  EXPECT_EQ(reading_.troubles[0].what, folder_.file("a :2: there is no link that this ignores"));
  EXPECT_EQ(reading_.troubles[1].what,
            folder_.file("a :4: link-check takes ignore: REASON, off: REASON and on here"));
}

TEST_F(ReadingTest, OnlyNamesWhereOnlyTheyAreWanted) {
  put("a", "# A\n[x](y)\n<a id=b href=c>");
  FileReader reader(remap_);
  for (const std::string_view type : {"text/markdown", "text/html"}) {
    reader.read({"http://h/p", folder_.file("a"), type, true}, reading_);
    EXPECT_TRUE(reading_.links.empty());
    EXPECT_NE(reading_.ids.find('b'), std::string::npos);
  }
}

TEST_F(ReadingTest, ALargeFileIsTakenInPartsAsAtOnce) {
  std::string page;
  for (int i = 0; i != 20'000; ++i) page += "<a href=" + std::to_string(i) + ">\n<img src=i>";
  const std::string whole = links_of("a", page, "text/html");
  FileReader reader(remap_);
  std::string parts;
  int times = 0;
  reader.read({"http://h/d/p", folder_.file("a"), "text/html"}, reading_, [&](FileReading& some) {
    append(parts, some);
    ++times;
  });
  append(parts, reading_);
  EXPECT_EQ(parts, whole);
  EXPECT_GE(times, 5);
  reading_.clear();
  EXPECT_LE(reading_.links.capacity() * sizeof(FileReading::Link), 64U << 10);
}

TEST_F(ReadingTest, AFileThatCannotBeReadIsToldAndTheReaderGoesOn) {
  FileReader reader(remap_);
  for (const std::string& path : {folder_.file("none"), folder_.path()}) {
    reader.read({"http://h/p", path, "text/html"}, reading_);
    EXPECT_FALSE(reading_.is_read);
    ASSERT_EQ(reading_.troubles.size(), 1U);
    EXPECT_TRUE(reading_.troubles[0].failed);
    EXPECT_NE(reading_.troubles[0].what.find(path), std::string::npos);
  }
  put("a", "<a href=x>");
  reader.read({"http://h/p", folder_.file("a"), "text/html"}, reading_);
  EXPECT_EQ(reading_.links.size(), 1U);
  EXPECT_TRUE(reading_.troubles.empty());
}

TEST(Remap, FromAndTo) {
  Remap remap;
  EXPECT_TRUE(remap.empty());
  for (const char* const bad :
       {"", "=", "http://a/", "http://a/=", "=http://b/", "http://a/=ftp://b/", "a=http://b/",
        "mailto:a=http://b/", "http://[=http://b/"}) {
    const Status status = remap.add(bad);
    ASSERT_FALSE(status.ok()) << bad;
    EXPECT_NE(status.message().find("takes FROM=TO, two http or https URLs, not"),
              std::string::npos);
  }
  ASSERT_TRUE(remap.add("https://www.example/d/=http://localhost:8000/").ok());
  ASSERT_TRUE(remap.add("HTTPS://www.example/=https://other.example/x=1/").ok());
  const auto applied = [&remap](std::string_view text) {
    Url url;
    Url scratch;
    EXPECT_TRUE(parse(text, url));
    const bool changed = remap.apply(url, scratch);
    return std::string(changed ? "" : "as it was: ") + std::string(url.href());
  };
  EXPECT_EQ(applied("https://www.example/d/a?b#c"), "http://localhost:8000/a?b#c");
  EXPECT_EQ(applied("https://www.example/e"), "https://other.example/x=1/e");
  EXPECT_EQ(applied("https://www.example/d"), "https://other.example/x=1/d");
  EXPECT_EQ(applied("https://www.example.org/d/"), "as it was: https://www.example.org/d/");
  EXPECT_EQ(applied("http://www.example/d/"), "as it was: http://www.example/d/");
}

TEST(IsDocument, ByItsName) {
  for (const char* const name :
       {"a.html", "a.HTM", "a.css", "a.xml", "a.svg", "a.md", "a.rst", "a.txt"})
    EXPECT_TRUE(is_document(name)) << name;
  for (const char* const name : {"a", "a.png", "html", ".html.bak", "a.pdf", ""})
    EXPECT_FALSE(is_document(name)) << name;
  EXPECT_FALSE(is_read_in_folder("text/plain"));
  EXPECT_TRUE(is_read_in_folder("text/markdown"));
}

// --- files that no walk has found ---

TEST_F(ReadingTest, WhatAFileLinksToIsLookedUpAndReadForItsNamesAlone) {
  put("README.md",
      "[a](docs/a.md#one) [b](docs/a.md#two) [c](docs/) [d](none.md) [e](.hid.md) [f](x%20y.txt)");
  put("docs/a.md", "# One\n[dead](nothing.md)\n");
  put(".hid.md", "");
  put("x y.txt", "http://h/dead");
  LinkBook book;
  std::string troubles;
  PageFiles files({.base = "http://h/", .root = folder_.path(), .threads = 1}, book,
                  [&troubles](const std::string& what, bool) { troubles += what + "\n"; });
  ASSERT_TRUE(files.read_file(folder_.file("README.md")).ok());
  files.look_up();
  std::string got;
  book.judge([&got](const Finding& finding) {
    got.append(finding.target).append(" ").append(to_string(finding.verdict)).append("\n");
  });
  EXPECT_EQ(got,
            "http://h/docs/a.md#one ok\nhttp://h/docs/a.md#two dead-fragment\nhttp://h/docs/ ok\n"
            "http://h/none.md dead\nhttp://h/.hid.md ok\nhttp://h/x%20y.txt ok\n");
  EXPECT_EQ(book.page_count(), 1U);
  EXPECT_EQ(troubles, "");
  EXPECT_FALSE(files.read_file("/etc/passwd").ok());
  EXPECT_FALSE(files.read_file(folder_.path()).ok());
  EXPECT_FALSE(files.read_folder("/etc").ok());
}

TEST_F(ReadingTest, BugAnIndexThatLinksToItsFolderLostItsLinks) {
  put("d/index.html", "<a href=./#x><a href=index.html><a href=../d>");
  LinkBook book;
  PageFiles files({.base = "http://h/", .root = folder_.path(), .threads = 1}, book,
                  [](const std::string& what, bool) { ADD_FAILURE() << what; });
  ASSERT_TRUE(files.read_file(folder_.file("d/index.html")).ok());
  files.look_up();
  std::string got;
  book.judge([&got](const Finding& finding) {
    got.append(finding.page).append(" ").append(to_string(finding.verdict)).append("\n");
  });
  EXPECT_EQ(got, "http://h/d/ dead-fragment\nhttp://h/d/ ok\nhttp://h/d/ moved\n");
}

}  // namespace
}  // namespace spinneret::check
