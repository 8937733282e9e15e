// SPDX-License-Identifier: Apache-2.0
// What was found to be as it should be, from run to run: so that a page out of the site is asked for once in a week.
//
//   LinkCache cache;
//   if (Status status = cache.open("cache", now_s, max_age_s); !status.ok()) ...
//   cache.note(record, outcome);                        // of this run
//   cache.recall(book, [](Record& stale) { ... });      // answers what nobody has asked for
//   if (Status status = cache.save(); !status.ok()) ...
//
// A file of records: the first one names the format (its URL is kFormat), the others are pages that were found, with
// checked= (seconds since 1970), etag= and last-modified= where the server gave them. What is too old answers nothing, but
// is given to be asked for with its etag; so is nothing that was found to be dead, which is asked for each time. A file that
// is of another format is an Error, and stays. Written whole, by way of another file: a kill leaves the old one or the new.
#ifndef SPINNERET_CHECK_CACHE_H_
#define SPINNERET_CHECK_CACHE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/outcome.h"
#include "base/result.h"
#include "check/book.h"
#include "io/record.h"

namespace spinneret::check {

class LinkCache {
 public:
  static constexpr std::string_view kFormat = "link-check-cache:1";

  // A file that does not exist is an empty cache.
  Status open(const std::string& path, std::int64_t now_s, std::int64_t max_age_s);
  bool is_open() const { return !path_.empty(); }
  // What became of a URL that was asked for, now or at the time that the record's field `checked` says. Without fragments
  // alone: the names of a page are not kept.
  void note(Record& record, Outcome outcome);
  // Those that need not be asked for, in the order of the file.
  using TakeRecord = std::function<void(Record&)>;
  void each_fresh(const TakeRecord& take) const;
  void recall(LinkBook& book, const TakeRecord& take_stale);
  Status save();  // of one that is not open: nothing

 private:
  // How old what that record says is; nothing: it says no time that can be.
  std::optional<std::int64_t> age_of(const Record& record) const;

  std::string path_;
  std::string old_;  // the file's records
  std::string new_;
  std::unordered_set<std::string> told_;  // of this run
  std::int64_t now_s_ = 0;
  std::int64_t max_age_s_ = 0;
};

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_CACHE_H_
