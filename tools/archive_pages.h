// SPDX-License-Identifier: Apache-2.0
// Records of pages in WARC and WACZ files, with the fields that fetch writes for their heads. Bodies stay where they are.
//
//   ArchivePages pages({"a.warc.gz"}, trouble);
//   while (pages.next(lines)) use(lines);
#ifndef SPINNERET_TOOLS_ARCHIVE_PAGES_H_
#define SPINNERET_TOOLS_ARCHIVE_PAGES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/outcome.h"
#include "check/zip.h"
#include "feed/warc_record.h"
#include "io/record.h"

namespace spinneret {

class ArchivePages {
 public:
  // Hears what is wrong with a file. `failed`: more than one page of it is not read.
  using Trouble = std::function<void(const std::string& what, bool failed)>;

  // Reads these files, one after the other.
  ArchivePages(std::vector<std::string> files, Trouble trouble)
      : files_(std::move(files)), trouble_(std::move(trouble)), seed_(random_seed()) {}

  static bool is_name(std::string_view name);
  // Of archives all the same, and no pages.
  static bool is_unread_name(std::string_view name);
  static std::string unread(std::string_view name);  // what is said of one
  // Decides by the name, or by the first bytes.
  static bool is_archive(const std::string& path);

  // Appends the record of the next page to `lines`, with a line end. Returns false behind the last. Takes memory for where
  // bodies are, and for revisits of which the original has not come: these are given at the end.
  bool next(std::string& lines);

 private:
  struct Place {
    std::uint64_t file = 0;  // in files_
    std::uint64_t offset = 0;
  };
  // A page that repeats what may come later.
  struct Revisit {
    std::string line;
    Hash128 digest;
    Place place;
  };
  struct HashOfDigest {
    std::size_t operator()(const Hash128& hash) const { return hash.low; }
  };

  const std::string& path() const { return files_[file_]; }
  bool open_next();
  void find_parts();
  void read_one(std::string& lines);
  void look_at(const feed::WarcRecord& page, std::uint64_t offset, std::string& lines);
  void add_archived(const feed::WarcRecord& page, std::uint64_t offset, std::string& lines);
  bool place(const feed::WarcRecord& page, Place here, Outcome& outcome);
  void settle(Outcome outcome, std::string& lines);
  void tell_unread();
  bool give_waiting(std::string& lines);

  const std::vector<std::string> files_;
  const Trouble trouble_;
  const std::uint64_t seed_;  // of digests, which archives choose
  Record record_;
  std::string text_;        // of the present WARC record
  std::size_t opened_ = 0;  // how many files were
  std::size_t file_ = 0;    // the present one
  Fd fd_;
  std::vector<check::StoredFile> parts_;  // of it, the next one last
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;                        // of the present part
  std::map<std::string, std::uint64_t> unread_;  // records of it by their types
  // Where each body is that a revisit may stand for, by its payload digest: some 70 bytes each.
  std::unordered_map<Hash128, Place, HashOfDigest> originals_;
  std::deque<Revisit> waiting_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ARCHIVE_PAGES_H_
