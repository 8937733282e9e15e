// SPDX-License-Identifier: Apache-2.0
// Writes records in the form that the user asked for: lines, NDJSON (--json), fixed columns
// (--fields), the rows of the tables that they came from (--csv), or blocks of lines for a person
// at a terminal.
#ifndef SPINNERET_IO_WRITER_H_
#define SPINNERET_IO_WRITER_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/record.h"
#include "io/rows.h"
#include "io/sink.h"

namespace spinneret {

struct OutputFormat {
  enum class Form { kRecord, kJson, kFields, kPeople };
  Form form = Form::kRecord;
  char terminator = '\n';  // or '\0'
  // The columns of kFields. "url" is column 1. A repeated key gives its first value, a missing one
  // an empty column.
  std::vector<std::string> fields = {};
};

// Appends a record for people: its URL, then a line for each field, indented and aligned, without a
// line end after the last. Line ends and characters that a terminal would act on are escaped; a
// value is cut at 300 bytes.
//
//   https://example.org/private/
//     robots       disallow
//     robots-line  2
void append_for_people(std::string& out, const Record& record);

class RecordWriter {
 public:
  // The sink is borrowed and must outlive the writer.
  RecordWriter(Sink& sink, OutputFormat format)
      : sink_(sink), format_(std::move(format)), found_(format_.fields.size(), '\0') {}

  void write(const Record& record);
  // Writes a line that needs no change: byte for byte in record form, and parsed only for the other
  // forms.
  void write_line(std::string_view line);

  // From here on the records come from a RowReader, and are written as rows.
  void set_rows(std::unique_ptr<RowWriter> rows) { rows_ = std::move(rows); }
  RowWriter* rows() { return rows_.get(); }

  // Returns what mistyped_field() says about the names in --fields that no record had.
  std::vector<std::string> mistyped_fields() const;

  bool plain() const { return format_.form == OutputFormat::Form::kRecord && !rows_; }
  bool for_people() const { return format_.form == OutputFormat::Form::kPeople; }
  char terminator() const { return format_.terminator; }
  Sink& sink() { return sink_; }

 private:
  void write_fields(const Record& record);
  void note_fields(const Record& record);
  void write_row(std::string_view record);

  Sink& sink_;
  OutputFormat format_;
  std::unique_ptr<RowWriter> rows_;
  Record parsed_;
  std::string line_;
  std::string row_;
  // For each of --fields, whether a record had it ('\1') or not ('\0').
  std::string found_;
  std::vector<std::string> others_;  // names of fields in the first records
  int noted_ = 0;                    // how many records others_ was taken from
};

}  // namespace spinneret

#endif  // SPINNERET_IO_WRITER_H_
