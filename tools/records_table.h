// SPDX-License-Identifier: Apache-2.0
// What `records --from` reads, as records: CSV and TSV with a line of names, and JSON, an object a line.
#ifndef TOOLS_RECORDS_TABLE_H_
#define TOOLS_RECORDS_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tool.h"
#include "io/json_record.h"
#include "io/record.h"
#include "io/table.h"

namespace spinneret {

class TableReader {
 public:
  enum class Form { kJson, kCsv, kTsv };

  // `names`: those of the columns where the tables have no line that says them, separated by commas.
  TableReader(cli::Tool& tool, Form form, std::string url_name, const std::string& names);

  // The next row as a record, or false at the end. A row that is none is refused, and the next one follows.
  bool next(Record& record);

 private:
  struct Line {
    std::size_t operand = 0;
    std::uint64_t number = 0;
    std::string text = {};
  };
  bool next_line(std::string_view& line);
  bool next_row();
  bool next_csv_row();
  const std::string& file_of(const Line& line) const { return files_[line.operand]; }
  bool take_names();
  const char* fill(Record& record) const;
  bool read_json(Record& record);

  cli::Tool& tool_;
  Form form_;
  std::string url_name_;
  std::unique_ptr<JsonRecordReader> json_;
  std::size_t max_row_;
  CsvRow csv_;
  std::vector<std::string> cells_;  // of the present row
  bool names_are_given_;
  std::vector<std::string> keys_;   // of the columns; empty: the URL's
  std::size_t operand_ = 0;         // whose names keys_ are
  std::vector<std::string> files_;  // by operand
  Line line_;                       // the present one, but for its text
  Line first_;                      // the first of the present row
  // Lines that a quote had taken which was never closed. So many times a file; after that each of its lines is a row.
  static constexpr unsigned kMostGivenUp = 32;
  std::deque<Line> again_;
  std::string again_text_;  // of the one that is read again
  unsigned given_up_ = 0;
};

}  // namespace spinneret

#endif  // TOOLS_RECORDS_TABLE_H_
