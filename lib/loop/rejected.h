// SPDX-License-Identifier: Apache-2.0
// Links that the crawl policy refuses. They are counted by rule, written to a file if requested
// (--rejected=FILE), and never queued.
//
//   https://other/x TAB via=https://h/ TAB class=same-host TAB why=...
//     TAB outcome=blocked-by-policy
//
// A record says where the link was found (via, tag, depth) and what decided: rule, policy (file and
// line), class and why. Each run appends to the records of earlier runs (io/line_file.h).
#ifndef SPINNERET_LOOP_REJECTED_H_
#define SPINNERET_LOOP_REJECTED_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/line_file.h"

namespace spinneret::loop {

class Rejected {
 public:
  // Makes an object that only counts.
  Rejected() = default;
  // Opens a file for appending, and creates it where it is missing.
  static Result<Rejected> open(const std::string& path);

  // Adds a refused link, as a settled record.
  void add(std::string_view record);
  // Writes the added links, as whole lines.
  Status flush();
  // Returns the error of LineFile::close(), if any. To be called after the last flush().
  Status close() { return file_ ? file_->close() : Status(); }

  std::uint64_t total() const { return total_; }
  // Returns the rules that refused most, with counts, greatest first. A rule is named by its text
  // and place; a refusal without a rule by its class.
  std::vector<std::pair<std::string, std::uint64_t>> top(std::size_t most) const;
  // Returns the first few links refused by a rule of top(), for display. They are kept for the
  // first few rules only.
  std::vector<std::string> examples(const std::string& rule) const;
  // The first few pages whose redirect was refused, with the target and the reason, for display.
  const std::vector<std::pair<std::string, std::string>>& redirects() const { return redirects_; }

 private:
  void keep_example(std::string_view record);

  std::optional<LineFile> file_;  // none: only counts are kept
  std::string lines_;
  std::uint64_t total_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> by_rule_;
  std::map<std::string, std::vector<std::string>, std::less<>> examples_;
  std::vector<std::pair<std::string, std::string>> redirects_;
  std::string rule_;  // reused
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_REJECTED_H_
