// SPDX-License-Identifier: Apache-2.0
// The file of a store: an append-only log of entries in checksummed blocks.
//
//   file    = header block*
//   header  = "SPNSEEN1" version:u32 entry-bytes:u32 flags:u32 text-length:u32 seed:u64 text[216] sum:u64
//   block   = "BLK1" payload-bytes:u32 offset:u64 entries:u64 sum:u64 payload
//   payload = entry* ; in a log with times, first seconds-since-1970:u64, of all its entries
//   entry   = bytes[entry-bytes], then, in a named log, length:u32 name[length] and zeros up to a multiple of 8
//
// flags: 1 named, 2 with times. Version 1 knows no times; a log with them has version 2.
//
// Numbers are little-endian; a header takes 256 bytes, a block is a multiple of 8. `sum` is XXH3 (64 bits,
// seeded with the log's seed) over what stands before it in the header, and over a block's first 24 bytes
// and its payload. `offset` is the block's own place, so that no block is taken for another.
//
// A writer holds flock(2) on the file; readers need nothing, and see whole blocks only. A block is one
// write(2), so that the end of the process leaves whole blocks and at most one torn at the end. A torn tail
// is cut off by the next writer. A block that is bad although a good one follows is damage: the log is
// refused until recover() has copied what is good.
#ifndef SPINNERET_DEDUPE_SEEN_LOG_H_
#define SPINNERET_DEDUPE_SEEN_LOG_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace spinneret::dedupe {

struct LogHeader {
  std::uint32_t entry_bytes = 16;
  bool named = false;
  std::uint64_t seed = 0;
  std::string text;    // what the entries are; at most 216 bytes
  bool timed = false;  // its blocks say when they were written
  friend bool operator==(const LogHeader&, const LogHeader&) = default;
};

// A place in a log, behind a block: told by that block's sum, so that it is another log's, or that of one that was rewritten,
// only where the block is there, too.
struct LogMark {
  std::uint64_t end = 0;      // where the next block begins
  std::uint64_t begin = 0;    // of the block; 0: there is none
  std::uint64_t sum = 0;      // of the block
  std::uint64_t entries = 0;  // up to here
  std::uint64_t blocks = 0;
  friend bool operator==(const LogMark&, const LogMark&) = default;
};

// A block as it is visited; the view lives for the call.
struct LogBlock {
  std::string_view payload;
  std::uint64_t entries = 0;
  std::uint64_t time =
      0;  // seconds since 1970; in a log without times that of the file's last change, when it was opened
  LogMark mark = {};  // behind it; append() does not ask
};

struct LogStats {
  std::uint64_t entries = 0;
  std::uint64_t blocks = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t torn_bytes = 0;     // behind the last good block
  std::uint64_t damaged_bytes = 0;  // between good blocks: 0 but for recover()
};

class SeenLog {
 public:
  using Visit = std::function<void(const LogBlock& block)>;
  enum class Mode {
    kRead,    // what is whole at this moment; an Error where there is no such file
    kAppend,  // locked; made where there is none; a torn tail is cut off
  };

  // `fresh` is the header of a log that has to be made. Every block of the log is visited, in order; with `start` those behind
  // the mark that it gives, which the log must hold.
  using Start = std::function<LogMark(const SeenLog& log)>;
  static Result<SeenLog> open(const std::string& path, Mode mode, const LogHeader& fresh,
                              const Visit& visit, const Start& start = nullptr);
  static constexpr std::uint64_t kHeaderBytes = 256;
  // Bytes of the file; 0 where there is none.
  static std::uint64_t file_size(const std::string& path);
  // Header alone, of an existing log.
  static Result<LogHeader> read_header(const std::string& path);

  // Appends one block: handed to the kernel on return, and on disk if `sync`. An Error leaves the log as it
  // was, as far as the disk allows. The block's time is kept where the log has times.
  Status append(const LogBlock& block, bool sync);

  // Before the first block, and behind the last one.
  static LogMark start() { return {kHeaderBytes}; }
  const LogMark& mark() const { return mark_; }
  // Whether that block is here, whole in its length, and ends there.
  bool holds(const LogMark& mark) const;

  // Everything appended is on disk once this returns.
  Status sync();

  // Replaces the log by what `fill` appends to a new one of the same header: atomically, and on disk.
  Status rewrite(const std::function<Status(SeenLog& into)>& fill);
  // Makes a log without times one with times, in the same way.
  Status add_times();
  // Copies every good block of `path`, wherever it stands, to a new log that takes its place; the old one
  // is kept as PATH.damaged, or PATH.damaged.2 and so on, where that is there: `kept` gets the name.
  static Result<LogStats> recover(const std::string& path, std::string& kept);

  // What a user should hear of a torn tail that open() has cut off, or an empty string.
  std::string torn_notice() const;

  const LogHeader& header() const { return header_; }
  const LogStats& stats() const { return stats_; }

 private:
  SeenLog() = default;
  Status lock_file(bool create);
  Status read_or_write_header(Mode mode, const LogHeader& fresh);
  Status scan(const Visit& visit, bool skip_damage);
  Status write_header();

  std::string path_;
  Fd file_;
  LogHeader header_;
  LogStats stats_;
  std::uint64_t end_ = 0;         // of the last good block
  std::uint64_t changed_at_ = 0;  // seconds since 1970
  LogMark mark_ = {kHeaderBytes};
  std::string buffer_;
};

// Entries of a payload.
class LogEntries {
 public:
  LogEntries(const LogHeader& header, std::string_view payload) : header_(header), rest_(payload) {}
  // False at the end, or where the payload is not well formed. `name` is empty in a log without names.
  bool next(std::string_view& entry, std::string_view& name);

 private:
  const LogHeader& header_;
  std::string_view rest_;
};

void append_log_entry(std::string& payload, const LogHeader& header, std::string_view entry,
                      std::string_view name = {});

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_SEEN_LOG_H_
