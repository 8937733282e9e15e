// SPDX-License-Identifier: Apache-2.0
// All operands of a tool (URLs, files and standard input) as one stream of lines.
#ifndef SPINNERET_CLI_INPUTS_H_
#define SPINNERET_CLI_INPUTS_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "io/reader.h"
#include "io/rows.h"

namespace spinneret::cli {

// Whether an operand is itself an input line: it begins with `scheme://`.
bool is_url_operand(std::string_view operand);

// Decides whether an operand is itself an input line.
using IsLine = bool (*)(std::string_view operand);

// Reads the whole of an operand that is not a line: a file, or standard input for "-". The view is
// into `buffer`.
Result<std::string_view> read_operand(const std::string& operand, std::string& buffer);

// Reads the lines of all operands. A compressed file is read through the program that decompresses
// it: gzip and zstd are known by their first bytes, brotli by the name (.br). Where that program
// fails, an incomplete last line is dropped. A byte order mark at the start of a file is dropped,
// too.
class Inputs {
 public:
  struct Callbacks {
    // Called where a file could not be opened or read; the next operand follows.
    std::function<void(const std::string& message)> trouble;
    // Called where a line was over the limit and was left out.
    std::function<void(const std::string& message)> refused;
  };
  // Without operands, and for "-", standard input is read. With a `table` the lines are rows of
  // that table, and next() returns the records that a RowReader makes of them.
  Inputs(std::vector<std::string> operands, LineReader::Options options, Callbacks callbacks,
         IsLine is_line = is_url_operand, const TableShape* table = nullptr);

  // Gives the next line of all inputs; returns false after the last one. The view lives until the
  // next call. With LineReader::Options::wait == false it also returns false while the current
  // input has no whole line: starved() is true then, and fd() is the descriptor to poll.
  bool next(std::string_view& line);
  bool starved() const { return starved_; }
  int fd() const { return file_ ? file_.get() : 0; }
  // Gives the next run of whole lines with their terminators (LineReader::next_run). A URL operand
  // is a run of one line without a terminator. After handling the run the caller must pass its
  // number of lines to add_lines().
  bool next_run(std::string_view& run);
  void add_lines(std::uint64_t count);
  // Whether a CR was dropped from the end of the line that next() gave last.
  bool dropped_cr(std::string_view line) const { return reader_ && reader_->dropped_cr(line); }

  // The input of the last line: a path, "-" for standard input, "argument" for a URL operand.
  const std::string& name() const { return name_; }
  // The line's number within its input, from 1. After next_run() it is the number of the line
  // before the run, or for a URL operand the operand's own.
  std::uint64_t line_number() const;
  // Whether the last line or run was a URL operand.
  bool is_argument() const { return is_argument_; }
  // The number of the operand, from 1. It distinguishes two mentions of one file.
  std::size_t operand() const { return next_operand_; }

 private:
  bool open_next();
  bool take(LineReader::Event event, const std::string_view& bytes);
  bool next_rows(std::string_view& run);
  void unpack();
  bool end_unpacking();

  std::vector<std::string> operands_;
  LineReader::Options options_;
  Callbacks callbacks_;
  IsLine is_line_;
  std::size_t next_operand_ = 0;
  // Number of URL operands so far, which is the line number within "argument".
  std::uint64_t arguments_ = 0;
  bool is_argument_ = false;
  bool starved_ = false;
  bool began_ = false;  // whether the first line of the current file has been checked
  std::string name_;
  Fd file_;
  pid_t unpacker_ = 0;  // process that decompresses the current file; 0: none
  std::unique_ptr<LineReader> reader_;
  std::unique_ptr<RowReader> rows_;
  std::string records_;      // made from rows
  std::string_view unread_;  // the rest of records_
  std::string_view row_;     // the record that next() gave last
};

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_INPUTS_H_
