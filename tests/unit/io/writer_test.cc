// SPDX-License-Identifier: Apache-2.0
#include "io/writer.h"

#include <gtest/gtest.h>

#include <string>

#include "feed.h"

namespace spinneret {
namespace {

using Form = OutputFormat::Form;

// What comes out for `line`, by way of write_line or of a parsed record.
std::string written(std::string_view line, const OutputFormat& format, bool parsed) {
  const Fd file = file_of("");
  Sink sink(file.get());
  RecordWriter writer(sink, format);
  Record record;
  record.parse(line);
  if (parsed) {
    writer.write(record);
  } else {
    writer.write_line(line);
  }
  sink.flush();
  return contents_of(file);
}

void expect_both(std::string_view line, const OutputFormat& format, std::string_view want) {
  EXPECT_EQ(written(line, format, false), want);
  EXPECT_EQ(written(line, format, true), want);
}

TEST(RecordWriter, PassesLinesByteForByte) {
  const std::string odd("u\xFF\t\tUnknown\tx=\\q\\\ta=1\t\0\r", 25);
  expect_both(odd, {}, odd + "\n");
  expect_both(odd, {.terminator = '\0'}, odd + std::string(1, '\0'));
  expect_both("", {}, "\n");
}

TEST(RecordWriter, FieldsArePositional) {
  const OutputFormat format{.form = Form::kFields, .fields = {"status", "url", "none", "via"}};
  expect_both("u\tvia=a\tstatus=200\tvia=b", format, "200\tu\t\ta\n");
  expect_both("u", format, "\tu\t\t\n");
}

TEST(RecordWriter, FieldsNeverBreakTheirColumn) {
  const OutputFormat format{.form = Form::kFields, .fields = {"body", "url"}};
  expect_both("u\tbody=a\\tb\\nc", format, "a\\tb\\nc\tu\n");
}

TEST(RecordWriter, JsonEndsWithTheTerminator) {
  expect_both("u\tstatus=1", {.form = Form::kJson}, "{\"url\":\"u\",\"status\":1}\n");
  const std::string with_nul("{\"url\":\"u\"}\0", 12);
  expect_both("u", {.form = Form::kJson, .terminator = '\0'}, with_nul);
}

TEST(RecordWriter, SaysWhetherLinesPassAsTheyAre) {
  Sink sink(-1);
  EXPECT_TRUE(RecordWriter(sink, {}).plain());
  EXPECT_FALSE(RecordWriter(sink, {.form = Form::kJson}).plain());
  EXPECT_EQ(RecordWriter(sink, {.terminator = '\0'}).terminator(), '\0');
  EXPECT_EQ(&RecordWriter(sink, {}).sink(), &sink);
}

TEST(RecordWriter, HugeRecordsAmongSmallOnes) {
  const Fd file = file_of("");
  Sink sink(file.get());
  RecordWriter writer(sink, {});
  std::string want;
  Record record;
  for (int i = 0; i < 20; ++i) {
    record.reset("u");
    record.set("body", std::string(i % 5 == 0 ? 3 << 20 : 10, 'x'));
    writer.write(record);
    record.append_to(want);
    want += '\n';
  }
  EXPECT_TRUE(sink.flush());
  EXPECT_EQ(contents_of(file), want);
}

}  // namespace
}  // namespace spinneret
