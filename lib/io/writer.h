// SPDX-License-Identifier: Apache-2.0
// Records out, in the form that the user asked for: lines, NDJSON (--json) or strict columns (--fields).
#ifndef SPINNERET_IO_WRITER_H_
#define SPINNERET_IO_WRITER_H_

#include <string>
#include <string_view>
#include <vector>

#include "io/record.h"
#include "io/sink.h"

namespace spinneret {

struct OutputFormat {
  enum class Form { kRecord, kJson, kFields };
  Form form = Form::kRecord;
  char terminator = '\n';  // or '\0'
  // Of kFields. "url" is column 1, a repeated key gives its first value, a missing one an empty column.
  std::vector<std::string> fields = {};
};

class RecordWriter {
 public:
  // The sink is borrowed and must outlive the writer.
  RecordWriter(Sink& sink, OutputFormat format) : sink_(sink), format_(std::move(format)) {}

  void write(const Record& record);
  // A line that needs no change: passed byte for byte in record form, taken apart only in the others.
  void write_line(std::string_view line);

  bool plain() const { return format_.form == OutputFormat::Form::kRecord; }
  char terminator() const { return format_.terminator; }
  Sink& sink() { return sink_; }

 private:
  void write_fields(const Record& record);

  Sink& sink_;
  OutputFormat format_;
  Record parsed_;
  std::string line_;
};

}  // namespace spinneret

#endif  // SPINNERET_IO_WRITER_H_
