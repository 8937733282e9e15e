// SPDX-License-Identifier: Apache-2.0
#include "report/page_log.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/temporary_folder.h"

namespace spinneret::report {
namespace {

class PageLogTest : public testing::Test {
 protected:
  void log(std::string_view record, std::int64_t wall_ms) {
    Result<PageLog> opened = PageLog::open(path_);
    ASSERT_TRUE(opened.ok()) << opened.message();
    opened->add(record, wall_ms);
    ASSERT_TRUE(opened->flush().ok());
  }
  std::string content() { return read_file(path_).take(); }

  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
  const std::string path_ = temporary_.file("log");
};

TEST_F(PageLogTest, KeepsWhatAReportNeedsAndLeavesBodiesOut) {
  log("http://h/a\tvia=http://h/\tdepth=2\trobots=allow\tstatus=404\ttype=text/"
      "html\tsize=9\ttime-ms=7"
      "\tbody=<p>\\n\tdigest=1f\terror=a\\tb\toutcome=not-found",
      1'763'730'000'123);
  EXPECT_EQ(
      content(),
      "http://h/a\ttime=1763730000.123\tvia=http://h/\tdepth=2\tstatus=404\ttype=text/html\tsize=9"
      "\ttime-ms=7\terror=a\\tb\toutcome=not-found\n");
}

TEST_F(PageLogTest, RunsAppendAndATornLineStaysAlone) {
  log("http://h/a\toutcome=ok", 1000);
  ASSERT_TRUE(write_file_atomic(path_, content() + "http://h/b\ttime=2\toutc").ok());
  log("http://h/c\toutcome=ok", 3000);
  EXPECT_EQ(
      content(),
      "http://h/a\ttime=1\toutcome=ok\nhttp://h/b\ttime=2\toutc\nhttp://h/c\ttime=3\toutcome=ok\n");
}

TEST_F(PageLogTest, AFolderIsNoLog) {
  const Result<PageLog> opened = PageLog::open(folder_);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.message().find(folder_), std::string::npos);
}

TEST(PageLine, EveryPrefixOfALineIsNone) {
  const std::string line =
      "http://h/a\ttime=12.5\tvia=http://h/"
      "\tdepth=2\tstatus=404\tsize=9\ttime-ms=7\toutcome=not-found";
  PageLine page;
  for (std::size_t size = 0; size < line.size(); ++size) {
    EXPECT_FALSE(parse_page_line(std::string_view(line).substr(0, size), page)) << size;
  }
  ASSERT_TRUE(parse_page_line(line, page));
  EXPECT_EQ(page.url, "http://h/a");
  EXPECT_EQ(page.via, "http://h/");
  EXPECT_EQ(page.wall_ms, 12'500);
  EXPECT_EQ(page.depth, 2U);
  EXPECT_EQ(page.status, 404U);
  EXPECT_EQ(page.size, 9U);
  EXPECT_EQ(page.time_ms, 7);
  EXPECT_EQ(page.outcome, Outcome::kNotFound);
}

TEST(PageLine, OddValuesAreNoValues) {
  PageLine page;
  ASSERT_TRUE(parse_page_line(
      "x\ttime=1\tdepth=-1\tstatus=99999999999\tsize=x\ttime-ms=\tstray\toutcome=ok", page));
  EXPECT_EQ(page.depth, 0U);
  EXPECT_EQ(page.status, 0U);
  EXPECT_EQ(page.size, 0U);
  EXPECT_EQ(page.time_ms, -1);
  EXPECT_FALSE(parse_page_line("x\ttime=soon\toutcome=ok", page));
  EXPECT_FALSE(parse_page_line("x\ttime=1\toutcome=fine", page));
  EXPECT_FALSE(parse_page_line("\ttime=1\toutcome=ok", page));
}

}  // namespace
}  // namespace spinneret::report
