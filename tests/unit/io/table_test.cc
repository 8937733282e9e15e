// SPDX-License-Identifier: Apache-2.0
#include "io/table.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace spinneret {
namespace {

using Cells = std::vector<std::string>;

Cells cells_of(std::string_view line) {
  CsvRow row;
  row.begin();
  EXPECT_TRUE(row.add_line(line)) << line;
  EXPECT_EQ(row.error(), nullptr) << line;
  return row.cells();
}

// RFC 4180, section 2, in its order.
TEST(CsvRow, rfc_4180) {
  EXPECT_EQ(cells_of("aaa,bbb,ccc"), Cells({"aaa", "bbb", "ccc"}));
  EXPECT_EQ(cells_of("a, b ,"), Cells({"a", " b ", ""}));
  EXPECT_EQ(cells_of(""), Cells({""}));
  EXPECT_EQ(cells_of("\"aaa\",\"\",c"), Cells({"aaa", "", "c"}));
  EXPECT_EQ(cells_of("\"a,b\",\"b\"\"b\""), Cells({"a,b", "b\"b"}));
}

TEST(CsvRow, a_cell_goes_over_lines) {
  CsvRow row;
  row.begin();
  EXPECT_FALSE(row.add_line("x,\"a"));
  EXPECT_FALSE(row.add_line(""));
  EXPECT_TRUE(row.add_line("b\",\"\"\"\""));
  EXPECT_EQ(row.cells(), Cells({"x", "a\n\nb", "\""}));
}

TEST(CsvRow, a_stray_quote_is_a_character) {
  EXPECT_EQ(cells_of("a\"b,c\""), Cells({"a\"b", "c\""}));
}

TEST(CsvRow, text_behind_a_closing_quote_is_an_error) {
  CsvRow row;
  row.begin();
  EXPECT_TRUE(row.add_line("\"a\"b,c"));
  EXPECT_NE(row.error(), nullptr);
}

TEST(Csv, what_is_written_is_read) {
  for (const std::string_view value : {"", "a", "a,b", "\"", "a\"\"b", "a\nb", "\n", ",", " a "}) {
    std::string line = "x,";
    append_csv_cell(line, value);
    line += ",y";
    CsvRow row;
    row.begin();
    std::string_view rest = line;
    while (!row.add_line(rest.substr(0, rest.find('\n')))) rest.remove_prefix(rest.find('\n') + 1);
    EXPECT_EQ(row.cells(), Cells({"x", std::string(value), "y"})) << value;
  }
}

TEST(Table, names_as_keys) {
  EXPECT_EQ(key_of_name("status"), "status");
  EXPECT_EQ(key_of_name(" Page Title "), "page-title");
  EXPECT_EQ(key_of_name("2nd"), "x-2nd");
  EXPECT_EQ(key_of_name("a.b_c"), "a.b-c");
  EXPECT_EQ(key_of_name(""), "x-");
}

}  // namespace
}  // namespace spinneret
