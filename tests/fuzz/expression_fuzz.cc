// SPDX-License-Identifier: Apache-2.0
// Expressions over records, and rows of CSV. The input's first line is an expression, the rest are
// records, and the whole is also read as a table. Beyond "no crash":
//   - an expression holds of a record as it does when each test searches from the line's start;
//   - "not (E)" holds where E does not;
//   - a row of CSV that was read, written again, is read as the same cells;
//   - a name of a column becomes a key, and a key stays itself.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "io/expression.h"
#include "io/record.h"
#include "io/table.h"

namespace {

using namespace spinneret;

void check(bool holds) {
  if (!holds) std::abort();
}

// Replaces the engine of regular expressions: the pattern matches where the text contains it.
Expression::Matches substring(std::string_view pattern, std::string*) {
  return [wanted = std::string(pattern)](std::string_view text) {
    return text.find(wanted) != std::string_view::npos;
  };
}

void check_expression(std::string_view text, std::string_view records) {
  auto expression = Expression::compile(text, substring);
  if (!expression.ok()) return check(expression.message().starts_with("column "));
  // A backslash at the end would make the newline part of the word before it.
  const std::string closed = text.ends_with('\\') ? "" : "not (" + std::string(text) + "\n)";
  auto inverse = Expression::compile(closed, substring);
  while (!records.empty()) {
    const std::string_view line = cut(records, '\n');
    const bool holds = expression->holds(line);
    check(holds == expression->holds_slowly(line));
    if (inverse.ok()) check(inverse->holds(line) != holds);
  }
}

void check_table(std::string_view text) {
  while (!text.empty()) {
    CsvRow row;
    row.begin();
    bool whole = false;
    while (!whole && !text.empty()) whole = row.add_line(cut(text, '\n'));
    if (!whole || row.error() != nullptr) continue;
    std::string written;
    for (const std::string& cell : row.cells()) {
      if (!written.empty() || &cell != &row.cells().front()) written += ',';
      append_csv_cell(written, cell);
      const std::string key = key_of_name(cell);
      check(is_field_key(key) && key_of_name(key) == key);
    }
    CsvRow again;
    again.begin();
    std::string_view rest = written;
    bool read = false;
    do {
      read = again.add_line(cut(rest, '\n'));
    } while (!read && !rest.empty());
    check(read && again.error() == nullptr && again.cells() == row.cells());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string_view records = input;
  const std::string_view expression = cut(records, '\n');
  check_expression(expression, records);
  check_table(input);
  return 0;
}
