// SPDX-License-Identifier: Apache-2.0
#include "io/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes16.h"

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

// Writes each row of `text` as "begin-end,begin-end,;", with "!" in front of ";" for an error;
// reads `step` lines at a time.
std::string rows_of(std::string_view text, char separator, std::size_t wanted, std::size_t step,
                    bool slow) {
  RowCells cells(separator, '\n');
  if (slow) cells.set_slow();
  std::string out;
  const auto more = [&](std::size_t from) {
    for (std::size_t lines = 0; lines < step && from < text.size(); ++lines)
      from = std::min(text.find('\n', from), text.size() - 1) + 1;
    return from;
  };
  for (std::size_t begin = 0, end = more(0);;) {
    const std::size_t size = cells.next(text.substr(begin, end - begin), wanted);
    if (size == RowCells::npos) {
      if (end == text.size()) break;
      end = more(end);
      continue;
    }
    for (const RowCells::Span& span : cells.cells())
      out += std::to_string(span.begin) + '-' + std::to_string(span.end) + ',';
    const std::string_view row = text.substr(begin, size - 1);
    if (cells.is_plain()) {
      EXPECT_EQ(row.find_first_of(std::string_view("\\\t\r\n\0", 5)), row.npos) << row;
    }
    if (cells.width() != 0) {
      RowCells all(separator, '\n');
      all.split(row, RowCells::npos);
      EXPECT_EQ(cells.width(), all.cells().size()) << row;
    }
    out += cells.error() == nullptr ? ";" : "!;";
    begin += size;
  }
  return out;
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

// Bug: a CR LF within a cell lost its CR on the way from the reader of lines.
TEST(CsvRow, bug_cr_lf_within_a_cell_lost_its_cr) {
  CsvRow row;
  row.begin();
  EXPECT_FALSE(row.add_line("x\r,\"a\r"));
  EXPECT_FALSE(row.add_line("\r"));
  EXPECT_TRUE(row.add_line("b\",\"c\"\r"));
  EXPECT_EQ(row.error(), nullptr);
  EXPECT_EQ(row.cells(), Cells({"x\r", "a\r\n\r\nb", "c"}));
  EXPECT_EQ(cells_of("a,b\r"), Cells({"a", "b"}));
  EXPECT_EQ(cells_of("a,\r"), Cells({"a", ""}));
  EXPECT_EQ(cells_of("a,b\r\r"), Cells({"a", "b\r"}));
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

TEST(RowCells, by_blocks_as_byte_by_byte) {
  static constexpr std::string_view kPieces[] = {"a",          "\"",
                                                 "\"\"",       ",",
                                                 "\n",         "\r\n",
                                                 "\r",         "\t",
                                                 "\\",         std::string_view("\0", 1),
                                                 ",\"",        "\",",
                                                 "\"\n",       "12345678901234567",
                                                 "x y",        "\n\"l1\nl2, \"\"\",",
                                                 "url,title\n"};
  std::uint64_t state = 88172645463325252U;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (int count = 0; count < 24; ++count) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      text += kPieces[state % std::size(kPieces)];
    }
    for (const char separator : {',', '\t'}) {
      const std::string slow = rows_of(text, separator, 2, text.size(), true);
      ASSERT_EQ(rows_of(text, separator, 2, text.size(), false), slow) << text;
      ASSERT_EQ(rows_of(text, separator, 2, 1, false), slow) << text;
      ASSERT_EQ(rows_of(text, separator, 2, 3, false), slow) << text;
    }
  }
}

// Bug: a row that was given up left its escapes unwritten.
TEST(RowCells, a_row_that_did_not_end_is_not_plain) {
  RowCells cells(',', '\n');
  EXPECT_EQ(cells.next("plain,and,long,enough,for,a,block\nand a row behind it\n", 1), 34U);
#ifdef SPINNERET_BYTES16  // elsewhere only the cells of a row are known
  EXPECT_TRUE(cells.is_plain());
  EXPECT_EQ(cells.width(), 7U);
#endif
  EXPECT_EQ(cells.next("\"open,\\and,long,enough,for,a,block", 1), RowCells::npos);
  cells.reset();
  EXPECT_FALSE(cells.is_plain());
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
