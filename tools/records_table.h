// SPDX-License-Identifier: Apache-2.0
// What `records --from` reads, as records: CSV and TSV with a line of names, and JSON, an object a line.
#ifndef TOOLS_RECORDS_TABLE_H_
#define TOOLS_RECORDS_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tool.h"
#include "io/json_record.h"
#include "io/record.h"
#include "io/table.h"

namespace spinneret {

// Lines that a row has taken, for it may have to give them back: in one text, whose places are told by run.
class HeldLines {
 public:
  struct Place {
    std::size_t operand = 0;
    std::uint64_t number = 0;
  };
  struct Cursor {
    std::size_t at = 0, run = 0;
    std::uint64_t line = 0;  // of the run
  };
  explicit HeldLines(char terminator) : terminator_(terminator) {}

  bool has_next() const { return next_.at < text_.size(); }
  // The view lives until the next call of add().
  std::string_view next(Place& place);
  Cursor cursor() const { return next_; }
  void return_to(const Cursor& cursor) { next_ = cursor; }
  // Adds a line behind all others, which are then complete.
  void add(std::string_view line, const Place& place);
  // What has been read is not returned to.
  void forget_read();

 private:
  struct Run {  // of lines with consecutive numbers
    Place first;
    std::uint64_t lines;
  };
  char terminator_;
  std::string text_;
  std::vector<Run> runs_;
  Cursor next_;
};

class TableReader {
 public:
  enum class Form { kJson, kCsv, kTsv };

  // What --field, --json-key, --header and --names say of the tables. Wrong options end the program.
  TableReader(cli::Tool& tool, Form form);

  // Gives the next row as a record, or false at the end. A bad row is refused, and the next one given.
  bool next(Record& record);

 private:
  bool next_line(std::string_view& line);
  bool next_row();
  bool next_csv_row();
  const std::string& file() const { return files_[first_.operand]; }
  void refuse_row(const char* why);
  std::string take_names();
  const char* fill(Record& record) const;
  bool read_json(Record& record);

  cli::Tool& tool_;
  Form form_;
  std::string url_name_;        // of its column
  std::size_t url_number_ = 0;  // or its number, from 1
  std::unique_ptr<JsonRecordReader> json_;
  std::size_t max_row_;
  CsvRow csv_;
  std::vector<std::string> cells_;  // of the present row
  // Where columns get their names: from the first row of each file, --names, or their numbers.
  enum class Names { kRow, kGiven, kNumbers } names_ = Names::kRow;
  std::vector<std::string> keys_;   // of the columns
  std::size_t url_ = 0;             // which of them is the URL's
  std::size_t operand_ = 0;         // whose names keys_ are
  std::vector<std::string> files_;  // by operand
  HeldLines::Place line_;           // the present one
  HeldLines::Place first_;          // the first of the present row
  std::string first_text_;
  HeldLines held_;
  // Lines that a quote had taken which was never closed are read again. So many times a file, and so many of the longest
  // rows in all; after that each of its lines is a row.
  static constexpr unsigned kMostGivenUp = 32;
  static constexpr std::size_t kMostRowsAgain = 4;
  unsigned given_up_ = 0;
  std::size_t bytes_again_ = 0;
};

}  // namespace spinneret

#endif  // TOOLS_RECORDS_TABLE_H_
