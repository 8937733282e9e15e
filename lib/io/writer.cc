// SPDX-License-Identifier: Apache-2.0
#include "io/writer.h"

#include "io/json.h"

namespace spinneret {

void RecordWriter::write(const Record& record) {
  line_.clear();
  if (rows_) {
    record.append_to(line_);
    write_row(line_);
    return;
  }
  switch (format_.form) {
    case OutputFormat::Form::kRecord: record.append_to(line_); break;
    case OutputFormat::Form::kJson: append_json(line_, record); break;
    case OutputFormat::Form::kFields: write_fields(record); break;
  }
  line_ += format_.terminator;
  sink_.write(line_);
  // One huge body must not hold its memory for the rest of the run.
  if (line_.capacity() > (std::size_t{1} << 20)) std::string().swap(line_);
}

void RecordWriter::write_line(std::string_view line) {
  if (plain()) {
    sink_.write(line);
    sink_.put(format_.terminator);
    return;
  }
  if (rows_) return write_row(line);
  parsed_.parse(line);
  write(parsed_);
}

void RecordWriter::write_row(std::string_view record) {
  row_.clear();
  rows_->append(row_, record);
  sink_.write(row_);
  constexpr std::size_t kKeepAtMost = std::size_t{1} << 20;
  if (row_.capacity() > kKeepAtMost) std::string().swap(row_);
  if (line_.capacity() > kKeepAtMost) std::string().swap(line_);
}

// Values stay escaped: a column never holds a tab or a line end.
void RecordWriter::write_fields(const Record& record) {
  bool first = true;
  for (const std::string& field : format_.fields) {
    if (!first) line_ += '\t';
    first = false;
    line_ += field == "url" ? record.url() : record.raw(field);
  }
}

}  // namespace spinneret
