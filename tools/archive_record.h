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

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ARCHIVE_RECORD_H_
