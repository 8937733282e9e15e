// SPDX-License-Identifier: Apache-2.0
// Which findings are not to be told again: rules of a .linkignore, and those of an earlier run.
//
//   # PATTERN  [until=DATE]  REASON
//   https://old.example/*  until=2027-03-01  moves in spring
//   */drafts/*             nobody reads them yet
//
// A pattern is compared with the whole target, fragment and all; '*' stands for any bytes, and
// every other byte for itself. A rule needs a reason, and holds up to the end of its day (UTC).
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

// Whether it is a date of this form: 2026-11-23. Such are in the order of their bytes.
bool is_date(std::string_view text);

bool matches_glob(std::string_view pattern, std::string_view text);

class IgnoreRules {
 public:
  // The rules of a file; an Error names the first line that is none. `today`: 2026-11-23.
  Status add_text(std::string_view text, const std::string& file, std::string_view today);
  // Notes that it matched. Not const for that.
  bool ignores(std::string_view target);
  // "FILE:LINE: ..." of each rule that has matched nothing, or is past its day.
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

// What a page itself wants nothing said of, by comments:
//
//   <!-- link-check ignore: REASON -->    its line; the next one, where it stands alone on its own
//   <!-- link-check off: REASON -->       from here on, up to
//   <!-- link-check on -->                or the end
class InlineIgnore {
 public:
  // Looks through `text`, which is borrowed until the next call.
  void begin(std::string_view text);
  bool empty() const { return ranges_.empty() && faults_.empty(); }
  // Notes that a link was there.
  bool covers(std::size_t offset);
  struct Remark {
    std::size_t offset;
    std::string_view what;
  };
  // Comments that cover no link, or say no reason.
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
  std::vector<Range> ranges_;  // by their ends
  std::vector<Remark> faults_;
  std::size_t line_end_ = 0;                  // of the last comment's line
  std::size_t off_ = std::string_view::npos;  // where an "off" stands that is open
};

// The findings of an earlier run, as the records that it has printed. Lines and columns do not count: they shift.
class Baseline {
 public:
  // False: the line is no finding.
  bool add_record(std::string_view line);
  bool has(const Finding& finding) const;

 private:
  std::unordered_set<std::string> known_;
};

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_IGNORE_H_
