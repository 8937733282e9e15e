// SPDX-License-Identifier: Apache-2.0
// Archives of ustar, pax and GNU, as their writers make them and as nobody should make them.
#include "check/tar.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/temporary_folder.h"

namespace spinneret::check {
namespace {

struct Header {
  std::string name = {};
  char type = '0';
  std::string link = {};
  std::string prefix = {};
  std::string_view magic = std::string_view(
      "ustar\0"
      "00",
      8);
  // If not empty, twelve bytes in place of the octal digits.
  std::string size = {};
};

// Makes one entry: its header, the bytes, and zeros to the end of the block.
std::string entry(const Header& header, std::string_view bytes = {}) {
  std::string out(512, '\0');
  const auto put = [&out](std::size_t at, std::string_view value) {
    out.replace(at, value.size(), value);
  };
  const auto octal = [](std::uint64_t value, int digits) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%0*llo", digits,
                  static_cast<unsigned long long>(value));
    return std::string(text.data());
  };
  put(0, header.name);
  put(124, header.size.empty() ? octal(bytes.size(), 11) : header.size);
  out[156] = header.type;
  put(157, header.link);
  put(257, header.magic);
  put(345, header.prefix);
  put(148, "        ");
  std::uint64_t sum = 0;
  for (const char c : out) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + std::string(1, '\0') + " ");
  out += bytes;
  out.resize((out.size() + 511) / 512 * 512);
  return out;
}

const std::string kEnd(1024, '\0');

std::string pax(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t size = rest.size() + 1;
  while (std::to_string(size).size() + rest.size() != size) ++size;
  return std::to_string(size) + rest;
}

struct Listing {
  explicit Listing(const std::string& bytes) {
    // One for all listings, because thousands of folders take seconds.
    static const TemporaryFolder folder;
    const std::string path = folder.file("a.tar");
    // A file that is truncated and written again would be synced when it is closed.
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
    status = list_tar(path, files, [&](const std::string& what, bool failed) {
      EXPECT_FALSE(failed);
      told += what.substr(path.size() + 2) + "\n";
      EXPECT_TRUE(what.starts_with(path + ": ")) << what;
    });
    if (!status.ok()) error = status.message().substr(path.size());
    for (const NamedFile& file : files) {
      within = within && file.offset <= bytes.size() && file.size <= bytes.size() - file.offset;
      text += file.name + "=";
      if (within) text += bytes.substr(file.offset, file.size);
      text += "\n";
    }
  }
  std::vector<NamedFile> files;
  std::string text;  // "NAME=CONTENT" of each file
  std::string told;
  std::string error;
  Status status;
  bool within = true;
};

TEST(Tar, EachWayToNameAFile) {
  const std::string long_name(180, 'n');
  const struct {
    std::string bytes;
    std::string text;
  } cases[] = {
      {entry({.name = "d/a"}, "x") + kEnd, "d/a=x\n"},
      {entry({.name = "./d//./a"}, "x") + kEnd, "d/a=x\n"},
      {entry({.name = "/abs"}, "x") + kEnd, "abs=x\n"},
      {entry({.name = "a", .prefix = "p/q"}, "x") + kEnd, "p/q/a=x\n"},
      // GNU has other fields where POSIX has the prefix.
      {entry({.name = "a", .prefix = "12345", .magic = std::string_view("ustar  \0", 8)}, "x") +
           kEnd,
       "a=x\n"},
      {entry({.name = "a", .type = '\0', .magic = ""}, "x") + kEnd, "a=x\n"},  // as V7 wrote it
      {entry({.name = std::string(100, 'a')}, "x") + kEnd, std::string(100, 'a') + "=x\n"},
      {entry({.name = "././@LongLink", .type = 'L'}, long_name + std::string(1, '\0')) +
           entry({.name = "cut"}, "x") + kEnd,
       long_name + "=x\n"},
      {entry({.name = "h", .type = 'x'}, pax("path", long_name) + pax("mtime", "1.5")) +
           entry({.name = "cut"}, "x") + kEnd,
       long_name + "=x\n"},
      {entry({.name = "g", .type = 'g'}, pax("path", "of all")) + entry({.name = "a"}, "x") + kEnd,
       "a=x\n"},
      // An extended header applies to the next file alone.
      {entry({.name = "h", .type = 'x'}, pax("path", "one")) + entry({.name = "a"}, "x") +
           entry({.name = "b"}, "y") + kEnd,
       "b=y\none=x\n"},
      // Names are sorted, and the last entry of a name counts.
      {entry({.name = "b"}, "1") + entry({.name = "a"}, "2") + entry({.name = "./b"}, "3") + kEnd,
       "a=2\nb=3\n"},
      {entry({.name = "a"}, "x") + entry({.name = "d/l", .type = '1', .link = "./a"}) + kEnd,
       "a=x\nd/l=x\n"},
      {entry({.name = "d/", .type = '5'}) + entry({.name = "f", .type = '6'}) + kEnd, ""},
      {kEnd, ""},
      {"", ""},
  };
  for (const auto& each : cases) {
    const Listing listing(each.bytes);
    EXPECT_EQ(listing.text, each.text);
    EXPECT_TRUE(listing.status.ok()) << listing.error;
    EXPECT_EQ(listing.told, "");
  }
}

TEST(Tar, WhatIsLeftOutIsTold) {
  const struct {
    std::string bytes;
    std::string told;
  } cases[] = {
      {entry({.name = "../a"}, "x"), "\"../a\": leads out of the archive: left out\n"},
      {entry({.name = "a/../../b"}, "x"), "\"a/../../b\": leads out of the archive: left out\n"},
      {entry({.name = "h", .type = 'x'}, pax("path", std::string(5000, 'a'))) +
           entry({.name = "s"}, "x"),
       "\"" + std::string(120, 'a') + "...\": has too long a name: left out\n"},
      {entry({.name = "./"}, ""), "\"./\": leads out of the archive: left out\n"},
      {entry({.name = "l", .type = '2', .link = "a"}), "\"l\": a symbolic link: left out\n"},
      {entry({.name = "l", .type = '1', .link = "a"}),
       "\"l\": a link to what is not there: left out\n"},
      {entry({.name = "l", .type = '1', .link = "../a"}),
       "\"l\": a link to what is not there: left out\n"},
      {entry({.name = "s", .type = 'S'}, "x"), "\"s\": a sparse file: left out\n"},
      {entry({.name = "h", .type = 'x'}, pax("GNU.sparse.major", "1")) + entry({.name = "s"}, "x"),
       "\"s\": a sparse file: left out\n"},
      {entry({.name = "\x1B]0;x\x07\n"}, "x") + entry({.name = "\n", .type = '2'}),
       "\"\\n\": a symbolic link: left out\n"},
  };
  for (const auto& each : cases) {
    const Listing listing(each.bytes + kEnd);
    EXPECT_EQ(listing.told, each.told);
    EXPECT_TRUE(listing.status.ok());
  }
}

TEST(Tar, SizesInBase256AndInAnExtendedHeader) {
  const std::string gnu = std::string("\x80", 1) + std::string(10, '\0') + "\x03";
  EXPECT_EQ(Listing(entry({.name = "a", .size = gnu}, "xyz") + kEnd).text, "a=xyz\n");
  EXPECT_EQ(Listing(entry({.name = "h", .type = 'x'}, pax("size", "3")) +
                    entry({.name = "a", .size = "00000000000"}, "xyz") + kEnd)
                .text,
            "a=xyz\n");
  // Sizes larger than any file, larger than 64 bits, negative, and no number.
  for (const std::string& size :
       {std::string("77777777777"), std::string("\x80", 1) + std::string(11, '\xFF'),
        std::string(12, '\xFF'), std::string("0000000000x")}) {
    const Listing listing(entry({.name = "a", .size = size}, "xyz") + kEnd);
    EXPECT_FALSE(listing.status.ok());
    EXPECT_TRUE(listing.files.empty());
  }
  for (const char* const size : {"18446744073709551615", "99999999999999999999", "-1", "", "0x3"}) {
    const Listing listing(entry({.name = "h", .type = 'x'}, pax("size", size)) +
                          entry({.name = "a"}, "xyz") + kEnd);
    EXPECT_TRUE(listing.within) << size;
  }
}

const std::string& all_sorts() {
  static const std::string out =
      entry({.name = "h", .type = 'x'}, pax("path", "p/one") + pax("size", "3")) +
      entry({.name = "cut"}, "one") + entry({.name = "L", .type = 'L'}, "two") +
      entry({.name = "cut", .prefix = "p"}, "2222") +
      entry({.name = "l", .type = '1', .link = "two"});
  return out;
}

TEST(Tar, OneThatIsCutOffIsToldAndWhatStandsBeforeIsListed) {
  const Listing whole(all_sorts() + kEnd);
  ASSERT_EQ(whole.text, "l=2222\np/one=one\ntwo=2222\n");
  for (std::size_t size = 1; size < all_sorts().size(); ++size) {
    const Listing listing(all_sorts().substr(0, size));
    EXPECT_TRUE(listing.within) << size;
    for (const NamedFile& file : listing.files)
      EXPECT_NE(whole.text.find(file.name + "="), std::string::npos) << size;
    // An archive may end between two files; any other end is reported.
    const bool is_end = size == 2048 || size == 4096 || size == 4608;
    EXPECT_EQ(listing.status.ok(), is_end) << size;
    EXPECT_EQ(listing.error, is_end ? "" : " is cut off: copy it again") << size;
  }
}

TEST(Tar, DamagedByteByByte) {
  const std::string whole = all_sorts() + kEnd;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    // Skips most bytes of times and owners.
    if (at % 512 > 110 && at % 512 < 140 && at % 7 != 0) continue;
    for (const char with : {'\0', '\xFF', '7'}) {
      if (whole[at] == with) continue;
      std::string bytes = whole;
      bytes[at] = with;
      const Listing listing(bytes);
      EXPECT_TRUE(listing.within) << at;
    }
  }
}

TEST(Tar, AnExtendedHeaderThatCountsWronglyEndsThere) {
  for (const char* const bad :
       {"", "x", "5", "5 ", "0 path=b\n", "999 path=b\n", "1 path=b\n", "-9 path=b\n",
        "99999999999999999999 path=b\n", "\n\n\n", "9 path b\n", " path=b\n"}) {
    const Listing listing(entry({.name = "h", .type = 'x'}, bad) + entry({.name = "a"}, "x") +
                          kEnd);
    EXPECT_EQ(listing.text, "a=x\n") << bad;
  }
}

TEST(Tar, IsTarByItsChecksum) {
  const std::string bytes = entry({.name = "a"}, "x");
  EXPECT_TRUE(is_tar(bytes));
  EXPECT_TRUE(is_tar(bytes.substr(0, 512)));
  EXPECT_FALSE(is_tar(bytes.substr(0, 511)));
  EXPECT_FALSE(is_tar(std::string(512, '\0')));
  EXPECT_FALSE(is_tar(std::string(512, 'x')));
  EXPECT_FALSE(is_tar(""));
  std::vector<NamedFile> files;
  EXPECT_FALSE(list_tar("/nowhere/a.tar", files, {}).ok());
}

}  // namespace
}  // namespace spinneret::check
