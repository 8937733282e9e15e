// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "io/json.h"
#include "io/rows.h"
#include "io/table.h"

namespace spinneret {
namespace {

constexpr std::size_t kNone = SIZE_MAX;
constexpr std::string_view kRowField = "\t@row=";
constexpr std::string_view kBad = "@bad";
constexpr std::string_view kBadField = "\t@bad=";
constexpr std::string_view kErrorColumn = "error";

// Memory beyond this is released between rows.
constexpr std::size_t kKeepAtMost = std::size_t{1} << 20;

// Appends the fields of a record, each as a member after a comma. Returns false if a field has
// no key, comes twice, or is named in the row: such fields need the slower way, one by one.
template <typename IsWanted>
bool append_new_members(std::string& out, std::string_view row, std::string_view fields,
                        const IsWanted& is_wanted) {
  std::array<std::string_view, 16> keys;
  std::size_t count = 0;
  while (!fields.empty()) {
    fields.remove_prefix(1);
    const std::string_view column = fields.substr(0, fields.find('\t'));
    fields.remove_prefix(column.size());
    const std::string_view key = column.substr(0, column.find('='));
    const auto* const known = keys.begin() + count;
    if (key.size() == column.size() || !is_field_key(key) || count == keys.size() ||
        std::find(keys.cbegin(), known, key) != known)
      return false;
    keys[count++] = key;
    if (!is_wanted(key)) continue;
    const std::size_t begin = out.size();
    out.append(",\"").append(key).append("\"");
    if (memmem(row.data(), row.size(), out.data() + begin + 1, key.size() + 2) != nullptr)
      return false;
    out += ':';
    append_json_value(out, key, column.substr(key.size() + 1));
  }
  return true;
}

}  // namespace

RowWriter::RowWriter(TableShape shape, OnError on_error, std::function<void(const Report&)> report)
    : shape_(std::move(shape)), on_error_(on_error), report_(std::move(report)) {
  set_added({}, false);
}

void RowWriter::set_added(std::vector<std::string> names, bool only) {
  if (on_error_ == OnError::kMark) names.emplace_back(kErrorColumn);
  only_ = only;
  added_.clear();
  in_place_ = false;
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

void RowWriter::append(std::string& out, std::string_view record) {
  if (stopped_) return;
  std::size_t at = record.find('\t');
  if (at != kNone && !record.substr(at).starts_with(kRowField)) at = record.find(kRowField);
  RowMarker marker;
  std::string_view row = at == kNone ? std::string_view() : record.substr(at + kRowField.size());
  const std::size_t end = row.find('\t');
  const std::string_view behind = end == kNone ? std::string_view() : row.substr(end);
  row = row.substr(0, end);
  if (at == kNone || !marker.take(row)) {
    // The record was not made from a row.
    out += record;
    out += shape_.terminator;
    return;
  }
  if (marker.operand != operand_ || marker.line != line_) gathered_ = 0;
  operand_ = marker.operand;
  line_ = marker.line;
  const std::string_view url = record.substr(0, record.find('\t'));
  if (append_plain(out, marker, row, url, behind)) return;
  const bool is_url = to_lower(marker.kind) == 'u';
  if (is_url && !gather(marker, url, behind)) return;
  error_.clear();
  if (const auto bad = find_raw_field(behind, kBad)) {
    append_unescaped(error_, *bad);
    constexpr std::size_t kShown = 256;
    report_({operand_, line_, error_, (is_url ? url : row).substr(0, kShown),
             to_lower(marker.kind) == 'x'});
    if (on_error_ == OnError::kStop) stopped_ = true;
    if (to_lower(marker.kind) == 'x' || stopped_ || on_error_ == OnError::kDrop) {
      gathered_ = 0;
      return;
    }
    if (is_url) places_[gathered_ - 1].error = error_;
  }
  // Another URL of the row follows, and the row comes with the last one.
  if (is_url && row.empty()) return;
  row_.clear();
  if (is_upper(marker.kind)) {
    row_ = row;
  } else {
    append_unescaped(row_, row);
  }
  replace_urls();
  shape_.is_json() ? append_members() : append_columns(to_lower(marker.kind));
  out += row_;
  out += shape_.terminator;
  gathered_ = 0;
  if (row_.capacity() > kKeepAtMost) std::string().swap(row_);
}

// Handles most rows: one URL, no escapes, and as many cells as the header, so that additions go at
// the end. Returns false for all other rows.
bool RowWriter::append_plain(std::string& out, const RowMarker& marker, std::string_view row,
                             std::string_view url, std::string_view fields) {
  const bool alone = marker.kind == 'U' && marker.ordinal == 0 && !row.empty();
  if (!alone || (!fields.empty() && fields.find(kBadField) != kNone)) return false;
  const bool adds = !added_.empty() && !shape_.is_json();
  if (adds && (in_place_ || (width_ != 0 && width_ != marker.width))) return false;
  const std::string_view raw = row.substr(marker.begin, marker.end - marker.begin);
  const bool same = same_text(raw, url);
  text_.clear();  // here, the members to be added to an object
  const auto is_wanted = [this](std::string_view key) {
    const auto is_key = [key](const Column& added) { return added.name == key; };
    return !only_ || std::any_of(added_.begin(), added_.end(), is_key);
  };
  if (shape_.is_json() && !append_new_members(text_, row, fields, is_wanted)) return false;
  if (same && text_.empty()) {
    out += row;
  } else {
    out += row.substr(0, same ? marker.end : marker.begin);
    if (!same) append_url(out, raw, url);
    row.remove_prefix(marker.end);
    // Members are added after the last one. There is one, since the URL is in it or in front of
    // it.
    const std::size_t end =
        text_.empty() ? 0 : row.substr(0, row.rfind('}')).find_last_not_of(" \t\r\n") + 1;
    out += row.substr(0, end);
    out += text_;
    out += row.substr(end);
  }
  const char separator = shape_.form == TableShape::Form::kCsv ? ',' : '\t';
  for (std::size_t i = 0; adds && i < added_.size(); ++i) {
    const Column& added = added_[i];
    out += separator;
    if (added.field == marker.field)
      append_value(out, find_raw_field(fields, added.name).value_or(""));
  }
  out += shape_.terminator;
  gathered_ = 0;
  return true;
}

// Keeps what the record says of one URL of its row. Returns false if another URL of the row was
// refused, and the row with it.
bool RowWriter::gather(const RowMarker& marker, std::string_view url, std::string_view fields) {
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

// Puts the URLs that changed into the row, the last one first, so that earlier places stay valid.
void RowWriter::replace_urls() {
  std::sort(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(gathered_),
            [](const Place& a, const Place& b) { return a.begin > b.begin; });
  for (std::size_t i = 0; i < gathered_; ++i) {
    const Place& place = places_[i];
    const std::string_view raw =
        std::string_view(row_).substr(place.begin, place.end - place.begin);
    if (!place.error.empty() || same_text(raw, place.url)) continue;
    text_.clear();
    append_url(text_, raw, place.url);
    row_.replace(place.begin, place.end - place.begin, text_);
  }
}

// Appends the URL as it must be written in place of `raw`.
void RowWriter::append_url(std::string& out, std::string_view raw, std::string_view url) const {
  if (shape_.is_json()) return append_json_string(out, url);
  if (shape_.form == TableShape::Form::kTsv) {
    out += url;
    return;
  }
  const std::size_t begin = out.size();
  append_csv_cell(out, url);
  // A cell in quotes keeps its quotes.
  if (!raw.starts_with('"') || out[begin] == '"') return;
  out.insert(begin, 1, '"');
  out += '"';
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
    if (added.column != kNone) in_place_ = true;
  }
}

// With several URLs a row, the title of an added column begins with the name of its URL's column.
std::string RowWriter::title_of(const Column& added) const {
  return shape_.fields.size() == 1 ? added.name : shape_.fields[added.field] + '.' + added.name;
}

// Appends the cell of an added column.
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
  if (shape_.form == TableShape::Form::kTsv) append_escaped(out, text_);
  if (!text_.empty() && shape_.form == TableShape::Form::kCsv) append_csv_cell(out, text_);
  append_value(out, raw);
}

// Appends a field's value, escaped as in the record, as a cell.
void RowWriter::append_value(std::string& out, std::string_view raw) {
  if (shape_.form == TableShape::Form::kTsv) {
    out += raw;
  } else if (raw.find('\\') == kNone) {
    append_csv_cell(out, raw);
  } else {
    text_.clear();
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
  if (width_ != 0) {
    split(row_, cells_);
    // Short rows are filled up, so that added cells stand under their titles.
    for (std::size_t has = cells_.size(); has < width_; ++has) row_ += separator;
    if (cells_.size() > width_)
      report_({operand_, line_, "the row has more columns than the header", {}, false});
  }
  if (in_place_ && kind == 'u') {
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
  // A bad row without URL is marked, if it is an object at all.
  JsonString error;
  if (gathered_ == 0 && on_error_ == OnError::kMark && !error_.empty() &&
      find_json_string(row_, {{std::string(kErrorColumn), 0, false}}, error) !=
          JsonFind::kMalformed) {
    append_json_string(value, error_);
    set_member(kErrorColumn, value);
  }
  // The places are sorted by position, the last one first.
  for (std::size_t i = gathered_; i-- > 0;) {
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
