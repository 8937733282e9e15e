// SPDX-License-Identifier: Apache-2.0
// Findings that are not to be reported: rules of a .linkignore, and the findings of an earlier run.
//
//   # PATTERN  [until=DATE]  REASON
//   https://old.example/*  until=2027-03-01  moves in spring
//   */drafts/*             nobody reads them yet
//
// A pattern is compared with the whole target, including its fragment; '*' stands for any bytes,
// every other byte for itself. A rule must give a reason, and is valid until the end of its day
// (UTC).
#ifndef SPINNERET_CHECK_IGNORE_H_
#define SPINNERET_CHECK_IGNORE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "check/book.h"

namespace spinneret::check {

// Whether `text` is a date in the form 2026-11-23. The byte order of such dates is their order in
// time.
bool is_date(std::string_view text);

bool matches_glob(std::string_view pattern, std::string_view text);

class IgnoreRules {
 public:
  // Adds the rules of a file. An Error names the first invalid line. `today` is in the form
  // 2026-11-23.
  Status add_text(std::string_view text, const std::string& file, std::string_view today);
  // Whether a rule matches. Not const, since the rule remembers its match.
  bool ignores(std::string_view target);
  // Returns "FILE:LINE: ..." for each rule that has matched nothing, or whose day has passed.
  std::vector<std::string> remarks() const;

 private:
  struct Rule {
    std::string pattern;
    std::string place;
    bool expired = false;
    bool matched = false;
  };
  std::vector<Rule> rules_;
};

// Comments by which a page itself asks to ignore links:
//
//   <!-- link-check ignore: REASON -->  ignores links on its line; alone on a line, on the next too
//   <!-- link-check off: REASON -->     ignores all links from here to the next "on", or to the end
//   <!-- link-check on -->              ends "off"
class InlineIgnore {
 public:
  // Finds the comments in `text`, which is borrowed until the next call.
  void begin(std::string_view text);
  bool empty() const { return lines_.empty() && offs_.empty() && faults_.empty(); }
  // Whether a comment covers a link at this offset. The comment remembers that it does.
  bool covers(std::size_t offset);
  struct Remark {
    std::size_t offset;
    std::string_view what;
  };
  // Returns the comments that cover no link or give no reason, in order.
  std::vector<Remark> remarks() const;

 private:
  struct Range {
    std::size_t begin;
    std::size_t end;
    std::size_t comment;
    bool used = false;
  };
  void add(std::size_t comment, std::string_view words, std::size_t behind);

  std::string_view text_;
  // Both are sorted, by begins as well as by ends; an "off" range may contain many line ranges.
  std::vector<Range> lines_;
  std::vector<Range> offs_;
  std::vector<Remark> faults_;
  // End of the last comment's line, or of the next line it covers.
  std::size_t line_end_ = 0;
  std::size_t off_ = std::string_view::npos;  // offset of an "off" that is still open
};

// The findings of an earlier run, read from the records that it printed. Lines and columns are
// ignored, since they shift.
class Baseline {
 public:
  // Adds a record. Returns false if it is not a finding.
  bool add_record(std::string_view line);
  bool has(const Finding& finding) const;

 private:
  std::unordered_set<std::string> known_;
};

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_IGNORE_H_
