// SPDX-License-Identifier: Apache-2.0
// Rows of CSV (RFC 4180), and names of columns as keys of records.
//
// A cell in quotes may hold commas, doubled quotes and line ends. Anywhere else a quote is an
// ordinary character, so that a stray one spoils only its own cell. Rows end in LF; CR LF is
// accepted, too.
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
  // Adds a line. Returns whether the row is complete. Within a cell that continues, lines are
  // joined by LF, and a CR at the end of a line stays; at the end of the row it is dropped.
  bool add_line(std::string_view line);
  // Returns what is wrong with a complete row; nullptr means nothing.
  const char* error() const { return error_; }
  const std::vector<std::string>& cells() const { return cells_; }
  std::size_t bytes() const { return bytes_; }

 private:
  // Takes the rest of a cell in quotes, from `at` on. Returns whether the cell has ended.
  bool take_quoted(std::string_view line, std::size_t& at);

  std::vector<std::string> cells_;
  bool open_ = false;
  const char* error_ = nullptr;
  std::size_t bytes_ = 0;
};

// Finds the cells of a row within its text, each as it is written, with its quotes. Serves TSV as
// well, which has no quotes.
class RowCells {
 public:
  struct Span {
    std::size_t begin, end;
  };
  static constexpr std::size_t npos = SIZE_MAX;

  RowCells(char separator, char terminator) : separator_(separator), terminator_(terminator) {}

  // Forgets an unfinished row.
  void reset() {
    at_ = width_ = 0;
    quoted_ = plain_ = false;
  }
  // Finds the cells of the row at the start of `text`, at least the first `wanted`. Returns the
  // row's size with its terminator, or npos if the row goes on beyond `text`: call again with
  // the same text and more after it, of which only the new part is searched.
  std::size_t next(std::string_view text, std::size_t wanted);
  // Finds the cells of a complete row, given without its terminator.
  void split(std::string_view row, std::size_t wanted);
  // Whether `text`, in which next() found no end, ends inside quotes.
  bool ends_in_quotes(std::string_view text) const;
  // From now on a row ends at the next terminator, even within quotes.
  void ignore_quotes() { quotes_ = false; }
  void heed_quotes() { quotes_ = true; }
  // Makes the reader look at bytes one by one. Slow; for tests.
  void set_slow() { slow_ = true; }

  const std::vector<Span>& cells() const { return cells_; }
  // Number of cells in the row; 0: they were not counted.
  std::size_t width() const { return width_; }
  // Whether the row contains no byte that a record would escape.
  bool is_plain() const { return plain_; }
  const char* error() const { return error_; }

 private:
  bool is_csv() const { return separator_ == ','; }
  std::size_t scan(std::string_view text, std::size_t wanted);
  std::size_t find_end(std::string_view text);

  char separator_, terminator_;
  bool quotes_ = true;
  bool slow_ = false;
  std::size_t at_ = 0;  // how far the search for the current row's end has come
  bool quoted_ = false;
  std::vector<Span> cells_;
  std::size_t width_ = 0;
  bool plain_ = false;
  const char* error_ = nullptr;
};

// Appends `value` as a cell, in quotes where it holds a comma, a quote, CR or LF.
void append_csv_cell(std::string& out, std::string_view value);

// Turns a column's name into a key: letters in lower case, "-" for characters that a key may not
// contain, and "x-" in front if it does not begin with a letter. "Page Title" becomes page-title,
// "2nd" x-2nd.
std::string key_of_name(std::string_view name);

}  // namespace spinneret

#endif  // SPINNERET_IO_TABLE_H_
