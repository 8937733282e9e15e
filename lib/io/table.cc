// SPDX-License-Identifier: Apache-2.0
#include "io/table.h"

#include "base/ascii.h"

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
    if (quoted && at != line.size() && comma != at)
      error_ = "something stands behind a closing quote";
    cells_.back().append(line.substr(at, comma - at));
    if (comma == std::string_view::npos) return true;
    at = comma + 1;
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
