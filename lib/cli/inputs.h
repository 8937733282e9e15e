// SPDX-License-Identifier: Apache-2.0
// The operands of a tool as one stream of lines: URLs given on the command line, files, standard input.
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

// Says of an operand whether it is an input line itself.
using IsLine = bool (*)(std::string_view operand);

// All of one operand that is no line: of a file, or of standard input where it is "-". The view is into `buffer`.
Result<std::string_view> read_operand(const std::string& operand, std::string& buffer);

// A file that gzip or zstd has packed, as its first bytes say, or brotli, as its name does (.br), is read by way of that
// program; where that fails, a last line that is not whole is no line. A byte order mark in front of a file is no part
// of it.
class Inputs {
 public:
  struct Callbacks {
    // A file could not be opened or read; the next operand follows.
    std::function<void(const std::string& message)> trouble;
    // A line was over the limit and has been left out.
    std::function<void(const std::string& message)> refused;
  };
  // No operand means standard input; "-" does too.
  // With a `table` lines are its rows, and what comes is the records that a RowReader makes of them.
  Inputs(std::vector<std::string> operands, LineReader::Options options, Callbacks callbacks,
         IsLine is_line = is_url_operand, const TableShape* table = nullptr);

  // The next line of all, or false at the end of the last input. The view lives until the next call.
  // With LineReader::Options::wait == false also false where the present input has no whole line yet:
  // starved() tells, and fd() is what to poll.
  bool next(std::string_view& line);
  bool starved() const { return starved_; }
  int fd() const { return file_ ? file_.get() : 0; }
  // The next run of whole lines with their terminators (LineReader::next_run); a URL operand comes as a
  // run of one line without terminator. Call add_lines with the run's count when done with it.
  bool next_run(std::string_view& run);
  void add_lines(std::uint64_t count);
  // Whether a CR stood behind the line that next() gave last.
  bool dropped_cr(std::string_view line) const { return reader_ && reader_->dropped_cr(line); }

  // Where the last line came from: a path, "-" for standard input, "argument" for a URL operand.
  const std::string& name() const { return name_; }
  // Its number there, from 1. After next_run: of the line before the run, save for a URL operand, which is
  // numbered already.
  std::uint64_t line_number() const;
  // Whether what came last was a URL operand.
  bool is_argument() const { return is_argument_; }
  // Which operand it was, from 1: the same file may be given twice.
  std::size_t operand() const { return next_operand_; }

 private:
  bool open_next();
  bool take(LineReader::Event event);
  bool next_rows(std::string_view& run);
  void unpack();
  bool end_unpacking();

  std::vector<std::string> operands_;
  LineReader::Options options_;
  Callbacks callbacks_;
  IsLine is_line_;
  std::size_t next_operand_ = 0;
  std::uint64_t arguments_ = 0;  // URL operands seen, which number the lines of "argument"
  bool is_argument_ = false;
  bool starved_ = false;
  std::string name_;
  Fd file_;
  pid_t unpacker_ = 0;  // the program that unpacks the present file
  std::unique_ptr<LineReader> reader_;
  std::unique_ptr<RowReader> rows_;
  std::string records_;      // made of rows
  std::string_view unread_;  // of them
  std::string_view row_;     // the record that next() gave last
};

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_INPUTS_H_
