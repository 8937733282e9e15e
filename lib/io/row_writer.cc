// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "io/json.h"
#include "io/rows.h"
#include "io/table.h"

namespace spinneret {
namespace {

constexpr std::size_t kNone = SIZE_MAX;
constexpr std::string_view kRowField = "\t@row=";
constexpr std::string_view kBad = "@bad";
constexpr std::string_view kErrorColumn = "error";

// More than this is given back between rows.
constexpr std::size_t kKeepAtMost = std::size_t{1} << 20;

}  // namespace

RowWriter::RowWriter(TableShape shape, OnError on_error, std::function<void(const Report&)> report)
    : shape_(std::move(shape)), on_error_(on_error), report_(std::move(report)) {
  set_added({}, false);
}

void RowWriter::set_added(std::vector<std::string> names, bool only) {
  if (on_error_ == OnError::kMark) names.emplace_back(kErrorColumn);
  only_ = only;
  added_.clear();
  for (std::size_t field = 0; field < shape_.fields.size(); ++field) {
    for (const std::string& name : names) added_.push_back({field, name, kNone});
  }
}

void RowWriter::append_bad(std::string& record, std::string_view reason) {
  record += '\t';
  record += kBad;
  record += '=';
  append_escaped(record, reason);
}

bool RowWriter::read_marker(std::string_view text, Marker& marker) {
  if (text.empty()) return false;
  marker.kind = text.front();
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size();
  for (std::uint64_t* const number : {&marker.operand, &marker.line, &marker.field, &marker.ordinal,
                                      &marker.begin, &marker.end}) {
    const auto read = std::from_chars(at, end, *number);
    if (read.ec != std::errc() || read.ptr == end) return false;
    at = read.ptr + 1;
  }
  marker.row = {at, static_cast<std::size_t>(end - at)};
  return true;
}

void RowWriter::append(std::string& out, std::string_view record) {
  if (stopped_) return;
  const std::size_t at = record.find(kRowField);
  Marker marker;
  std::string_view column;
  if (at != std::string_view::npos) {
    column = record.substr(at + kRowField.size());
    column = column.substr(0, column.find('\t'));
  }
  if (at == std::string_view::npos || !read_marker(column, marker)) {
    // No row of ours.
    out += record;
    out += shape_.terminator;
    return;
  }
  if (marker.operand != operand_ || marker.line != line_) gathered_ = 0;
  operand_ = marker.operand;
  line_ = marker.line;
  const std::string_view behind = record.substr(at + kRowField.size() + column.size());
  if (marker.kind == 'u' && !gather(marker, record_url(record), behind)) return;
  error_.clear();
  if (const auto bad = find_raw_field(behind, kBad)) {
    append_unescaped(error_, *bad);
    constexpr std::size_t kShown = 256;
    const std::string_view shown = marker.kind == 'u' ? record_url(record) : marker.row;
    report_({operand_, line_, error_, shown.substr(0, kShown), marker.kind == 'x'});
    if (on_error_ == OnError::kStop) stopped_ = true;
    if (marker.kind == 'x' || stopped_ || on_error_ == OnError::kDrop) {
      gathered_ = 0;
      return;
    }
    if (marker.kind == 'u') places_[gathered_ - 1].error = error_;
  }
  // Another URL of the row follows, and the row with it.
  if (marker.kind == 'u' && marker.row.empty()) return;
  row_.clear();
  append_unescaped(row_, marker.row);
  replace_urls();
  shape_.is_json() ? append_members() : append_columns(marker.kind);
  out += row_;
  out += shape_.terminator;
  gathered_ = 0;
  if (row_.capacity() > kKeepAtMost) std::string().swap(row_);
}

// Keeps what the record says of one URL of its row. False: another one was refused, and with it the row.
bool RowWriter::gather(const Marker& marker, std::string_view url, std::string_view fields) {
  if (marker.ordinal != gathered_) return false;
  if (places_.size() == gathered_) places_.emplace_back();
  Place& place = places_[gathered_++];
  place.field = marker.field;
  place.begin = marker.begin;
  place.end = marker.end;
  place.url = url;
  place.fields = fields;
  place.error.clear();
  return true;
}

bool RowWriter::same_text(std::string_view raw, std::string_view url) {
  if (shape_.form == TableShape::Form::kTsv || !raw.starts_with('"')) return raw == url;
  const std::string_view inner = raw.substr(1, raw.size() - 2);
  if (inner.find(shape_.is_json() ? '\\' : '"') == std::string_view::npos) return inner == url;
  text_.clear();
  if (shape_.is_json()) {
    JsonString string;
    text_.append("{\"a\":").append(raw).append("}");
    return find_json_string(text_, {{"a", 0, false}}, string) == JsonFind::kFound &&
           string.text == url;
  }
  append_csv_cell(text_, url);
  return text_ == raw;
}

// Puts the URLs that changed into the row, from the last one back.
void RowWriter::replace_urls() {
  std::sort(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(gathered_),
            [](const Place& a, const Place& b) { return a.begin > b.begin; });
  for (std::size_t i = 0; i < gathered_; ++i) {
    const Place& place = places_[i];
    const std::string_view raw =
        std::string_view(row_).substr(place.begin, place.end - place.begin);
    if (!place.error.empty() || same_text(raw, place.url)) continue;
    text_.clear();
    if (shape_.is_json()) {
      append_json_string(text_, place.url);
    } else if (shape_.form == TableShape::Form::kTsv) {
      text_ = place.url;
    } else {
      append_csv_cell(text_, place.url);
      // A cell in quotes stays one.
      if (raw.starts_with('"') && !text_.starts_with('"')) text_ = '"' + text_ + '"';
    }
    row_.replace(place.begin, place.end - place.begin, text_);
  }
}

// --- CSV and TSV ---------------------------------------------------------------------------------

void RowWriter::split(std::string_view row, std::vector<std::string_view>& cells) const {
  const bool csv = shape_.form == TableShape::Form::kCsv;
  cells.clear();
  for (std::size_t at = 0;;) {
    std::size_t end = at;
    if (csv && at < row.size() && row[at] == '"') {
      ++end;
      while ((end = row.find('"', end)) != kNone && end + 1 < row.size() && row[end + 1] == '"')
        end += 2;
    }
    if (end != kNone) end = row.find(csv ? ',' : '\t', end);
    cells.push_back(row.substr(at, end == kNone ? end : end - at));
    if (end == kNone) return;
    at = end + 1;
  }
}

void RowWriter::learn_header(std::string_view row) {
  split(row, cells_);
  width_ = cells_.size();
  for (Column& added : added_) {
    for (std::size_t column = 0; column < width_; ++column) {
      if (same_text(cells_[column], title_of(added))) added.column = column;
    }
  }
}

// With several URLs a row, what is added bears the name of its URL's column.
std::string RowWriter::title_of(const Column& added) const {
  return shape_.fields.size() == 1 ? added.name : shape_.fields[added.field] + '.' + added.name;
}

// What the added column holds, as a cell.
void RowWriter::append_added(std::string& out, char kind, const Column& added) {
  const auto& [field, name, column, cell] = added;
  std::string_view raw;
  text_.clear();
  if (kind == 'h') {
    text_ = title_of(added);
  } else if (kind == 'b' && name == kErrorColumn && field == 0) {
    text_ = error_;
  }
  for (std::size_t i = 0; i < gathered_; ++i) {
    if (places_[i].field != field) continue;
    if (name == kErrorColumn && !places_[i].error.empty()) {
      text_ = places_[i].error;
    } else {
      raw = find_raw_field(places_[i].fields, name).value_or("");
    }
  }
  if (shape_.form == TableShape::Form::kTsv) {
    append_escaped(out, text_);
    out += raw;
  } else {
    append_unescaped(text_, raw);
    append_csv_cell(out, text_);
  }
}

void RowWriter::append_columns(char kind) {
  if (added_.empty()) return;
  const bool cr = shape_.terminator == '\n' && row_.ends_with('\r');
  if (cr) row_.pop_back();
  if (kind == 'h') learn_header(row_);
  const char separator = shape_.form == TableShape::Form::kCsv ? ',' : '\t';
  const bool in_place = std::any_of(added_.begin(), added_.end(),
                                    [](const Column& added) { return added.column != kNone; });
  if (width_ != 0 || in_place) {
    split(row_, cells_);
    // Short rows are filled up, so that what is added stands under its name.
    for (std::size_t has = cells_.size(); has < width_; ++has) row_ += separator;
    if (cells_.size() > width_)
      report_({operand_, line_, "the row has more columns than the header", {}, false});
  }
  if (in_place && kind == 'u') {
    std::string whole = row_;
    split(whole, cells_);
    for (Column& added : added_) {
      if (added.column >= cells_.size()) continue;
      added.cell.clear();
      append_added(added.cell, kind, added);
      cells_[added.column] = added.cell;
    }
    row_.clear();
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (i != 0) row_ += separator;
      row_ += cells_[i];
    }
  }
  for (const Column& added : added_) {
    if (added.column != kNone) continue;
    row_ += separator;
    append_added(row_, kind, added);
  }
  if (cr) row_ += '\r';
}

// --- JSON ----------------------------------------------------------------------------------------

// Sets a member of the row's object to `value`, which is JSON.
void RowWriter::set_member(std::string_view name, std::string_view value) {
  text_.clear();
  append_json_string(text_, name);
  if (row_.find(text_) != std::string::npos) {
    JsonString old;
    const JsonFind found = find_json_string(row_, {{std::string(name), 0, false}}, old);
    if (found != JsonFind::kMissing && found != JsonFind::kMalformed) {
      row_.replace(old.begin, old.end - old.begin, value);
      return;
    }
  }
  const std::size_t end = row_.rfind('}');
  if (end == std::string::npos || end == 0) return;
  const std::size_t last = row_.find_last_not_of(" \t\r\n", end - 1);
  if (last != std::string::npos && row_[last] != '{') text_.insert(0, 1, ',');
  text_ += ':';
  text_ += value;
  row_.insert(last + 1, text_);
}

void RowWriter::append_members() {
  std::string value;
  for (std::size_t i = 0; i < gathered_; ++i) {
    Place& place = places_[i];
    record_.parse(place.fields);
    if (!place.error.empty() && on_error_ == OnError::kMark) record_.set(kErrorColumn, place.error);
    const auto& fields = record_.fields();
    for (std::size_t at = 0; at < fields.size(); ++at) {
      const std::string_view key = fields[at].key;
      const auto is_wanted = [key](const Column& added) { return added.name == key; };
      if (key.empty() || (only_ && std::none_of(added_.begin(), added_.end(), is_wanted))) continue;
      const auto same = [key](const Record::Field& field) { return field.key == key; };
      if (std::any_of(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(at), same))
        continue;
      const bool many = std::count_if(fields.begin(), fields.end(), same) > 1;
      value = many ? "[" : "";
      for (std::size_t other = at; other < fields.size(); ++other) {
        if (!same(fields[other])) continue;
        if (other != at) value += ',';
        append_json_value(value, key, fields[other].raw);
      }
      if (many) value += ']';
      std::string name(key);
      if (shape_.fields.size() > 1) name.insert(0, shape_.fields[place.field] + '.');
      set_member(name, value);
    }
  }
}

}  // namespace spinneret
