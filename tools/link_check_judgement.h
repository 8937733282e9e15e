// SPDX-License-Identifier: Apache-2.0
// Judges links once all is read: decides what is shown, in which form, and what fails.
#ifndef SPINNERET_TOOLS_LINK_CHECK_JUDGEMENT_H_
#define SPINNERET_TOOLS_LINK_CHECK_JUDGEMENT_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "check/book.h"
#include "check/cache.h"
#include "check/format.h"
#include "check/ignore.h"
#include "cli/tool.h"

namespace spinneret {

class LinkCheckJudgement {
 public:
  explicit LinkCheckJudgement(cli::Tool& tool);
  void read(const check::LinkBook& book);
  void print(const check::LinkBook& book);
  // Writes the findings as a section of the report that --report names.
  Status write_report(const check::LinkBook& book);
  // Prints the targets whose state is not known, as records for fetch.
  void print_questions(check::LinkBook& book, check::LinkCache& cache);
  // Prints a patch for the files whose links have moved for good.
  void print_patch(const check::LinkBook& book);

 private:
  bool fails(check::Verdict verdict) const { return fail_on_[static_cast<std::size_t>(verdict)]; }
  void each_shown(const check::LinkBook& book, const check::LinkBook::Take& take) const;
  void print_text(const check::LinkBook& book);
  void print_summary(const check::LinkBook& book);
  void print_records(const check::LinkBook& book);
  void print_report(const check::LinkBook& book, check::ReportFormat& format);
  void read_rules();

  enum Form { kText, kRecords, kJunit, kSarif, kGithub, kGitlab };
  cli::Tool& tool_;
  Form form_;
  check::LinkBook::Verdicts fail_on_;
  check::LinkBook::Verdicts show_;
  check::IgnoreRules ignore_;
  check::Baseline baseline_;
  std::array<std::uint64_t, check::kVerdictCount> counts_{};
  std::uint64_t ignored_ = 0;
  std::uint64_t known_ = 0;
  std::uint64_t failures_ = 0;
  std::vector<std::uint32_t> shown_;
  std::size_t place_width_ = 0;
};

// Returns the time in milliseconds since 1970: the day of --now, where that is given, else the
// present.
std::int64_t link_check_now_ms(const cli::Options& options);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_LINK_CHECK_JUDGEMENT_H_
