// SPDX-License-Identifier: Apache-2.0
// Remembers from run to run which targets were good, so that a page outside the site is requested
// only once a week.
//
//   LinkCache cache;
//   if (Status status = cache.open("cache", now_s, max_age_s); !status.ok()) ...
//   cache.note(record, outcome);                        // for each result of this run
//   cache.recall(book, [](Record& stale) { ... });      // answers what this run did not request
//   if (Status status = cache.save(); !status.ok()) ...
//
// The cache is a file of records. The first one names the format (its URL is kFormat). The others
// are pages that were found, with checked= (seconds since 1970), and with etag= and last-modified=
// where the server sent them. An entry that is too old answers nothing, but is passed to the
// caller, who can request the page with its etag. Dead pages are not kept, and are requested each
// time. A file of another format is an Error, and is left alone. The file is replaced as a whole
// through a temporary file: a kill leaves the old one or the new one.
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

  // Opens a cache. A file that does not exist is an empty cache.
  Status open(const std::string& path, std::int64_t now_s, std::int64_t max_age_s);
  bool is_open() const { return !path_.empty(); }
  // Notes the outcome of a URL that was requested now, or at the time in the record's field
  // `checked`. Only URLs without a fragment are noted, since the ids of a page are not kept.
  void note(Record& record, Outcome outcome);
  // Gives the entries that need not be requested again, in the order of the file.
  using TakeRecord = std::function<void(Record&)>;
  void each_fresh(const TakeRecord& take) const;
  void recall(LinkBook& book, const TakeRecord& take_stale);
  Status save();  // does nothing if the cache is not open

 private:
  Status read(const std::string& path);
  // Returns the age of the record's entry in seconds; nothing if its time is missing or in the
  // future.
  std::optional<std::int64_t> age_of(const Record& record) const;

  std::string path_;
  std::string old_;  // the file's records
  std::string new_;
  std::unordered_set<std::string> told_;  // URLs noted in this run
  std::int64_t now_s_ = 0;
  std::int64_t max_age_s_ = 0;
};

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_CACHE_H_
