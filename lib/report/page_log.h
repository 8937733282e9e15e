// SPDX-License-Identifier: Apache-2.0
// The log of a crawl: a line for each page, in the order in which they were settled. It is a stream
// of records (man 7 spinneret-record) like any other, with `time` and without bodies:
//
//   https://h/x TAB time=1763730000.123 TAB via=https://h/ TAB depth=1 TAB status=404 ...
//     TAB outcome=not-found
//
// Runs append to it (io/line_file.h). A line that was torn off (kill -9) has no outcome, since that
// comes last, and is ignored. The log is for reports: the crawl itself relies on nothing in it.
#ifndef SPINNERET_REPORT_PAGE_LOG_H_
#define SPINNERET_REPORT_PAGE_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/outcome.h"
#include "base/result.h"
#include "io/line_file.h"

namespace spinneret::report {

class PageLog {
 public:
  // Opens a log for appending, and creates it where it is missing.
  static Result<PageLog> open(const std::string& path);

  // Adds a settled record, of which only the fields that a report needs are kept. Costs 0.3 us, and
  // a fifth of the record's size.
  void add(std::string_view record, std::int64_t wall_ms);
  // Writes the added records, as whole lines.
  Status flush();
  // Returns the error of LineFile::close(), if any. To be called after the last flush().
  Status close() { return file_.close(); }

 private:
  explicit PageLog(LineFile file) : file_(std::move(file)) {}

  LineFile file_;
  std::string lines_;
};

// A line of the log. Views are into the line, still escaped.
struct PageLine {
  std::string_view url, via, type, error;
  Outcome outcome = Outcome::kOk;
  std::uint32_t depth = 0;
  std::uint32_t status = 0;   // 0: no answer
  std::uint64_t size = 0;     // bytes of the decoded body
  std::int64_t wall_ms = 0;   // when the page was settled
  std::int64_t time_ms = -1;  // how long the request took; -1: unknown
};

// Returns false if `line` is not a complete line of a log.
bool parse_page_line(std::string_view line, PageLine& out);

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_PAGE_LOG_H_
