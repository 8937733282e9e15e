// SPDX-License-Identifier: Apache-2.0
// Tables for filters of records: rows of CSV (RFC 4180), TSV or JSON Lines go in as records and come out as rows.
//
// A RowReader makes a record of each row: its URL is the row's, and the row itself rides along, escaped, in a column that
// no tool knows ("@row=") and every tool therefore passes byte for byte. A RowWriter finds it there, puts the record's URL
// back in its place, and adds what fields the tool has set as columns or members. So rows may be dropped, reordered or
// answered later, by any tool that keeps spinneret-record(7), in any number of threads:
//
//   row       7,"HTTP://H/","a, b"
//   record    HTTP://H/ TAB @row=U12002=3:7,"HTTP://H/","a, b"
//   filtered  http://h/ TAB @row=U12002=3:7,"HTTP://H/","a, b" TAB host=h
//   row       7,"http://h/","a, b",h
//
// A row without a URL (the header, an empty cell, null, a missing key) becomes a settled record, which tools pass on
// in its turn. A row that cannot be read, and one whose URL a tool refuses, carries the reason ("@bad="): the writer
// reports it and does what was asked for (OnError). Every byte of a row is kept, except in a cell that changed; a
// missing LF at the end of the last row is added.
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
  // Where URLs stand: column numbers from 1, names of columns (which need a header), or keys of JSON objects.
  std::vector<std::string> fields;
  bool header = false;  // the first row of each file names the columns
  // Columns or keys that become fields of the record for the tool to read, as {column, key}. A column that is missing
  // gives no field.
  std::vector<std::pair<std::string, std::string>> inputs = {};
  char terminator = '\n';
  std::size_t max_row = std::size_t{64} << 20;

  bool is_json() const { return form == Form::kJson; }
};

// Whether the shape's fields can be looked up at all; an Error names one that cannot.
Status check_shape(const TableShape& shape);

// The marker in front of a row within its column: a letter, then numbers in base 32. The last digit of a number is
// one of the 32 bytes from '0' on, the others are from '`' on; the lowest digit comes first.
struct RowMarker {
  // 'U': a URL; 'h': a header; 'p': a row without URL; 'b': a bad row; 'x': trouble with the file. A capital letter
  // means that the row stands as it is, since there was nothing to escape.
  char kind = 0;
  std::uint64_t operand = 0, line = 0;   // where the row begins
  std::uint64_t field = 0, ordinal = 0;  // which of the fields, and which of the row's URLs it is
  std::uint64_t begin = 0, end = 0;      // where the URL stands in the row
  std::uint64_t width = 0;               // how many cells the row has; 0: not counted

  void append_to(std::string& out) const;
  // Takes the marker off `text`; false: there is none.
  bool take(std::string_view& text);
};

class RowReader {
 public:
  explicit RowReader(TableShape shape);

  // Begins another file; `operand` is its number, from 1. Columns are looked up anew.
  void begin_file(std::size_t operand);
  // Takes whole lines with their terminators (the last of a file may lack one) and appends records with terminators.
  // Returns the number of lines. A row that continues beyond the run is kept for the next call.
  std::size_t take(std::string_view run, std::string& out);
  // Ends the file: a row that is incomplete is a bad one.
  void finish(std::string& out);
  // Accounts for lines that the LineReader has left out.
  void skip_lines(std::uint64_t count) { next_line_ += count; }

  // Whether the record is a row that has no URL, so that no tool works on it. is_settled() finds the same, at a
  // higher cost.
  static bool lacks_url(std::string_view record) { return record.ends_with("\toutcome=row"); }
  // The line, from 1, on which the row of `record` begins; 0 where the record was not made of a row.
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
  std::vector<JsonPath> paths_;  // paths of the fields, then of the inputs
  // the same as column indexes, from 0; SIZE_MAX: not there
  std::vector<std::size_t> columns_;
  std::size_t last_column_ = 1;                     // how many cells of a row have to be looked at
  RowCells cells_;                                  // those of the present row
  std::vector<std::pair<std::size_t, Span>> urls_;  // those of the present row: field and place
  std::string header_;                              // that of the first file
  std::string pending_;                             // a row that is incomplete so far
  // Giving up a quote means that what follows is read again. After so many in one file its rows are taken to be
  // single lines.
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
  // Something to be reported: file and line, the reason, and the URL. With `trouble` the file itself could not be
  // used.
  struct Report {
    std::size_t operand;
    std::uint64_t line;
    std::string_view reason, bytes;
    bool trouble;
  };
  RowWriter(TableShape shape, OnError on_error, std::function<void(const Report&)> report);

  // Chooses the fields of records that become columns, in order. JSON gets all fields, unless `only` these are
  // wanted.
  void set_added(std::vector<std::string> names, bool only);
  // Has bad rows reported and not written, unless the first one is to end the run.
  void drop_bad() { on_error_ = on_error_ == OnError::kStop ? OnError::kStop : OnError::kDrop; }

  // Appends what becomes of the record: a row, or nothing.
  void append(std::string& out, std::string_view record);
  bool stopped() const { return stopped_; }

  // Appends the mark of a bad URL to a record.
  static void append_bad(std::string& record, std::string_view reason);

 private:
  struct Place {
    std::size_t field, begin, end;
    std::string url, fields, error;  // fields: those that follow the row's own column
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
    std::size_t field;      // the field whose URL it is about
    std::string name;       // name of the record's field
    std::size_t column;     // the input's column of that name; SIZE_MAX: none
    std::string cell = {};  // the present value of the cell
  };
  std::vector<Column> added_;
  bool in_place_ = false;  // some added fields are columns of the input
  bool only_ = false;      // JSON: leave out all fields but the added ones
  std::size_t width_ = 0;  // how many columns the header has; 0: unknown
  std::vector<std::string_view> cells_;
  std::vector<Place> places_;  // URLs of the present row so far
  std::size_t gathered_ = 0;   // how many of them are complete
  std::uint64_t operand_ = 0, line_ = 0;
  std::string row_;
  std::string error_;
  std::string text_;
  Record record_;
  bool stopped_ = false;
};

}  // namespace spinneret

#endif  // SPINNERET_IO_ROWS_H_
