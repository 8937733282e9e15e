// SPDX-License-Identifier: Apache-2.0
// Writes records in the form that the user asked for: lines, NDJSON (--json), fixed columns (--fields), the rows of
// the tables that they came from (--csv), or blocks of lines to be read on a terminal.
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
  // The columns of kFields. "url" is column 1, a repeated key gives its first value, and a missing one an empty
  // column.
  std::vector<std::string> fields = {};
};

// A record for people: its URL, then a line for each field, indented and aligned, without a line end behind the last.
// Line ends, and what would act on a terminal, are escaped; a value is cut at 300 bytes.
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
  // Writes a line that needs no change: byte for byte in record form, parsed only in the other forms.
  void write_line(std::string_view line);

  // From here on records come from the rows of a RowReader, and are written as rows.
  void set_rows(std::unique_ptr<RowWriter> rows) { rows_ = std::move(rows); }
  RowWriter* rows() { return rows_.get(); }

  // What mistyped_field() says of the names in --fields that no record had.
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
  std::string found_;                // for each of --fields, whether some record had it
  std::vector<std::string> others_;  // names of the first records' fields
  int noted_ = 0;                    // records that were looked at for them
};

}  // namespace spinneret

#endif  // SPINNERET_IO_WRITER_H_
