// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "io/rows.h"

namespace spinneret {
namespace {

constexpr std::size_t kNone = SIZE_MAX;
constexpr std::string_view kRowField = "\t@row=";

std::size_t find_byte(std::string_view text, char byte, std::size_t from) {
  if (from >= text.size()) return kNone;
  const void* const found = std::memchr(text.data() + from, byte, text.size() - from);
  return found == nullptr ? kNone
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// Column 1 of a record holds no tab and no line end; the URL Standard drops these from URLs anyway.
void append_url(std::string& out, std::string_view text) {
  const std::size_t begin = out.size();
  out += text;
  for (const char byte : {'\t', '\n', '\r'}) {
    if (find_byte(text, byte, 0) == kNone) continue;
    out.erase(std::remove(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), byte),
              out.end());
  }
}

// Of lines they are few: memchr is four times as fast as a look at each byte.
std::size_t count_bytes(std::string_view text, char byte) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = find_byte(text, byte, at)) != kNone; ++at) ++count;
  return count;
}

}  // namespace

Status check(const TableShape& shape) {
  for (const std::string& field : shape.fields) {
    if (shape.is_json()) {
      const Result<JsonPath> path = parse_json_path(field);
      if (!path.ok()) return path.error();
    } else if (is_digits(field)) {
      const auto number = parse_unsigned(field);
      if (!number || *number == 0 || *number > 1'000'000)
        return Error{"columns are numbered from 1 to 1000000, not " + excerpt(field)};
    } else if (!shape.header) {
      return Error{"a column is a number where no header names them, not " + excerpt(field)};
    }
  }
  return {};
}

RowReader::RowReader(TableShape shape) : shape_(std::move(shape)) {
  std::vector<std::string> wanted = shape_.fields;
  for (const auto& input : shape_.inputs) wanted.push_back(input.first);
  for (const std::string& name : wanted) {
    if (shape_.is_json()) {
      Result<JsonPath> path = parse_json_path(name);
      paths_.push_back(path.ok() ? path.take() : JsonPath{{name, 0, false}});
    } else {
      columns_.push_back(is_digits(name) ? parse_unsigned(name).value_or(1) - 1 : kNone);
    }
  }
}

void RowReader::set_last_column() {
  last_column_ = 1;
  for (const std::size_t column : columns_) {
    if (column != kNone) last_column_ = std::max(last_column_, column + 1);
  }
}

void RowReader::begin_file(std::size_t operand) {
  operand_ = operand;
  next_line_ = 1;
  pending_.clear();
  scan_ = {};
  given_up_ = 0;
  next_ = shape_.header && !shape_.is_json() ? Next::kHeader : Next::kRows;
  set_last_column();
}

// Behind the terminator of the row that `text` begins with, or kNone; scan_ remembers how far was looked. A quote opens
// only where a cell begins.
std::size_t RowReader::row_end(std::string_view text) {
  if (shape_.form != TableShape::Form::kCsv || given_up_ >= kMostGivenUp) {
    const std::size_t end = find_byte(text, shape_.terminator, scan_.at);
    scan_.at = end == kNone ? text.size() : 0;
    return end == kNone ? kNone : end + 1;
  }
  if (scan_.at == 0 && !scan_.quoted) {
    // Most rows have no quote.
    const std::size_t end = find_byte(text, '\n', 0);
    if (end != kNone && find_byte(text.substr(0, end), '"', 0) == kNone) return end + 1;
  }
  std::size_t at = scan_.at;
  for (;;) {
    if (scan_.quoted) {
      const std::size_t quote = find_byte(text, '"', at);
      // A quote at the very end may be half of two.
      if (quote == kNone || quote + 1 == text.size()) {
        scan_.at = std::min(quote, text.size());
        return kNone;
      }
      at = quote + (text[quote + 1] == '"' ? 2 : 1);
      if (text[quote + 1] == '"') continue;
      scan_.quoted = false;
    } else if (at < text.size() && text[at] == '"') {
      scan_.quoted = true;
      ++at;
      continue;
    }
    const std::size_t next = text.find_first_of(",\n", at);
    scan_.at = at;
    if (next == kNone) {
      // The last line of a file may lack its LF, which finish() knows.
      scan_.at = text.size();
      return kNone;
    }
    at = next + 1;
    if (text[next] == '\n') {
      scan_ = {};
      return at;
    }
  }
}

std::size_t RowReader::take(std::string_view run, std::string& out) {
  const std::size_t lines =
      count_bytes(run, shape_.terminator) + (run.ends_with(shape_.terminator) ? 0 : 1);
  if (next_ == Next::kNothing) return lines;
  const bool goes_on = !pending_.empty();
  if (goes_on) {
    pending_ += run;
    run = pending_;
  }
  while (!run.empty() && next_ != Next::kNothing) {
    const std::size_t end = row_end(run);
    if (end == kNone) break;
    take_row(run.substr(0, end - 1), out);
    run.remove_prefix(end);
  }
  if (goes_on) {
    pending_.erase(0, pending_.size() - run.size());
  } else {
    pending_ = run;
  }
  while (pending_.size() > shape_.max_row) give_up_quote(out);
  return lines;
}

// What a quote has opened goes on for too long, or for ever: its first line is a bad row, and the next one another.
void RowReader::give_up_quote(std::string& out) {
  std::string rest = std::move(pending_);
  pending_.clear();
  scan_ = {};
  ++given_up_;
  const std::size_t end = rest.find('\n');
  append_row('b', std::string_view(rest).substr(0, end), "a quote that is not closed", out);
  ++next_line_;
  if (end != kNone) take(std::string_view(rest).substr(end + 1), out);
}

void RowReader::finish(std::string& out) {
  while (!pending_.empty() && next_ != Next::kNothing) {
    // Without a LF at its end, a row is whole unless a quote is open; a last quote may be the closing one.
    std::string_view row = pending_;
    const bool closes = scan_.quoted && scan_.at + 1 == row.size() && row.back() == '"';
    if (scan_.quoted && !closes) {
      give_up_quote(out);
      continue;
    }
    const std::string last = std::move(pending_);
    pending_.clear();
    scan_ = {};
    take_row(last, out);
  }
  pending_.clear();
}

// The first `last` cells of a row of CSV or TSV.
const char* RowReader::find_cells(std::string_view row, std::size_t last) {
  const bool csv = shape_.form == TableShape::Form::kCsv;
  const char separator = csv ? ',' : '\t';
  if (shape_.terminator == '\n' && row.ends_with('\r')) row.remove_suffix(1);
  cells_.clear();
  const char* error = nullptr;
  for (std::size_t at = 0;;) {
    std::size_t end;
    if (csv && at < row.size() && row[at] == '"') {
      end = at + 1;
      while ((end = find_byte(row, '"', end)) != kNone && end + 1 < row.size() &&
             row[end + 1] == '"')
        end += 2;
      if (end == kNone) error = "a quote that is not closed";
      end = end == kNone ? row.size() : end + 1;
      if (end < row.size() && row[end] != ',') {
        error = "something stands behind a closing quote";
        end = find_byte(row, separator, end);
      }
    } else {
      end = find_byte(row, separator, at);
    }
    if (end == kNone) end = row.size();
    cells_.push_back({at, end});
    if (end >= row.size() || cells_.size() == last) return error;
    at = end + 1;
  }
}

// The text of a cell or string, without quotes and escapes.
void RowReader::decode(std::string_view row, Span span, std::string& text) const {
  std::string_view raw = row.substr(span.begin, span.end - span.begin);
  text.clear();
  if (shape_.form != TableShape::Form::kCsv || !raw.starts_with('"')) {
    text = raw;
    return;
  }
  raw.remove_prefix(1);
  if (raw.ends_with('"')) raw.remove_suffix(1);
  for (std::size_t quote; (quote = raw.find("\"\"")) != kNone; raw.remove_prefix(quote + 2)) {
    text += raw.substr(0, quote + 1);
  }
  text += raw;
}

void RowReader::append_marker(char kind, std::size_t field, std::size_t ordinal, Span span,
                              std::string& out) const {
  out += kRowField;
  out += kind;
  append_unsigned(out, operand_);
  for (const std::uint64_t number : {next_line_, std::uint64_t{field}, std::uint64_t{ordinal},
                                     std::uint64_t{span.begin}, std::uint64_t{span.end}}) {
    out += ',';
    append_unsigned(out, number);
  }
  out += ':';
}

// A row that no tool works on: a header (h), one without URL (p), a bad one (b), or trouble with the file (x).
void RowReader::append_row(char kind, std::string_view row, std::string_view reason,
                           std::string& out) const {
  append_marker(kind, 0, 0, {0, 0}, out);
  append_escaped(out, row);
  if (!reason.empty()) RowWriter::append_bad(out, reason);
  out += "\toutcome=row";
  out += shape_.terminator;
}

void RowReader::take_header(std::string_view row, std::string& out) {
  next_ = Next::kRows;
  const std::string_view names = row.ends_with('\r') ? row.substr(0, row.size() - 1) : row;
  if (names == header_ && !header_.empty()) return;  // as in the first file
  std::string problem;
  if (!header_.empty()) problem = "its header differs from that of the first file: run it apart";
  find_cells(row, kNone);
  for (std::size_t i = 0; i < columns_.size() && problem.empty(); ++i) {
    const bool is_field = i < shape_.fields.size();
    const std::string& name =
        is_field ? shape_.fields[i] : shape_.inputs[i - shape_.fields.size()].first;
    if (is_digits(name)) continue;
    columns_[i] = kNone;
    std::string has;
    for (std::size_t column = 0; column < cells_.size(); ++column) {
      decode(row, cells_[column], text_);
      has += (has.empty() ? "" : ", ") + text_;
      if (text_ != name) continue;
      if (columns_[i] != kNone && is_field)
        problem = "two columns are named " + excerpt(name) + ": give the number of one";
      if (columns_[i] == kNone) columns_[i] = column;
    }
    if (columns_[i] == kNone && is_field)
      problem = "no column is named " + excerpt(name) + "; there are " + excerpt(has);
  }
  if (header_.empty()) header_ = names;
  set_last_column();
  if (!problem.empty()) next_ = Next::kNothing;
  append_row(problem.empty() ? 'h' : 'x', row, problem, out);
}

const char* RowReader::find_members(std::string_view row) {
  urls_.clear();
  for (std::size_t i = 0; i < shape_.fields.size(); ++i) {
    switch (find_json_string(row, paths_[i], json_)) {
      case JsonFind::kFound: urls_.push_back({i, {json_.begin, json_.end}}); break;
      case JsonFind::kNotString: return "the key's value is no string";
      case JsonFind::kMalformed: return "the line is no JSON object";
      default: break;
    }
    if (!urls_.empty() && json_.text.empty() && urls_.back().first == i) urls_.pop_back();
  }
  return nullptr;
}

void RowReader::append_url_record(std::string_view row, std::size_t ordinal, std::size_t count,
                                  std::string& out) {
  const auto& [field, span] = urls_[ordinal];
  if (shape_.is_json()) {
    if (shape_.fields.size() > 1) find_json_string(row, paths_[field], json_);
    append_url(out, json_.text);
  } else {
    decode(row, span, text_);
    append_url(out, text_);
  }
  // In front of the row's column: what stands behind it is the tool's.
  for (std::size_t i = 0; i < shape_.inputs.size(); ++i) {
    const std::size_t at = shape_.fields.size() + i;
    if (shape_.is_json()) {
      if (find_json_string(row, paths_[at], json_) != JsonFind::kFound) continue;
      std::swap(text_, json_.text);
    } else {
      if (columns_[at] >= cells_.size()) continue;
      decode(row, cells_[columns_[at]], text_);
    }
    out += '\t';
    out += shape_.inputs[i].second;
    out += '=';
    append_escaped(out, text_);
  }
  append_marker('u', field, ordinal, span, out);
  if (ordinal + 1 == count) append_escaped(out, row);
  out += shape_.terminator;
}

void RowReader::take_row(std::string_view row, std::string& out) {
  struct CountLines {
    std::uint64_t& lines;
    std::string_view row;
    char terminator;
    ~CountLines() { lines += 1 + std::uint64_t{count_bytes(row, terminator)}; }
  } const count_lines{next_line_, row, shape_.terminator};
  if (next_ == Next::kHeader) return take_header(row, out);
  const char* why = nullptr;
  if (shape_.is_json()) {
    why = row.find_first_not_of(" \t\r") == std::string_view::npos ? nullptr : find_members(row);
    if (row.empty()) urls_.clear();
  } else {
    why = find_cells(row, last_column_);
    urls_.clear();
    for (std::size_t i = 0; i < shape_.fields.size() && why == nullptr; ++i) {
      // An empty line is no row that lacks columns.
      if (columns_[i] >= cells_.size()) {
        if (cells_.size() > 1 || cells_[0].end != 0) why = "the row has fewer columns";
        continue;
      }
      const Span span = cells_[columns_[i]];
      const std::string_view raw = row.substr(span.begin, span.end - span.begin);
      if (!raw.empty() && raw != "\"\"") urls_.push_back({i, span});
    }
  }
  if (why != nullptr) return append_row('b', row, why, out);
  if (urls_.empty()) return append_row('p', row, {}, out);
  for (std::size_t i = 0; i < urls_.size(); ++i) append_url_record(row, i, urls_.size(), out);
}

std::uint64_t RowReader::line_of(std::string_view record) {
  const std::size_t at = record.find(kRowField);
  if (at == std::string_view::npos) return 0;
  std::string_view rest = record.substr(at + kRowField.size());
  cut(rest, ',');
  return parse_unsigned(cut(rest, ',')).value_or(0);
}

}  // namespace spinneret
