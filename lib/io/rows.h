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
// What has no URL (the header, an empty cell, null, a key that is not there) is a settled record, which tools pass in its
// turn. A row that cannot be read, and a URL that a tool finds bad, carries the reason ("@bad="): the writer reports it
// and does what is asked for (OnError). Every byte of a row is kept but those of a cell that changed, and a LF that the
// last row lacked.
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
  // Columns or keys that become fields of the record, for the tool to read: {column, key}. What is not there is none.
  std::vector<std::pair<std::string, std::string>> inputs = {};
  char terminator = '\n';
  std::size_t max_row = std::size_t{64} << 20;

  bool is_json() const { return form == Form::kJson; }
};

// Whether its fields can be looked for at all: an Error names the one that cannot.
Status check_shape(const TableShape& shape);

// What a row's column says in front of the row itself: a letter, and numbers in base 32, of which the last digit is one of
// the 32 bytes from '0' on and the others are from '`' on; the lowest comes first.
struct RowMarker {
  // 'U': a URL; 'h': a header; 'p': a row without URL; 'b': a bad row; 'x': trouble with the file. Capital: the row stands as
  // it is, for there is nothing to escape.
  char kind = 0;
  std::uint64_t operand = 0, line = 0;   // where the row begins
  std::uint64_t field = 0, ordinal = 0;  // which of the fields it is, and of the row's URLs
  std::uint64_t begin = 0, end = 0;      // where the URL stands in the row
  std::uint64_t width = 0;               // how many cells the row has; 0: not counted

  void append_to(std::string& out) const;
  // Takes it off `text`; false: there is none.
  bool take(std::string_view& text);
};

class RowReader {
 public:
  explicit RowReader(TableShape shape);

  // Another file: its number, from 1. Columns are found anew.
  void begin_file(std::size_t operand);
  // Whole lines with terminators, of which the file's last may lack its own; appends records, with terminators. Returns
  // the number of lines. A row that goes on behind the run is kept.
  std::size_t take(std::string_view run, std::string& out);
  // The end of the file: a row that is not whole is a bad one.
  void finish(std::string& out);
  // What lines the reader of lines has left out.
  void skip_lines(std::uint64_t count) { next_line_ += count; }

  // Whether the record is a row that no tool works on; is_settled() knows it, too, by a longer way.
  static bool lacks_url(std::string_view record) { return record.ends_with("\toutcome=row"); }
  // The line, from 1, on which the row of `record` begins; 0 where it is none of ours.
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
  std::vector<JsonPath> paths_;                     // of fields, then of inputs
  std::vector<std::size_t> columns_;                // the same, from 0; SIZE_MAX: not there
  std::size_t last_column_ = 1;                     // how many cells of a row are looked at
  RowCells cells_;                                  // of the present row
  std::vector<std::pair<std::size_t, Span>> urls_;  // of the present row: field, and where
  std::string header_;                              // of the first file
  std::string pending_;                             // a row that is not whole
  // Each quote that is given up has what follows looked at again: after so many of a file its rows are single lines.
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
  // Something to be reported: of which file and line, why, and the URL. `trouble`: the file could not be used.
  struct Report {
    std::size_t operand;
    std::uint64_t line;
    std::string_view reason, bytes;
    bool trouble;
  };
  RowWriter(TableShape shape, OnError on_error, std::function<void(const Report&)> report);

  // The fields of records that become columns, in order; JSON takes all that there are unless `only` these are wanted.
  void set_added(std::vector<std::string> names, bool only);
  // Bad rows are reported and not written, but where the first is to be the end.
  void drop_bad() { on_error_ = on_error_ == OnError::kStop ? OnError::kStop : OnError::kDrop; }

  // Appends what becomes of the record: a row, or nothing.
  void append(std::string& out, std::string_view record);
  bool stopped() const { return stopped_; }

  // Appends the mark of a bad URL to a record.
  static void append_bad(std::string& record, std::string_view reason);

 private:
  struct Place {
    std::size_t field, begin, end;
    std::string url, fields, error;  // fields: as they stand behind the row's column
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
    std::size_t field;      // whose URL it tells of
    std::string name;       // of the record's field
    std::size_t column;     // of the input, which has one of this name already; SIZE_MAX: none
    std::string cell = {};  // what stands there now
  };
  std::vector<Column> added_;
  bool in_place_ = false;  // some are columns of the input
  bool only_ = false;      // of JSON: no other fields than the added ones
  std::size_t width_ = 0;  // columns of the header; 0: unknown
  std::vector<std::string_view> cells_;
  std::vector<Place> places_;  // URLs of the present row so far
  std::size_t gathered_ = 0;   // how many of them
  std::uint64_t operand_ = 0, line_ = 0;
  std::string row_;
  std::string error_;
  std::string text_;
  Record record_;
  bool stopped_ = false;
};

}  // namespace spinneret

#endif  // SPINNERET_IO_ROWS_H_
