// SPDX-License-Identifier: Apache-2.0
// Reads the beginning of one record of a WARC file, which may be compressed by itself.
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

// Reads a file in blocks from an offset on. A block is valid until the next call; it is empty at
// the end of the file, and after an error.
class FilePieces {
 public:
  FilePieces(int fd, std::uint64_t at) : fd_(fd), at_(at) {}
  std::string_view operator()();

 private:
  int fd_;
  std::uint64_t at_;
  std::string bytes_;
};

// Reads the beginning of the WARC record at `at`, at most kMaxArchivedHead bytes of it, into
// `text`, which `record` views. Returns how many bytes of the file the record takes; nothing where
// it is invalid, cut off, or reaches beyond `end`. `text` is then empty for a compressed member
// without content, which some programs write between their records or after the last one.
std::optional<std::uint64_t> read_archived(int fd, std::uint64_t at, std::uint64_t end,
                                           std::string& text, feed::WarcRecord& record);

// Returns where reading can go on after a damaged record: the first place from which whole records,
// compressed one by one, reach exactly to `end`. Nothing less will do: the body of a page may be
// such a file itself, and its records then look like records of this file. Takes time for at most
// kMaxRestarts readings; unless the file is hostile, each begins where the one before it failed.
inline constexpr int kMaxRestarts = 64;
std::optional<std::uint64_t> find_sound_rest(int fd, std::uint64_t from, std::uint64_t end);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ARCHIVE_RECORD_H_
