// SPDX-License-Identifier: Apache-2.0
// The beginning of one record of a WARC file, which may be compressed by itself.
#ifndef SPINNERET_TOOLS_ARCHIVE_RECORD_H_
#define SPINNERET_TOOLS_ARCHIVE_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "feed/warc_record.h"

namespace spinneret {

inline constexpr std::size_t kMaxArchivedHead = std::size_t{1} << 20;

// A file from somewhere on, in blocks. One is valid until the next; it is empty at the end, and after an error.
class FilePieces {
 public:
  FilePieces(int fd, std::uint64_t at) : fd_(fd), at_(at) {}
  std::string_view operator()();

 private:
  int fd_;
  std::uint64_t at_;
  std::string bytes_;
};

// Reads the beginning of the WARC record at `at` in a file, kMaxArchivedHead of it at most; `record` views `text`. Returns how
// many bytes of the file the record takes; nothing where it is invalid, cut off, or longer than up to `end`.
std::optional<std::uint64_t> read_archived(int fd, std::uint64_t at, std::uint64_t end,
                                           std::string& text, feed::WarcRecord& record);

// Where reading can go on behind a damaged record: from there on whole ones, compressed one by one, reach exactly to `end`.
// Nothing less will do: a page may be such a file itself, and its records stand in that of the page as they are.
// Takes time for at most kMaxRestarts readings, of which each but a hostile one begins where the one before it failed.
inline constexpr int kMaxRestarts = 64;
std::optional<std::uint64_t> find_sound_rest(int fd, std::uint64_t from, std::uint64_t end);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ARCHIVE_RECORD_H_
