// SPDX-License-Identifier: Apache-2.0
// Rows of CSV (RFC 4180), and names of columns as keys of records.
//
// A cell in quotes may hold commas, doubled quotes and line ends. Anywhere else a quote is an ordinary character, so
// that a stray one spoils no more than its own cell. Rows end in LF; CR LF is read, too.
#ifndef SPINNERET_IO_TABLE_H_
#define SPINNERET_IO_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret {

// Reads a row line by line, since a cell in quotes may span several.
//
//   CsvRow row;
//   row.begin();
//   while (!row.add_line(line)) read the next line, or give up;
//   row.cells()
class CsvRow {
 public:
  void begin();
  // Adds a line; returns whether the row is complete. Within a cell that continues, lines are joined by LF, and a CR
  // at the end of a line stays; at the end of the row it is dropped.
  bool add_line(std::string_view line);
  // What is wrong with a complete row; nullptr: nothing.
  const char* error() const { return error_; }
  const std::vector<std::string>& cells() const { return cells_; }
  std::size_t bytes() const { return bytes_; }

 private:
  // Takes the rest of a cell in quotes, from `at`; returns whether the cell ended.
  bool take_quoted(std::string_view line, std::size_t& at);

  std::vector<std::string> cells_;
  bool open_ = false;
  const char* error_ = nullptr;
  std::size_t bytes_ = 0;
};

// The same where the row stands, each cell as it is written, quotes and all; TSV, too, which has no quotes.
class RowCells {
 public:
  struct Span {
    std::size_t begin, end;
  };
  static constexpr std::size_t npos = SIZE_MAX;

  RowCells(char separator, char terminator) : separator_(separator), terminator_(terminator) {}

  // Forgets a row that did not end.
  void reset() {
    at_ = width_ = 0;
    quoted_ = plain_ = false;
  }
  // Takes apart the row that `text` begins with, its first `wanted` cells at least, and returns its size with its
  // terminator. npos: it goes on behind `text`, which is to be given again with more; what was looked at is not looked
  // at again.
  std::size_t next(std::string_view text, std::size_t wanted);
  // Takes apart a row that is given whole, without its terminator.
  void split(std::string_view row, std::size_t wanted);
  // Whether `text`, of which next() saw no end, ends within quotes.
  bool ends_in_quotes(std::string_view text) const;
  // Rows end with the next terminator, quotes or not.
  void ignore_quotes() { quotes_ = false; }
  void heed_quotes() { quotes_ = true; }
  // The slow twin: bytes are looked at one by one. For tests.
  void set_slow() { slow_ = true; }

  const std::vector<Span>& cells() const { return cells_; }
  // How many cells the row has; 0: they were not counted.
  std::size_t width() const { return width_; }
  // Whether a record holds the row as it is: there is nothing in it to escape.
  bool is_plain() const { return plain_; }
  const char* error() const { return error_; }

 private:
  bool is_csv() const { return separator_ == ','; }
  std::size_t scan(std::string_view text, std::size_t wanted);
  std::size_t find_end(std::string_view text);

  char separator_, terminator_;
  bool quotes_ = true;
  bool slow_ = false;
  std::size_t at_ = 0;  // of the present row: how far the search for its end has come
  bool quoted_ = false;
  std::vector<Span> cells_;
  std::size_t width_ = 0;
  bool plain_ = false;
  const char* error_ = nullptr;
};

// Appends `value` as a cell: in quotes where it holds a comma, a quote, CR or LF.
void append_csv_cell(std::string& out, std::string_view value);

// A column's name as a key: letters in lower case, whatever no key may hold as "-", "x-" before what does not begin
// with a letter. "Page Title" is page-title, "2nd" x-2nd.
std::string key_of_name(std::string_view name);

}  // namespace spinneret

#endif  // SPINNERET_IO_TABLE_H_
