// SPDX-License-Identifier: Apache-2.0
// Reads what `records --from` names as records: CSV and TSV with a line of names, and JSON with an
// object a line.
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

// Lines that a CSV row has taken and may have to give back. They are kept in one text, and their
// places as runs.
class HeldLines {
 public:
  struct Place {
    std::size_t operand = 0;
    std::uint64_t number = 0;
  };
  struct Cursor {
    std::size_t at = 0, run = 0;
    std::uint64_t line = 0;  // lines of the run that were read
  };
  explicit HeldLines(char terminator) : terminator_(terminator) {}

  bool has_next() const { return next_.at < text_.size(); }
  // Returns the next line, and where it came from. The view is valid until the next call of add().
  std::string_view next(Place& place);
  Cursor cursor() const { return next_; }
  void return_to(const Cursor& cursor) { next_ = cursor; }
  // Adds a line after all others, all of which then count as read.
  void add(std::string_view line, const Place& place);
  // Says that nobody returns to what has been read: its memory may be freed.
  void forget_read();

 private:
  struct Run {  // lines with consecutive numbers
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

  // Reads --field, --json-key, --header and --names. Wrong options end the program.
  TableReader(cli::Tool& tool, Form form);

  // Reads the next row into a record; returns false at the end. A bad row is refused and skipped.
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
  std::string url_name_;        // name of the URL's column
  std::size_t url_number_ = 0;  // or its number, from 1; 0: by name
  std::unique_ptr<JsonRecordReader> json_;
  std::size_t max_row_;
  CsvRow csv_;
  std::vector<std::string> cells_;  // cells of the present row
  // Where columns get their names: from the first row of each file, from --names, or from their
  // numbers.
  enum class Names { kRow, kGiven, kNumbers } names_ = Names::kRow;
  std::vector<std::string> keys_;   // field keys of the columns
  std::size_t url_ = 0;             // index of the URL's column
  std::size_t operand_ = 0;         // the operand whose names keys_ are
  std::vector<std::string> files_;  // by operand
  HeldLines::Place line_;           // place of the present line
  HeldLines::Place first_;          // place of the first line of the present row
  std::string first_text_;
  HeldLines held_;
  // Lines that an unclosed quote has taken are read again, each then as a row. That is done at most
  // so many times a file, and for at most so many times --max-line bytes in all; from then on each
  // line of the file is a row.
  static constexpr unsigned kMostGivenUp = 32;
  static constexpr std::size_t kMostRowsAgain = 4;
  unsigned given_up_ = 0;
  std::size_t bytes_again_ = 0;
};

}  // namespace spinneret

#endif  // TOOLS_RECORDS_TABLE_H_
