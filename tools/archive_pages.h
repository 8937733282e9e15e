// SPDX-License-Identifier: Apache-2.0
// Records of pages in WARC and WACZ files, with the fields that fetch writes for their heads. Bodies stay where they are.
//
//   ArchivePages pages(lines, trouble);
//   if (ArchivePages::is_archive(path)) pages.read(path);
#ifndef SPINNERET_TOOLS_ARCHIVE_PAGES_H_
#define SPINNERET_TOOLS_ARCHIVE_PAGES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/outcome.h"
#include "feed/warc_record.h"
#include "io/record.h"

namespace spinneret {

class ArchivePages {
 public:
  // Hears what is wrong with a file. `failed`: more than one page of it is not read.
  using Trouble = std::function<void(const std::string& what, bool failed)>;

  // Appends to `lines`, which is borrowed.
  ArchivePages(std::string& lines, Trouble trouble) : lines_(lines), trouble_(std::move(trouble)) {}

  static bool is_name(std::string_view name);
  // Decides by the name, or by the first bytes.
  static bool is_archive(const std::string& path);

  void read(const std::string& path);

 private:
  void read_warc(int fd, const std::string& path, std::uint64_t at, std::uint64_t end);
  void add_archived(const feed::WarcRecord& page, std::uint64_t offset);
  Outcome place(const feed::WarcRecord& page, std::uint64_t offset, Outcome outcome);

  struct Place {
    std::size_t file = 0;  // in files_
    std::uint64_t offset = 0;
  };

  std::string& lines_;
  const Trouble trouble_;
  Record record_;
  std::vector<std::string> files_;  // read so far
  // Where each body is that a revisit may stand for, by its payload digest: some hundred bytes each.
  std::unordered_map<std::string, Place> originals_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ARCHIVE_PAGES_H_
