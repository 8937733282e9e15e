// SPDX-License-Identifier: Apache-2.0
// Archives of strangers: ZIP, tar, and records of WARC files, compressed or not, where a record
// points into them. Beyond "no crash": what is listed lies in the archive; what a tar lists is in
// order, each once, and has a name that leads to no other folder; a body that is found is the same
// for a reader that was used before.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "body/reader.h"
#include "check/tar.h"
#include "check/zip.h"
#include "io/record.h"

namespace {

using namespace spinneret;
using namespace spinneret::check;

void require(bool holds) {
  if (!holds) std::abort();
}

// A file in memory whose bytes are those of the input.
class Given {
 public:
  Given() : fd_(::memfd_create("input", 0)), path_("/proc/self/fd/" + std::to_string(fd_)) {
    require(fd_ >= 0);
  }
  void hold(std::string_view bytes) const {
    require(::ftruncate(fd_, 0) == 0);
    require(::pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }
  const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

void check_zip(const std::string& path, std::uint64_t size) {
  std::vector<StoredFile> files;
  const auto told = [](const std::string& what, bool) { require(!what.empty()); };
  (void)list_stored(
      path, [](std::string_view name) { return !name.ends_with('/'); }, files, told);
  for (const StoredFile& file : files)
    require(file.offset <= size && file.size <= size - file.offset);
}

void check_tar(const std::string& path, std::uint64_t size) {
  std::vector<NamedFile> files;
  (void)list_tar(path, files, [](const std::string& what, bool) { require(!what.empty()); });
  std::string_view before;
  for (const NamedFile& file : files) {
    require(file.offset <= size && file.size <= size - file.offset);
    require(before < file.name);
    before = file.name;
    const std::string framed = "/" + file.name + "/";
    require(framed.find("//") == std::string::npos && framed.find("/../") == std::string::npos &&
            framed.find("/./") == std::string::npos);
  }
}

void check_warc(const std::string& path, std::uint64_t offset) {
  static body::BodyReader used;
  body::BodyReader fresh;
  const std::string line =
      "http://h/\tstatus=200\twarc-file=" + path + "\twarc-offset=" + std::to_string(offset);
  Record one;
  Record two;
  one.parse(line);
  two.parse(line);
  const Result<std::string_view> first = fresh.read(one);
  const Result<std::string_view> second = used.read(two);
  require(first.ok() == second.ok());
  if (first.ok()) require(*first == *second);
}

// Makes a tar of its parts, because a tar has whole blocks, with checksums that no fuzzer guesses.
// Each part ends in a NUL. The first byte is the type; bytes behind it replace the size, for sizes
// that are wrong.
std::string tar_of(std::string_view parts) {
  constexpr std::size_t kBlock = 512;
  std::string out;
  while (!parts.empty()) {
    const std::string_view kind = cut(parts, '\0');
    const std::string_view name = cut(parts, '\0').substr(0, 100);
    const std::string_view link = cut(parts, '\0').substr(0, 100);
    const std::string_view content = cut(parts, '\0');
    std::string header(kBlock, '\0');
    const auto put = [&header](std::size_t at, std::string_view text) {
      header.replace(at, text.size(), text);
    };
    char size[12];
    std::snprintf(size, sizeof size, "%011zo", content.size());
    put(0, name);
    put(124, kind.size() > 1 ? kind.substr(1, 12) : std::string_view(size));
    put(148, "        ");
    if (!kind.empty()) header[156] = kind[0];
    put(157, link);
    if (name.size() % 2 != 0) {
      put(257, std::string_view("ustar\0", 6));
      put(345, link);
    }
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    char digits[8];
    std::snprintf(digits, sizeof digits, "%06o", sum);
    put(148, std::string_view(digits, 7));
    out += header;
    out += content;
    out.resize((out.size() + kBlock - 1) / kBlock * kBlock);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const Given given;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string tar;
  switch (data[0] % 4) {
    case 0:
      given.hold(bytes);
      check_zip(given.path(), bytes.size());
      break;
    case 1:
      given.hold(bytes);
      check_warc(given.path(), 0);
      break;
    case 2:
      given.hold(bytes);
      check_warc(given.path(), data[0] / 4);
      break;
    default:
      tar = tar_of(bytes);
      given.hold(tar);
      check_tar(given.path(), tar.size());
  }
  return 0;
}
