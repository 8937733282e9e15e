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

// Counts bytes with memchr(): line ends are rare, so it is four times as fast as a look at each
// byte.
std::size_t count_bytes(std::string_view text, char byte) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = find_byte(text, byte, at)) != kNone; ++at) ++count;
  return count;
}

// Sets `text` to the content of a cell, without its quotes.
void decode(std::string_view raw, bool csv, std::string& text) {
  if (!csv || !raw.starts_with('"')) {
    text = raw;
    return;
  }
  text.clear();
  raw.remove_prefix(1);
  if (raw.ends_with('"')) raw.remove_suffix(1);
  for (std::size_t quote; (quote = raw.find("\"\"")) != kNone; raw.remove_prefix(quote + 2)) {
    text += raw.substr(0, quote + 1);
  }
  text += raw;
}

}  // namespace

void RowMarker::append_to(std::string& out) const {
  char text[128];
  char* at = text;
  *at++ = kind;
  for (std::uint64_t number : {operand, line, field, ordinal, begin, end, width}) {
    for (; number >= 32; number >>= 5) *at++ = static_cast<char>('`' | (number & 31));
    *at++ = static_cast<char>('0' + number);
  }
  out.append(text, at);
}

bool RowMarker::take(std::string_view& text) {
  const char* at = text.data();
  const char* const end_of_text = at + text.size();
  if (at == end_of_text) return false;
  kind = *at++;
  for (std::uint64_t* const number : {&operand, &line, &field, &ordinal, &begin, &end, &width}) {
    *number = 0;
    for (unsigned shift = 0;; shift += 5) {
      if (at == end_of_text || shift > 60) return false;
      const auto digit = static_cast<unsigned char>(*at++);
      const bool goes_on = digit >= '`';
      *number |= std::uint64_t{(digit - (goes_on ? '`' : '0')) & 31U} << shift;
      if (!goes_on) break;
    }
  }
  text.remove_prefix(static_cast<std::size_t>(at - text.data()));
  return true;
}

Status check_shape(const TableShape& shape) {
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

RowReader::RowReader(TableShape shape)
    : shape_(std::move(shape)),
      cells_(shape_.form == TableShape::Form::kCsv ? ',' : '\t', shape_.terminator) {
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
  cells_.reset();
  cells_.heed_quotes();
  given_up_ = 0;
  next_ = shape_.header && !shape_.is_json() ? Next::kHeader : Next::kRows;
  set_last_column();
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
    const std::size_t end = cells_.next(run, last_column_);
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

// A quote stays open for too long, or until the end: its first line becomes a bad row, and the next
// line begins another row.
void RowReader::give_up_quote(std::string& out) {
  std::string rest = std::move(pending_);
  pending_.clear();
  cells_.reset();
  if (++given_up_ >= kMostGivenUp) cells_.ignore_quotes();
  const std::size_t end = rest.find('\n');
  append_row('b', std::string_view(rest).substr(0, end), "a quote that is not closed", out);
  ++next_line_;
  if (end != kNone) take(std::string_view(rest).substr(end + 1), out);
}

void RowReader::finish(std::string& out) {
  while (!pending_.empty() && next_ != Next::kNothing) {
    // Without LF at its end, a row is still whole unless a quote is open.
    if (cells_.ends_in_quotes(pending_)) {
      give_up_quote(out);
      continue;
    }
    const std::string last = std::move(pending_);
    pending_.clear();
    cells_.reset();
    cells_.split(last, last_column_);
    take_row(last, out);
  }
  pending_.clear();
}

void RowReader::append_marker(char kind, std::size_t field, std::size_t ordinal, Span span,
                              std::string& out) const {
  out += kRowField;
  RowMarker{cells_.is_plain() ? kind : to_lower(kind),
            operand_,
            next_line_,
            field,
            ordinal,
            span.begin,
            span.end,
            cells_.width()}
      .append_to(out);
}

// Appends a row that no tool works on: a header (h), a row without URL (p), a bad one (b), or a
// file that cannot be used (x).
void RowReader::append_row(char kind, std::string_view row, std::string_view reason,
                           std::string& out) const {
  append_marker(to_upper(kind), 0, 0, {0, 0}, out);
  append_bytes(row, out);
  if (!reason.empty()) RowWriter::append_bad(out, reason);
  out += "\toutcome=row";
  out += shape_.terminator;
}

void RowReader::take_header(std::string_view row, std::string& out) {
  next_ = Next::kRows;
  const std::string_view names = row.ends_with('\r') ? row.substr(0, row.size() - 1) : row;
  if (names == header_ && !header_.empty()) return;  // the same header as that of the first file
  std::string problem;
  if (!header_.empty()) problem = "its header differs from that of the first file: run it apart";
  cells_.split(row, kNone);
  const std::vector<Span>& cells = cells_.cells();
  const bool csv = shape_.form == TableShape::Form::kCsv;
  for (std::size_t i = 0; i < columns_.size() && problem.empty(); ++i) {
    const bool is_field = i < shape_.fields.size();
    const std::string& name =
        is_field ? shape_.fields[i] : shape_.inputs[i - shape_.fields.size()].first;
    if (is_digits(name)) continue;
    columns_[i] = kNone;
    std::string has;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      decode(row.substr(cells[column].begin, cells[column].end - cells[column].begin), csv, text_);
      has += (has.empty() ? "" : ", ") + text_;
      if (text_ != name) continue;
      if (columns_[i] != kNone && is_field)
        problem = "two columns are named " + excerpt(name) + ": give the number of one";
      if (columns_[i] == kNone) columns_[i] = column;
    }
    if (columns_[i] == kNone && is_field)
      problem = "no column is named " + excerpt(name) + "; there are " + excerpt(has) +
                (name.find(',') == std::string::npos ? "" : " (a --field for each)");
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
      case JsonFind::kNotString: return "the key's value is not a string";
      case JsonFind::kMalformed: return "the line is not a JSON object";
      default: break;
    }
    if (!urls_.empty() && json_.text.empty() && urls_.back().first == i) urls_.pop_back();
  }
  return nullptr;
}

void RowReader::append_url_record(std::string_view row, std::size_t ordinal, std::size_t count,
                                  std::string& out) {
  const bool csv = shape_.form == TableShape::Form::kCsv;
  const auto raw = [row](Span span) { return row.substr(span.begin, span.end - span.begin); };
  const auto& [field, span] = urls_[ordinal];
  if (shape_.is_json()) {
    if (shape_.fields.size() > 1) find_json_string(row, paths_[field], json_);
    append_url(out, json_.text);
  } else if (cells_.is_plain() && row[span.begin] != '"') {
    out += raw(span);
  } else {
    decode(raw(span), csv, text_);
    append_url(out, text_);
  }
  // The inputs go in front of the row's column: the columns after it are the tool's.
  for (std::size_t i = 0; i < shape_.inputs.size(); ++i) {
    const std::size_t at = shape_.fields.size() + i;
    if (shape_.is_json()) {
      if (find_json_string(row, paths_[at], json_) != JsonFind::kFound) continue;
      std::swap(text_, json_.text);
    } else {
      if (columns_[at] >= cells_.cells().size()) continue;
      decode(raw(cells_.cells()[columns_[at]]), csv, text_);
    }
    out += '\t';
    out += shape_.inputs[i].second;
    out += '=';
    append_escaped(out, text_);
  }
  append_marker('U', field, ordinal, span, out);
  if (ordinal + 1 == count) append_bytes(row, out);
  out += shape_.terminator;
}

void RowReader::append_bytes(std::string_view row, std::string& out) const {
  if (cells_.is_plain()) {
    out += row;
  } else {
    append_escaped(out, row);
  }
}

// Finds the URLs of a row of CSV or TSV. Returns what is wrong with the row, or nullptr.
const char* RowReader::find_columns(std::string_view row) {
  urls_.clear();
  if (cells_.error() != nullptr) return cells_.error();
  const std::vector<Span>& cells = cells_.cells();
  for (std::size_t i = 0; i < shape_.fields.size(); ++i) {
    // An empty line is not a row that lacks columns.
    if (columns_[i] >= cells.size()) {
      if (cells.size() > 1 || cells[0].end != 0) return "the row has fewer columns";
      continue;
    }
    const Span span = cells[columns_[i]];
    const std::string_view raw = row.substr(span.begin, span.end - span.begin);
    if (!raw.empty() && raw != "\"\"") urls_.push_back({i, span});
  }
  return nullptr;
}

// `row` is the one that cells_ has split.
void RowReader::take_row(std::string_view row, std::string& out) {
  const std::uint64_t lines =
      cells_.is_plain() ? 1 : 1 + std::uint64_t{count_bytes(row, shape_.terminator)};
  const char* why = nullptr;
  if (next_ == Next::kHeader) {
    take_header(row, out);
  } else {
    if (!shape_.is_json()) {
      why = find_columns(row);
    } else if (row.find_first_not_of(" \t\r") == std::string_view::npos) {
      urls_.clear();
    } else {
      why = find_members(row);
    }
    if (why != nullptr) {
      append_row('b', row, why, out);
    } else if (urls_.empty()) {
      append_row('p', row, {}, out);
    }
    for (std::size_t i = 0; why == nullptr && i < urls_.size(); ++i)
      append_url_record(row, i, urls_.size(), out);
  }
  next_line_ += lines;
}

std::uint64_t RowReader::line_of(std::string_view record) {
  const std::size_t at = record.find(kRowField);
  if (at == std::string_view::npos) return 0;
  std::string_view rest = record.substr(at + kRowField.size());
  RowMarker marker;
  return marker.take(rest) ? marker.line : 0;
}

}  // namespace spinneret
