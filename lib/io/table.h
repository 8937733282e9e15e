// SPDX-License-Identifier: Apache-2.0
// Tables and records: rows of CSV (RFC 4180), and names of columns as keys.
//
// A cell in quotes holds commas, quotes (doubled) and line ends; elsewhere a quote is a character like any other, so
// that one stray quote costs no more than its own cell. Rows end in LF, or CR LF when read.
#ifndef SPINNERET_IO_TABLE_H_
#define SPINNERET_IO_TABLE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret {

// A row, given line by line, since a cell in quotes may go over several.
//
//   CsvRow row;
//   row.begin();
//   while (!row.add_line(line)) read the next line, or give up;
//   row.cells()
class CsvRow {
 public:
  void begin();
  // Whether the row is whole. A cell that goes on gets a LF between its lines.
  bool add_line(std::string_view line);
  // What is wrong with a whole row; nullptr: nothing.
  const char* error() const { return error_; }
  const std::vector<std::string>& cells() const { return cells_; }
  std::size_t bytes() const { return bytes_; }

 private:
  // The rest of a cell in quotes, from `at`; whether it ended.
  bool take_quoted(std::string_view line, std::size_t& at);

  std::vector<std::string> cells_;
  bool open_ = false;
  const char* error_ = nullptr;
  std::size_t bytes_ = 0;
};

// Appends `value` as a cell: in quotes where it holds a comma, a quote, CR or LF.
void append_csv_cell(std::string& out, std::string_view value);

// A column's name as a key: letters in lower case, whatever no key may hold as "-", "x-" before what does not begin
// with a letter. "Page Title" is page-title, "2nd" x-2nd.
std::string key_of_name(std::string_view name);

}  // namespace spinneret

#endif  // SPINNERET_IO_TABLE_H_
