// SPDX-License-Identifier: Apache-2.0
// Tables for filters of records: rows of CSV (RFC 4180), TSV or JSON Lines are read as records and
// written as rows.
//
// A RowReader makes a record of each row. The record has the row's URL, and the row itself,
// escaped, in a column that no tool knows ("@row=") and every tool therefore passes byte for byte.
// A RowWriter finds the row there, puts the record's URL back into it, and adds the fields that the
// tool has set, as columns or members. So rows may be dropped, reordered or answered later, by any
// tool that keeps to spinneret-record(7), in any number of threads:
//
//   row       7,"HTTP://H/","a, b"
//   record    HTTP://H/ TAB @row=U12002=3:7,"HTTP://H/","a, b"
//   filtered  http://h/ TAB @row=U12002=3:7,"HTTP://H/","a, b" TAB host=h
//   row       7,"http://h/","a, b",h
//
// A row without a URL (the header, an empty cell, null, a missing key) becomes a settled record,
// which tools pass on in its place. A row that cannot be read, or whose URL a tool refuses, carries
// the reason ("@bad="); the writer reports it and does with the row what OnError says. Every byte
// of a row is kept, except in a cell that changed; a missing LF at the end of the last row is
// added.
//
// Cost: some 0.05 µs a row and 1 ns a byte in all. Neither class is thread-safe.
#ifndef SPINNERET_IO_ROWS_H_
#define SPINNERET_IO_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/json_key.h"
#include "io/record.h"
#include "io/table.h"

namespace spinneret {

struct TableShape {
  enum class Form : std::uint8_t { kCsv, kTsv, kJson };
  Form form = Form::kCsv;
  // The places of URLs: column numbers from 1, names of columns (which need a header), or keys of
  // JSON objects.
  std::vector<std::string> fields;
  bool header = false;  // the first row of each file names the columns
  // Columns or keys that become fields of the record for the tool to read, as {column, key}. A
  // missing column gives no field.
  std::vector<std::pair<std::string, std::string>> inputs = {};
  char terminator = '\n';
  std::size_t max_row = std::size_t{64} << 20;

  bool is_json() const { return form == Form::kJson; }
};

// Returns an Error if one of the shape's fields can never be looked up.
Status check_shape(const TableShape& shape);

// The marker in front of a row within its column: a letter, then numbers in base 32, lowest digit
// first. The last digit of a number is one of the 32 bytes from '0' on; the other digits are from
// '`' on.
struct RowMarker {
  // 'U': a URL; 'h': a header; 'p': a row without URL; 'b': a bad row; 'x': a file that cannot be
  // used. A capital letter means that the row is unescaped, since there was nothing to escape.
  char kind = 0;
  std::uint64_t operand = 0, line = 0;   // number of the file; line on which the row begins
  std::uint64_t field = 0, ordinal = 0;  // index of the field; index among the row's URLs
  std::uint64_t begin = 0, end = 0;      // place of the URL in the row
  std::uint64_t width = 0;               // number of cells in the row; 0: not counted

  void append_to(std::string& out) const;
  // Takes the marker off the front of `text`. Returns false if there is none.
  bool take(std::string_view& text);
};

class RowReader {
 public:
  explicit RowReader(TableShape shape);

  // Begins another file, whose number, from 1, is `operand`. Columns are looked up again.
  void begin_file(std::size_t operand);
  // Takes whole lines with their terminators (the last line of a file may lack one) and appends
  // records with terminators. Returns the number of lines. A row that continues beyond the run is
  // kept for the next call.
  std::size_t take(std::string_view run, std::string& out);
  // Ends the file. An incomplete row becomes a bad one.
  void finish(std::string& out);
  // Counts lines that the LineReader has left out.
  void skip_lines(std::uint64_t count) { next_line_ += count; }

  // Whether the record is a row without URL, which no tool works on. is_settled() gives the same
  // answer at a higher cost.
  static bool lacks_url(std::string_view record) { return record.ends_with("\toutcome=row"); }
  // Returns the line, from 1, on which the row of `record` begins; 0 if the record was not made
  // of a row.
  static std::uint64_t line_of(std::string_view record);

 private:
  using Span = RowCells::Span;
  void take_row(std::string_view row, std::string& out);
  void take_header(std::string_view row, std::string& out);
  void give_up_quote(std::string& out);
  void set_last_column();
  const char* find_columns(std::string_view row);
  const char* find_members(std::string_view row);
  void append_url_record(std::string_view row, std::size_t ordinal, std::size_t count,
                         std::string& out);
  void append_marker(char kind, std::size_t field, std::size_t ordinal, Span span,
                     std::string& out) const;
  void append_bytes(std::string_view row, std::string& out) const;
  void append_row(char kind, std::string_view row, std::string_view reason, std::string& out) const;

  TableShape shape_;
  std::vector<JsonPath> paths_;  // JSON: paths of the fields, then of the inputs
  // CSV and TSV: the columns of the same, as indexes from 0; SIZE_MAX: no such column
  std::vector<std::size_t> columns_;
  std::size_t last_column_ = 1;                     // how many cells of a row must be found
  RowCells cells_;                                  // cells of the current row
  std::vector<std::pair<std::size_t, Span>> urls_;  // URLs of the current row: field and place
  std::string header_;                              // header of the first file
  std::string pending_;                             // the incomplete row at the end of the last run
  // Giving up an unclosed quote means that the text after it is read again. After so many in one
  // file each of its lines is taken as a row.
  static constexpr unsigned kMostGivenUp = 32;
  unsigned given_up_ = 0;
  std::string text_;
  JsonString json_;
  std::size_t operand_ = 0;
  std::uint64_t next_line_ = 1;
  enum class Next : std::uint8_t { kHeader, kRows, kNothing } next_ = Next::kRows;
};

class RowWriter {
 public:
  enum class OnError : std::uint8_t { kKeep, kDrop, kMark, kStop };
  // A problem to be reported: file and line, the reason, and the URL. With `trouble` the file as a
  // whole could not be used.
  struct Report {
    std::size_t operand;
    std::uint64_t line;
    std::string_view reason, bytes;
    bool trouble;
  };
  RowWriter(TableShape shape, OnError on_error, std::function<void(const Report&)> report);

  // Chooses the fields of records that become columns, in order. For JSON all fields are added,
  // unless `only` limits them to these.
  void set_added(std::vector<std::string> names, bool only);
  // Makes the writer report bad rows without writing them, unless OnError says that the first one
  // ends the run.
  void drop_bad() { on_error_ = on_error_ == OnError::kStop ? OnError::kStop : OnError::kDrop; }

  // Appends the row that a record becomes, or nothing.
  void append(std::string& out, std::string_view record);
  bool stopped() const { return stopped_; }

  // Marks a record as bad by a "@bad=" field.
  static void append_bad(std::string& record, std::string_view reason);

 private:
  struct Place {
    std::size_t field, begin, end;
    std::string url, fields, error;  // fields: the columns after the row's own column
  };
  bool append_plain(std::string& out, const RowMarker& marker, std::string_view row,
                    std::string_view url, std::string_view fields);
  bool gather(const RowMarker& marker, std::string_view url, std::string_view fields);
  void append_url(std::string& out, std::string_view raw, std::string_view url) const;
  void replace_urls();
  bool same_text(std::string_view raw, std::string_view url);
  void learn_header(std::string_view row);
  struct Column;
  std::string title_of(const Column& added) const;
  void append_added(std::string& out, char kind, const Column& added);
  void append_value(std::string& out, std::string_view raw);
  void append_columns(char kind);
  void set_member(std::string_view name, std::string_view value);
  void append_members();
  void split(std::string_view row, std::vector<std::string_view>& cells) const;

  TableShape shape_;
  OnError on_error_;
  std::function<void(const Report&)> report_;
  struct Column {
    std::size_t field;      // index of the field whose URL the column is about
    std::string name;       // name of the record's field
    std::size_t column;     // the input's column with that name; SIZE_MAX: none
    std::string cell = {};  // the cell's text in the current row
  };
  std::vector<Column> added_;
  bool in_place_ = false;  // whether some added fields are columns of the input
  bool only_ = false;      // JSON: whether to leave out all fields but the added ones
  std::size_t width_ = 0;  // number of columns in the header; 0: unknown
  std::vector<std::string_view> cells_;
  std::vector<Place> places_;  // URLs of the current row so far
  std::size_t gathered_ = 0;   // how many of places_ are filled
  std::uint64_t operand_ = 0, line_ = 0;
  std::string row_;
  std::string error_;
  std::string text_;
  Record record_;
  bool stopped_ = false;
};

}  // namespace spinneret

#endif  // SPINNERET_IO_ROWS_H_
