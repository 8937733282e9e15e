// SPDX-License-Identifier: Apache-2.0
#include "io/writer.h"

#include <algorithm>

#include "base/excerpt.h"
#include "io/field.h"
#include "io/json.h"

namespace spinneret {

void append_for_people(std::string& out, const Record& record) {
  constexpr std::size_t kWidest = 24;  // of names; longer ones are not aligned
  constexpr std::size_t kMost = 300;
  std::size_t width = 0;
  for (const Record::Field& field : record.fields())
    width = std::max(width, std::min(field.key.size(), kWidest));
  append_printable(out, record.url());
  for (const Record::Field& field : record.fields()) {
    out += "\n  ";
    const std::size_t begin = out.size();
    append_printable(out, field.key);
    const std::size_t used = out.size() - begin;
    out.append(used < width ? width - used : 0, ' ').append("  ");
    std::size_t size = std::min(field.raw.size(), kMost);
    while (size > 0 && size < field.raw.size() && (field.raw[size] & 0xC0) == 0x80) --size;
    append_printable(out, field.raw.substr(0, size));
    if (size < field.raw.size()) out += "...";
  }
}

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
    case OutputFormat::Form::kPeople: append_for_people(line_, record); break;
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

// Values stay escaped, so a column never holds a tab or a line end.
void RecordWriter::write_fields(const Record& record) {
  for (std::size_t i = 0; i < format_.fields.size(); ++i) {
    const std::string& field = format_.fields[i];
    if (i != 0) line_ += '\t';
    const std::string_view value = field == "url" ? record.url() : record.raw(field);
    if (found_[i] == '\0' && !value.empty()) found_[i] = '\1';
    line_ += value;
  }
  constexpr int kNoted = 64;
  if (noted_ < kNoted) note_fields(record);
}

void RecordWriter::note_fields(const Record& record) {
  ++noted_;
  for (const Record::Field& field : record.fields()) {
    constexpr std::size_t kMostNames = 256;
    if (field.key.empty() || others_.size() == kMostNames) continue;
    if (std::find(others_.begin(), others_.end(), field.key) == others_.end())
      others_.emplace_back(field.key);
  }
}

std::vector<std::string> RecordWriter::mistyped_fields() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; noted_ != 0 && i < found_.size(); ++i) {
    const std::string& name = format_.fields[i];
    if (found_[i] != '\0' || std::find(others_.begin(), others_.end(), name) != others_.end())
      continue;
    if (std::string said = mistyped_field(name, others_); !said.empty())
      out.push_back(std::move(said));
  }
  return out;
}

}  // namespace spinneret
