// SPDX-License-Identifier: Apache-2.0
// Links that the crawl policy refuses: counted by rule, and written down where that is asked for (--rejected=FILE).
// Nothing else comes of them; none is ever queued.
//
//   https://other/x TAB via=https://h/ TAB class=same-host TAB why=... TAB outcome=blocked-by-policy
//
// A record keeps where the link was found (via, tag, depth) and what decided: rule, policy (its file and line), class
// and why. What a run writes stands behind what others wrote; a line that a crash has torn is ended by the next run.
#ifndef SPINNERET_LOOP_REJECTED_H_
#define SPINNERET_LOOP_REJECTED_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace spinneret::loop {

class Rejected {
 public:
  // Of a run that keeps counts only.
  Rejected() = default;
  // Opens for appending; creates.
  static Result<Rejected> open(const std::string& path);

  // A settled record of a refused link.
  void add(std::string_view record);
  // Writes what was added, in whole lines.
  Status flush();

  std::uint64_t total() const { return total_; }
  // The rules that refused most, with their counts, greatest first. A rule is named by its text and place; what none
  // refused, by its class.
  std::vector<std::pair<std::string, std::uint64_t>> top(std::size_t most) const;
  // The first few links that a rule of top() refused, to be shown; kept of the first few rules.
  std::vector<std::string> examples(const std::string& rule) const;
  // Likewise pages whose redirect was refused, and where that leads and why.
  const std::vector<std::pair<std::string, std::string>>& redirects() const { return redirects_; }

 private:
  void keep_example(std::string_view record);

  std::string path_;  // empty: nothing is written
  Fd file_;
  std::string lines_;
  std::uint64_t total_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> by_rule_;
  std::map<std::string, std::vector<std::string>, std::less<>> examples_;
  std::vector<std::pair<std::string, std::string>> redirects_;
  std::string rule_;  // reused
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_REJECTED_H_
