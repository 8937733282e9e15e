// SPDX-License-Identifier: Apache-2.0
// Writes findings as a section of a crawl's report: by verdict, each target once with every place
// that links to it.
#ifndef SPINNERET_TOOLS_LINK_CHECK_REPORT_H_
#define SPINNERET_TOOLS_LINK_CHECK_REPORT_H_

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "check/book.h"
#include "report/html.h"

namespace spinneret {

class LinkCheckReport {
 public:
  // Limits of the targets of a verdict, and of the places in all; what is left out is counted.
  static constexpr std::size_t kMostTargets = 2'000;
  static constexpr std::size_t kMostPlaces = 100'000;

  void add(const check::Finding& finding, bool fails);
  // Puts the section into the report, a file that crawl has written. It replaces the list of dead
  // links, which names only the first page of each, and the section of an earlier run.
  Status write_into(const std::string& path) const;

 private:
  struct Target {
    std::string url;
    std::string reason;
    std::string location;
    std::uint64_t links = 0;
    std::string places;  // as markup
  };
  struct Verdict {
    std::uint64_t links = 0;
    std::uint64_t targets_left_out = 0;
    bool fails = false;
    std::vector<Target> targets;
    std::unordered_map<std::string, std::size_t> known;  // by URL, reason and location
  };
  std::string section() const;
  static void append_targets(report::Html& out, const Verdict& verdict);

  std::array<Verdict, check::kVerdictCount> verdicts_;
  std::size_t places_ = 0;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_LINK_CHECK_REPORT_H_
