// SPDX-License-Identifier: Apache-2.0
// The file of a store: an append-only log of entries in checksummed blocks.
//
//   file    = header block*
//   header  = "SPNSEEN1" version:u32 entry-bytes:u32 flags:u32 text-length:u32 seed:u64 text[216]
//             sum:u64
//   block   = "BLK1" payload-bytes:u32 offset:u64 entries:u64 sum:u64 payload
//   payload = entry* ; in a log with times, preceded by their time (seconds since 1970):u64
//   entry   = bytes[entry-bytes], then, in a named log, length:u32 name[length] and zeros up to a
//             multiple of 8
//
// flags: 1 named, 2 with times. A log with times has version 2, any other has version 1.
//
// Numbers are little-endian. A header takes 256 bytes, and the size of a block is a multiple of 8.
// `sum` is XXH3 (64 bits, seeded with the log's seed): of a header over the fields before it, of a
// block over its first 24 bytes and its payload. `offset` is the block's own place, so that no
// block is taken for another.
//
// A writer holds flock(2) on the file. Readers need no lock, and see whole blocks only. A block is
// written by one write(2), so that a process that ends leaves whole blocks and at most one torn
// block at the end, which the next writer cuts off. A bad block in front of a good one is damage:
// the log is refused until recover() has copied the good blocks.
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
  bool timed = false;  // blocks say when they were written
  friend bool operator==(const LogHeader&, const LogHeader&) = default;
};

// A place in a log, behind a block. It contains the block's sum, so that it cannot be mistaken for
// a place in another log, or in one that was rewritten, unless that has the same block there.
struct LogMark {
  std::uint64_t end = 0;      // where the next block begins
  std::uint64_t begin = 0;    // where the block begins; 0: there is none
  std::uint64_t sum = 0;      // the block's sum
  std::uint64_t entries = 0;  // all entries up to here
  std::uint64_t blocks = 0;
  friend bool operator==(const LogMark&, const LogMark&) = default;
};

// A block, as it is given to a visitor. The view is valid during the call.
struct LogBlock {
  std::string_view payload;
  std::uint64_t entries = 0;
  // Seconds since 1970. In a log without times, when the file was last changed before it was
  // opened.
  std::uint64_t time = 0;
  LogMark mark = {};  // the place behind the block; ignored by append()
};

struct LogStats {
  std::uint64_t entries = 0;
  std::uint64_t blocks = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t torn_bytes = 0;     // bytes behind the last good block
  std::uint64_t damaged_bytes = 0;  // bytes between good blocks; not 0 only for recover()
};

class SeenLog {
 public:
  using Visit = std::function<void(const LogBlock& block)>;
  enum class Mode {
    kRead,    // what is complete at this moment; an Error where there is no such file
    kAppend,  // locked; made where it is missing; a torn tail is cut off
  };

  // `fresh` is the header for a log that has to be made. Visits every block in order, or only those
  // behind the mark that `start` returns, which the log must have.
  using Start = std::function<LogMark(const SeenLog& log)>;
  static Result<SeenLog> open(const std::string& path, Mode mode, const LogHeader& fresh,
                              const Visit& visit, const Start& start = nullptr);
  static constexpr std::uint64_t kHeaderBytes = 256;
  // Bytes of the file; 0 where there is none.
  static std::uint64_t file_size(const std::string& path);
  // Reads the header of an existing log.
  static Result<LogHeader> read_header(const std::string& path);

  // Appends one block. When it returns, the kernel has the block, and with `sync` the disk has it.
  // An Error leaves the log as it was, as far as the disk allows. A log with times keeps the
  // block's time.
  Status append(const LogBlock& block, bool sync);

  // The mark in front of the first block, and the one behind the last.
  static LogMark start() { return {kHeaderBytes}; }
  const LogMark& mark() const { return mark_; }
  // Returns whether the log has the mark's block, complete, at that place.
  bool holds(const LogMark& mark) const;

  // Once this returns, everything appended is on disk.
  Status sync();

  // Replaces the log, atomically and durably, by a new one with the same header and what `fill`
  // appends to it.
  Status rewrite(const std::function<Status(SeenLog& into)>& fill);
  // Turns a log without times into one with times, as rewrite() does.
  Status add_times();
  // Copies every good block of `path`, wherever it stands, to a new log that takes its place. The
  // old log is kept as PATH.damaged, or PATH.damaged.2 and so on where that exists; `kept` gets the
  // name.
  static Result<LogStats> recover(const std::string& path, std::string& kept);

  // Tells the user of a torn tail that open() has cut off; empty where there was none.
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
  std::uint64_t end_ = 0;         // end of the last good block
  std::uint64_t changed_at_ = 0;  // when the file was last changed, in seconds since 1970
  LogMark mark_ = {kHeaderBytes};
  std::string buffer_;
};

// The entries of a payload, one by one.
class LogEntries {
 public:
  LogEntries(const LogHeader& header, std::string_view payload) : header_(header), rest_(payload) {}
  // Returns false at the end, and where the payload is malformed. `name` is empty in a log without
  // names.
  bool next(std::string_view& entry, std::string_view& name);

 private:
  const LogHeader& header_;
  std::string_view rest_;
};

void append_log_entry(std::string& payload, const LogHeader& header, std::string_view entry,
                      std::string_view name = {});

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_SEEN_LOG_H_
