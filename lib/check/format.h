// SPDX-License-Identifier: Apache-2.0
// Findings in other programs' formats: JUnit's XML, SARIF 2.1.0, GitHub's annotations, GitLab's
// code quality. Call begin(), then add() for each finding, then end(); all output is appended to a
// string.
#ifndef SPINNERET_CHECK_FORMAT_H_
#define SPINNERET_CHECK_FORMAT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "check/book.h"
#include "io/record.h"

namespace spinneret::check {

class ReportFormat {
 public:
  virtual ~ReportFormat() = default;
  // `tests` is the number of findings to come, and `failures` how many of them fail.
  virtual void begin(std::string& out, std::uint64_t tests, std::uint64_t failures) = 0;
  virtual void add(std::string& out, const Finding& finding, bool fails) = 0;
  virtual void end(std::string& out) = 0;

  static std::unique_ptr<ReportFormat> junit();
  static std::unique_ptr<ReportFormat> sarif(std::string_view version);
  static std::unique_ptr<ReportFormat> github();
  static std::unique_ptr<ReportFormat> gitlab();
};

// Returns the finding as a sentence: "dead: http://h/x: 404 not-found, now at http://h/y".
std::string sentence(const Finding& finding);

// Makes `record` the record of a finding: the target with verdict, reason, via, file, line, column,
// tag, location.
void fill_record(Record& record, const Finding& finding);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_FORMAT_H_
