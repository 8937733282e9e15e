// SPDX-License-Identifier: Apache-2.0
#include "check/zip.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/temporary_folder.h"

namespace spinneret::check {
namespace {

void put(std::string& out, std::uint64_t value, int bytes) {
  for (; bytes > 0; --bytes, value >>= 8) out += static_cast<char>(value & 0xFF);
}

struct Shape {
  int method = 0;  // 0: stored
  // Sizes and place are in the extra field, and the locator leads to the directory.
  bool zip64 = false;
  std::string comment;
};

// Makes an archive of a file "a.warc" with these bytes, behind another file that nobody wants.
std::string archive(std::string_view bytes, const Shape& shape) {
  std::string out;
  std::string directory;
  for (const auto& [name, content] :
       {std::pair<std::string_view, std::string_view>{"b.txt", "xyz"}, {"a.warc", bytes}}) {
    const std::size_t header = out.size();
    out += "PK\x03\x04";
    put(out, 0, 22);
    put(out, name.size(), 2);
    put(out, 4, 2);
    out.append(name).append("\x07\x00\x00\x00", 4).append(content);
    const std::uint64_t place = shape.zip64 ? 0xFFFFFFFF : header;
    const std::uint64_t size = shape.zip64 ? 0xFFFFFFFF : content.size();
    directory += "PK\x01\x02";
    put(directory, 0, 6);
    put(directory, static_cast<unsigned>(shape.method), 2);
    put(directory, 0, 8);
    put(directory, size, 4);
    put(directory, size, 4);
    put(directory, name.size(), 2);
    put(directory, shape.zip64 ? 4 + 28 : 4, 2);
    put(directory, 0, 10);
    put(directory, place, 4);
    directory.append(name).append("\x07\x00\x00\x00", 4);
    if (!shape.zip64) continue;
    put(directory, 1, 2);
    put(directory, 24, 2);
    put(directory, content.size(), 8);
    put(directory, content.size(), 8);
    put(directory, header, 8);
  }
  const std::size_t start = out.size();
  out += directory;
  if (shape.zip64) {
    const std::size_t record = out.size();
    out += "PK\x06\x06";
    put(out, 44, 8);
    put(out, 0, 28);
    put(out, directory.size(), 8);
    put(out, start, 8);
    out += "PK\x06\x07";
    put(out, 0, 4);
    put(out, record, 8);
    put(out, 1, 4);
  }
  out += "PK\x05\x06";
  put(out, 0, 8);
  put(out, shape.zip64 ? 0xFFFFFFFF : directory.size(), 4);
  put(out, shape.zip64 ? 0xFFFFFFFF : start, 4);
  put(out, shape.comment.size(), 2);
  return out + shape.comment;
}

struct Listing {
  explicit Listing(const std::string& bytes) {
    // One for all listings, because thousands of folders take seconds.
    static const TemporaryFolder folder;
    const std::string path = folder.file("z");
    // A file that is truncated and written again would be synced when it is closed.
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
    status = list_stored(
        path, [](std::string_view name) { return name.ends_with(".warc"); }, files,
        [this](const std::string& what, bool) { troubles.push_back(what); });
    for (const StoredFile& file : files)
      content +=
          bytes.substr(static_cast<std::size_t>(file.offset), static_cast<std::size_t>(file.size));
  }
  Status status;
  std::vector<StoredFile> files;
  std::vector<std::string> troubles;
  std::string content;
};

TEST(Zip, ListsWhatIsStoredAndWanted) {
  for (const Shape& shape :
       {Shape{}, {0, true, ""}, {0, false, "a comment PK\x05\x06 of the archive"}}) {
    const Listing listing(archive("the content", shape));
    ASSERT_TRUE(listing.status.ok());
    ASSERT_EQ(listing.files.size(), 1U);
    EXPECT_EQ(listing.files[0].name, "a.warc");
    EXPECT_EQ(listing.content, "the content");
    EXPECT_TRUE(listing.troubles.empty());
  }
}

TEST(Zip, WhatIsCompressedIsLeftOutAndTold) {
  const Listing listing(archive("x", {8, false, ""}));
  EXPECT_TRUE(listing.status.ok());
  EXPECT_TRUE(listing.files.empty());
  ASSERT_EQ(listing.troubles.size(), 1U);
  EXPECT_NE(listing.troubles[0].find("left out: \"a.warc\" is compressed"), std::string::npos);
}

TEST(Zip, OneThatIsCutOffIsNone) {
  const std::string whole = archive("the content", {});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(Listing(whole.substr(0, size)).status.ok()) << size;
}

// Whatever stands in the archive, each listed file lies within it, and a place outside is reported.
TEST(Zip, DamagedByteByByte) {
  for (const bool zip64 : {false, true}) {
    const std::string whole = archive("the content", {0, zip64, ""});
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const char with : {'\0', '\xFF', '\x01'}) {
        std::string bytes = whole;
        bytes[at] = with;
        const Listing listing(bytes);
        for (const StoredFile& file : listing.files)
          EXPECT_LE(file.offset + file.size, bytes.size()) << at;
      }
    }
  }
}

}  // namespace
}  // namespace spinneret::check
