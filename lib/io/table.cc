// SPDX-License-Identifier: Apache-2.0
#include "io/table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/ascii.h"
#include "base/bytes16.h"

namespace spinneret {

void CsvRow::begin() {
  cells_.clear();
  open_ = false;
  error_ = nullptr;
  bytes_ = 0;
}

bool CsvRow::take_quoted(std::string_view line, std::size_t& at) {
  std::string& cell = cells_.back();
  for (;;) {
    const std::size_t quote = line.find('"', at);
    cell.append(line.substr(at, quote - at));
    if (quote == std::string_view::npos) return false;
    at = quote + 1;
    if (at == line.size() || line[at] != '"') return true;
    cell += '"';
    ++at;
  }
}

bool CsvRow::add_line(std::string_view line) {
  bytes_ += line.size() + 1;
  std::size_t at = 0;
  if (open_) cells_.back() += '\n';
  for (;;) {
    bool quoted = open_;
    if (!quoted) {
      cells_.emplace_back();
      quoted = at < line.size() && line[at] == '"';
      if (quoted) ++at;
    }
    open_ = quoted && !take_quoted(line, at);
    if (open_) return false;
    const std::size_t comma = line.find(',', at);
    if (comma == std::string_view::npos && line.substr(at).ends_with('\r')) line.remove_suffix(1);
    if (quoted && at != line.size() && comma != at) error_ = "something follows a closing quote";
    cells_.back().append(line.substr(at, comma - at));
    if (comma == std::string_view::npos) return true;
    at = comma + 1;
  }
}

namespace {

std::size_t find_byte(std::string_view text, char byte, std::size_t from) {
  if (from >= text.size()) return RowCells::npos;
  const void* const found = std::memchr(text.data() + from, byte, text.size() - from);
  return found == nullptr ? RowCells::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace

std::size_t RowCells::next(std::string_view text, std::size_t wanted) {
  if (at_ == 0 && !quoted_ && !slow_) {
    const std::size_t end = scan(text, wanted);
    if (end != npos) return end;
  }
  const std::size_t end = find_end(text);
  if (end != npos) split(text.substr(0, end - 1), wanted);
  return end;
}

// Looks at each byte once. Serves well-formed rows that end well before the end of `text`; returns
// npos for all others. A quote opens only where a cell begins.
std::size_t RowCells::scan(std::string_view text, std::size_t wanted) {
#ifdef SPINNERET_BYTES16
  if (terminator_ != '\n' || !quotes_) return npos;
  cells_.clear();
  width_ = 0;
  plain_ = true;
  error_ = nullptr;
  const bool csv = is_csv();
  bool quoted = false;
  std::size_t begin = 0, taken = 0;  // where the cell begins; up to where marks are dealt with
  for (std::size_t base = 0; text.size() - base >= 16; base += 16) {
    const Bytes16 bytes = Bytes16::load(text.data() + base);
    const Bytes16 quote = bytes == (csv ? '"' : '\n');
    unsigned marks = ((bytes == separator_) | (bytes == '\n') | quote).mask();
    const unsigned escaped =
        ((bytes == '\\') | (bytes == '\r') | (bytes == '\t') | (bytes == '\0')).mask();
    for (; marks != 0; marks &= marks - 1) {
      const std::size_t at = base + static_cast<std::size_t>(std::countr_zero(marks));
      const char mark = text[at];
      if (at < taken) continue;
      if (quoted) {
        if (mark == '\n') plain_ = false;
        if (mark != '"') continue;
        if (at + 1 == text.size()) return npos;
        const char behind = text[at + 1];
        quoted = behind == '"';
        taken = at + 2 - (quoted ? 0 : 1);
        if (!quoted && behind != ',' && behind != '\n') return npos;
      } else if (mark == '"') {
        quoted = at == begin;
      } else {
        const bool ends = mark == '\n';
        const bool cr = ends && at > begin && text[at - 1] == '\r';
        if (cells_.size() < wanted) cells_.push_back({begin, cr ? at - 1 : at});
        ++width_;
        begin = at + 1;
        if (!ends) continue;
        if ((escaped & ((marks & -marks) - 1)) != 0) plain_ = false;
        return begin;
      }
    }
    if (escaped != 0) plain_ = false;
  }
#endif
  static_cast<void>(text);
  static_cast<void>(wanted);
  return npos;
}

std::size_t RowCells::find_end(std::string_view text) {
  if (!is_csv() || !quotes_) {
    const std::size_t end = find_byte(text, terminator_, at_);
    at_ = end == npos ? text.size() : 0;
    return end == npos ? npos : end + 1;
  }
  std::size_t at = at_;
  for (;;) {
    if (quoted_) {
      const std::size_t quote = find_byte(text, '"', at);
      // A quote at the very end may be the first half of a doubled one.
      if (quote == npos || quote + 1 == text.size()) {
        at_ = std::min(quote, text.size());
        return npos;
      }
      at = quote + (text[quote + 1] == '"' ? 2 : 1);
      if (text[quote + 1] == '"') continue;
      quoted_ = false;
    } else if (at < text.size() && text[at] == '"') {
      quoted_ = true;
      ++at;
      continue;
    }
    const std::size_t next = text.find_first_of(",\n", at);
    at_ = at;
    if (next == npos) {
      // The last line of a file may lack its LF, which only the caller knows.
      at_ = text.size();
      return npos;
    }
    at = next + 1;
    if (text[next] == '\n') {
      reset();
      return at;
    }
  }
}

bool RowCells::ends_in_quotes(std::string_view text) const {
  // A quote at the very end may be the closing one.
  return quoted_ && !(at_ + 1 == text.size() && text.back() == '"');
}

void RowCells::split(std::string_view row, std::size_t wanted) {
  if (terminator_ == '\n' && row.ends_with('\r')) row.remove_suffix(1);
  cells_.clear();
  width_ = 0;
  plain_ = false;
  error_ = nullptr;
  for (std::size_t at = 0;;) {
    std::size_t end;
    if (is_csv() && at < row.size() && row[at] == '"') {
      end = at + 1;
      while ((end = find_byte(row, '"', end)) != npos && end + 1 < row.size() &&
             row[end + 1] == '"')
        end += 2;
      if (end == npos) error_ = "a quote that is not closed";
      end = end == npos ? row.size() : end + 1;
      if (end < row.size() && row[end] != ',') {
        error_ = "something follows a closing quote";
        end = find_byte(row, separator_, end);
      }
    } else {
      end = find_byte(row, separator_, at);
    }
    if (end == npos) end = row.size();
    cells_.push_back({at, end});
    if (end >= row.size() || cells_.size() == wanted) return;
    at = end + 1;
  }
}

void append_csv_cell(std::string& out, std::string_view value) {
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += value;
    return;
  }
  out += '"';
  for (const char c : value) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::string key_of_name(std::string_view name) {
  std::string key;
  for (const char c : trim(name)) {
    const char lower = to_lower(c);
    key += is_alnum(lower) || lower == '.' || lower == '-' ? lower : '-';
  }
  if (key.empty() || !is_lower(key.front())) key.insert(0, "x-");
  return key;
}

}  // namespace spinneret
