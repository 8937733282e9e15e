// SPDX-License-Identifier: Apache-2.0
// Reads WARC and WACZ files as records of pages, with the fields that fetch writes for an HTTP
// head. Bodies stay in the archive; the records say where.
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
  // Is told what is wrong with a file. `failed`: more than a single page of it is not read.
  using Trouble = std::function<void(const std::string& what, bool failed)>;

  // Reads these files in turn.
  ArchivePages(std::vector<std::string> files, Trouble trouble)
      : files_(std::move(files)), trouble_(std::move(trouble)), seed_(random_seed()) {}

  static bool is_name(std::string_view name);
  // Whether a file of this name is an archive of a kind that cannot be read.
  static bool is_unread_name(std::string_view name);
  static std::string unread(std::string_view name);  // the message about such a file
  // Decides by the name, or by the first bytes.
  static bool is_archive(const std::string& path);

  // Appends the record of the next page to `lines`, with a line end. Returns false after the last
  // one. Memory grows with the places of bodies, and with the revisits whose original has not come
  // yet: those are given at the end.
  bool next(std::string& lines);

 private:
  struct Place {
    std::uint64_t file = 0;  // in files_
    std::uint64_t offset = 0;
  };
  // A page whose body is that of an original that may come later.
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
  const std::uint64_t seed_;  // for hashes of digests, which archives choose
  Record record_;
  std::string text_;        // the beginning of the present WARC record
  std::size_t opened_ = 0;  // number of files opened so far
  std::size_t file_ = 0;    // the present one
  Fd fd_;
  // Parts of the present file still to read, the next one last.
  std::vector<check::StoredFile> parts_;
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;  // end of the present part
  // Numbers of records of the present file that were not read, by type.
  std::map<std::string, std::uint64_t> unread_;
  // Places of the bodies that a revisit may refer to, by payload digest: some 70 bytes each.
  std::unordered_map<Hash128, Place, HashOfDigest> originals_;
  std::deque<Revisit> waiting_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ARCHIVE_PAGES_H_
